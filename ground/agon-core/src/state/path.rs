//! Paths such as `players[1].keys[2]`, and changes of the items at them.

use super::State;
use crate::Flaw;
use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

/// Adds a name or a position to a path.
pub(super) fn extend(path: &mut String, name: &str) {
    let plain = |c: char| c.is_ascii_lowercase() || c == '_';
    if name.is_empty() || !name.chars().all(plain) {
        path.extend(["[", name, "]"]);
    } else {
        path.extend([if path.is_empty() { "" } else { "." }, name]);
    }
}

/// The most names and positions of a path. States of games need 4. A state is dropped and copied by recursion, so a path
/// must not make it deep.
const MOST_STEPS: usize = 16;

const FORM: &str = "a path looks like `players[1].keys[2]`; `show state` shows the names";

/// Splits a path into names and positions.
fn steps(path: &str) -> Result<Vec<&str>, Flaw> {
    let wrong = || Flaw::new(format!("`{}` is not the path of an item", path.escape_debug())).hint(FORM);
    let (mut steps, mut rest) = (Vec::new(), path);
    while !rest.is_empty() {
        let step;
        if let Some(inside) = rest.strip_prefix('[') {
            (step, rest) = inside.split_once(']').ok_or_else(wrong)?;
        } else {
            let name = if steps.is_empty() { rest } else { rest.strip_prefix('.').ok_or_else(wrong)? };
            (step, rest) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
        }
        if step.is_empty() {
            return Err(wrong());
        }
        if steps.len() == MOST_STEPS {
            return Err(Flaw::new(format!("the path of an item has more than {MOST_STEPS} steps")).hint(FORM));
        }
        steps.push(step);
    }
    if steps.is_empty() { Err(wrong()) } else { Ok(steps) }
}

impl State {
    /// Sets the item at a path, for example `players[1].score`. Named items on the way are made if they are left out. The
    /// position after the last one of a list adds to it.
    ///
    /// # Errors
    /// Fails if `path` is not a path, or if a value on the way has no such item. Then nothing changes.
    pub fn put(&mut self, path: &str, value: Self) -> Result<(), Flaw> {
        let steps = steps(path)?;
        // A flaw shall leave nothing half made.
        let mut changed = self.clone();
        let (mut at, mut so_far) = (&mut changed, String::new());
        for step in steps {
            let before = so_far.clone();
            extend(&mut so_far, step);
            at = match at {
                Self::Items(items) => {
                    let known = items.iter().position(|(name, _)| name == step);
                    let known = known.unwrap_or_else(|| {
                        items.push((step.to_owned(), Self::default()));
                        items.len() - 1
                    });
                    &mut items[known].1
                }
                Self::List(list) => {
                    let index = position(step).filter(|index| *index <= list.len());
                    let last = list.len() + 1;
                    let index = index.ok_or_else(|| {
                        Flaw::new("the list has no such position")
                            .of(&so_far)
                            .hint(format!("its positions are 1 to {last}, and {last} adds to it"))
                    })?;
                    if index == list.len() {
                        list.push(Self::default());
                    }
                    &mut list[index]
                }
                Self::Number(_) | Self::Text(_) => return Err(Flaw::new("a single value has no items").of(&before)),
            };
        }
        *at = value;
        *self = changed;
        Ok(())
    }

    /// Leaves out the item at a path. Returns it, or `None` if there is no such item.
    pub fn leave_out(&mut self, path: &str) -> Option<Self> {
        let steps = steps(path).ok()?;
        let (last, way) = steps.split_last()?;
        let mut at = self;
        for step in way {
            at = match at {
                Self::Items(items) => &mut items.iter_mut().rev().find(|(name, _)| name == step)?.1,
                Self::List(list) => list.get_mut(position(step)?)?,
                Self::Number(_) | Self::Text(_) => return None,
            };
        }
        match at {
            Self::Items(items) => {
                let index = items.iter().rposition(|(name, _)| name == last)?;
                Some(items.remove(index).1)
            }
            Self::List(list) => position(last).filter(|index| *index < list.len()).map(|index| list.remove(index)),
            Self::Number(_) | Self::Text(_) => None,
        }
    }
}

/// Returns the index for a position that counts from 1.
fn position(step: &str) -> Option<usize> {
    step.parse::<usize>().ok()?.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn paths_lead_to_their_items() {
        let mut state = State::default();
        state.put("players[1].keys", State::list(["1,1"])).unwrap();
        state.put("players[1].keys[2]", "0,7".into()).unwrap();
        state.put("cells[3,4]", 12.into()).unwrap();
        let text = r#"{"players":{"1":{"keys":["1,1","0,7"]}},"cells":{"3,4":12}}"#;
        assert_eq!(serde_json::to_string(&state).unwrap(), text);
        assert_eq!(state.leave_out("players[1].keys[1]"), Some("1,1".into()));
        assert_eq!(state.leave_out("cells[3,5]"), None);
        assert_eq!(state.leave_out("cells"), Some(serde_json::from_str(r#"{"3,4":12}"#).unwrap()));
        assert_eq!(serde_json::to_string(&state).unwrap(), r#"{"players":{"1":{"keys":["0,7"]}}}"#);
    }

    #[test]
    fn a_path_makes_no_deep_tree() {
        let mut state = State::default();
        for long in ["a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a", "[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1]"] {
            let flaw = state.put(long, 1.into()).expect_err(long);
            assert_eq!(flaw.what, "the path of an item has more than 16 steps");
            assert!(state.is_empty());
            assert_eq!(state.leave_out(long), None);
        }
        assert_eq!(state.put("a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a", 1.into()), Ok(()));
    }

    #[test]
    fn a_wrong_path_changes_nothing() {
        let mut state = State::default();
        state.put("a.b", 1.into()).unwrap();
        state.put("l", State::list([1, 2])).unwrap();
        let before = state.clone();
        for (path, what) in [
            ("", "`` is not the path of an item"),
            ("a..b", "`a..b` is not the path of an item"),
            ("a[1", "`a[1` is not the path of an item"),
            ("a[1]b", "`a[1]b` is not the path of an item"),
            ("a.b.c", "`a.b`: a single value has no items"),
            ("l[4]", "`l[4]`: the list has no such position"),
            ("l[0]", "`l[0]`: the list has no such position"),
            ("l.x", "`l.x`: the list has no such position"),
        ] {
            assert_eq!(state.put(path, 3.into()).map_err(|flaw| flaw.to_string()), Err(what.into()), "{path}");
            assert_eq!(state, before, "{path}");
        }
        for path in ["", "l[3]", "l[0]", "a.b.c", "x"] {
            assert_eq!(state.leave_out(path), None, "{path}");
        }
    }
}

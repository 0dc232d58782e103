//! Changes of the position: of the text of its map, and of what it has beyond the map.

use crate::argument::{Arguments, Word};
use agon_core::{Flaw, State};

/// A change of the position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Edit {
    /// A change of its map.
    Map(MapEdit),
    /// A change of what it has beyond its map.
    State(StateEdit),
}

/// A change of what the position has beyond its map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StateEdit {
    /// Sets the item at a path.
    Put(String, State),
    /// Leaves out the item at a path, so that it is as at the start of a match on the map.
    Drop(String),
    /// Replaces everything.
    Whole(State),
}

/// A change of the map of the position. Lines and columns count from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MapEdit {
    /// Replaces a line.
    Set(usize, String),
    /// Inserts a line before this one. One more than the number of lines adds it at the end.
    Insert(usize, String),
    /// Removes a line.
    Delete(usize),
    /// Replaces as many characters as the text has, from this line and column on.
    At(usize, usize, String),
    /// Replaces the whole map.
    Map(String),
}

impl Edit {
    pub(crate) fn parse(arguments: &mut Arguments<'_>) -> Result<Self, Flaw> {
        let word = arguments.need("what to edit")?;
        Ok(match word.text {
            "put" => {
                let path = path(arguments)?;
                Self::State(StateEdit::Put(path, value(arguments)?))
            }
            "drop" => Self::State(StateEdit::Drop(path(arguments)?)),
            "state" => Self::State(StateEdit::Whole(value(arguments)?)),
            _ => Self::Map(MapEdit::parse(&word, arguments)?),
        })
    }
}

impl StateEdit {
    /// Returns the path of the item that changes; that of everything is empty.
    pub(crate) fn path(&self) -> &str {
        match self {
            Self::Put(path, _) | Self::Drop(path) => path,
            Self::Whole(_) => "",
        }
    }

    /// Changes a state.
    pub(crate) fn apply(&self, mut state: State) -> Result<State, Flaw> {
        match self {
            Self::Put(path, value) => state.put(path, value.clone())?,
            Self::Drop(path) => {
                let missing = || Flaw::new("there is no such item").of(path).hint("`show state` shows what there is");
                state.leave_out(path).ok_or_else(missing)?;
            }
            Self::Whole(whole) => state = whole.clone(),
        }
        Ok(state)
    }
}

impl MapEdit {
    fn parse(word: &Word<'_>, arguments: &mut Arguments<'_>) -> Result<Self, Flaw> {
        Ok(match word.text {
            "set" => Self::Set(arguments.need("the number of a line")?.number("a line")?, text(arguments)?),
            "insert" => Self::Insert(arguments.need("the number of a line")?.number("a line")?, text(arguments)?),
            "delete" => Self::Delete(arguments.need("the number of a line")?.number("a line")?),
            "at" => {
                let line = arguments.need("the number of a line")?.number("a line")?;
                Self::At(line, arguments.need("the number of a column")?.number("a column")?, text(arguments)?)
            }
            "map" => Self::Map(text(arguments)?),
            other => return Err(word.flaw(format!("unknown edit `{other}`"))),
        })
    }

    /// Returns the changed text of a map.
    pub(crate) fn apply(&self, map: &str) -> Result<String, Flaw> {
        let mut lines: Vec<String> = map.lines().map(str::to_owned).collect();
        let count = lines.len();
        let known = |line: usize, most: usize| {
            let flaw = || Flaw::new(format!("the map has no line {line}")).hint(format!("its lines are 1 to {most}"));
            if (1..=most).contains(&line) { Ok(line - 1) } else { Err(flaw()) }
        };
        match self {
            Self::Set(line, text) => lines[known(*line, count)?].clone_from(text),
            Self::Insert(line, text) => lines.insert(known(*line, count + 1)?, text.clone()),
            Self::Delete(line) => drop(lines.remove(known(*line, count)?)),
            Self::At(line, column, text) => {
                let line = &mut lines[known(*line, count)?];
                let mut characters: Vec<char> = line.chars().collect();
                let end = column.checked_sub(1).and_then(|start| start.checked_add(text.chars().count()));
                let Some(end) = end.filter(|end| *end <= characters.len()) else {
                    return Err(Flaw::new(format!(
                        "the line has no {} characters from column {column} on",
                        text.chars().count()
                    ))
                    .hint(format!("it has {} characters", characters.len())));
                };
                characters.splice(column - 1..end, text.chars());
                *line = characters.into_iter().collect();
            }
            Self::Map(text) => return Ok(text.clone()),
        }
        Ok(lines.into_iter().map(|line| line + "\n").collect())
    }
}

/// Reads the path of an item.
fn path(arguments: &mut Arguments<'_>) -> Result<String, Flaw> {
    let word = arguments.need("the path of an item")?;
    match State::default().put(word.text, State::default()) {
        Ok(()) => Ok(word.text.to_owned()),
        Err(why) => Err(Flaw { place: word.flaw("").place, ..why }),
    }
}

/// Reads a value: JSON, or a text as it is.
fn value(arguments: &mut Arguments<'_>) -> Result<State, Flaw> {
    let word = arguments.text("the new value")?;
    if word.text.starts_with(['"', '[', '{']) {
        return serde_json::from_str(word.text).map_err(|why| word.flaw(format!("the value cannot be read: {why}")));
    }
    Ok(word.text.parse::<i64>().map_or_else(|_| State::from(word.text), State::from))
}

/// Reads a text. If it begins with a quote it is a JSON string, which can have blanks at its ends and line feeds.
fn text(arguments: &mut Arguments<'_>) -> Result<String, Flaw> {
    let word = arguments.text("the new text")?;
    if !word.text.starts_with('"') {
        return Ok(word.text.to_owned());
    }
    serde_json::from_str(word.text).map_err(|why| word.flaw(format!("the text is not a JSON string: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_characters_are_replaced() {
        let map = "ab\ncd\n";
        for (edit, expected) in [
            ("set 2 xyz", "ab\nxyz\n"),
            ("insert 3 e", "ab\ncd\ne\n"),
            ("insert 1 \" e\"", " e\nab\ncd\n"),
            ("delete 1", "cd\n"),
            ("at 2 2 x", "ab\ncx\n"),
            ("map \"q\\nr\\n\"", "q\nr\n"),
        ] {
            assert_eq!(changed(map, edit).as_deref(), Ok(expected), "{edit}");
        }
        for wrong in
            ["set 3 x", "set 0 x", "delete 9", "insert 4 x", "at 1 2 xy", "at 1 0 x", "at 1 18446744073709551615 xyz"]
        {
            assert!(changed(map, wrong).is_err(), "{wrong}");
        }
    }

    fn changed(map: &str, edit: &str) -> Result<String, Flaw> {
        match Edit::parse(&mut Arguments::new(edit)).expect(edit) {
            Edit::Map(parsed) => parsed.apply(map),
            Edit::State(_) => panic!("{edit} changes the map"),
        }
    }

    #[test]
    fn items_are_put_and_dropped() {
        let mut state = State::default();
        for (edit, expected) in [
            ("put round 12", r#"{"round":12}"#),
            ("put players[1].at 3,4", r#"{"round":12,"players":{"1":{"at":"3,4"}}}"#),
            ("put players[1].keys [\"3,4\"]", r#"{"round":12,"players":{"1":{"at":"3,4","keys":["3,4"]}}}"#),
            ("drop players[1].at", r#"{"round":12,"players":{"1":{"keys":["3,4"]}}}"#),
            ("state {\"round\": -3}", r#"{"round":-3}"#),
        ] {
            let Ok(Edit::State(parsed)) = Edit::parse(&mut Arguments::new(edit)) else { panic!("{edit}") };
            state = parsed.apply(state).expect(edit);
            assert_eq!(serde_json::to_string(&state).expect("JSON"), expected, "{edit}");
        }
        for (wrong, column) in [("put", 4), ("put a..b 3", 5), ("put a", 6), ("put a [1.5]", 7), ("drop [", 6)] {
            let flaw = Edit::parse(&mut Arguments::new(wrong)).expect_err(wrong);
            assert_eq!(flaw.place.map(|place| place.column), Some(column), "{wrong}: {flaw}");
        }
        let Ok(Edit::State(gone)) = Edit::parse(&mut Arguments::new("drop cells")) else { panic!() };
        assert_eq!(gone.apply(state).map_err(|flaw| flaw.item), Err(Some("cells".into())));
    }
}

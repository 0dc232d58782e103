//! Rule sets: named ways to play a contest's specification, and the single points in which they differ.

use crate::Flaw;
use alloc::{format, string::String, vec::Vec};
use core::fmt::Debug;

/// How the contest's specification is played where it leaves a choice.
///
/// Written `SET[,POINT=VALUE]…`, as `spec` or `original,keys=one`; see [`parse`] and [`print`].
pub trait RuleSet: Clone + PartialEq + Debug + Send + Sync + 'static {
    /// The names of the sets, the default (`spec`) first.
    const SETS: &'static [&'static str];

    /// The points in which the sets differ.
    const POINTS: &'static [RulePoint];

    /// The set of this name; `None` if the game has none such.
    fn named(set: &str) -> Option<Self>;

    /// The value of a point; `point` is one of [`Self::POINTS`].
    fn get(&self, point: &str) -> &'static str;

    /// Sets a point to one of its values; both were looked up in [`Self::POINTS`].
    fn set(&mut self, point: &str, value: &str);

    /// Why a set that users may ask for does not exist, if the game can say so (`original` of triangles).
    fn why_not(_set: &str) -> Option<&'static str> {
        None
    }
}

/// One point in which rule sets differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RulePoint {
    /// As written on the command line.
    pub name: &'static str,
    /// What it decides, a short sentence.
    pub about: &'static str,
    /// The values it may have.
    pub values: &'static [&'static str],
}

/// Reads `SET[,POINT=VALUE]…`. An empty text is the default set.
///
/// # Errors
/// An unknown set, point or value, with what there is as a hint.
pub fn parse<R: RuleSet>(text: &str) -> Result<R, Flaw> {
    let mut parts = text.split(',').map(str::trim);
    let set = match parts.next() {
        None | Some("") => R::SETS[0],
        Some(set) => set,
    };
    let mut rules = R::named(set).ok_or_else(|| match R::why_not(set) {
        Some(why) => Flaw::new(format!("there is no rule set `{set}`: {why}")),
        None => Flaw::new(format!("unknown rule set `{set}`")).hint(format!("there are: {}", R::SETS.join(", "))),
    })?;
    for part in parts {
        let Some((name, value)) = part.split_once('=') else {
            return Err(Flaw::new(format!("`{part}` is not POINT=VALUE")).hint(known_points::<R>()));
        };
        let Some(point) = R::POINTS.iter().find(|p| p.name == name) else {
            return Err(Flaw::new(format!("unknown point `{name}` of the rules")).hint(known_points::<R>()));
        };
        if !point.values.contains(&value) {
            return Err(Flaw::new(format!("point `{name}` cannot be `{value}`"))
                .hint(format!("its values are: {}", point.values.join(", "))));
        }
        rules.set(name, value);
    }
    Ok(rules)
}

/// Writes a rule set so that [`parse`] gives it back: the set with the fewest differing points, then these.
#[must_use]
pub fn print<R: RuleSet>(rules: &R) -> String {
    let mut best: Option<(usize, String)> = None;
    for set in R::SETS {
        let Some(base) = R::named(set) else { continue };
        let differing: Vec<_> = R::POINTS.iter().filter(|p| base.get(p.name) != rules.get(p.name)).collect();
        if best.as_ref().is_none_or(|(n, _)| differing.len() < *n) {
            let mut text = String::from(*set);
            for p in &differing {
                text.push_str(&format!(",{}={}", p.name, rules.get(p.name)));
            }
            best = Some((differing.len(), text));
        }
    }
    best.map(|(_, text)| text).unwrap_or_default()
}

fn known_points<R: RuleSet>() -> String {
    let names: Vec<_> = R::POINTS.iter().map(|p| format!("{}={}", p.name, p.values.join("|"))).collect();
    format!("the points are: {}", names.join(", "))
}

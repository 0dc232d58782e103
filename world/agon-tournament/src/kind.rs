//! The kinds of tournaments in a file, and the keys that only some of them have.

use crate::text::Entry;
use agon_core::Flaw;
use agon_tourney::Kind;

/// Every kind of tournament, with its defaults.
pub const KINDS: [Kind; 7] = [
    Kind::RoundRobin,
    Kind::Gauntlet { challengers: 1 },
    Kind::Swiss,
    Kind::SingleElimination { best_of: 1, third_place: false },
    Kind::DoubleElimination { best_of: 1 },
    Kind::Groups { groups: 2, advance: 2, best_of: 1, third_place: false },
    Kind::LADDER,
];

/// The keys that only some kinds have.
pub(crate) const KEYS: &[&str] =
    &["challengers", "best-of", "third-place", "groups", "advance", "uniform-percent", "window"];

/// Sets the key of a kind. Returns `false` if the kind has no such key.
fn set(kind: &mut Kind, entry: Entry<'_, '_>) -> Result<bool, Flaw> {
    match (kind, entry.key) {
        (Kind::Gauntlet { challengers }, "challengers") => *challengers = entry.number(1..=u32::MAX)?,
        (
            Kind::SingleElimination { best_of, .. }
            | Kind::DoubleElimination { best_of }
            | Kind::Groups { best_of, .. },
            "best-of",
        ) => *best_of = entry.number(1..=u32::MAX)?,
        (Kind::SingleElimination { third_place, .. } | Kind::Groups { third_place, .. }, "third-place") => {
            *third_place = entry.flag()?;
        }
        (Kind::Groups { groups, .. }, "groups") => *groups = entry.number(1..=u32::MAX)?,
        (Kind::Groups { advance, .. }, "advance") => *advance = entry.number(1..=u32::MAX)?,
        (Kind::Ladder { uniform_percent, .. }, "uniform-percent") => *uniform_percent = entry.number(1..=100)?,
        (Kind::Ladder { window, .. }, "window") => *window = entry.number(1..=u32::MAX)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Reads a kind with its keys.
pub(crate) fn read(kind: Option<Entry<'_, '_>>, keys: &[Entry<'_, '_>]) -> Result<Kind, Flaw> {
    let known = KINDS.map(|kind| (kind.name(), kind));
    let mut found = kind.map_or(Ok(Kind::RoundRobin), |entry| entry.word(&known))?;
    for entry in keys {
        if !set(&mut found, *entry)? {
            let what = format!("a {} has no such key", found.name());
            return Err(entry.flaw(what).hint("take the line away, or choose another kind"));
        }
    }
    Ok(found)
}

/// Returns the keys of a kind with their values and what they mean.
pub(crate) fn print(kind: Kind) -> Vec<(&'static str, String, &'static str)> {
    let best =
        |best_of: u32| ("best-of", best_of.to_string(), "after how many games the leader of an encounter advances");
    let third = |third_place: bool| ("third-place", third_place.to_string(), "whether there is a match for place 3");
    match kind {
        Kind::Gauntlet { challengers } => {
            vec![("challengers", challengers.to_string(), "how many of the first bots meet all others")]
        }
        Kind::SingleElimination { best_of, third_place } => vec![best(best_of), third(third_place)],
        Kind::DoubleElimination { best_of } => vec![best(best_of)],
        Kind::Groups { groups, advance, best_of, third_place } => vec![
            ("groups", groups.to_string(), ""),
            ("advance", advance.to_string(), "how many bots of each group advance to the knockout"),
            best(best_of),
            third(third_place),
        ],
        Kind::Ladder { uniform_percent, window } => vec![
            ("uniform-percent", uniform_percent.to_string(), "the share of rounds that are drawn uniformly"),
            ("window", window.to_string(), "how many rounds may run at once"),
        ],
        _ => Vec::new(),
    }
}

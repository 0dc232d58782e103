//! The kinds of tournaments in a file, and the keys that only some of them have.

use crate::text::Entry;
use agon_core::Flaw;
use agon_tourney::Kind;

/// Every kind of tournament, with its defaults.
pub const KINDS: [Kind; 3] = [Kind::RoundRobin, Kind::Gauntlet { challengers: 1 }, Kind::Swiss];

/// Sets the key of a kind. Returns `false` if the kind has no such key.
fn set(kind: &mut Kind, entry: Entry<'_, '_>) -> Result<bool, Flaw> {
    match (kind, entry.key) {
        (Kind::Gauntlet { challengers }, "challengers") => *challengers = entry.number(1..=u32::MAX)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// The keys that only some kinds have.
pub(crate) const KEYS: &[&str] = &["challengers"];

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
    match kind {
        Kind::Gauntlet { challengers } => {
            vec![("challengers", challengers.to_string(), "how many of the first bots meet all others")]
        }
        _ => Vec::new(),
    }
}

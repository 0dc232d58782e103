//! The kind of a tournament in a file, with the keys that only some kinds have.

use crate::text::Entry;
use agon_core::Flaw;
use agon_tourney::{KeyValue, Kind};

/// Returns the keys that only some kinds have, each once.
pub(crate) fn keys() -> Vec<&'static str> {
    let mut keys = Vec::new();
    for key in Kind::ALL.into_iter().flat_map(Kind::keys) {
        if !keys.contains(&key.name) {
            keys.push(key.name);
        }
    }
    keys
}

/// Reads a kind with its keys.
pub(crate) fn read(kind: Option<Entry<'_, '_>>, keys: &[Entry<'_, '_>]) -> Result<Kind, Flaw> {
    let known = Kind::ALL.map(|kind| (kind.name(), kind));
    let mut found = kind.map_or(Ok(Kind::RoundRobin), |entry| entry.word(&known))?;
    for entry in keys {
        let none = || {
            let what = format!("a {} has no such key", found.name());
            entry.flaw(what).hint("take the line away, or choose another kind")
        };
        let key = found.keys().into_iter().find(|key| key.name == entry.key).ok_or_else(none)?;
        let value = match key.value {
            KeyValue::Number(_) => KeyValue::Number(entry.number(1..=key.most)?),
            KeyValue::Flag(_) => KeyValue::Flag(entry.flag()?),
        };
        found = found.with(key.name, value).ok_or_else(none)?;
    }
    Ok(found)
}

/// Returns the keys of a kind with their values and what they mean.
pub(crate) fn print(kind: Kind) -> Vec<(&'static str, String, &'static str)> {
    let value = |value: KeyValue| match value {
        KeyValue::Number(number) => number.to_string(),
        KeyValue::Flag(flag) => flag.to_string(),
    };
    kind.keys().into_iter().map(|key| (key.name, value(key.value), key.meaning)).collect()
}

//! The points in which rule sets differ.
//!
//! | set | keys | neutral |
//! | --- | --- | --- |
//! | `spec` (default) | `one` | `-1` |
//! | `original` | `many` | `null` |
//!
//! `spec` is the words of the specification (v0.7), `original` the contest's own engine, equal to its recorded games
//! move for move.

use agon_core::rules::RulePoint;

/// L1: how many keys a player may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keys {
    /// Specification "Conexiones": one key at a time. A player that holds one takes no other until a connection uses it
    /// up.
    One,
    /// One for each lighthouse, as the contest's engine has it.
    Many,
}

/// L2: how the owner of a neutral lighthouse is written in a state message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Neutral {
    /// `-1`, the specification's word and that of the later editions.
    MinusOne,
    /// `null`, as the first engine wrote it.
    Null,
}

impl Neutral {
    /// As written in a rule set and in the dialogue option of the same name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MinusOne => "-1",
            Self::Null => "null",
        }
    }

    /// The value of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "-1" => Some(Self::MinusOne),
            "null" => Some(Self::Null),
            _ => None,
        }
    }
}

/// A rule set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// How many keys a player may hold.
    pub keys: Keys,
    /// How a neutral owner is written, unless a seat's dialogue says otherwise.
    pub neutral: Neutral,
}

impl Rules {
    /// The words of the specification.
    pub const SPEC: Self = Self { keys: Keys::One, neutral: Neutral::MinusOne };
    /// The contest's engine.
    pub const ORIGINAL: Self = Self { keys: Keys::Many, neutral: Neutral::Null };
}

/// The values that [`Neutral`] may have, for the rule set and the dialogue option.
pub(crate) const NEUTRAL: &[&str] = &["-1", "null"];

impl agon_core::RuleSet for Rules {
    const SETS: &'static [&'static str] = &["spec", "original"];

    const POINTS: &'static [RulePoint] = &[
        RulePoint { name: "keys", about: "how many keys a player may hold at a time", values: &["one", "many"] },
        RulePoint { name: "neutral", about: "how the owner of a neutral lighthouse is written", values: NEUTRAL },
    ];

    fn named(set: &str) -> Option<Self> {
        match set {
            "spec" => Some(Self::SPEC),
            "original" => Some(Self::ORIGINAL),
            _ => None,
        }
    }

    fn get(&self, point: &str) -> &'static str {
        match (point, self.keys) {
            ("neutral", _) => self.neutral.name(),
            (_, Keys::One) => "one",
            (_, Keys::Many) => "many",
        }
    }

    fn set(&mut self, point: &str, value: &str) {
        match (point, value) {
            ("keys", "one") => self.keys = Keys::One,
            ("keys", "many") => self.keys = Keys::Many,
            ("neutral", value) => self.neutral = Neutral::named(value).unwrap_or(self.neutral),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::rules::{parse, print};

    #[test]
    fn sets_and_points_are_written_as_they_are_read() {
        for text in ["spec", "original", "spec,keys=many", "spec,neutral=null"] {
            assert_eq!(print(&parse::<Rules>(text).unwrap()), text);
        }
        assert_eq!(parse::<Rules>("original,keys=one,neutral=-1").unwrap(), Rules::SPEC);
        assert_eq!(parse::<Rules>("").unwrap(), Rules::SPEC);
    }
}

//! The points in which rule sets differ.
//!
//! | set | keys | neutral |
//! | --- | --- | --- |
//! | `spec` (default) | `one` | `-1` |
//! | `original` | `many` | `null` |
//!
//! `spec` follows the words of the specification (v0.7). `original` follows the contest's own engine, and plays its
//! recorded games move for move.

use agon_core::{rule_set, rule_value};

/// The energy that a lighthouse loses at the start of each round (specification "El Juego").
pub const DECAY: i64 = 10;

rule_value! {
    /// L1: the number of keys that a player may hold.
    pub enum Keys {
        /// Specification "Conexiones": one key at a time. A player that holds a key takes no other until a connection
        /// uses it up.
        One = "one",
        /// One key for each lighthouse, as in the contest's engine.
        Many = "many",
    }
}

rule_value! {
    /// L2: how a state message writes the owner of a neutral lighthouse.
    pub enum Neutral {
        /// `-1`, as in the specification and the later editions.
        MinusOne = "-1",
        /// `null`, as the first engine wrote it.
        Null = "null",
    }
}

rule_set! {
    /// A rule set: one value for each point. The default is `spec`.
    pub struct Rules;
    sets {
        /// The rules in the words of the specification.
        SPEC = "spec",
        /// The rules of the contest's engine.
        ORIGINAL = "original",
    }
    points {
        keys: Keys = "keys", [Keys::One, Keys::Many],
            "how many keys a player may hold at a time";
        neutral: Neutral = "neutral", [Neutral::MinusOne, Neutral::Null],
            "how the owner of a neutral lighthouse is written";
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

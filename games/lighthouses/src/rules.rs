//! The points in which rule sets differ.
//!
//! | set | keys | neutral |
//! | --- | --- | --- |
//! | `spec` (default) | `one` | `-1` |
//! | `original` | `many` | `null` |
//!
//! `spec` is the words of the specification (v0.7), `original` the contest's own engine, equal to its recorded games
//! move for move.

use agon_core::{rule_set, rule_value};

rule_value! {
    /// L1: how many keys a player may hold.
    pub enum Keys {
        /// Specification "Conexiones": one key at a time. A player that holds one takes no other until a connection uses it
        /// up.
        One = "one",
        /// One for each lighthouse, as the contest's engine has it.
        Many = "many",
    }
}

rule_value! {
    /// L2: how the owner of a neutral lighthouse is written in a state message.
    pub enum Neutral {
        /// `-1`, the specification's word and that of the later editions.
        MinusOne = "-1",
        /// `null`, as the first engine wrote it.
        Null = "null",
    }
}

rule_set! {
    /// A value for each point. The default is `spec`.
    pub struct Rules;
    sets {
        /// The words of the specification.
        SPEC = "spec",
        /// The contest's engine.
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

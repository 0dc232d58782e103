//! The points in which rule sets differ.

use agon_core::{rule_set, rule_value};

rule_value! {
    /// Which seats decide in a turn.
    pub enum Turns {
        /// The seats take turns; seat 1 begins.
        Alternate = "alternate",
        /// Both seats decide in every turn, without seeing each other's number.
        Together = "together",
    }
}

rule_value! {
    /// What the last stone means for the seat that takes it.
    pub enum LastStone {
        /// The seat that takes it wins.
        Wins = "wins",
        /// The seat that takes it loses.
        Loses = "loses",
    }
}

rule_value! {
    /// What a number that is not allowed costs.
    pub enum Unlawful {
        /// It loses the match.
        Forfeit = "forfeit",
        /// The turn passes; no stone is taken.
        Pass = "pass",
    }
}

rule_set! {
    /// The rule sets of the toy.
    pub struct Rules;
    sets {
        /// The seats take turns.
        SPEC = "spec",
        /// Both seats decide in every turn.
        TOGETHER = "together",
    }
    points {
        turns: Turns = "turns", [Turns::Alternate, Turns::Together],
            "which seats decide in a turn";
        last: LastStone = "last", [LastStone::Wins, LastStone::Wins],
            "what the last stone does";
        unlawful: Unlawful = "unlawful", [Unlawful::Forfeit, Unlawful::Forfeit],
            "what a forbidden number costs";
    }
}

//! The points in which rule sets differ.

use agon_core::{rule_set, rule_value};

rule_value! {
    /// Whose turn it is.
    pub enum Turns {
        /// One seat after the other, seat 1 first.
        Alternate = "alternate",
        /// Both at once.
        Together = "together",
    }
}

rule_value! {
    /// What the last stone does.
    pub enum LastStone {
        /// Who takes it wins.
        Wins = "wins",
        /// Who takes it loses.
        Loses = "loses",
    }
}

rule_value! {
    /// What a number costs that is not allowed.
    pub enum Unlawful {
        /// The match.
        Forfeit = "forfeit",
        /// The turn.
        Pass = "pass",
    }
}

rule_set! {
    /// The rule sets of the toy.
    pub struct Rules;
    sets {
        /// One seat after the other.
        SPEC = "spec",
        /// Both seats at once.
        TOGETHER = "together",
    }
    points {
        turns: Turns = "turns", [Turns::Alternate, Turns::Together],
            "whose turn it is";
        last: LastStone = "last", [LastStone::Wins, LastStone::Wins],
            "what the last stone does";
        unlawful: Unlawful = "unlawful", [Unlawful::Forfeit, Unlawful::Forfeit],
            "what a forbidden number costs";
    }
}

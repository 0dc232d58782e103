//! The points in which rule sets differ.

use agon_core::{RulePoint, RuleSet};

/// Whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turns {
    /// One seat after the other, seat 1 first.
    Alternate,
    /// Both at once.
    Together,
}

/// What the last stone does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LastStone {
    /// Who takes it wins.
    Wins,
    /// Who takes it loses.
    Loses,
}

/// What a number costs that is not allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unlawful {
    /// The match.
    Forfeit,
    /// The turn.
    Pass,
}

/// A rule set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Whose turn it is.
    pub turns: Turns,
    /// What the last stone does.
    pub last: LastStone,
    /// What a number costs that is not allowed.
    pub unlawful: Unlawful,
}

impl RuleSet for Rules {
    const SETS: &'static [&'static str] = &["spec", "together"];
    const POINTS: &'static [RulePoint] = &[
        RulePoint { name: "turns", about: "whose turn it is", values: &["alternate", "together"] },
        RulePoint { name: "last", about: "what the last stone does", values: &["wins", "loses"] },
        RulePoint { name: "unlawful", about: "what a forbidden number costs", values: &["forfeit", "pass"] },
    ];

    fn named(set: &str) -> Option<Self> {
        let spec = Self { turns: Turns::Alternate, last: LastStone::Wins, unlawful: Unlawful::Forfeit };
        match set {
            "spec" => Some(spec),
            "together" => Some(Self { turns: Turns::Together, ..spec }),
            _ => None,
        }
    }

    fn get(&self, point: &str) -> &'static str {
        match (point, self.turns, self.last, self.unlawful) {
            ("turns", Turns::Alternate, ..) => "alternate",
            ("turns", Turns::Together, ..) => "together",
            ("last", _, LastStone::Wins, _) => "wins",
            ("last", _, LastStone::Loses, _) => "loses",
            (_, _, _, Unlawful::Forfeit) => "forfeit",
            (_, _, _, Unlawful::Pass) => "pass",
        }
    }

    fn set(&mut self, point: &str, value: &str) {
        match point {
            "turns" => self.turns = if value == "together" { Turns::Together } else { Turns::Alternate },
            "last" => self.last = if value == "loses" { LastStone::Loses } else { LastStone::Wins },
            _ => self.unlawful = if value == "pass" { Unlawful::Pass } else { Unlawful::Forfeit },
        }
    }
}

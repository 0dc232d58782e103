//! The rule sets of Grid and the single points in which they differ.

use agon_core::{RulePoint, RuleSet};

/// How a third of N that is not whole is rounded (specification "Energy budget").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// Up, as the specification's words say.
    Ceil,
    /// Down, as the contest's judge did and as the specification's own judge message (`E 1`) needs.
    Floor,
}

/// When a player without tiles has lost (specification "Elimination": "at some point").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elimination {
    /// As soon as a turn leaves somebody without tiles, the last turn included.
    Now,
    /// When both bots have answered one more message, as in the contest's judge: a bot that breaks down in this
    /// exchange loses even as the survivor, what it orders does not matter, and the turn limit comes first.
    AfterExchange,
}

/// Where a bot may end its lines with CR LF.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEnds {
    /// A CR before the end of any line is dropped.
    Any,
    /// Only after orders: `.` and CR do not end a turn.
    Orders,
}

/// What becomes of a bot that closes its stdin (specification "Disqualification conditions").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClosedInput {
    /// It is out as soon as a message cannot be written, whatever it has answered ahead (G30).
    Fault,
    /// The contest's judge did not notice: it plays as long as it has answers.
    Unnoticed,
}

/// A rule set: a value for each point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Point `energy`.
    pub energy: Rounding,
    /// Point `elimination`.
    pub elimination: Elimination,
    /// Point `chat`: whether `S text` is an order.
    pub chat: bool,
    /// Point `cr`.
    pub line_ends: LineEnds,
    /// Point `closed-input`.
    pub closed_input: ClosedInput,
}

impl Rules {
    /// The words of the specification.
    pub const SPEC: Self = Self {
        energy: Rounding::Ceil,
        elimination: Elimination::Now,
        chat: false,
        line_ends: LineEnds::Any,
        closed_input: ClosedInput::Fault,
    };

    /// The contest's judge, as in its recordings.
    pub const ORIGINAL: Self = Self {
        energy: Rounding::Floor,
        elimination: Elimination::AfterExchange,
        chat: true,
        line_ends: LineEnds::Orders,
        closed_input: ClosedInput::Unnoticed,
    };

    /// The budget of a player with `gains` tiles that count for it ("N" of the specification).
    #[must_use]
    pub const fn budget(self, gains: u32) -> u32 {
        match self.energy {
            Rounding::Ceil => 1 + gains.div_ceil(3),
            Rounding::Floor => 1 + gains / 3,
        }
    }

    /// The points as bits, for the fingerprint. What a bot's pipe does changes no position and has none.
    pub(crate) fn bits(self) -> u32 {
        u32::from(self.energy == Rounding::Floor)
            | u32::from(self.elimination == Elimination::AfterExchange) << 1
            | u32::from(self.chat) << 2
            | u32::from(self.line_ends == LineEnds::Orders) << 3
    }
}

impl RuleSet for Rules {
    const SETS: &'static [&'static str] = &["spec", "original"];

    const POINTS: &'static [RulePoint] = &[
        RulePoint { name: "energy", about: "how one third of N is rounded", values: &["ceil", "floor"] },
        RulePoint {
            name: "elimination",
            about: "whether a player without tiles loses at once or after one more exchange of messages",
            values: &["now", "after-exchange"],
        },
        RulePoint { name: "chat", about: "whether bots may send `S text`", values: &["no", "yes"] },
        RulePoint { name: "cr", about: "where a CR before the end of a line is dropped", values: &["any", "orders"] },
        RulePoint {
            name: "closed-input",
            about: "whether a bot that has closed its stdin fails, or plays on with what it has answered ahead",
            values: &["fault", "unnoticed"],
        },
    ];

    fn named(set: &str) -> Option<Self> {
        match set {
            "spec" => Some(Self::SPEC),
            "original" => Some(Self::ORIGINAL),
            _ => None,
        }
    }

    fn get(&self, point: &str) -> &'static str {
        match point {
            "energy" => match self.energy {
                Rounding::Ceil => "ceil",
                Rounding::Floor => "floor",
            },
            "elimination" => match self.elimination {
                Elimination::Now => "now",
                Elimination::AfterExchange => "after-exchange",
            },
            "chat" if self.chat => "yes",
            "chat" => "no",
            "cr" => match self.line_ends {
                LineEnds::Any => "any",
                LineEnds::Orders => "orders",
            },
            _ => match self.closed_input {
                ClosedInput::Fault => "fault",
                ClosedInput::Unnoticed => "unnoticed",
            },
        }
    }

    fn set(&mut self, point: &str, value: &str) {
        match (point, value) {
            ("energy", "ceil") => self.energy = Rounding::Ceil,
            ("energy", _) => self.energy = Rounding::Floor,
            ("elimination", "now") => self.elimination = Elimination::Now,
            ("elimination", _) => self.elimination = Elimination::AfterExchange,
            ("chat", value) => self.chat = value == "yes",
            ("cr", "any") => self.line_ends = LineEnds::Any,
            ("cr", _) => self.line_ends = LineEnds::Orders,
            ("closed-input", "fault") => self.closed_input = ClosedInput::Fault,
            ("closed-input", _) => self.closed_input = ClosedInput::Unnoticed,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::rules;

    #[test]
    fn one_third_is_rounded_up_in_the_words_and_down_in_the_judge() {
        let budgets = |r: Rules| [0, 1, 2, 3, 4].map(|n| r.budget(n));
        assert_eq!(budgets(Rules::SPEC), [1, 2, 2, 2, 3]);
        assert_eq!(budgets(Rules::ORIGINAL), [1, 1, 1, 2, 2]);
    }

    #[test]
    fn a_single_point_can_be_taken_from_the_other_set() {
        let rules: Rules = rules::parse("spec,chat=yes").unwrap();
        assert_eq!(rules, Rules { chat: true, ..Rules::SPEC });
        assert!(rules::parse::<Rules>("spec,chat=maybe").is_err());
    }
}

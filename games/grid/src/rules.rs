//! The rule sets of Grid and the single points in which they differ.

use agon_core::{rule_set, rule_value};

rule_value! {
    /// How a third of N that is not whole is rounded (specification "Energy budget").
    pub enum Rounding {
        /// Up, as the specification's words say.
        Ceil = "ceil",
        /// Down, as the contest's judge did and as the specification's own judge message (`E 1`) needs.
        Floor = "floor",
    }
}

rule_value! {
    /// When a player without tiles has lost (specification "Elimination": "at some point").
    pub enum Elimination {
        /// As soon as a turn leaves somebody without tiles, the last turn included.
        Now = "now",
        /// When both bots have answered one more message, as in the contest's judge: a bot that breaks down in this
        /// exchange loses even as the survivor, what it orders does not matter, and the turn limit comes first.
        AfterExchange = "after-exchange",
    }
}

rule_value! {
    /// Where a bot may end its lines with CR LF.
    pub enum LineEnds {
        /// A CR before the end of any line is dropped.
        Any = "any",
        /// Only after orders: `.` and CR do not end a turn.
        Orders = "orders",
    }
}

rule_value! {
    /// What becomes of a bot that closes its stdin (specification "Disqualification conditions").
    pub enum ClosedInput {
        /// It is out as soon as a message cannot be written, whatever it has answered ahead (G30).
        Fault = "fault",
        /// The contest's judge did not notice: it plays as long as it has answers.
        Unnoticed = "unnoticed",
    }
}

rule_set! {
    /// A value for each point. The default is `spec`.
    pub struct Rules;
    sets {
        /// The words of the specification.
        SPEC = "spec",
        /// The contest's judge, as in its recordings.
        ORIGINAL = "original",
    }
    points {
        energy: Rounding = "energy", [Rounding::Ceil, Rounding::Floor],
            "how one third of N is rounded";
        elimination: Elimination = "elimination", [Elimination::Now, Elimination::AfterExchange],
            "whether a player without tiles loses at once or after one more exchange of messages";
        chat: bool = "chat", [false, true],
            "whether bots may send `S text`";
        line_ends: LineEnds = "cr", [LineEnds::Any, LineEnds::Orders],
            "where a CR before the end of a line is dropped";
        closed_input: ClosedInput = "closed-input", [ClosedInput::Fault, ClosedInput::Unnoticed],
            "whether a bot that has closed its stdin fails, or plays on with what it has answered ahead";
    }
}

impl Rules {
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

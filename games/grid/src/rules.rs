//! The rule sets of Grid and the points in which they differ.

use agon_core::{rule_set, rule_value};

/// The limit of turns of a match that sets none (specification "Turn limit").
pub const DEFAULT_LIMIT: u32 = 200;

rule_value! {
    /// How N/3 is rounded to a whole number (specification "Energy budget").
    pub enum Rounding {
        /// Up, as the words of the specification say.
        Ceil = "ceil",
        /// Down, as the contest's judge did and as the specification's own judge message (`E 1`) requires.
        Floor = "floor",
    }
}

rule_value! {
    /// When a player without tiles loses (specification "Elimination": "at some point").
    pub enum Elimination {
        /// As soon as a turn leaves a player without tiles, even the last turn.
        Now = "now",
        /// When both bots have answered one more message, as in the contest's judge. In this exchange a bot that
        /// breaks down loses even if it is the survivor, orders do not matter, and the turn limit comes first.
        AfterExchange = "after-exchange",
    }
}

rule_value! {
    /// Which lines of a bot may end in CR LF.
    pub enum LineEnds {
        /// All lines. A CR before the end of a line is dropped.
        Any = "any",
        /// Only orders. A `.` followed by CR does not end a turn.
        Orders = "orders",
    }
}

rule_value! {
    /// What happens when a bot closes its stdin (specification "Disqualification conditions").
    pub enum ClosedInput {
        /// The bot fails as soon as a message cannot be written, even if it has answered ahead (G30).
        Fault = "fault",
        /// The contest's judge did not notice: the bot plays on as long as it has answered ahead.
        Unnoticed = "unnoticed",
    }
}

rule_set! {
    /// A rule set: one value for each point. The default is `spec`.
    pub struct Rules;
    sets {
        /// The rules in the words of the specification.
        SPEC = "spec",
        /// The rules of the contest's judge, as its recordings show them.
        ORIGINAL = "original",
    }
    points {
        energy: Rounding = "energy", [Rounding::Ceil, Rounding::Floor],
            "how N/3 is rounded to a whole number";
        elimination: Elimination = "elimination", [Elimination::Now, Elimination::AfterExchange],
            "whether a player without tiles loses at once or after one more exchange of messages";
        chat: bool = "chat", [false, true],
            "whether bots may send `S text`";
        line_ends: LineEnds = "cr", [LineEnds::Any, LineEnds::Orders],
            "which lines may end in CR LF";
        closed_input: ClosedInput = "closed-input", [ClosedInput::Fault, ClosedInput::Unnoticed],
            "whether a bot that has closed its stdin fails, or plays on with what it has answered ahead";
    }
}

impl Rules {
    /// The energy of a player for which `gains` empty tiles count ("N" of the specification).
    #[must_use]
    pub const fn budget(self, gains: u32) -> u32 {
        match self.energy {
            Rounding::Ceil => 1 + gains.div_ceil(3),
            Rounding::Floor => 1 + gains / 3,
        }
    }

    /// The points as bits, for the fingerprint. `ClosedInput` has no bits, because it changes no position.
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

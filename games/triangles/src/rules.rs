//! What the specification leaves open and an organiser may set.

use agon_core::rules::RulePoint;

/// What becomes of a bot that answers `gen_move` badly or too late (points T9 and T10).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Bad {
    /// As a program that ended: it is out, its points stay, the other draws on alone.
    #[default]
    Out,
    /// The match ends at once and the other has won it, whatever the points. A program that ended is still treated as
    /// the specification says (T13).
    Forfeit,
}

/// What a `?` in answer to `set_points` or `play` means (point T16).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RefusedPlay {
    /// Nothing: the referee's board rules.
    #[default]
    Ignore,
    /// A bad answer, with the consequence that [`Bad`] names.
    Fault,
}

/// The rule set. There is one, `spec`, with two points that an organiser may set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rules {
    /// `bad=out|forfeit`.
    pub bad: Bad,
    /// `refused-play=ignore|fault`.
    pub refused_play: RefusedPlay,
}

impl agon_core::RuleSet for Rules {
    const SETS: &'static [&'static str] = &["spec"];

    const POINTS: &'static [RulePoint] = &[
        RulePoint {
            name: "bad",
            about: "an illegal move, nonsense, `?` to gen_move or time used up: the bot is out and its points stay, or \
                    it has lost",
            values: &["out", "forfeit"],
        },
        RulePoint {
            name: "refused-play",
            about: "`?` to set_points or play is passed over, or counts as a bad answer",
            values: &["ignore", "fault"],
        },
    ];

    fn named(set: &str) -> Option<Self> {
        (set == "spec").then(Self::default)
    }

    fn get(&self, point: &str) -> &'static str {
        match (point, self.bad, self.refused_play) {
            ("bad", Bad::Out, _) => "out",
            ("bad", Bad::Forfeit, _) => "forfeit",
            (_, _, RefusedPlay::Ignore) => "ignore",
            (_, _, RefusedPlay::Fault) => "fault",
        }
    }

    fn set(&mut self, point: &str, value: &str) {
        match (point, value) {
            ("bad", "out") => self.bad = Bad::Out,
            ("bad", _) => self.bad = Bad::Forfeit,
            (_, "ignore") => self.refused_play = RefusedPlay::Ignore,
            (..) => self.refused_play = RefusedPlay::Fault,
        }
    }

    fn why_not(set: &str) -> Option<&'static str> {
        (set == "original").then_some(
            "the arbiter of the contest of 2008 is lost, only its specification survives; the rule set `spec` follows it",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::rules;

    #[test]
    fn rule_sets_print_as_they_parse() {
        for text in ["spec", "spec,bad=forfeit", "spec,refused-play=fault", "spec,bad=forfeit,refused-play=fault"] {
            let parsed: Rules = rules::parse(text).unwrap();
            assert_eq!(rules::print(&parsed), text);
        }
        assert_eq!(rules::parse::<Rules>("spec,bad=forfeit,bad=out").unwrap(), Rules::default());
    }

    #[test]
    fn the_original_is_lost_and_the_error_says_so() {
        let flaw = rules::parse::<Rules>("original").unwrap_err();
        assert!(flaw.what.contains("is lost"), "{flaw}");
    }
}

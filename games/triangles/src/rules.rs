//! What the specification leaves open and an organiser may set.

use agon_core::{rule_set, rule_value};

rule_value! {
    /// What happens to a bot that answers `gen_move` badly or too late (points T9 and T10).
    pub enum Bad {
        /// The same as to a program that ended: it is out, its points stay, and the other one draws alone.
        Out = "out",
        /// The match ends, and the other bot wins it, whatever the points. A program that ended is still treated as
        /// the specification says (T13).
        Forfeit = "forfeit",
    }
}

rule_value! {
    /// What a `?` in answer to `set_points` or `play` means (point T16).
    pub enum RefusedPlay {
        /// Nothing. The referee's board counts.
        Ignore = "ignore",
        /// It is a bad answer, with the consequence that [`Bad`] names.
        Fault = "fault",
    }
}

rule_set! {
    /// A rule set: one value for each point. There is one named set, with two points that an organiser may set.
    pub struct Rules;
    sets {
        /// The rules of the contest's statement.
        SPEC = "spec",
    }
    points {
        bad: Bad = "bad", [Bad::Out],
            "an illegal move, nonsense, `?` to gen_move or time used up: the bot is out and its points stay, or it loses";
        refused_play: RefusedPlay = "refused-play", [RefusedPlay::Ignore],
            "`?` to set_points or play is ignored, or counts as a bad answer";
    }
    missing {
        "original" = "the arbiter of the contest of 2008 is lost; use the rule set `spec`, which follows the contest's statement",
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

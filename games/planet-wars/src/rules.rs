//! Rule sets: every point in which the specification and the two engines of the contest differ.
//!
//! `spec` reads the specification by its words, `original` is the Python engine of the official ladder (the *server*),
//! `playgame` the Java engine that contestants ran at home.

use agon_core::{rule_set, rule_value};

rule_value! {
    /// W1: an order whose source is its destination. Specification "Bot Orders": it loses at once; in both engines the
    /// ships are back in the same turn.
    pub enum SelfOrder {
        /// It is unlawful.
        Forfeit = "forfeit",
        /// The ships arrive in the same turn where they left.
        Harmless = "harmless",
    }
}

rule_value! {
    /// W2: when a player is out. Specification "Endgame Conditions": when it "runs out of ships entirely".
    pub enum Out {
        /// Without ships on planets and in fleets.
        Ships = "ships",
        /// Without a planet and without a fleet, whatever they hold.
        Planets = "planets",
    }
}

rule_value! {
    /// W3: what an order of zero ships makes; the specification does not say.
    pub enum ZeroShips {
        /// Nothing.
        Nothing = "nothing",
        /// A fleet of 0 ships, which keeps its owner in the game where `out=planets`.
        Fleet = "fleet",
    }
}

rule_value! {
    /// W4: how a line of a bot is read.
    pub enum LineFormat {
        /// Comments and blank lines count for nothing, numbers stand between runs of blanks, tabs or CR; anything
        /// else forfeits.
        Lenient = "lenient",
        /// Single spaces; anything else forfeits, a blank line included.
        Server = "server",
        /// Single spaces; a line that has not three fields is ignored, a field that is no 32-bit number forfeits.
        Playgame = "playgame",
    }
}

rule_value! {
    /// W5: what a forfeit does.
    pub enum Forfeit {
        /// It ends the game at once: the turn is not carried out (specification "Bot Orders": "instantly loses").
        Ends = "ends",
        /// The player's planets turn neutral and its fleets vanish; the turn is played to its end.
        PlaysOut = "plays-out",
    }
}

rule_value! {
    /// W6: what happens to lines behind `go`.
    pub enum AfterGo {
        /// They belong to the next turn.
        NextTurn = "next-turn",
        /// Those that were read together with `go` are carried out in this turn, and a piece of a line is forgotten.
        SameRead = "same-read",
    }
}

rule_value! {
    /// W7: what several orders of one turn with the same source and destination make.
    pub enum SamePair {
        /// A fleet each.
        Separate = "separate",
        /// One fleet.
        Merged = "merged",
    }
}

rule_value! {
    /// W8: how the game counts for the last player when it has no ships (only where `out=planets`).
    pub enum Survivor {
        /// It wins.
        Wins = "wins",
        /// Ships are counted: a draw.
        Counted = "counted",
    }
}

rule_value! {
    /// W9: how many turns are played at most.
    pub enum Limit {
        /// As many as asked for.
        Exact = "exact",
        /// One more than asked for.
        OneMore = "one-more",
    }
}

rule_value! {
    /// W10: two planets at one position (specification "Planets": not allowed).
    pub enum SamePlace {
        /// The map is refused.
        Refused = "refused",
        /// The trip between them has length 0.
        Allowed = "allowed",
    }
}

rule_value! {
    /// W11: how coordinates are sent to the bots.
    pub enum Coordinates {
        /// As written in the map file.
        Written = "written",
        /// With 12 significant digits.
        Digits12 = "digits12",
        /// With the fewest digits that give the same number, as Java prints them.
        Shortest = "shortest",
    }
}

rule_value! {
    /// W12: in which order the fleets of one turn are sent to the bots.
    pub enum FleetOrder {
        /// Player 1's as ordered, then player 2's.
        Creation = "creation",
        /// As a dictionary of Python 2 yields them.
        Python2 = "python2",
    }
}

rule_value! {
    /// W13: what an order to an unknown planet leaves behind where `forfeit=plays-out`.
    pub enum UnknownDestination {
        /// The ships stay on the source.
        Keeps = "keeps",
        /// The ships have already left the source and are lost.
        Loses = "loses",
    }
}

rule_value! {
    /// W14: the form of the playback string.
    pub enum PlaybackForm {
        /// Every frame ends with a colon.
        Java = "java",
        /// Colons stand between frames; a frame without fleets ends with a comma.
        Server = "server",
    }
}

rule_set! {
    /// A value for each point. The default is `spec`.
    pub struct Rules;
    sets {
        /// The words of the specification.
        SPEC = "spec",
        /// The Python engine of the official ladder.
        ORIGINAL = "original",
        /// The Java engine that contestants ran at home, version 1.2.
        PLAYGAME = "playgame",
    }
    points {
        self_order: SelfOrder = "self-order", [SelfOrder::Forfeit, SelfOrder::Harmless, SelfOrder::Harmless],
            "source = destination in an order";
        out: Out = "out", [Out::Ships, Out::Planets, Out::Planets],
            "what a player must have to stay in the game";
        zero_ships: ZeroShips = "zero-ships", [ZeroShips::Nothing, ZeroShips::Nothing, ZeroShips::Fleet],
            "what an order of zero ships makes";
        lines: LineFormat = "lines", [LineFormat::Lenient, LineFormat::Server, LineFormat::Playgame],
            "how a bot's lines are read";
        forfeit: Forfeit = "forfeit", [Forfeit::Ends, Forfeit::PlaysOut, Forfeit::PlaysOut],
            "whether a forfeit ends the game at once";
        after_go: AfterGo = "after-go", [AfterGo::NextTurn, AfterGo::NextTurn, AfterGo::SameRead],
            "to which turn lines behind `go` belong";
        same_pair: SamePair = "same-pair", [SamePair::Separate, SamePair::Merged, SamePair::Separate],
            "equal source and destination twice in a turn";
        survivor: Survivor = "survivor", [Survivor::Wins, Survivor::Counted, Survivor::Wins],
            "the last player, when it has no ships";
        limit: Limit = "limit", [Limit::Exact, Limit::Exact, Limit::OneMore],
            "how many turns are played at most";
        same_place: SamePlace = "same-place", [SamePlace::Refused, SamePlace::Allowed, SamePlace::Allowed],
            "two planets at one position";
        coordinates: Coordinates = "coordinates", [Coordinates::Written, Coordinates::Digits12, Coordinates::Shortest],
            "how coordinates are sent";
        fleet_order: FleetOrder = "fleet-order", [FleetOrder::Creation, FleetOrder::Python2, FleetOrder::Creation],
            "the order of new fleets in the state text";
        unknown_destination: UnknownDestination = "unknown-destination", [UnknownDestination::Keeps, UnknownDestination::Keeps, UnknownDestination::Loses],
            "whether ships ordered to an unknown planet are lost";
        playback: PlaybackForm = "playback", [PlaybackForm::Java, PlaybackForm::Server, PlaybackForm::Java],
            "the form of the playback string";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{RuleSet, rules};

    #[test]
    fn every_value_of_every_point_can_be_set_and_is_printed_back() {
        for set in Rules::SETS {
            for point in Rules::POINTS {
                for value in point.values {
                    let mut rules = Rules::named(set).unwrap();
                    rules.set(point.name, value);
                    assert_eq!(rules.get(point.name), *value);
                    assert_eq!(rules::parse::<Rules>(&rules::print(&rules)), Ok(rules));
                }
            }
        }
    }

    #[test]
    fn the_default_is_the_specification() {
        assert_eq!(Rules::default(), Rules::SPEC);
        assert_eq!(rules::parse::<Rules>(""), Ok(Rules::SPEC));
    }
}

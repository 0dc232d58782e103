//! Rule sets: every point in which the specification and the two engines of the contest differ.
//!
//! `spec` follows the words of the specification, `original` the Python engine of the official ladder (the *server*),
//! `playgame` the Java engine that contestants ran at home.

use agon_core::{rule_set, rule_value};

/// The limit of turns of a match that sets none in [`Terms::limit`](agon_core::Terms::limit) (specification
/// "Overview": 200 turns on the official server).
pub const DEFAULT_LIMIT: u32 = 200;

/// The largest limit of turns that a match may set.
pub const MAX_LIMIT: u32 = 1_000_000;

rule_value! {
    /// W1: an order whose source is its destination. Specification "Bot Orders": it loses the game; in both engines
    /// the ships are back in the same turn.
    pub enum SelfOrder {
        /// The order is unlawful.
        Forfeit = "forfeit",
        /// The ships arrive in the same turn at the planet that they left.
        Harmless = "harmless",
    }
}

rule_value! {
    /// W2: when a player is out of the game. Specification "Endgame Conditions": when it "runs out of ships entirely".
    pub enum Out {
        /// A player is out if it has no ships on planets and in fleets.
        Ships = "ships",
        /// A player is out if it has neither a planet nor a fleet, even one without ships.
        Planets = "planets",
    }
}

rule_value! {
    /// W3: the effect of an order of zero ships. The specification does not say.
    pub enum ZeroShips {
        /// It has no effect.
        Nothing = "nothing",
        /// It makes a fleet of 0 ships, which keeps its owner in the game if `out=planets`.
        Fleet = "fleet",
    }
}

rule_value! {
    /// W4: how a line of a bot is read.
    pub enum LineFormat {
        /// Comments and blank lines have no effect. Runs of blanks, tabs or CR separate the numbers. Any other line
        /// forfeits.
        Lenient = "lenient",
        /// Single spaces separate the numbers. Any other line forfeits, even a blank one.
        Server = "server",
        /// Single spaces separate the numbers. A line without exactly three fields is ignored; a field that is not a
        /// 32-bit number forfeits.
        Playgame = "playgame",
    }
}

rule_value! {
    /// W5: the effect of a forfeit.
    pub enum Forfeit {
        /// It ends the game, and the turn is not played (specification "Bot Orders": "instantly loses").
        Ends = "ends",
        /// The player's planets become neutral and its fleets vanish. The turn is played to its end.
        PlaysOut = "plays-out",
    }
}

rule_value! {
    /// W6: what happens to lines after `go`.
    pub enum AfterGo {
        /// They belong to the next turn.
        NextTurn = "next-turn",
        /// Those that were read together with `go` are executed in this turn, and an incomplete line is dropped.
        SameRead = "same-read",
    }
}

rule_value! {
    /// W7: the effect of several orders of one turn with the same source and destination.
    pub enum SamePair {
        /// Each order makes a fleet.
        Separate = "separate",
        /// All of them make one fleet.
        Merged = "merged",
    }
}

rule_value! {
    /// W8: the result for the last player in the game when it has no ships (only if `out=planets`).
    pub enum Survivor {
        /// That player wins.
        Wins = "wins",
        /// Ships are counted, which gives a draw.
        Counted = "counted",
    }
}

rule_value! {
    /// W9: the largest number of turns.
    pub enum Limit {
        /// The limit of the match.
        Exact = "exact",
        /// One more than the limit of the match.
        OneMore = "one-more",
    }
}

rule_value! {
    /// W10: two planets at the same position (specification "Planets": not allowed).
    pub enum SamePlace {
        /// The map is refused.
        Refused = "refused",
        /// The map is accepted, and the trip between the two has length 0.
        Allowed = "allowed",
    }
}

rule_value! {
    /// W11: the form in which coordinates are sent to the bots.
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
    /// W12: the order in which the fleets of one turn are sent to the bots.
    pub enum FleetOrder {
        /// Player 1's fleets in the order of its orders, then player 2's.
        Creation = "creation",
        /// The order in which a dictionary of Python 2 yields them.
        Python2 = "python2",
    }
}

rule_value! {
    /// W13: the effect of an order to an unknown planet if `forfeit=plays-out`.
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
        /// Colons separate the frames, and a frame without fleets ends with a comma.
        Server = "server",
    }
}

rule_set! {
    /// A rule set: one value for each point. The default is `spec`.
    pub struct Rules;
    sets {
        /// The rules in the words of the specification.
        SPEC = "spec",
        /// The rules of the Python engine of the official ladder.
        ORIGINAL = "original",
        /// The rules of the Java engine that contestants ran at home, version 1.2.
        PLAYGAME = "playgame",
    }
    points {
        self_order: SelfOrder = "self-order", [SelfOrder::Forfeit, SelfOrder::Harmless, SelfOrder::Harmless],
            "what an order does if its source is its destination";
        out: Out = "out", [Out::Ships, Out::Planets, Out::Planets],
            "what a player must have to stay in the game";
        zero_ships: ZeroShips = "zero-ships", [ZeroShips::Nothing, ZeroShips::Nothing, ZeroShips::Fleet],
            "what an order of zero ships does";
        lines: LineFormat = "lines", [LineFormat::Lenient, LineFormat::Server, LineFormat::Playgame],
            "how a bot's lines are read";
        forfeit: Forfeit = "forfeit", [Forfeit::Ends, Forfeit::PlaysOut, Forfeit::PlaysOut],
            "whether a forfeit ends the game before the turn is played";
        after_go: AfterGo = "after-go", [AfterGo::NextTurn, AfterGo::NextTurn, AfterGo::SameRead],
            "to which turn lines after `go` belong";
        same_pair: SamePair = "same-pair", [SamePair::Separate, SamePair::Merged, SamePair::Separate],
            "whether orders with the same source and destination make one fleet or several";
        survivor: Survivor = "survivor", [Survivor::Wins, Survivor::Counted, Survivor::Wins],
            "whether the last player wins if it has no ships";
        limit: Limit = "limit", [Limit::Exact, Limit::Exact, Limit::OneMore],
            "whether one turn more than the limit is played";
        same_place: SamePlace = "same-place", [SamePlace::Refused, SamePlace::Allowed, SamePlace::Allowed],
            "whether two planets may have the same position";
        coordinates: Coordinates = "coordinates", [Coordinates::Written, Coordinates::Digits12, Coordinates::Shortest],
            "how coordinates are sent to bots";
        fleet_order: FleetOrder = "fleet-order", [FleetOrder::Creation, FleetOrder::Python2, FleetOrder::Creation],
            "in which order new fleets are sent to bots";
        unknown_destination: UnknownDestination = "unknown-destination", [UnknownDestination::Keeps, UnknownDestination::Keeps, UnknownDestination::Loses],
            "whether ships ordered to an unknown planet are lost";
        playback: PlaybackForm = "playback", [PlaybackForm::Java, PlaybackForm::Server, PlaybackForm::Java],
            "which form the playback string has";
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

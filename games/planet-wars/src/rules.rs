//! Rule sets: every point in which the specification and the two engines of the contest differ.
//!
//! `spec` reads the specification by its words, `original` is the Python engine of the official ladder (the *server*),
//! `playgame` the Java engine that contestants ran at home.

use agon_core::rules::RulePoint;

/// Declares one point: an enum whose values have names on the command line.
macro_rules! point {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $value:ident = $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name { $($(#[$doc])* $value,)+ }

        impl $name {
            /// The values as written on the command line.
            pub const NAMES: &'static [&'static str] = &[$($text),+];

            /// As written on the command line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$value => $text,)+ }
            }

            /// The value of this name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$value),)+ _ => None }
            }
        }
    };
}

point! {
    /// W1: an order whose source is its destination. Specification "Bot Orders": it loses at once; in both engines the
    /// ships are back in the same turn.
    SelfOrder {
        /// It is unlawful.
        Forfeit = "forfeit",
        /// The ships arrive in the same turn where they left.
        Harmless = "harmless",
    }
}

point! {
    /// W2: when a player is out. Specification "Endgame Conditions": when it "runs out of ships entirely".
    Out {
        /// Without ships on planets and in fleets.
        Ships = "ships",
        /// Without a planet and without a fleet, whatever they hold.
        Planets = "planets",
    }
}

point! {
    /// W3: what an order of zero ships makes; the specification does not say.
    ZeroShips {
        /// Nothing.
        Nothing = "nothing",
        /// A fleet of 0 ships, which keeps its owner in the game where `out=planets`.
        Fleet = "fleet",
    }
}

point! {
    /// W4: how a line of a bot is read.
    Lines {
        /// Comments and blank lines count for nothing, numbers stand between runs of blanks, tabs or CR; anything
        /// else forfeits.
        Lenient = "lenient",
        /// Single spaces; anything else forfeits, a blank line included.
        Server = "server",
        /// Single spaces; a line that has not three fields is ignored, a field that is no 32-bit number forfeits.
        Playgame = "playgame",
    }
}

point! {
    /// W5: what a forfeit does.
    Forfeit {
        /// It ends the game at once: the turn is not carried out (specification "Bot Orders": "instantly loses").
        Ends = "ends",
        /// The player's planets turn neutral and its fleets vanish; the turn is played to its end.
        PlaysOut = "plays-out",
    }
}

point! {
    /// W6: what happens to lines behind `go`.
    AfterGo {
        /// They belong to the next turn.
        NextTurn = "next-turn",
        /// Those that were read together with `go` are carried out in this turn, and a piece of a line is forgotten.
        SameRead = "same-read",
    }
}

point! {
    /// W7: what several orders of one turn with the same source and destination make.
    SamePair {
        /// A fleet each.
        Separate = "separate",
        /// One fleet.
        Merged = "merged",
    }
}

point! {
    /// W8: how the game counts for the last player when it has no ships (only where `out=planets`).
    Survivor {
        /// It wins.
        Wins = "wins",
        /// Ships are counted: a draw.
        Counted = "counted",
    }
}

point! {
    /// W9: how many turns are played at most.
    Limit {
        /// As many as asked for.
        Exact = "exact",
        /// One more than asked for.
        OneMore = "one-more",
    }
}

point! {
    /// W10: two planets at one position (specification "Planets": not allowed).
    SamePlace {
        /// The map is refused.
        Refused = "refused",
        /// The trip between them has length 0.
        Allowed = "allowed",
    }
}

point! {
    /// W11: how coordinates are sent to the bots.
    Coordinates {
        /// As written in the map file.
        Written = "written",
        /// With 12 significant digits.
        Digits12 = "digits12",
        /// With the fewest digits that give the same number, as Java prints them.
        Shortest = "shortest",
    }
}

point! {
    /// W12: in which order the fleets of one turn are sent to the bots.
    FleetOrder {
        /// Player 1's as ordered, then player 2's.
        Creation = "creation",
        /// As a dictionary of Python 2 yields them.
        Python2 = "python2",
    }
}

point! {
    /// W13: what an order to an unknown planet leaves behind where `forfeit=plays-out`.
    UnknownDestination {
        /// The ships stay on the source.
        Keeps = "keeps",
        /// The ships have already left the source and are lost.
        Loses = "loses",
    }
}

point! {
    /// W14: the form of the playback string.
    PlaybackForm {
        /// Every frame ends with a colon.
        Java = "java",
        /// Colons stand between frames; a frame without fleets ends with a comma.
        Server = "server",
    }
}

/// A rule set: a value for each point. The default is `spec`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Point `self-order`.
    pub self_order: SelfOrder,
    /// Point `out`.
    pub out: Out,
    /// Point `zero-ships`.
    pub zero_ships: ZeroShips,
    /// Point `lines`.
    pub lines: Lines,
    /// Point `forfeit`.
    pub forfeit: Forfeit,
    /// Point `after-go`.
    pub after_go: AfterGo,
    /// Point `same-pair`.
    pub same_pair: SamePair,
    /// Point `survivor`.
    pub survivor: Survivor,
    /// Point `limit`.
    pub limit: Limit,
    /// Point `same-place`.
    pub same_place: SamePlace,
    /// Point `coordinates`.
    pub coordinates: Coordinates,
    /// Point `fleet-order`.
    pub fleet_order: FleetOrder,
    /// Point `unknown-destination`.
    pub unknown_destination: UnknownDestination,
    /// Point `playback`.
    pub playback: PlaybackForm,
}

impl Rules {
    /// The words of the specification.
    pub const SPEC: Self = Self {
        self_order: SelfOrder::Forfeit,
        out: Out::Ships,
        zero_ships: ZeroShips::Nothing,
        lines: Lines::Lenient,
        forfeit: Forfeit::Ends,
        after_go: AfterGo::NextTurn,
        same_pair: SamePair::Separate,
        survivor: Survivor::Wins,
        limit: Limit::Exact,
        same_place: SamePlace::Refused,
        coordinates: Coordinates::Written,
        fleet_order: FleetOrder::Creation,
        unknown_destination: UnknownDestination::Keeps,
        playback: PlaybackForm::Java,
    };

    /// The Python engine of the official ladder.
    pub const ORIGINAL: Self = Self {
        self_order: SelfOrder::Harmless,
        out: Out::Planets,
        zero_ships: ZeroShips::Nothing,
        lines: Lines::Server,
        forfeit: Forfeit::PlaysOut,
        after_go: AfterGo::NextTurn,
        same_pair: SamePair::Merged,
        survivor: Survivor::Counted,
        limit: Limit::Exact,
        same_place: SamePlace::Allowed,
        coordinates: Coordinates::Digits12,
        fleet_order: FleetOrder::Python2,
        unknown_destination: UnknownDestination::Keeps,
        playback: PlaybackForm::Server,
    };

    /// The Java engine that contestants ran at home, version 1.2.
    pub const PLAYGAME: Self = Self {
        self_order: SelfOrder::Harmless,
        out: Out::Planets,
        zero_ships: ZeroShips::Fleet,
        lines: Lines::Playgame,
        forfeit: Forfeit::PlaysOut,
        after_go: AfterGo::SameRead,
        same_pair: SamePair::Separate,
        survivor: Survivor::Wins,
        limit: Limit::OneMore,
        same_place: SamePlace::Allowed,
        coordinates: Coordinates::Shortest,
        fleet_order: FleetOrder::Creation,
        unknown_destination: UnknownDestination::Loses,
        playback: PlaybackForm::Java,
    };
}

impl Default for Rules {
    fn default() -> Self {
        Self::SPEC
    }
}

impl agon_core::RuleSet for Rules {
    const SETS: &'static [&'static str] = &["spec", "original", "playgame"];

    const POINTS: &'static [RulePoint] = &[
        RulePoint { name: "self-order", about: "source = destination in an order", values: SelfOrder::NAMES },
        RulePoint { name: "out", about: "what a player must have to stay in the game", values: Out::NAMES },
        RulePoint { name: "zero-ships", about: "what an order of zero ships makes", values: ZeroShips::NAMES },
        RulePoint { name: "lines", about: "how a bot's lines are read", values: Lines::NAMES },
        RulePoint { name: "forfeit", about: "whether a forfeit ends the game at once", values: Forfeit::NAMES },
        RulePoint { name: "after-go", about: "to which turn lines behind `go` belong", values: AfterGo::NAMES },
        RulePoint { name: "same-pair", about: "equal source and destination twice in a turn", values: SamePair::NAMES },
        RulePoint { name: "survivor", about: "the last player, when it has no ships", values: Survivor::NAMES },
        RulePoint { name: "limit", about: "how many turns are played at most", values: Limit::NAMES },
        RulePoint { name: "same-place", about: "two planets at one position", values: SamePlace::NAMES },
        RulePoint { name: "coordinates", about: "how coordinates are sent", values: Coordinates::NAMES },
        RulePoint {
            name: "fleet-order",
            about: "the order of new fleets in the state text",
            values: FleetOrder::NAMES,
        },
        RulePoint {
            name: "unknown-destination",
            about: "whether ships ordered to an unknown planet are lost",
            values: UnknownDestination::NAMES,
        },
        RulePoint { name: "playback", about: "the form of the playback string", values: PlaybackForm::NAMES },
    ];

    fn named(set: &str) -> Option<Self> {
        match set {
            "spec" => Some(Self::SPEC),
            "original" => Some(Self::ORIGINAL),
            "playgame" => Some(Self::PLAYGAME),
            _ => None,
        }
    }

    fn get(&self, point: &str) -> &'static str {
        match point {
            "self-order" => self.self_order.name(),
            "out" => self.out.name(),
            "zero-ships" => self.zero_ships.name(),
            "lines" => self.lines.name(),
            "forfeit" => self.forfeit.name(),
            "after-go" => self.after_go.name(),
            "same-pair" => self.same_pair.name(),
            "survivor" => self.survivor.name(),
            "limit" => self.limit.name(),
            "same-place" => self.same_place.name(),
            "coordinates" => self.coordinates.name(),
            "fleet-order" => self.fleet_order.name(),
            "unknown-destination" => self.unknown_destination.name(),
            "playback" => self.playback.name(),
            _ => "",
        }
    }

    fn set(&mut self, point: &str, value: &str) {
        /// Keeps the old value for a name that is none: callers have looked it up.
        fn put<T>(field: &mut T, value: Option<T>) {
            if let Some(value) = value {
                *field = value;
            }
        }
        match point {
            "self-order" => put(&mut self.self_order, SelfOrder::from_name(value)),
            "out" => put(&mut self.out, Out::from_name(value)),
            "zero-ships" => put(&mut self.zero_ships, ZeroShips::from_name(value)),
            "lines" => put(&mut self.lines, Lines::from_name(value)),
            "forfeit" => put(&mut self.forfeit, Forfeit::from_name(value)),
            "after-go" => put(&mut self.after_go, AfterGo::from_name(value)),
            "same-pair" => put(&mut self.same_pair, SamePair::from_name(value)),
            "survivor" => put(&mut self.survivor, Survivor::from_name(value)),
            "limit" => put(&mut self.limit, Limit::from_name(value)),
            "same-place" => put(&mut self.same_place, SamePlace::from_name(value)),
            "coordinates" => put(&mut self.coordinates, Coordinates::from_name(value)),
            "fleet-order" => put(&mut self.fleet_order, FleetOrder::from_name(value)),
            "unknown-destination" => put(&mut self.unknown_destination, UnknownDestination::from_name(value)),
            "playback" => put(&mut self.playback, PlaybackForm::from_name(value)),
            _ => {}
        }
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

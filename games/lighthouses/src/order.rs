//! What a player may order, why an order is refused, and what a watcher is told.

use agon_core::{Seat, geometry::Point};
use core::fmt;
use serde::{Deserialize, Serialize};

/// One command of a player: a decision is exactly one of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Do nothing.
    Pass,
    /// Go to a neighbouring cell: how far in x and in y, each -1, 0 or 1.
    Move(i8, i8),
    /// Attack or recharge the lighthouse underfoot with this much energy. More than the player has means all of it (L8).
    Attack(i64),
    /// Connect the lighthouse underfoot with the one at this cell.
    Connect(Point),
    /// A command that is one but cannot be carried out. It is refused.
    Malformed(Form),
}

/// What is wrong with the form of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// `command` is none of the four words.
    UnknownCommand,
    /// `move` without `x` or `y`.
    MoveWithoutDelta,
    /// `move` with something else than -1, 0 or 1.
    DeltaTooFar,
    /// `attack` without an integer.
    AttackWithoutEnergy,
    /// `connect` without `destination`.
    NoDestination,
    /// `connect` with a destination that is not a pair and cannot be looked up.
    NotAPair,
    /// `connect` with a destination that can be looked up and is no cell (`"ab"`, `[1.5, 2]`, `[1, 2, 3]`).
    NoSuchPlace,
}

/// Why an order is unlawful. The order of the variants is the order of the checks of each command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The command is none of the four.
    UnknownCommand,
    /// A move needs both differences.
    MoveWithoutDelta,
    /// A move goes to a neighbouring cell.
    DeltaTooFar,
    /// The cell is not on the island.
    NotOnIsland(Point),
    /// An attack needs an integer.
    AttackWithoutEnergy,
    /// An attack is made from the lighthouse's own cell.
    NotAtTarget(Point),
    /// An attack takes energy from the player.
    NegativeStrength(i64),
    /// A connection needs a destination.
    NoDestination,
    /// A destination is a pair of coordinates.
    NotAPair,
    /// A connection starts at the lighthouse underfoot.
    NotAtOrigin(Point),
    /// There is no lighthouse at the destination.
    NoSuchLighthouse,
    /// The player must own both ends.
    NotBothOwned,
    /// The key of the destination is missing.
    NoKey,
    /// A lighthouse cannot be connected with itself.
    SameLighthouse,
    /// The two are connected already.
    AlreadyConnected,
    /// The lighthouse at this cell lies exactly between the ends.
    ThroughLighthouse(Point),
    /// The connection between these two lighthouses would be crossed.
    CrossesConnection(Point, Point),
    /// A decision is one order, and there is none.
    NoOrder,
    /// A decision is one order, and there are more.
    SecondOrder,
}

impl Refusal {
    /// The words of the contest's engine, as they go to the bot.
    ///
    /// For an unknown command they continue with the command as Python would print it, which an order does not hold:
    /// the dialogue adds it.
    #[must_use]
    pub const fn words(&self) -> &'static str {
        match self {
            Self::UnknownCommand => "Invalid command ",
            Self::MoveWithoutDelta => "Move command requires x, y",
            Self::DeltaTooFar => "Delta must be 1 cell away",
            Self::NotOnIsland(_) => "Target pos is not in island",
            Self::AttackWithoutEnergy => "Attack command requires integer energy",
            Self::NotAtTarget(_) => "Player must be located at target lighthouse",
            Self::NegativeStrength(_) => "Strength must be positive",
            Self::NoDestination => "Connect command requires destination",
            Self::NotAPair => "Destination must be a coordinate pair",
            Self::NotAtOrigin(_) => "Player must be located at the origin lighthouse",
            Self::NoSuchLighthouse => "Destination must be an existing lighthouse",
            Self::NotBothOwned => "Both lighthouses must be player-owned",
            Self::NoKey => "Player does not have the destination key",
            Self::SameLighthouse => "Cannot connect lighthouse to itself",
            Self::AlreadyConnected => "Connection already exists",
            Self::ThroughLighthouse(_) => "Connection cannot intersect a lighthouse",
            Self::CrossesConnection(..) => "Connection cannot intersect another connection",
            Self::NoOrder => "A command is required",
            Self::SecondOrder => "Only one command is allowed",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownCommand => f.write_str("the command is not pass, move, attack or connect"),
            Self::MoveWithoutDelta => f.write_str("a move needs `x` and `y`"),
            Self::DeltaTooFar => f.write_str("a move goes one cell at most: `x` and `y` are -1, 0 or 1"),
            Self::NotOnIsland(p) => write!(f, "({}, {}) is not on the island", p.x, p.y),
            Self::AttackWithoutEnergy => f.write_str("an attack needs `energy`, an integer"),
            Self::NotAtTarget(p) => write!(f, "there is no lighthouse at ({}, {}) to attack", p.x, p.y),
            Self::NegativeStrength(e) => write!(f, "an attack with {e} energy"),
            Self::NoDestination => f.write_str("a connection needs `destination`"),
            Self::NotAPair => f.write_str("`destination` is not a pair of coordinates"),
            Self::NotAtOrigin(p) => write!(f, "there is no lighthouse at ({}, {}) to connect from", p.x, p.y),
            Self::NoSuchLighthouse => f.write_str("there is no lighthouse at the destination"),
            Self::NotBothOwned => f.write_str("both lighthouses must be one's own"),
            Self::NoKey => f.write_str("the key of the destination is missing"),
            Self::SameLighthouse => f.write_str("a lighthouse cannot be connected with itself"),
            Self::AlreadyConnected => f.write_str("the two lighthouses are connected already"),
            Self::ThroughLighthouse(p) => write!(f, "the lighthouse at ({}, {}) lies exactly between", p.x, p.y),
            Self::CrossesConnection(a, b) => {
                write!(f, "the connection from ({}, {}) to ({}, {}) would be crossed", a.x, a.y, b.x, b.y)
            }
            Self::NoOrder => f.write_str("a decision is one order, and there is none"),
            Self::SecondOrder => f.write_str("a decision is one order, and there are more"),
        }
    }
}

/// What happened in a turn. Lighthouses are named by their cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A round begins. Rounds count from 0, as in the contest's recordings.
    RoundBegins {
        /// The number of the round.
        round: u32,
    },
    /// A player took the key of the lighthouse it stands on.
    KeyTaken {
        /// The player that has the key now.
        seat: Seat,
        /// The lighthouse that the key is of.
        lighthouse: Point,
    },
    /// A player collected the energy of its cell.
    Collected {
        /// The player that collected.
        seat: Seat,
        /// The energy that it got.
        energy: i64,
    },
    /// A lighthouse ran out of energy and is neutral.
    WentOut {
        /// The lighthouse that is neutral now.
        lighthouse: Point,
        /// The player that owned it.
        owner: Seat,
    },
    /// A player is at another cell.
    Moved {
        /// The player that moved.
        seat: Seat,
        /// The cell where it is now.
        to: Point,
    },
    /// A player put energy into a lighthouse of its own or a neutral one.
    Recharged {
        /// The player that gave the energy.
        seat: Seat,
        /// The lighthouse that gained it.
        lighthouse: Point,
        /// The energy that was given.
        energy: i64,
    },
    /// A player took energy from another's lighthouse.
    Attacked {
        /// The player that attacked.
        seat: Seat,
        /// The lighthouse that was attacked.
        lighthouse: Point,
        /// The energy that the lighthouse lost.
        energy: i64,
    },
    /// An attack brought a lighthouse to exactly 0: it is neutral.
    Neutralised {
        /// The lighthouse that is neutral now.
        lighthouse: Point,
        /// The player that owned it.
        owner: Seat,
    },
    /// A lighthouse has a new owner.
    Captured {
        /// The player that owns it now.
        seat: Seat,
        /// The lighthouse that was captured.
        lighthouse: Point,
        /// The player that owned it, if anybody did.
        from: Option<Seat>,
    },
    /// Two lighthouses were connected.
    Connected {
        /// The player that connected them.
        seat: Seat,
        /// The lighthouse where the player stands.
        origin: Point,
        /// The lighthouse whose key was used up.
        destination: Point,
    },
    /// A connection closed a triangle.
    Lit {
        /// The player whose triangle it is.
        seat: Seat,
        /// Origin and destination of the connection, and the third lighthouse.
        corners: [Point; 3],
        /// How many cells of the island it lights.
        cells: u32,
    },
    /// All connections of a lighthouse vanished, and every triangle with it as a corner.
    Severed {
        /// The lighthouse that lost its connections.
        lighthouse: Point,
        /// How many connections it lost.
        connections: u32,
    },
    /// A bot is out for the rest of the match; its player stays.
    Out {
        /// The player whose bot is out.
        seat: Seat,
    },
    /// A player got points at the end of a round.
    Scored {
        /// The player that scored.
        seat: Seat,
        /// The points that it got for this round.
        points: i64,
    },
}

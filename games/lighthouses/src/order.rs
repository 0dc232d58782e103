//! What a player may order, why an order is refused, and the events of a turn.

use agon_core::{Seat, geometry::Point};
use core::fmt;
use serde::{Deserialize, Serialize};

/// One command of a player. A decision consists of exactly one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Does nothing.
    Pass,
    /// Moves to a neighbouring cell, or stays. The differences in x and in y are -1, 0 or 1.
    Move(i8, i8),
    /// Attacks or recharges the lighthouse on the player's cell with this much energy. More than the player has means
    /// all of it (L8).
    Attack(i64),
    /// Connects the lighthouse on the player's cell to the one at this cell.
    Connect(Point),
    /// A command in JSON that cannot be executed. It is refused.
    Malformed(Form),
}

/// What is wrong with the form of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// `command` is not one of the four words.
    UnknownCommand,
    /// A `move` without `x` or `y`.
    MoveWithoutDelta,
    /// A `move` with a value other than -1, 0 or 1.
    DeltaTooFar,
    /// An `attack` without an integer `energy`.
    AttackWithoutEnergy,
    /// A `connect` without `destination`.
    NoDestination,
    /// A `connect` with a destination that is not a pair and cannot be looked up.
    NotAPair,
    /// A `connect` with a destination that can be looked up but is not a cell (`"ab"`, `[1.5, 2]`, `[1, 2, 3]`).
    NoSuchPlace,
}

/// Why an order is unlawful. The order of the variants is the order of the checks of each command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The command is not one of the four.
    UnknownCommand,
    /// The move lacks `x` or `y`.
    MoveWithoutDelta,
    /// The move does not go to a neighbouring cell.
    DeltaTooFar,
    /// The cell that the move leads to is not on the island.
    NotOnIsland(Point),
    /// The attack lacks an integer `energy`.
    AttackWithoutEnergy,
    /// The player attacks from a cell without a lighthouse, which this is.
    NotAtTarget(Point),
    /// The energy of the attack is negative. The field holds it.
    NegativeStrength(i64),
    /// The connection lacks a destination.
    NoDestination,
    /// The destination is not a pair of coordinates.
    NotAPair,
    /// The player connects from a cell without a lighthouse, which this is.
    NotAtOrigin(Point),
    /// There is no lighthouse at the destination.
    NoSuchLighthouse,
    /// The player does not own both ends.
    NotBothOwned,
    /// The player does not hold the key of the destination.
    NoKey,
    /// The destination is the lighthouse on the player's cell.
    SameLighthouse,
    /// The two lighthouses are connected already.
    AlreadyConnected,
    /// The lighthouse at this cell lies exactly between the ends.
    ThroughLighthouse(Point),
    /// The connection would cross the one between the lighthouses at these cells.
    CrossesConnection(Point, Point),
    /// The decision has no order, but must have one.
    NoOrder,
    /// The decision has more than one order.
    SecondOrder,
}

impl Refusal {
    /// The reason in the words of the contest's engine, as it is sent to the bot.
    ///
    /// For an unknown command, the engine continues with the command as Python prints it. An order does not hold that
    /// text, so the dialogue adds it.
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

    /// The reason without the values of the command.
    pub(crate) const fn mistake(&self) -> &'static str {
        match self {
            Self::UnknownCommand => "the command is not pass, move, attack or connect",
            Self::MoveWithoutDelta => "a move needs `x` and `y`",
            Self::DeltaTooFar => "a move goes one cell at most: `x` and `y` are -1, 0 or 1",
            Self::NotOnIsland(_) => "the cell is not on the island",
            Self::AttackWithoutEnergy => "an attack needs `energy`, an integer",
            Self::NotAtTarget(_) => "there is no lighthouse to attack where the player stands",
            Self::NegativeStrength(_) => "an attack with less than 0 energy",
            Self::NoDestination => "a connection needs `destination`",
            Self::NotAPair => "`destination` is not a pair of coordinates",
            Self::NotAtOrigin(_) => "there is no lighthouse to connect from where the player stands",
            Self::NoSuchLighthouse => "there is no lighthouse at the destination",
            Self::NotBothOwned => "both lighthouses must be one's own",
            Self::NoKey => "the key of the destination is missing",
            Self::SameLighthouse => "a lighthouse cannot be connected with itself",
            Self::AlreadyConnected => "the two lighthouses are connected already",
            Self::ThroughLighthouse(_) => "another lighthouse lies exactly between the two",
            Self::CrossesConnection(..) => "another connection would be crossed",
            Self::NoOrder => "a decision is one order, and there is none",
            Self::SecondOrder => "a decision is one order, and there are more",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOnIsland(p) => write!(f, "({}, {}) is not on the island", p.x, p.y),
            Self::NotAtTarget(p) => write!(f, "there is no lighthouse at ({}, {}) to attack", p.x, p.y),
            Self::NegativeStrength(e) => write!(f, "an attack with {e} energy"),
            Self::NotAtOrigin(p) => write!(f, "there is no lighthouse at ({}, {}) to connect from", p.x, p.y),
            Self::ThroughLighthouse(p) => write!(f, "the lighthouse at ({}, {}) lies exactly between", p.x, p.y),
            Self::CrossesConnection(a, b) => {
                write!(f, "the connection from ({}, {}) to ({}, {}) would be crossed", a.x, a.y, b.x, b.y)
            }
            other => f.write_str(other.mistake()),
        }
    }
}

/// An event of a turn. The cells of lighthouses identify them.
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
        /// The cell of the lighthouse that the key belongs to.
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
    /// A player moved to another cell.
    Moved {
        /// The player that moved.
        seat: Seat,
        /// The cell where it stands now.
        to: Point,
    },
    /// A player put energy into its own lighthouse or a neutral one.
    Recharged {
        /// The player that put it in.
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
    /// An attack brought the energy of a lighthouse to exactly 0, so it is neutral.
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
        /// The player that owned it. `None` if it was neutral.
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
        /// The number of island cells that it lights.
        cells: u32,
    },
    /// A lighthouse lost all its connections, and every triangle with it as a corner.
    Severed {
        /// The lighthouse that lost its connections.
        lighthouse: Point,
        /// The number of connections that it lost.
        connections: u32,
    },
    /// A bot is out for the rest of the match. Its player stays on the map.
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

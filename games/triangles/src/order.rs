//! The order to draw a segment, why it may be refused, and what came of it.

use crate::segment::Segment;
use agon_core::Seat;
use core::fmt;
use serde::{Deserialize, Serialize};

/// The answer to `gen_move`: two point numbers as the bot wrote them, lawful or not. In JSON `[3, 7]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Order(pub i32, pub i32);

impl From<Segment> for Order {
    fn from(s: Segment) -> Self {
        Self(i32::from(s.i), i32::from(s.j))
    }
}

/// Why a decision is unlawful. The checks are made in the order of the variants; where several points or segments are
/// in the way, the first one is named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// No segment was given.
    Missing,
    /// More than one segment was given.
    Surplus,
    /// A number is not that of a point.
    Range {
        /// The number that was given.
        number: i32,
        /// How many points the board has.
        points: u8,
    },
    /// Both ends are this point.
    Same(u8),
    /// The segment lies on the board already, perhaps written the other way round.
    Drawn(Segment),
    /// The inside of the segment contains a point.
    Holds {
        /// The segment that was to be drawn.
        segment: Segment,
        /// The number of the point inside it.
        point: u8,
    },
    /// The segment crosses one that lies on the board.
    Crosses {
        /// The segment that was to be drawn.
        segment: Segment,
        /// The segment on the board that it crosses.
        drawn: Segment,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("no segment was given"),
            Self::Surplus => f.write_str("more than one segment was given"),
            Self::Range { number, points } => write!(f, "`{number}` is not a point: the points are 1 to {points}"),
            Self::Same(i) => write!(f, "a segment from point {i} to itself"),
            Self::Drawn(s) => write!(f, "segment `{s}` is drawn already"),
            Self::Holds { segment, point } => write!(f, "point {point} lies inside segment `{segment}`"),
            Self::Crosses { segment, drawn } => write!(f, "segment `{segment}` crosses the drawn segment `{drawn}`"),
        }
    }
}

/// What a watcher is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// A segment was drawn.
    Drawn {
        /// The player that drew it.
        seat: Seat,
        /// The segment as it was written.
        segment: Segment,
        /// The points it paid: 0, 1 or 2.
        gained: u8,
    },
    /// A bot failed. Its points stay; the other draws alone, if it is still there.
    Out {
        /// The player whose bot failed.
        seat: Seat,
    },
    /// A bot failed and has thereby lost (`bad=forfeit`).
    Forfeited {
        /// The player whose bot failed.
        seat: Seat,
    },
}

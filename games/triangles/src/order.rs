//! The order to draw a segment, why it may be refused, and the events of a turn.

use crate::segment::Segment;
use agon_core::Seat;
use core::fmt;
use serde::{Deserialize, Serialize};

/// The answer to `gen_move`: two point numbers as the bot wrote them, lawful or not. In JSON it is `[3, 7]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Order(pub i32, pub i32);

impl From<Segment> for Order {
    fn from(s: Segment) -> Self {
        Self(i32::from(s.i), i32::from(s.j))
    }
}

/// Why a decision is unlawful. The checks are made in the order of the variants. If several points or segments are in
/// the way, the first one is named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The bot named no segment.
    Missing,
    /// The bot named more than one segment.
    Surplus,
    /// A number is not the number of a point.
    Range {
        /// The number in the order.
        number: i32,
        /// The number of points of the board.
        points: u8,
    },
    /// Both ends are the same point. The field holds its number.
    Same(u8),
    /// The segment is already on the board. The field holds it as it was drawn; the order may name its ends the other
    /// way round.
    Drawn(Segment),
    /// A point lies inside the segment.
    Holds {
        /// The segment of the order.
        segment: Segment,
        /// The number of the point inside it.
        point: u8,
    },
    /// The segment crosses one on the board.
    Crosses {
        /// The segment of the order.
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

/// An event of a turn, for watchers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// A player drew a segment.
    Drawn {
        /// The player that drew it.
        seat: Seat,
        /// The segment as it was written.
        segment: Segment,
        /// The points that it paid: 0, 1 or 2.
        gained: u8,
    },
    /// A bot failed. It keeps its points; the other one draws alone, if it has not failed too.
    Out {
        /// The player whose bot failed.
        seat: Seat,
    },
    /// A bot failed and so lost the match (`bad=forfeit`).
    Forfeited {
        /// The player whose bot failed.
        seat: Seat,
    },
}

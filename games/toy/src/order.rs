//! What a seat may order, why an order is refused, and what comes of it.

use agon_core::Seat;
use core::fmt;
use serde::{Deserialize, Serialize};

/// How many stones a seat takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Order(pub u32);

/// A seat took stones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Event {
    /// The seat that took them.
    pub seat: Seat,
    /// How many it had named.
    pub stones: u32,
}

/// Why a decision is not allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Not exactly one number was named.
    NotOne,
    /// At least one stone must be taken.
    None,
    /// More stones than this number, which is the most allowed.
    TooMany(u32),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOne => f.write_str("exactly one number must be named"),
            Self::None => f.write_str("at least one stone must be taken"),
            Self::TooMany(most) => write!(f, "at most {most} may be taken"),
        }
    }
}

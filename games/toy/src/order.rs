//! What a seat may order, why an order is refused, and what a turn reports.

use agon_core::Seat;
use core::fmt;
use serde::{Deserialize, Serialize};

/// An order: the number of stones that the seat takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Order(pub u32);

/// A seat took stones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Event {
    /// The seat that took them.
    pub seat: Seat,
    /// The number that it named; fewer stones may have been left.
    pub stones: u32,
}

/// Why a decision is not allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The decision does not consist of exactly one number.
    NotOne,
    /// The number is 0, but at least one stone must be taken.
    None,
    /// The number is too large. The field holds the largest number that is allowed now.
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

//! What became of a match.

use serde::{Deserialize, Serialize};

/// What became of a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The match was played to its end. There is one result for each seat, in the order of the seats.
    Finished(Vec<SeatResult>),
    /// The organiser declared the match void before it was played.
    Void,
    /// The host spoilt the match, and it is not played again.
    NoResult,
}

/// What a match brought to one seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SeatResult {
    /// The place, from 1 to at most 127. Equal seats share the better place (1, 1, 3). If no seat has place 1, all
    /// seats have lost.
    pub place: u8,
    /// The score in the game's own unit.
    pub score: i64,
    /// Whether the bot failed: it crashed, was late, or broke the rules.
    pub fault: bool,
}

/// What a match was for a seat: the one rule behind points, the table, encounters and tie-breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Share {
    /// It alone has place 1.
    Won,
    /// It shares place 1.
    Drawn,
    /// It does not have place 1, or all bots have forfeited the match.
    Lost,
}

impl Share {
    /// Returns the share of a seat with this place in a match with so many first places.
    pub(crate) const fn of(place: u8, firsts: usize) -> Self {
        match (place, firsts) {
            (1, 1) => Self::Won,
            (1, _) => Self::Drawn,
            _ => Self::Lost,
        }
    }
}

impl SeatResult {
    /// The worst place that a seat can have.
    pub const WORST_PLACE: u8 = 127;

    /// Creates the result of a bot that did not fail.
    #[must_use]
    pub const fn new(place: u8, score: i64) -> Self {
        Self { place, score, fault: false }
    }
}

//! A match to be played: who sits where, on which map, with which seed.

use agon_core::Seed;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A bot of the tournament, counted from 0 in the order of the list of bots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Entrant(pub u32);

impl Entrant {
    /// Returns the place in the list of bots, counted from 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of a match, counted from 1 in the order of the schedule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MatchId(pub u64);

impl MatchId {
    /// Returns the place in a list of all matches, counted from 0.
    pub(crate) const fn index(self) -> usize {
        (self.0 - 1) as usize
    }

    /// Returns the number of the match at `index` in a list of all matches.
    pub(crate) const fn of_index(index: usize) -> Self {
        Self(index as u64 + 1)
    }
}

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A match to be played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Pairing {
    /// The number of the match.
    pub id: MatchId,
    /// The round, counted from 1.
    pub round: u32,
    /// The map as an index into the tournament's list of maps, from 0.
    pub map: u32,
    /// The seed for a generated map. All matches that must be played on the same map have the same seed.
    pub map_seed: Seed,
    /// The bots in the order of their seats.
    pub seats: Vec<Entrant>,
    /// The seed of the match. It follows from the tournament's seed and the match's place in the schedule. All seatings
    /// of a block share it.
    pub seed: Seed,
    /// The probability with which this set of bots was drawn, given everything that was drawn before. `None` if the
    /// kind of tournament leaves nothing to chance.
    pub probability: Option<f64>,
}

//! Sums that change with every result. They are written once for each group.

use super::state_number;
use crate::{MatchState, RecordedResult};
use std::collections::BTreeMap;

/// What the open group adds to the sums of the store.
#[derive(Default, Debug)]
pub struct Sums {
    /// Matches in each state, by its number.
    states: [i64; 4],
    bots: BTreeMap<u32, OfBot>,
}

/// What is to be added to the sums of a bot.
#[derive(Clone, Copy, Default, Debug)]
pub struct OfBot {
    /// Finished matches.
    pub played: i64,
    /// Finished matches in which it failed.
    pub faults: i64,
    /// The time of its decisions, in microseconds.
    pub time_us: i64,
}

impl Sums {
    /// Adds this many matches to those in a state.
    pub fn count(&mut self, state: MatchState, change: i64) {
        self.states[usize::from(state_number(state))] += change;
    }

    /// Adds a finished match to the sums of its bots, or takes it out if `sign` is -1.
    pub fn add(&mut self, bots: &[u32], result: &RecordedResult, sign: i64) {
        for (bot, seat) in bots.iter().zip(&result.seats) {
            let sums = self.bots.entry(*bot).or_default();
            sums.played += sign;
            sums.faults += sign * i64::from(seat.fault.is_some());
            let time = i64::try_from(seat.time_us).unwrap_or(i64::MAX);
            sums.time_us = sums.time_us.saturating_add(sign.saturating_mul(time));
        }
    }

    /// Returns what is to be added to the number of matches in each state, by its number, and to the sums of each bot. Begins anew.
    pub fn take(&mut self) -> ([i64; 4], BTreeMap<u32, OfBot>) {
        let Self { states, bots } = std::mem::take(self);
        (states, bots)
    }
}

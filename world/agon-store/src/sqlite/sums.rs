//! Sums that change with every result. They are written once for each group.

use super::{failure::Failure, read::state_number};
use crate::{MatchState, RecordedResult};
use rusqlite::{Connection, params};
use std::collections::BTreeMap;

/// What the open group adds to the sums of the store.
#[derive(Default)]
pub(super) struct Sums {
    /// Matches in each state, by its number.
    states: [i64; 4],
    bots: BTreeMap<u32, OfBot>,
}

#[derive(Default)]
struct OfBot {
    played: i64,
    faults: i64,
    time_us: i64,
}

impl Sums {
    /// Adds this many matches to those in a state.
    pub(super) fn count(&mut self, state: MatchState, change: i64) {
        self.states[usize::from(state_number(state))] += change;
    }

    /// Adds a finished match to the sums of its bots, or takes it out if `sign` is -1.
    pub(super) fn add(&mut self, bots: &[u32], result: &RecordedResult, sign: i64) {
        for (bot, seat) in bots.iter().zip(&result.seats) {
            let sums = self.bots.entry(*bot).or_default();
            sums.played += sign;
            sums.faults += sign * i64::from(seat.fault.is_some());
            let time = i64::try_from(seat.time_us).unwrap_or(i64::MAX);
            sums.time_us = sums.time_us.saturating_add(sign.saturating_mul(time));
        }
    }

    /// Adds the sums to those of this tournament, and begins anew.
    pub(super) fn write(&mut self, db: &Connection, tournament: u32) -> Result<(), Failure> {
        let Self { states, bots } = std::mem::take(self);
        let mut update =
            db.prepare_cached("UPDATE progress SET number = number + ? WHERE tournament = ? AND state = ?")?;
        for (state, change) in (0..).zip(states).filter(|(_, change)| *change != 0) {
            update.execute(params![change, tournament, state])?;
        }
        let mut update = db.prepare_cached(
            "UPDATE bots SET played = played + ?, faults = faults + ?, time_us = time_us + ?
             WHERE tournament = ? AND number = ?",
        )?;
        for (bot, OfBot { played, faults, time_us }) in bots {
            update.execute(params![played, faults, time_us, tournament, bot])?;
        }
        Ok(())
    }
}

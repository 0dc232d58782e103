//! What the writer keeps in memory beside the file.

use super::{failure::Failure, read};
use crate::{
    Claim, Lease, PlannedMatch,
    backend::{Own, Row, Waiting},
    first_token,
};
use rusqlite::{Connection, params};
use std::collections::BTreeMap;

/// What the writer keeps in memory beside the file.
#[derive(Default)]
pub(super) struct State {
    numbers: Numbers,
    tournaments: BTreeMap<u32, Own>,
}

/// The numbers that one writer gives.
#[derive(Default)]
pub(super) struct Numbers {
    /// The last token.
    token: u64,
    /// The number of the match that came last to be over.
    result: u64,
    /// The same, as the file has it.
    written: u64,
}

/// Where a change is made.
pub(super) struct Scope<'a> {
    pub(super) db: &'a Connection,
    pub(super) tournament: u32,
    pub(super) numbers: &'a mut Numbers,
    pub(super) own: &'a mut Own,
}

impl State {
    /// Reads what a store has, and counts that it was opened.
    pub(super) fn load(db: &Connection) -> Result<Self, Failure> {
        let opened: u32 =
            db.query_row("UPDATE numbers SET last = last + 1 WHERE name = 'opened' RETURNING last", [], |row| {
                row.get(0)
            })?;
        let result = read::last_result(db)?;
        let numbers = Numbers { token: first_token(opened), result, written: result };
        let mut state = Self { numbers, tournaments: BTreeMap::new() };
        for (number, _) in read::tournaments(db)? {
            state.tournaments.insert(number, load(db, number)?);
        }
        Ok(state)
    }

    /// Returns where a change to a tournament is made.
    pub(super) fn scope<'a>(&'a mut self, db: &'a Connection, tournament: u32) -> Scope<'a> {
        let own = self.tournaments.entry(tournament).or_default();
        Scope { db, tournament, numbers: &mut self.numbers, own }
    }

    /// Gives at most `count` matches to a worker.
    pub(super) fn claim(
        &mut self,
        tournament: u32,
        worker: u32,
        count: usize,
        now_ms: i64,
        until_ms: i64,
    ) -> Vec<Lease> {
        let own = self.tournaments.entry(tournament).or_default();
        let claim = Claim { token: self.numbers.token + 1, id: 0, worker, began_ms: now_ms, until_ms };
        let leases = own.waiting.claim(&mut own.claims, count, claim);
        if !leases.is_empty() {
            self.numbers.token += leases.len() as u64;
            own.rows.add(claim, leases.len());
        }
        leases
    }

    /// Returns the claims of a tournament that hold.
    pub(super) fn claims(&mut self, tournament: u32) -> Vec<Claim> {
        self.own(tournament).claims.iter().copied().collect()
    }

    /// Returns what belongs to a tournament.
    pub(super) fn own(&mut self, tournament: u32) -> &mut Own {
        self.tournaments.entry(tournament).or_default()
    }

    /// Writes what the open group has changed.
    pub(super) fn write(&mut self, db: &Connection) -> Result<(), Failure> {
        for (number, own) in &mut self.tournaments {
            write(db, *number, own)?;
        }
        let Numbers { result, written, .. } = &mut self.numbers;
        if result != written {
            let mut update = db.prepare_cached("UPDATE numbers SET last = ? WHERE name = 'result'")?;
            update.execute([result.cast_signed()])?;
            *written = *result;
        }
        Ok(())
    }
}

impl Scope<'_> {
    /// Stores new matches, or those that are played again.
    pub(super) fn add(&mut self, matches: Vec<PlannedMatch>, are_again: bool) -> Result<(), Failure> {
        let (db, tournament, own) = (self.db, self.tournament, &mut *self.own);
        let mut insert = |Row { last, plans }: Row| {
            let mut insert = db.prepare_cached("INSERT INTO batches (tournament, last, plans) VALUES (?, ?, ?)")?;
            insert.execute(params![tournament, last.cast_signed(), plans])?;
            Ok(db.last_insert_rowid())
        };
        let add = if are_again { Waiting::add_again } else { Waiting::add };
        add(&mut own.waiting, matches, &mut insert)
    }
}

impl Numbers {
    /// Goes on behind this token.
    pub(super) fn skip_tokens(&mut self, last: u64) {
        self.token = self.token.max(last);
    }

    /// Makes this the next number of a match that is over.
    pub(super) fn go_to(&mut self, number: u64) {
        self.result = number.saturating_sub(1);
    }

    /// Returns the number of a match that is over now.
    pub(super) fn next_result(&mut self) -> u64 {
        self.result += 1;
        self.result
    }
}

/// Reads what a store has of a tournament.
fn load(db: &Connection, tournament: u32) -> Result<Own, Failure> {
    let highest = "SELECT max(id) FROM matches WHERE tournament = ?";
    let highest: Option<i64> = db.query_row(highest, [tournament], |row| row.get(0))?;
    let mut own = Own { waiting: Waiting::after(highest.map_or(0, i64::cast_unsigned)), ..Own::default() };
    let mut take = |number, planned, attempts| own.waiting.insert(number, planned, attempts);
    read::batches(db, tournament, 1..=i64::MAX, &mut take)?;
    for (first, claims) in read::claims(db, tournament)? {
        own.load(first, claims);
    }
    Ok(own)
}

/// Adds what the open group has changed in memory to what the file has of a tournament.
fn write(db: &Connection, tournament: u32, own: &mut Own) -> Result<(), Failure> {
    let (states, bots) = own.sums.take();
    let mut update = db.prepare_cached("UPDATE progress SET number = number + ? WHERE tournament = ? AND state = ?")?;
    for (state, change) in (0..).zip(states).filter(|(_, change)| *change != 0) {
        update.execute(params![change, tournament, state])?;
    }
    let mut update = db.prepare_cached(
        "UPDATE bots SET played = played + ?, faults = faults + ?, time_us = time_us + ?
         WHERE tournament = ? AND number = ?",
    )?;
    for (bot, of_bot) in bots {
        update.execute(params![of_bot.played, of_bot.faults, of_bot.time_us, tournament, bot])?;
    }
    for (number, plans) in own.waiting.take_changed()? {
        match plans {
            Some(plans) => {
                db.prepare_cached("UPDATE batches SET plans = ? WHERE number = ?")?.execute(params![plans, number])?
            }
            None => db.prepare_cached("DELETE FROM batches WHERE number = ?")?.execute([number])?,
        };
    }
    for (first, row) in own.rows.take_changed(&own.claims)? {
        let first = first.cast_signed();
        match row {
            Some(row) => {
                let mut insert = db.prepare_cached("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?)")?;
                insert.execute(params![first, tournament, row.worker, row.began_ms, row.until_ms, row.matches])?
            }
            None => db.prepare_cached("DELETE FROM claims WHERE first = ?")?.execute([first])?,
        };
    }
    Ok(())
}

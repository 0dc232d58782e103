//! What the writer keeps in memory beside the file.

use super::{claim_rows::ClaimRows, failure::Failure, read, sums::Sums, waiting::Waiting};
use crate::{Claim, Claims, Lease, first_token};
use rusqlite::Connection;
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

/// What belongs to one tournament.
#[derive(Default)]
pub(super) struct Own {
    pub(super) claims: Claims,
    rows: ClaimRows,
    /// What the open group has not written yet.
    pub(super) sums: Sums,
    /// The matches that are to be played, the open group included.
    pub(super) waiting: Waiting,
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
            state.tournaments.insert(number, Own::load(db, number)?);
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
            own.sums.write(db, *number)?;
            own.waiting.write(db)?;
            own.rows.write(db, *number, &own.claims)?;
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

impl Numbers {
    /// Returns the number of a match that is over now.
    pub(super) fn next_result(&mut self) -> u64 {
        self.result += 1;
        self.result
    }
}

impl Own {
    fn load(db: &Connection, tournament: u32) -> Result<Self, Failure> {
        let mut own = Self { waiting: Waiting::load(db, tournament)?, ..Self::default() };
        for (first, claims) in read::claims(db, tournament)? {
            // The last claim of a match is the one that holds.
            let held: Vec<Claim> = claims.into_iter().filter(|claim| own.waiting.get(claim.id).is_some()).collect();
            for claim in &held {
                own.claims.add(*claim);
                own.waiting.claimed(claim.id);
            }
            own.rows.load(first, &held);
        }
        Ok(own)
    }

    /// Ends the claim of a match that is over.
    pub(super) fn end(&mut self, id: u64) {
        if let Some(claim) = self.claims.end(id) {
            self.rows.ended(claim.token, true);
        }
    }

    /// Ends the claim with this token, of a match that is still to be played.
    pub(super) fn release(&mut self, token: u64) -> Option<Claim> {
        let claim = self.claims.release(token)?;
        self.rows.ended(token, false);
        self.waiting.released(claim.id);
        Some(claim)
    }

    /// Ends the claims that have run out.
    pub(super) fn run_out(&mut self, now_ms: i64) -> Vec<Claim> {
        let out = self.claims.run_out(now_ms);
        for claim in &out {
            self.rows.ended(claim.token, false);
            self.waiting.released(claim.id);
        }
        out
    }

    /// Notes that matches are to be played again that were over.
    pub(super) fn play_again(&mut self) {
        self.rows.change_all();
    }
}

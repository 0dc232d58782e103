//! The matches that are to be played. The writer keeps them in memory, so that claims and results need not look for
//! them in the file.

use super::{failure::Failure, read, text};
use crate::{Claim, Claims, Lease, PlannedMatch, StoreError};
use rusqlite::{Connection, params};
use std::collections::{BTreeMap, BTreeSet};

/// At most this many matches are in one row.
const BATCH: usize = 256;

/// The matches that are to be played.
#[derive(Default)]
pub(super) struct Waiting {
    matches: BTreeMap<u64, Match>,
    /// Those that nobody has claimed, in the order of play.
    free: BTreeSet<(u8, u64)>,
    /// The matches of each row that are still to be played.
    left: BTreeMap<i64, BTreeSet<u64>>,
    /// The rows that say something else than the matches in memory.
    changed: BTreeSet<i64>,
    /// The highest number of all matches, those that are over included.
    highest: u64,
}

struct Match {
    planned: PlannedMatch,
    attempts: u32,
    /// The number of the row.
    batch: i64,
}

impl Waiting {
    /// Reads what a store has of a tournament.
    pub(super) fn load(db: &Connection, tournament: u32) -> Result<Self, Failure> {
        let highest = "SELECT max(id) FROM matches WHERE tournament = ?";
        let highest: Option<i64> = db.query_row(highest, [tournament], |row| row.get(0))?;
        let mut waiting = Self { highest: highest.map_or(0, i64::cast_unsigned), ..Self::default() };
        let mut take = |number, planned, attempts| waiting.insert(number, planned, attempts);
        read::batches(db, tournament, 1..=i64::MAX, &mut take)?;
        Ok(waiting)
    }

    fn insert(&mut self, batch: i64, planned: PlannedMatch, attempts: u32) {
        let id = planned.id;
        self.highest = self.highest.max(id);
        self.free.insert((planned.rank, id));
        self.left.entry(batch).or_default().insert(id);
        self.matches.insert(id, Match { planned, attempts, batch });
    }

    pub(super) fn get(&self, id: u64) -> Option<(&PlannedMatch, u32)> {
        self.matches.get(&id).map(|found| (&found.planned, found.attempts))
    }

    /// Stores these matches, which must be new.
    pub(super) fn add(&mut self, db: &Connection, tournament: u32, matches: Vec<PlannedMatch>) -> Result<(), Failure> {
        let mut insert = db.prepare_cached("INSERT INTO batches (tournament, last, plans) VALUES (?, ?, ?)")?;
        let mut matches = matches.into_iter();
        while let [_, ..] = matches.as_slice() {
            let batch = &matches.as_slice()[..matches.len().min(BATCH)];
            let last = batch.iter().map(|planned| planned.id).max().unwrap_or_default();
            let plans = text::of_plans(batch.iter().map(|planned| (planned, 0)))?;
            insert.execute(params![tournament, last.cast_signed(), plans])?;
            let number = db.last_insert_rowid();
            matches.by_ref().take(BATCH).for_each(|planned| self.insert(number, planned, 0));
        }
        Ok(())
    }

    /// Stores matches that were over.
    pub(super) fn add_again(
        &mut self,
        db: &Connection,
        tournament: u32,
        matches: Vec<PlannedMatch>,
    ) -> Result<(), Failure> {
        if !matches.is_empty() {
            // The row of a match stays as long as another match of it is to be played, and would name it twice.
            self.changed.extend(self.left.keys());
        }
        self.add(db, tournament, matches)
    }

    /// Takes out a match that is over.
    pub(super) fn remove(&mut self, id: u64) -> Option<(PlannedMatch, u32)> {
        let Match { planned, attempts, batch } = self.matches.remove(&id)?;
        self.free.remove(&(planned.rank, id));
        if let Some(left) = self.left.get_mut(&batch) {
            left.remove(&id);
            if left.is_empty() {
                self.changed.insert(batch);
            }
        }
        Some((planned, attempts))
    }

    /// Claims at most `count` matches. The first claim is `next` with the number of its match, and the others have the tokens
    /// after it.
    pub(super) fn claim(&mut self, claims: &mut Claims, count: usize, mut next: Claim) -> Vec<Lease> {
        let mut leases = Vec::new();
        while leases.len() < count
            && let Some((_, id)) = self.free.pop_first()
        {
            let Some(found) = self.matches.get(&id) else { continue };
            next.id = id;
            claims.add(next);
            leases.push(Lease { planned: found.planned.clone(), attempts: found.attempts, token: next.token });
            next.token += 1;
        }
        leases
    }

    /// Notes that a match is claimed.
    pub(super) fn claimed(&mut self, id: u64) {
        if let Some(found) = self.matches.get(&id) {
            self.free.remove(&(found.planned.rank, id));
        }
    }

    /// Notes that a match is claimed no more. Does nothing if it is over.
    pub(super) fn released(&mut self, id: u64) {
        if let Some(found) = self.matches.get(&id) {
            self.free.insert((found.planned.rank, id));
        }
    }

    /// Changes when it is the turn of a match. Does nothing if it is over.
    pub(super) fn rerank(&mut self, id: u64, rank: u8) {
        let Some(found) = self.matches.get_mut(&id) else { return };
        if self.free.remove(&(found.planned.rank, id)) {
            self.free.insert((rank, id));
        }
        found.planned.rank = rank;
        self.changed.insert(found.batch);
    }

    /// Counts an attempt of a match, unless it is over.
    pub(super) fn add_attempt(&mut self, id: u64) {
        let Some(found) = self.matches.get_mut(&id) else { return };
        found.attempts += 1;
        self.changed.insert(found.batch);
    }

    /// Writes what has changed since rows were written.
    pub(super) fn write(&mut self, db: &Connection) -> Result<(), Failure> {
        for number in std::mem::take(&mut self.changed) {
            let Some(left) = self.left.get(&number).filter(|left| !left.is_empty()) else {
                self.left.remove(&number);
                db.prepare_cached("DELETE FROM batches WHERE number = ?")?.execute([number])?;
                continue;
            };
            let matches = left.iter().filter_map(|id| self.matches.get(id));
            let plans = text::of_plans(matches.map(|found| (&found.planned, found.attempts)))?;
            db.prepare_cached("UPDATE batches SET plans = ? WHERE number = ?")?.execute(params![plans, number])?;
        }
        Ok(())
    }

    /// Returns which of these matches are new.
    ///
    /// # Errors
    /// If there is another match with one of the numbers.
    pub(super) fn new_among(
        &self,
        db: &Connection,
        tournament: u32,
        matches: Vec<PlannedMatch>,
    ) -> Result<Vec<PlannedMatch>, Failure> {
        let mut new: BTreeMap<u64, PlannedMatch> = BTreeMap::new();
        for planned in matches {
            let id = planned.id;
            let may_be_over = id <= self.highest && self.get(id).is_none();
            let over = if may_be_over { read::over(db, tournament, id)? } else { None };
            let over = over.as_ref().map(|stored| &stored.planned);
            match self.get(id).map(|(before, _)| before).or(over).or_else(|| new.get(&id)) {
                Some(before) if !before.agrees(&planned) => return Err(StoreError::OtherPlan(id).into()),
                Some(_) => {}
                None => drop(new.insert(id, planned)),
            }
        }
        Ok(new.into_values().collect())
    }
}

//! The matches that are to be played. The writer keeps them in memory, so that claims and results need not look for
//! them in the file.

use super::text;
use crate::{Claim, Claims, Lease, PlannedMatch, StoreError, StoredMatch};
use std::collections::{BTreeMap, BTreeSet};

/// At most this many matches are in one row.
const BATCH: usize = 256;

/// A row of matches that are to be played, as a store has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The highest number of its matches.
    pub last: u64,
    /// Their plans ([`text::plans`]).
    pub plans: String,
}

/// The matches that are to be played.
#[derive(Default, Debug)]
pub struct Waiting {
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

#[derive(Debug)]
struct Match {
    planned: PlannedMatch,
    attempts: u32,
    /// The number of the row.
    batch: i64,
}

impl Waiting {
    /// Makes one without matches. `highest` is the highest number of those that are over.
    #[must_use]
    pub fn after(highest: u64) -> Self {
        Self { highest, ..Self::default() }
    }

    /// Adds a match of the row `batch`, as a store has it.
    pub fn insert(&mut self, batch: i64, planned: PlannedMatch, attempts: u32) {
        let id = planned.id;
        self.highest = self.highest.max(id);
        self.free.insert((planned.rank, id));
        self.left.entry(batch).or_default().insert(id);
        self.matches.insert(id, Match { planned, attempts, batch });
    }

    /// Returns a match and the number of attempts that it has used. `None` if it is over.
    #[must_use]
    pub fn get(&self, id: u64) -> Option<(&PlannedMatch, u32)> {
        self.matches.get(&id).map(|found| (&found.planned, found.attempts))
    }

    /// Adds matches, which must be new. `insert` stores each row of them and returns its number.
    ///
    /// # Errors
    /// If a row cannot be stored.
    pub fn add<E: From<serde_json::Error>>(
        &mut self,
        matches: Vec<PlannedMatch>,
        insert: &mut dyn FnMut(Row) -> Result<i64, E>,
    ) -> Result<(), E> {
        let mut matches = matches.into_iter();
        while let [_, ..] = matches.as_slice() {
            let batch = &matches.as_slice()[..matches.len().min(BATCH)];
            let last = batch.iter().map(|planned| planned.id).max().unwrap_or_default();
            let plans = text::of_plans(batch.iter().map(|planned| (planned, 0)))?;
            let number = insert(Row { last, plans })?;
            matches.by_ref().take(BATCH).for_each(|planned| self.insert(number, planned, 0));
        }
        Ok(())
    }

    /// Adds matches that were over.
    ///
    /// # Errors
    /// If a row cannot be stored.
    pub fn add_again<E: From<serde_json::Error>>(
        &mut self,
        matches: Vec<PlannedMatch>,
        insert: &mut dyn FnMut(Row) -> Result<i64, E>,
    ) -> Result<(), E> {
        if !matches.is_empty() {
            // The row of a match stays as long as another match of it is to be played, and would name it twice.
            self.changed.extend(self.left.keys());
        }
        self.add(matches, insert)
    }

    /// Takes out a match that is over.
    pub fn remove(&mut self, id: u64) -> Option<(PlannedMatch, u32)> {
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
    pub fn claim(&mut self, claims: &mut Claims, count: usize, mut next: Claim) -> Vec<Lease> {
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
    pub fn claimed(&mut self, id: u64) {
        if let Some(found) = self.matches.get(&id) {
            self.free.remove(&(found.planned.rank, id));
        }
    }

    /// Notes that a match is claimed no more. Does nothing if it is over.
    pub fn released(&mut self, id: u64) {
        if let Some(found) = self.matches.get(&id) {
            self.free.insert((found.planned.rank, id));
        }
    }

    /// Changes when it is the turn of a match. Does nothing if it is over.
    pub fn rerank(&mut self, id: u64, rank: u8) {
        let Some(found) = self.matches.get_mut(&id) else { return };
        if self.free.remove(&(found.planned.rank, id)) {
            self.free.insert((rank, id));
        }
        found.planned.rank = rank;
        self.changed.insert(found.batch);
    }

    /// Counts an attempt of a match, unless it is over.
    pub fn add_attempt(&mut self, id: u64) {
        let Some(found) = self.matches.get_mut(&id) else { return };
        found.attempts += 1;
        self.changed.insert(found.batch);
    }

    /// Returns the rows that have changed since this was last asked, by their numbers. `None` if all matches of one are over.
    ///
    /// # Errors
    /// Never: every row has a text.
    pub fn take_changed(&mut self) -> serde_json::Result<Vec<(i64, Option<String>)>> {
        let mut changed = Vec::new();
        for number in std::mem::take(&mut self.changed) {
            let plans = match self.left.get(&number).filter(|left| !left.is_empty()) {
                Some(left) => {
                    let matches = left.iter().filter_map(|id| self.matches.get(id));
                    Some(text::of_plans(matches.map(|found| (&found.planned, found.attempts)))?)
                }
                None => {
                    self.left.remove(&number);
                    None
                }
            };
            changed.push((number, plans));
        }
        Ok(changed)
    }

    /// Returns which of these matches are new. `over` looks for one that is over.
    ///
    /// # Errors
    /// If there is another match with one of the numbers, or the store cannot be read.
    pub fn new_among<E: From<StoreError>>(
        &self,
        matches: Vec<PlannedMatch>,
        over: &mut dyn FnMut(u64) -> Result<Option<StoredMatch>, E>,
    ) -> Result<Vec<PlannedMatch>, E> {
        let mut new: BTreeMap<u64, PlannedMatch> = BTreeMap::new();
        for planned in matches {
            let id = planned.id;
            let may_be_over = id <= self.highest && self.get(id).is_none();
            let over = if may_be_over { over(id)? } else { None };
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

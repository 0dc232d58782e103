//! The rows of claims: claims that were made together are one row, because each row costs time.

use super::failure::Failure;
use crate::{Claim, Claims};
use rusqlite::{Connection, params};
use std::collections::{BTreeMap, BTreeSet};

/// The rows of the claims of a tournament, by their first tokens.
#[derive(Default)]
pub(super) struct ClaimRows {
    rows: BTreeMap<u64, ClaimRow>,
    /// The rows that say something else than the claims in memory.
    changed: BTreeSet<u64>,
}

struct ClaimRow {
    last: u64,
    worker: u32,
    began_ms: i64,
    until_ms: i64,
    /// How many claims of the row hold.
    left: usize,
}

impl ClaimRows {
    /// Adds the row of claims with tokens in a row, of which the first is given.
    pub(super) fn add(&mut self, first: Claim, count: usize) {
        let Claim { token, worker, began_ms, until_ms, .. } = first;
        let last = token + (count as u64).saturating_sub(1);
        self.rows.insert(token, ClaimRow { last, worker, began_ms, until_ms, left: count });
        self.changed.insert(token);
    }

    /// Adds a row that the file has, of which these claims hold.
    pub(super) fn load(&mut self, first: u64, held: &[Claim]) {
        match (held.first(), held.last()) {
            (Some(one), Some(Claim { token: last, .. })) => {
                let (last, left) = (*last, held.len());
                let Claim { worker, began_ms, until_ms, .. } = *one;
                self.rows.insert(first, ClaimRow { last, worker, began_ms, until_ms, left });
            }
            // The program that wrote it has ended before it came to delete it.
            _ => drop(self.changed.insert(first)),
        }
    }

    /// Notes that the claim with this token has ended. The row must say so if its match is still to be played.
    pub(super) fn ended(&mut self, token: u64, is_over: bool) {
        let Some((first, row)) = self.rows.range_mut(..=token).next_back() else { return };
        row.left = row.left.saturating_sub(1);
        if row.left == 0 || !is_over {
            self.changed.insert(*first);
        }
    }

    /// Makes every row say which claims hold, because a match of one is to be played again that was over.
    pub(super) fn change_all(&mut self) {
        self.changed.extend(self.rows.keys());
    }

    /// Writes what has changed since rows were written.
    pub(super) fn write(&mut self, db: &Connection, tournament: u32, claims: &Claims) -> Result<(), Failure> {
        for first in std::mem::take(&mut self.changed) {
            let Some(row) = self.rows.get(&first).filter(|row| row.left > 0) else {
                self.rows.remove(&first);
                db.prepare_cached("DELETE FROM claims WHERE first = ?")?.execute([first.cast_signed()])?;
                continue;
            };
            let pairs: Vec<(u64, u64)> = claims.between(first, row.last).map(|claim| (claim.token, claim.id)).collect();
            let text = serde_json::to_string(&pairs);
            let text = text.map_err(|why| rusqlite::Error::ToSqlConversionFailure(why.into()))?;
            let mut insert = db.prepare_cached("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?)")?;
            let ClaimRow { worker, began_ms, until_ms, .. } = row;
            insert.execute(params![first.cast_signed(), tournament, worker, began_ms, until_ms, text])?;
        }
        Ok(())
    }
}

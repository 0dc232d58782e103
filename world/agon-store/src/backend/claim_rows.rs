//! The rows of claims: claims that were made together are one row, because each row costs time.

use crate::{Claim, Claims};
use std::collections::{BTreeMap, BTreeSet};

/// The rows of the claims of a tournament, by their first tokens.
#[derive(Default, Debug)]
pub struct ClaimRows {
    rows: BTreeMap<u64, Run>,
    /// The rows that say something else than the claims in memory.
    changed: BTreeSet<u64>,
}

/// A row of claims, as a store has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimRow {
    /// The number of the worker.
    pub worker: u32,
    /// When the matches were claimed, in milliseconds since 1970.
    pub began_ms: i64,
    /// When the claims end, in milliseconds since 1970.
    pub until_ms: i64,
    /// A JSON list of pairs, a token and the number of a match.
    pub matches: String,
}

#[derive(Debug)]
struct Run {
    last: u64,
    worker: u32,
    began_ms: i64,
    until_ms: i64,
    /// How many claims of the row hold.
    left: usize,
}

impl ClaimRows {
    /// Adds the row of claims with tokens in a row, of which the first is given.
    pub fn add(&mut self, first: Claim, count: usize) {
        let Claim { token, worker, began_ms, until_ms, .. } = first;
        let last = token + (count as u64).saturating_sub(1);
        self.rows.insert(token, Run { last, worker, began_ms, until_ms, left: count });
        self.changed.insert(token);
    }

    /// Adds a row that the file has, of which these claims hold.
    pub fn load(&mut self, first: u64, held: &[Claim]) {
        match (held.first(), held.last()) {
            (Some(one), Some(Claim { token: last, .. })) => {
                let (last, left) = (*last, held.len());
                let Claim { worker, began_ms, until_ms, .. } = *one;
                self.rows.insert(first, Run { last, worker, began_ms, until_ms, left });
            }
            // The program that wrote it has ended before it came to delete it.
            _ => drop(self.changed.insert(first)),
        }
    }

    /// Notes that the claim with this token has ended. The row must say so if its match is still to be played.
    pub fn ended(&mut self, token: u64, is_over: bool) {
        let Some((first, row)) = self.rows.range_mut(..=token).next_back() else { return };
        row.left = row.left.saturating_sub(1);
        if row.left == 0 || !is_over {
            self.changed.insert(*first);
        }
    }

    /// Makes every row say which claims hold, because a match of one is to be played again that was over.
    pub fn change_all(&mut self) {
        self.changed.extend(self.rows.keys());
    }

    /// Makes rows of the claims that hold. Those that a store has meanwhile, of which the first tokens are given, are replaced.
    pub fn renew(&mut self, stored: impl IntoIterator<Item = u64>, claims: &Claims) {
        self.rows.clear();
        self.changed = stored.into_iter().collect();
        let mut by_token: Vec<Claim> = claims.iter().copied().collect();
        by_token.sort_by_key(|claim| claim.token);
        let together = |a: &Claim, b: &Claim| {
            let when = |claim: &Claim| (claim.worker, claim.began_ms, claim.until_ms);
            a.token + 1 == b.token && when(a) == when(b)
        };
        for run in by_token.chunk_by(together) {
            self.add(run[0], run.len());
        }
    }

    /// Returns the rows that have changed since this was last asked, each with its first token. `None` if it is to go.
    ///
    /// # Errors
    /// Never: every row has a text.
    pub fn take_changed(&mut self, claims: &Claims) -> serde_json::Result<Vec<(u64, Option<ClaimRow>)>> {
        let mut changed = Vec::new();
        for first in std::mem::take(&mut self.changed) {
            let Some(run) = self.rows.get(&first).filter(|run| run.left > 0) else {
                self.rows.remove(&first);
                changed.push((first, None));
                continue;
            };
            let pairs: Vec<(u64, u64)> = claims.between(first, run.last).map(|claim| (claim.token, claim.id)).collect();
            let Run { worker, began_ms, until_ms, .. } = *run;
            let matches = serde_json::to_string(&pairs)?;
            changed.push((first, Some(ClaimRow { worker, began_ms, until_ms, matches })));
        }
        Ok(changed)
    }
}

//! What belongs to one tournament.

use super::{ClaimRows, Sums, Waiting};
use crate::{Claim, Claims};

/// What a writer keeps in memory of one tournament.
#[derive(Default, Debug)]
pub struct Own {
    /// The claims that hold.
    pub claims: Claims,
    /// Their rows.
    pub rows: ClaimRows,
    /// What the open group has not written yet.
    pub sums: Sums,
    /// The matches that are to be played, the open group included.
    pub waiting: Waiting,
}

impl Own {
    /// Adds a row of claims, as the store has it.
    pub fn load(&mut self, first: u64, claims: Vec<Claim>) {
        // The last claim of a match is the one that holds.
        let held: Vec<Claim> = claims.into_iter().filter(|claim| self.waiting.get(claim.id).is_some()).collect();
        for claim in &held {
            self.claims.add(*claim);
            self.waiting.claimed(claim.id);
        }
        self.rows.load(first, &held);
    }

    /// Ends the claim of a match that is over.
    pub fn end(&mut self, id: u64) {
        if let Some(claim) = self.claims.end(id) {
            self.rows.ended(claim.token, true);
        }
    }

    /// Ends the claim with this token, of a match that is still to be played.
    pub fn release(&mut self, token: u64) -> Option<Claim> {
        let claim = self.claims.release(token)?;
        self.rows.ended(token, false);
        self.waiting.released(claim.id);
        Some(claim)
    }

    /// Ends the claims that have run out.
    pub fn run_out(&mut self, now_ms: i64) -> Vec<Claim> {
        let out = self.claims.run_out(now_ms);
        for claim in &out {
            self.rows.ended(claim.token, false);
            self.waiting.released(claim.id);
        }
        out
    }

    /// Notes that matches are to be played again that were over.
    pub fn play_again(&mut self) {
        self.rows.change_all();
    }
}

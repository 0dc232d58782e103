//! Which matches a run has: those that it draws for the store, and those that it has claimed there.

use super::{Away, CLAIMED_MS, EXTENDED_AFTER_MS, Enqueued, LAST, LAST_AT_MOST, Load, WAITING};
use crate::{TournamentError, played::now_ms, run::planned_match, tournament::LAST_AFTER};
use agon_play::Workload;
use agon_store::{Lease, Store, StoreError};

impl<S: Store> Load<'_, S> {
    /// Fills the store with matches that may be played, and claims some of them.
    pub(super) fn claim(&mut self) -> Result<Vec<Lease>, TournamentError> {
        let claims = 2 * (self.at_once + self.ahead());
        self.fill(WAITING.max(self.ahead() + 2 * claims));
        let leases = self.claim_of_store(claims)?;
        if leases.is_empty() && self.settle_enqueued() {
            // Matches whose way to the store was lost are there now.
            return self.claim_of_store(claims);
        }
        Ok(leases)
    }

    pub(super) fn claim_of_store(&mut self, count: usize) -> Result<Vec<Lease>, TournamentError> {
        let now_ms = now_ms();
        // A machine that slept still has what it had.
        self.extend_claims(now_ms)?;
        let leases = self.tournament.store.claim(self.worker, count, now_ms, now_ms.saturating_add(CLAIMED_MS))?;
        self.held.extend(leases.iter().map(|lease| lease.token));
        Ok(leases)
    }

    /// Draws matches until so many wait in the store that are played in their turn and that no other machine has.
    pub(super) fn fill(&mut self, wanted: usize) {
        let wanted = wanted + self.away.as_ref().map_or(0, Away::outstanding);
        let (mut first, mut last) = self.waiting.counts();
        let mut matches = Vec::new();
        while first < wanted && last < LAST_AT_MOST {
            // All of them may be played last.
            let most = WAITING.max(wanted - first).min(LAST_AT_MOST - last);
            let pairings = self.tournament.schedule.next(most);
            if pairings.is_empty() {
                break;
            }
            for mut planned in pairings.iter().map(planned_match) {
                let is_last = planned.bots.iter().any(|bot| self.tournament.streaks[*bot as usize] >= LAST_AFTER);
                if is_last {
                    planned.rank = LAST;
                    last += 1;
                } else {
                    first += 1;
                }
                self.drawn = self.drawn.max(planned.id);
                self.waiting.insert(planned.id, planned.bots.clone(), is_last);
                matches.push(planned);
            }
        }
        if !matches.is_empty() {
            self.enqueued.push_back(Enqueued::new(&self.tournament.store, matches));
        }
    }

    /// Returns whether a match is drawn that is not over. An earlier run may have drawn further than this one.
    pub(super) fn is_drawn(&mut self, id: u64) -> bool {
        let mut before = usize::MAX;
        while !self.waiting.contains(id) && self.drawn < id && self.waiting.len() != before {
            before = self.waiting.len();
            self.fill(before + WAITING);
        }
        self.waiting.contains(id)
    }

    /// Gives back every claim of a match, whoever has it.
    pub(super) fn release_claims_of(&mut self, id: u64) -> Result<(), TournamentError> {
        let claims = self.tournament.store.claims()?;
        let tokens: Vec<u64> = claims.iter().filter(|claim| claim.id == id).map(|claim| claim.token).collect();
        self.release(&tokens)
    }

    /// Extends the claims of this run, unless that was done a moment ago.
    pub(super) fn extend_claims(&mut self, now_ms: i64) -> Result<(), TournamentError> {
        if now_ms.saturating_sub(self.extended_ms) < EXTENDED_AFTER_MS {
            return Ok(());
        }
        self.extended_ms = now_ms;
        let tokens: Vec<u64> = self.held.iter().copied().collect();
        unless_lost(self.tournament.store.extend(&tokens, now_ms.saturating_add(CLAIMED_MS)).map(drop))
    }

    /// Gives matches back that were not played.
    pub(super) fn release(&mut self, tokens: &[u64]) -> Result<(), TournamentError> {
        for token in tokens {
            self.held.remove(token);
        }
        unless_lost(self.tournament.store.release(tokens))
    }
}

/// Forgives that nobody knows whether claims were changed: they are extended again, or run out.
pub(crate) fn unless_lost(changed: Result<(), StoreError>) -> Result<(), TournamentError> {
    match changed {
        Err(StoreError::Lost { .. }) => Ok(()),
        known => Ok(known?),
    }
}

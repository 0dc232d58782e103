//! Who has claimed which match, in memory, for back ends.

use crate::Claim;
use std::collections::BTreeMap;

/// Who has claimed which match. At most one claim of a match holds at a time. No claim ends by itself: whoever leads the
/// tournament ends those that have [run out](Self::run_out).
#[derive(Default, Debug)]
pub struct Claims {
    by_match: BTreeMap<u64, Claim>,
    /// The match of each claim, by its token.
    by_token: BTreeMap<u64, u64>,
}

impl Claims {
    /// Returns whether nobody has claimed this match.
    #[must_use]
    pub fn is_free(&self, id: u64) -> bool {
        !self.by_match.contains_key(&id)
    }

    /// Adds a claim, in place of any other of its match.
    pub fn add(&mut self, claim: Claim) {
        self.end(claim.id);
        self.by_token.insert(claim.token, claim.id);
        self.by_match.insert(claim.id, claim);
    }

    /// Returns the claim with this token. `None` if it has ended.
    #[must_use]
    pub fn get(&self, token: u64) -> Option<&Claim> {
        self.by_match.get(self.by_token.get(&token)?)
    }

    /// Extends claims. Returns the tokens of those that have ended.
    pub fn extend(&mut self, tokens: &[u64], until_ms: i64) -> Vec<u64> {
        let mut ended = Vec::new();
        for token in tokens {
            match self.by_token.get(token).and_then(|id| self.by_match.get_mut(id)) {
                Some(claim) => claim.until_ms = until_ms,
                None => ended.push(*token),
            }
        }
        ended
    }

    /// Ends the claim with this token and returns it. `None` if it had ended before.
    pub fn release(&mut self, token: u64) -> Option<Claim> {
        let id = self.by_token.remove(&token)?;
        self.by_match.remove(&id)
    }

    /// Ends the claim of a match, whoever has it, and returns it.
    pub fn end(&mut self, id: u64) -> Option<Claim> {
        let claim = self.by_match.remove(&id)?;
        self.by_token.remove(&claim.token);
        Some(claim)
    }

    /// Ends the claims whose time is over at `now_ms`, and returns them in the order of their matches.
    pub fn run_out(&mut self, now_ms: i64) -> Vec<Claim> {
        let out: Vec<Claim> = self.iter().filter(|claim| claim.until_ms <= now_ms).copied().collect();
        for claim in &out {
            self.end(claim.id);
        }
        out
    }

    /// Returns every claim that holds, in the order of their matches.
    pub fn iter(&self) -> impl Iterator<Item = &Claim> {
        self.by_match.values()
    }

    /// Returns the claims with tokens from `first` to `last`, in the order of their tokens.
    pub(crate) fn between(&self, first: u64, last: u64) -> impl Iterator<Item = &Claim> {
        self.by_token.range(first..=last).filter_map(|(_, id)| self.by_match.get(id))
    }
}

/// Returns the first token of a store that was opened for the `opened`-th time. Those of two openings never meet.
#[must_use]
pub fn first_token(opened: u32) -> u64 {
    u64::from(opened) << 32
}

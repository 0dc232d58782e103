//! One worker.

use crate::{WorkerPresence, recent::Recent};
use agon_spec::{WORKER_MOST, WorkerRegister};
use std::collections::{BTreeMap, BTreeSet};

/// How many claims of a worker are remembered.
const CLAIMS: usize = 16;
/// The shortest and the longest time for which a worker that gives matches back gets no others.
const PAUSE_MS: (u64, u64) = (1_000, 60_000);

/// A worker.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) number: u32,
    /// The name, with a number if another worker has it.
    pub(crate) name: String,
    pub(crate) about: WorkerRegister,
    pub(crate) presence: WorkerPresence,
    /// Whether the load knows it.
    pub(crate) met: bool,
    /// Whether it knows that the tournament is over.
    pub(crate) told: bool,
    /// When it asked last.
    pub(crate) seen_ms: u64,
    /// The bots that it has ready, and those that do not start on it.
    pub(crate) ready: BTreeSet<u32>,
    pub(crate) failed: BTreeMap<u32, String>,
    /// The tokens of the matches that it has.
    pub(crate) held: BTreeSet<u64>,
    /// The match that it plays alone.
    pub(crate) alone: Option<u64>,
    /// Its last claims, with the tokens that each was given.
    pub(crate) claims: Recent<String, Vec<u64>>,
    /// Tokens of earlier runs about which the load was asked, and those that mean nothing.
    pub(crate) asked: BTreeSet<u64>,
    pub(crate) strange: Recent<u64, ()>,
    /// When a match of it went on last.
    pub(crate) progress_ms: u64,
    /// How long a match lasts on it, in microseconds, averaged over the last ones.
    pub(crate) match_us: Option<u64>,
    pub(crate) played: u64,
    /// Until when it gets no matches, and how long that was.
    pub(crate) paused_ms: u64,
    pause_ms: u64,
    pub(crate) bucket: Bucket,
}

impl Worker {
    pub(crate) fn new(number: u32, name: String, about: WorkerRegister, now: u64, requests: (u32, u32)) -> Self {
        Self {
            number,
            name,
            about,
            presence: WorkerPresence::Here,
            met: false,
            told: false,
            seen_ms: now,
            ready: BTreeSet::new(),
            failed: BTreeMap::new(),
            held: BTreeSet::new(),
            alone: None,
            claims: Recent::new(CLAIMS),
            asked: BTreeSet::new(),
            strange: Recent::new(2 * WORKER_MOST as usize),
            progress_ms: now,
            match_us: None,
            played: 0,
            paused_ms: 0,
            pause_ms: 0,
            bucket: Bucket::new(requests, now),
        }
    }

    pub(crate) fn is_here(&self) -> bool {
        self.presence == WorkerPresence::Here
    }

    /// Returns how many matches it may have: one for each core, and as many more as last `batch_ms`.
    pub(crate) fn may_hold(&self, batch_ms: u64, usual_us: Option<u64>) -> usize {
        let cores = u64::from(self.about.machine.cores.max(1));
        let more = self
            .match_us
            .or(usual_us)
            .map_or(0, |match_us| (cores * batch_ms.saturating_mul(1_000)).div_ceil(match_us.max(1)));
        usize::try_from(cores + more).unwrap_or(usize::MAX).min(WORKER_MOST as usize)
    }

    pub(crate) fn can_play(&self, bots: &[u32]) -> bool {
        bots.iter().all(|bot| self.ready.contains(bot))
    }

    /// Takes the length of a match into account.
    pub(crate) fn has_played(&mut self, wall_us: u64, now: u64) {
        self.played += 1;
        self.match_us = Some(average(self.match_us, wall_us));
        self.progress_ms = now;
        self.pause_ms = 0;
    }

    /// Lets it wait for its next match, longer each time.
    pub(crate) fn pause(&mut self, now: u64) {
        self.pause_ms = (2 * self.pause_ms).clamp(PAUSE_MS.0, PAUSE_MS.1);
        self.paused_ms = now + self.pause_ms;
    }
}

/// Returns the average of the last values, of which the newest counts an eighth.
pub(crate) fn average(before: Option<u64>, value: u64) -> u64 {
    before.map_or(value, |before| before.saturating_mul(7).saturating_add(value) / 8)
}

/// How many requests may still come: some at once, and some more in each second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    most: u32,
    a_second: u32,
    /// In thousandths of a request.
    left: u64,
    at_ms: u64,
}

impl Bucket {
    pub(crate) fn new((most, a_second): (u32, u32), now: u64) -> Self {
        Self { most, a_second, left: u64::from(most) * 1_000, at_ms: now }
    }

    /// Takes one request. Returns whether there was one left.
    pub(crate) fn take(&mut self, now: u64) -> bool {
        let gained = now.saturating_sub(self.at_ms).saturating_mul(u64::from(self.a_second));
        self.left = self.left.saturating_add(gained).min(u64::from(self.most) * 1_000);
        self.at_ms = now.max(self.at_ms);
        let taken = self.left >= 1_000;
        self.left -= if taken { 1_000 } else { 0 };
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_fills_again() {
        let mut bucket = Bucket::new((2, 1), 0);
        let taken: Vec<bool> = [0, 0, 0, 999, 1_000, 1_001, 9_000, 9_000, 9_000].map(|now| bucket.take(now)).into();
        assert_eq!(taken, [true, true, false, false, true, false, true, true, false]);
    }
}

//! The matches that a worker has, from their claim to the acknowledgement of their results.

use agon_play::Cancel;
use agon_spec::{WORKER_MOST, WorkerCheck, WorkerHeld, WorkerLease};
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    io,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

/// For so long the matches last that wait for a thread, in microseconds: longer than a claim takes over a slow network.
const AHEAD_US: u64 = 2_000_000;

/// The matches of a worker.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    /// Matches that are claimed and have not begun, in the order in which they came.
    waiting: VecDeque<WorkerLease>,
    /// Matches that are being played, by their tokens.
    playing: BTreeMap<u64, Arc<Playing>>,
    /// Matches whose results are not on disk yet.
    unkept: BTreeSet<u64>,
    /// Matches whose results wait to be acknowledged.
    kept: BTreeSet<u64>,
    /// Results of other workers that are to be checked, in the order in which they came. Nobody waits for them for long.
    checks: VecDeque<WorkerCheck>,
    /// How long a match lasts, in microseconds, averaged over the last ones. 0 as long as none has ended.
    match_us: u64,
    /// Whether no more matches begin.
    closed: bool,
    /// How many matches have come to an end here.
    pub(crate) played: u64,
}

/// A match that is being played.
#[derive(Debug)]
pub(crate) struct Playing {
    /// The turn in which it is, from 1, and 0 while its bots start.
    pub(crate) turn: AtomicU32,
    /// Breaks the match off.
    pub(crate) cancel: Cancel,
}

/// How many matches are where.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WorkerCounts {
    /// Matches that have come to an end on this worker since it was started.
    pub played: u64,
    /// Matches that are being played.
    pub running: usize,
    /// Matches that wait for a thread.
    pub waiting: usize,
    /// Results that are not acknowledged yet.
    pub unreported: usize,
}

impl Desk {
    /// Takes claimed matches. Those that are here already stay as they are: the answer to a claim may come twice.
    pub(crate) fn take(&mut self, leases: Vec<WorkerLease>) {
        for lease in leases {
            if !self.has(lease.token) {
                self.waiting.push_back(lease);
            }
        }
    }

    fn has(&self, token: u64) -> bool {
        self.playing.contains_key(&token)
            || self.unkept.contains(&token)
            || self.kept.contains(&token)
            || self.waiting.iter().any(|lease| lease.token == token)
    }

    /// Begins the next match. `None` if there is none, or none may begin.
    ///
    /// # Errors
    /// If the system has no more descriptors. Then nothing has changed.
    pub(crate) fn begin(&mut self) -> io::Result<Option<(WorkerLease, Arc<Playing>)>> {
        if self.closed || self.waiting.is_empty() {
            return Ok(None);
        }
        let playing = Arc::new(Playing { turn: AtomicU32::new(0), cancel: Cancel::new()? });
        Ok(self.waiting.pop_front().map(|lease| {
            self.playing.insert(lease.token, Arc::clone(&playing));
            (lease, playing)
        }))
    }

    /// Takes results that are to be checked.
    pub(crate) fn take_checks(&mut self, checks: Vec<WorkerCheck>) {
        self.checks.extend(checks);
    }

    /// Returns the next result that is to be checked.
    pub(crate) fn next_check(&mut self) -> Option<WorkerCheck> {
        self.checks.pop_front()
    }

    /// Notes that a match has ended without a result. Returns whether it was still this worker's.
    pub(crate) fn end(&mut self, token: u64) -> bool {
        self.playing.remove(&token).is_some()
    }

    /// Notes that a match has a result, which is to be kept. Returns whether it was still this worker's.
    pub(crate) fn finish(&mut self, token: u64, wall_us: u64) -> bool {
        if self.playing.remove(&token).is_none() {
            return false;
        }
        self.played += 1;
        let wall_us = wall_us.max(1);
        self.match_us =
            if self.match_us == 0 { wall_us } else { self.match_us.saturating_mul(7).saturating_add(wall_us) / 8 };
        self.unkept.insert(token)
    }

    /// Notes that results are on disk.
    pub(crate) fn keep(&mut self, tokens: impl IntoIterator<Item = u64>) {
        for token in tokens {
            self.unkept.remove(&token);
            self.kept.insert(token);
        }
    }

    /// Notes that results are acknowledged, or were lost.
    pub(crate) fn forget(&mut self, tokens: impl IntoIterator<Item = u64>) {
        for token in tokens {
            self.unkept.remove(&token);
            self.kept.remove(&token);
        }
    }

    /// Returns every match, for a sign of life.
    pub(crate) fn held(&self) -> Vec<WorkerHeld> {
        let waiting = self.waiting.iter().map(|lease| WorkerHeld { token: lease.token, ply: None });
        let turn = |playing: &Playing| Some(playing.turn.load(Ordering::Relaxed));
        let playing = self.playing.iter().map(|(token, playing)| WorkerHeld { token: *token, ply: turn(playing) });
        // Of a match that is over, no turn rises any more, so that nobody waits for one.
        let over = self.unkept.iter().chain(&self.kept).map(|token| WorkerHeld { token: *token, ply: None });
        waiting.chain(playing).chain(over).collect()
    }

    /// Gives up matches that the server has taken back: those that wait are gone, and those that are being played are broken off.
    /// Results stay, because they may still count. Returns the numbers of the waiting ones, and how many were broken off.
    pub(crate) fn lose(&mut self, tokens: &[u64]) -> usize {
        let waiting = self.waiting.len();
        self.waiting.retain(|lease| !tokens.contains(&lease.token));
        let lost = tokens.iter().filter_map(|token| self.playing.remove(token));
        let broken_off = lost.map(|playing| playing.cancel.kill()).count();
        waiting - self.waiting.len() + broken_off
    }

    /// Breaks off everything that is being played.
    pub(crate) fn kill(&mut self) {
        self.closed = true;
        self.playing.values().for_each(|playing| playing.cancel.kill());
    }

    /// Lets no more matches begin. Returns the tokens of those that waited, which are to be released.
    pub(crate) fn close(&mut self) -> Vec<u64> {
        self.closed = true;
        self.checks.clear();
        self.waiting.drain(..).map(|lease| lease.token).collect()
    }

    /// Lets matches begin again.
    pub(crate) fn open(&mut self) {
        self.closed = false;
    }

    /// Returns whether no more matches begin.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Returns how many matches to claim now for so many threads. 0 if there are enough.
    pub(crate) fn wanted(&self, threads: usize) -> u32 {
        if self.closed || !self.checks.is_empty() {
            // Others may check what this worker has no time for.
            return 0;
        }
        let (threads, most) = (threads as u64, u64::from(WORKER_MOST));
        // As many as probably end before the answer to a claim is there.
        let ahead = match self.match_us {
            // Nobody knows how long they last.
            0 => 0,
            match_us => AHEAD_US.saturating_mul(threads).div_ceil(match_us).min(most.saturating_sub(threads)),
        };
        let there = (self.waiting.len() + self.playing.len()) as u64;
        // A claim for a small rest would be one for each match.
        if there >= threads + ahead - ahead / 2 {
            return 0;
        }
        u32::try_from((threads + ahead - there).min(most)).unwrap_or(WORKER_MOST)
    }

    /// Returns how many matches are where.
    pub(crate) fn counts(&self) -> WorkerCounts {
        WorkerCounts {
            played: self.played,
            running: self.playing.len(),
            waiting: self.waiting.len(),
            unreported: self.unkept.len() + self.kept.len(),
        }
    }

    /// Returns whether there is neither a match nor a result.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.playing.is_empty() && self.unkept.is_empty() && self.kept.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::Seed;
    use agon_spec::WorkerMatch;
    use proptest::prelude::*;

    fn lease(token: u64) -> WorkerLease {
        let planned = WorkerMatch {
            id: token + 1_000,
            round: 1,
            map: 0,
            map_seed: Seed(1),
            seed: Seed(2),
            bots: vec![0, 1],
            probability: None,
        };
        WorkerLease { token, planned, attempts: 0 }
    }

    fn desk(tokens: std::ops::Range<u64>) -> Desk {
        let mut desk = Desk::default();
        desk.take(tokens.map(lease).collect());
        desk
    }

    fn tokens(desk: &Desk) -> Vec<(u64, Option<u32>)> {
        desk.held().into_iter().map(|held| (held.token, held.ply)).collect()
    }

    #[test]
    fn a_match_is_held_until_its_result_is_acknowledged() {
        let mut desk = desk(1..3);
        let (begun, playing) = desk.begin().expect("a flag").expect("it waits");
        playing.turn.store(9, Ordering::Relaxed);
        assert_eq!(tokens(&desk), [(2, None), (1, Some(9))]);
        assert!(desk.finish(begun.token, 50));
        assert_eq!(tokens(&desk), [(2, None), (1, None)]);
        desk.keep([1]);
        assert_eq!(desk.counts(), WorkerCounts { played: 1, running: 0, waiting: 1, unreported: 1 });
        desk.forget([1]);
        assert_eq!(tokens(&desk), [(2, None)]);
        assert!(!desk.is_empty());
    }

    #[test]
    fn the_same_answer_twice_gives_no_match_twice() {
        let mut desk = desk(1..4);
        let (begun, _) = desk.begin().expect("a flag").expect("it waits");
        desk.take((1..4).map(lease).collect());
        desk.finish(begun.token, 1);
        desk.take((1..4).map(lease).collect());
        desk.keep([begun.token]);
        desk.take((1..4).map(lease).collect());
        assert_eq!(desk.held().len(), 3);
    }

    #[test]
    fn matches_that_the_server_takes_back_are_broken_off() {
        let mut desk = desk(1..4);
        let (_, first) = desk.begin().expect("a flag").expect("it waits");
        let (_, second) = desk.begin().expect("a flag").expect("it waits");
        assert!(desk.finish(2, 1));
        assert_eq!(desk.lose(&[1, 2, 3, 77]), 2);
        assert!(first.cancel.is_killed() && !second.cancel.is_killed());
        assert!(!desk.finish(1, 1) && !desk.end(1), "it is nobody's any more");
        assert_eq!(tokens(&desk), [(2, None)], "a result may still count");
    }

    #[test]
    fn after_the_end_nothing_begins() {
        let mut desk = desk(1..4);
        let (_, playing) = desk.begin().expect("a flag").expect("it waits");
        assert_eq!(desk.close(), [2, 3]);
        desk.take(vec![lease(9)]);
        assert!(desk.begin().expect("a flag").is_none() && desk.wanted(4) == 0);
        assert!(!playing.cancel.is_killed(), "what runs is played to its end");
        desk.kill();
        assert!(playing.cancel.is_killed());
        desk.open();
        assert!(desk.begin().expect("a flag").is_some());
    }

    #[test]
    fn more_short_matches_wait_than_long_ones() {
        let wanted = |wall_us: u64| {
            let mut desk = desk(1..2);
            desk.begin().expect("a flag");
            desk.finish(1, wall_us);
            desk.wanted(2)
        };
        assert_eq!(Desk::default().wanted(2), 2, "nobody knows how long they last");
        assert_eq!([60_000_000, 1_000_000, 100].map(wanted), [3, 6, WORKER_MOST]);
    }

    proptest! {
        #[test]
        fn a_thread_never_waits_while_there_could_be_a_match(
            threads in 1usize..64, match_us in 0u64..100_000_000, there in 0usize..700,
        ) {
            let mut desk = desk(0..there as u64);
            desk.match_us = match_us;
            let wanted = desk.wanted(threads) as usize;
            prop_assert!(wanted + there <= (WORKER_MOST as usize).max(there));
            prop_assert!(there >= threads || wanted > 0);
        }
    }
}

//! How fast a store is, for `agon bench tournament`.

use crate::{BlobHash, Lease, PlannedMatch, RecordedResult, RecordedSeat, Report, Result, Store, Ticket};
use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

/// Matches that are enqueued at once, as a tournament does it.
const WINDOW: u64 = 1_000;
/// Results that are reported at once. A run reports what has come in 2 ms, at most 100.
const TOGETHER: usize = 50;
/// Reports that are on their way to the disk, at most.
const UNDERWAY: usize = 4;

/// Stores this many results without blobs, as a tournament of two bots would: matches are enqueued and claimed, and
/// their results reported together. Returns the time until the last one was acknowledged. The store must be new.
///
/// # Errors
/// If the store cannot be used.
pub fn results_without_blobs(store: &impl Store, results: u64) -> Result<Duration> {
    for name in ["a", "b"] {
        store.add_bot(name).wait()?;
    }
    let worker = store.add_worker("bench", "{}", 0);
    store.hurry();
    let worker = worker.wait()?;
    let start = Instant::now();
    let mut underway: VecDeque<Ticket<_>> = VecDeque::new();
    let windows = results.div_ceil(WINDOW);
    for first in (0..windows).map(|window| 1 + window * WINDOW) {
        let last = results.min(first + WINDOW - 1);
        let planned = |id| PlannedMatch { id, round: 1, seed: id, bots: vec![0, 1], ..PlannedMatch::default() };
        let enqueued = store.enqueue((first..=last).map(planned).collect());
        loop {
            let leases = store.claim(worker, TOGETHER, 0, i64::MAX)?;
            if leases.is_empty() {
                break;
            }
            let report = |Lease { planned, token, .. }: Lease| Report {
                token: Some(token),
                ..Report::unclaimed(planned.id, result(planned.id), Vec::new())
            };
            underway.push_back(store.complete_all(leases.into_iter().map(report).collect()));
        }
        enqueued.wait()?;
        while underway.len() > UNDERWAY {
            underway.pop_front().map(Ticket::wait).transpose()?;
        }
    }
    for ticket in underway {
        ticket.wait()?;
    }
    Ok(start.elapsed())
}

fn result(id: u64) -> RecordedResult {
    let score = i64::try_from(id % 100).unwrap_or_default();
    let seat = |place| RecordedSeat {
        version: 1,
        score,
        place,
        decisions: 100,
        time_us: 900,
        max_us: 50,
        ..RecordedSeat::default()
    };
    RecordedResult {
        reason: "limit".to_owned(),
        seats: vec![seat(1), seat(2)],
        plies: 100,
        fingerprint: Some(u64::from_le_bytes(
            BlobHash::of(&id.to_le_bytes()).bytes()[..8].try_into().unwrap_or_default(),
        )),
        started_ms: 1_800_000_000_000,
        wall_us: 5_000,
        ..RecordedResult::default()
    }
}

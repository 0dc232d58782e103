//! `--null`: what a test says of a bot against its own copy.

use agon_spec::TestNull;
use agon_stats::mean_interval;
use agon_tourney::{ComparisonTerms, Findings, Verdict, relabelled};
use std::{num::NonZeroUsize, thread};

/// How often the recorded blocks run through the test.
const RUNS: u32 = 1000;
/// With fewer different blocks, nothing can be learnt.
pub const LEAST_BLOCKS: u64 = 30;

/// Runs the recorded blocks through the test with labels drawn at random. `None` if there are too few different blocks, or if
/// exchanged labels change the value of none.
pub fn null(terms: &ComparisonTerms, findings: &Findings, threads: NonZeroUsize) -> Option<TestNull> {
    if findings.distinct_blocks < LEAST_BLOCKS || findings.counted.iter().all(|block| block.value == 0.0) {
        return None;
    }
    let values: Vec<f64> = findings.counted.iter().map(|block| block.value).collect();
    let threads = u32::try_from(threads.get()).unwrap_or(1);
    let verdicts: Vec<Verdict> = thread::scope(|scope| {
        let values = &values;
        let part = move |first: u32| {
            (first..RUNS).step_by(threads as usize).map(|run| relabelled(terms, values, run)).collect::<Vec<_>>()
        };
        let running: Vec<_> = (0..threads)
            .map(|first| (first, thread::Builder::new().spawn_scoped(scope, move || part(first)).ok()))
            .collect();
        let result_of = |(first, thread): (u32, Option<thread::ScopedJoinHandle<'_, Vec<Verdict>>>)| match thread {
            // A thread that panics has found a bug, which the caller tells.
            Some(thread) => thread.join().unwrap_or_else(|bug| std::panic::resume_unwind(bug)),
            // The system starts no thread.
            None => part(first),
        };
        running.into_iter().flat_map(result_of).collect()
    });
    let count = |wanted: Verdict| verdicts.iter().filter(|verdict| **verdict == wanted).count() as u32;
    let better = count(Verdict::Better);
    let each: Vec<f64> = verdicts.iter().map(|verdict| f64::from(u8::from(*verdict == Verdict::Better))).collect();
    let interval = mean_interval(&each, RUNS);
    Some(TestNull {
        runs: RUNS,
        better,
        not_better: count(Verdict::NotBetter),
        share: f64::from(better) / f64::from(RUNS),
        low: interval.low,
        high: interval.high,
    })
}

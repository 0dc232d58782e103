//! How many results a second many workers bring, compared with few, and how many of them share a commit.

use crate::{
    chaos::{crowd_of, folder, wait_for_key},
    crowds::Crowds,
    leader::{Leader, MATCHES_A_ROUND},
    store::Store,
};
use serde::Serialize;
use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// How long workers work before they are measured, and how long they are.
const TIMES: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(10));
/// More matches than there is time for.
const MATCHES: u64 = 10_000_000;
/// How often both are measured.
const ROUNDS: usize = 3;
/// Few workers, and many.
const WORKERS: [u32; 2] = [10, 1_000];

/// What a number of workers has done.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Measured {
    pub workers: u32,
    /// Results a second.
    pub rate: f64,
    pub results_a_commit: f64,
}

/// Figures of few workers and of many, which have worked by turns for the same tournament.
#[derive(Debug, Serialize)]
pub struct Figures {
    pub measured: Vec<Measured>,
    /// The rate of many workers by that of few, of each round.
    pub ratios: Vec<f64>,
    /// The one in the middle.
    pub ratio: f64,
    /// The fewest results of a commit while many worked.
    pub results_a_commit: f64,
}

/// Measures. `most` is how many matches a worker claims at once.
///
/// # Errors
/// The system refuses something, or nothing is played.
pub fn measure(most: u32, lease_s: u64, server: Option<&str>) -> Result<Figures, String> {
    let folder = folder()?;
    let (matches, store) = (MATCHES.next_multiple_of(MATCHES_A_ROUND), Store::new(folder.path(), server));
    let mut leader = Leader::new(folder.path(), matches, lease_s, store).map_err(|why| why.to_string())?;
    leader.start().map_err(|why| why.to_string())?;
    wait_for_key(&mut leader)?;
    let (mut measured, mut ratios) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let few = measure_one(folder.path(), &mut leader, (WORKERS[0], most), 2 * round)?;
        let many = measure_one(folder.path(), &mut leader, (WORKERS[1], most), 2 * round + 1)?;
        ratios.push(many.rate / few.rate);
        measured.extend([few, many]);
    }
    ratios.sort_by(f64::total_cmp);
    let many = measured.iter().filter(|measured| measured.workers == WORKERS[1]);
    let results_a_commit = many.map(|measured| measured.results_a_commit).fold(f64::INFINITY, f64::min);
    leader.kill().map_err(|why| why.to_string())?;
    leader.store.remove()?;
    Ok(Figures { ratio: ratios[ROUNDS / 2], measured, ratios, results_a_commit })
}

fn measure_one(
    folder: &Path,
    leader: &mut Leader,
    (workers, most): (u32, u32),
    turn: usize,
) -> Result<Measured, String> {
    let seed = turn as u64;
    let own = folder.join(format!("turn-{turn}"));
    std::fs::create_dir(&own).map_err(|why| why.to_string())?;
    let mut crowds = Crowds::new(&own, &crowd_of(leader, workers, most, seed, true), 1);
    (0..crowds.len()).try_for_each(|number| crowds.start(number)).map_err(|why| why.to_string())?;
    thread::sleep(TIMES.0);
    let look = |store: &mut Store| store.commits().map(|commits| (store.over(), commits, Instant::now()));
    let first = look(&mut leader.store)?;
    thread::sleep(TIMES.1);
    let last = look(&mut leader.store)?;
    for number in 0..crowds.len() {
        crowds.runs(number)?;
    }
    crowds.leave()?;
    let (results, commits) = ((last.0 - first.0) as f64, last.1.wrapping_sub(first.1));
    let measured = Measured {
        workers,
        rate: results / (last.2 - first.2).as_secs_f64(),
        results_a_commit: results / f64::from(commits.max(1)),
    };
    eprintln!("{workers:>5} workers: {:.0} results a second, {:.0} a commit", measured.rate, measured.results_a_commit);
    if measured.rate > 0.0 { Ok(measured) } else { Err(format!("{workers} workers have played nothing")) }
}

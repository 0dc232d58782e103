//! Measures whole matches with fresh processes, and the start of a process.

use super::{
    Effort, Goal, Row,
    boards::generated,
    duel::{Duel, interrupted},
    floor::start_and_wait,
    millis,
    rounds::Rounds,
};
use agon_cli::error::{Error, Result, reason};
use agon_run::{Chunk, Options, Stream, cores};
use std::{
    thread,
    time::{Duration, Instant},
};

/// The number of turns of a match, as on the server of the contest.
const TURNS: u32 = 200;

/// The goal for the time from the start of a native bot to its first prompt, in milliseconds.
const START: f64 = 1.5;

/// Measures matches per second, then starts.
pub fn run(effort: &Effort) -> Result<Vec<Row>> {
    let map = generated("planet-wars", "first", 2, |_| true)?.swap_remove(0);
    let duel = Duel::planet_wars(map.clone(), TURNS)?;
    let mut rows = Vec::new();
    for at_once in [1, 2] {
        rows.push(throughput(effort, &duel, at_once)?);
    }
    // In the toy game the first prompt follows the answer to a greeting, so the bot is certainly running by then.
    let toy = Duel::toy(2)?.against_builtin();
    rows.extend(start(effort, "toy", &toy, |bytes| bytes.starts_with(b"heap"))?);
    let planet_wars = Duel::planet_wars(map, 1)?.against_builtin();
    rows.extend(start(effort, "planet-wars", &planet_wars, |_| true)?);
    #[cfg(feature = "wasm")]
    rows.push(super::wasm::start(effort)?);
    Ok(rows)
}

/// Measures matches per second with `at_once` matches at a time. Each match has its own core as long as there are
/// enough cores.
fn throughput(effort: &Effort, duel: &Duel, at_once: usize) -> Result<Row> {
    let cores = cores();
    let mut rates = Rounds::default();
    for _ in 0..effort.choose(3, 9) {
        let time = effort.choose(Duration::from_millis(150), Duration::from_millis(700));
        let begin = Instant::now();
        let played = thread::scope(|scope| {
            let worker = |i: usize| {
                let core: Vec<usize> = cores.iter().rev().cycle().nth(i).copied().into_iter().collect();
                move || -> Result<u32> {
                    let mut played = 0;
                    while begin.elapsed() < time {
                        duel.play_through(effort.cancel.flag(), Options { cores: core.clone(), ..Options::default() })?;
                        played += 1;
                    }
                    Ok(played)
                }
            };
            let threads: Vec<_> = (0..at_once).map(|i| scope.spawn(worker(i))).collect();
            let panicked = |_| Error::user("a thread of the bench has panicked");
            threads.into_iter().map(|thread| thread.join().map_err(panicked)?).sum::<Result<u32>>()
        })?;
        rates.add(f64::from(played) / begin.elapsed().as_secs_f64());
    }
    let remark = format!("{TURNS} turns, two fresh processes for each match");
    Ok(Row {
        scatter: rates.scatter(),
        remark: Some(remark),
        ..Row::new(format!("planet-wars-{at_once}-at-once"), rates.median(), "matches per second")
    })
}

/// Returns the time from the start of the only process of a match to its first prompt.
///
/// # Errors
/// The match cannot be played, or the user pressed Ctrl-C.
pub fn first_prompt(effort: &Effort, duel: &Duel, is_prompt: fn(&[u8]) -> bool) -> Result<Duration> {
    if effort.cancel.is_cancelled() {
        return Err(interrupted());
    }
    let mut prompted = None;
    let mut look = |chunk: Chunk<'_>| {
        if chunk.stream == Stream::In && prompted.is_none() && is_prompt(chunk.bytes) {
            prompted = Some(chunk.at);
        }
    };
    duel.play_through(effort.cancel.flag(), Options { transcript: Some(&mut look), ..Options::default() })?;
    prompted.ok_or_else(|| Error::user("the bot was never prompted"))
}

/// Measures the time from the start of the only process of a match to its first prompt. The floor is the time to start
/// a process that does nothing and to wait for its end.
fn start(effort: &Effort, game: &str, duel: &Duel, is_prompt: fn(&[u8]) -> bool) -> Result<[Row; 2]> {
    let _pinned = effort.pin()?;
    let (mut starts, mut bare, mut ratios) = (Rounds::default(), Rounds::default(), Rounds::default());
    for _ in 0..effort.choose(20, 200) {
        let start = first_prompt(effort, duel, is_prompt)?;
        let least = start_and_wait().map_err(|why| Error::user(format!("cannot start a process: {}", reason(&why))))?;
        starts.add(millis(start));
        bare.add(millis(least));
        ratios.add(start.as_secs_f64() / least.as_secs_f64());
    }
    let row = |name: String, value| Row::new(name, value, "ms");
    Ok([
        Row {
            floor: Some(bare.median()),
            ratio: Some(ratios.median()),
            goal: Goal::Value(START),
            scatter: starts.scatter(),
            remark: Some("start of a process to its first prompt".to_owned()),
            ..row(format!("{game}-start"), starts.median())
        },
        Row { floor: Some(bare.quantile(0.99)), ..row(format!("{game}-start-p99"), starts.quantile(0.99)) },
    ])
}

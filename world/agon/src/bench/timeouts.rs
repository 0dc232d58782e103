//! Whether anybody who answers at once is ever called late.

use super::{
    Effort, Goal, Row,
    boards::generated,
    duel::{Duel, interrupted},
    millis,
};
use crate::{
    clean::clean,
    error::{Error, Result},
};
use agon_core::clock::print_duration;
use agon_referee::Fault;
use agon_run::{Options, cores};
use std::{
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
    time::Duration,
};

/// What is played.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// How many matches.
    pub matches: u32,
    /// How many at once.
    pub at_once: u32,
    /// For a decision.
    pub limit: Duration,
    /// Whether a thread on each core does nothing but use it.
    pub hog: bool,
}

/// Turns of a match.
const TURNS: u32 = 50;

/// What the matches of one thread came to.
#[derive(Clone, Copy, Default)]
struct Tally {
    played: u32,
    late: u32,
    answers: u64,
    slowest: Duration,
}

impl Tally {
    fn with(self, other: Self) -> Self {
        Self {
            played: self.played + other.played,
            late: self.late + other.late,
            answers: self.answers + other.answers,
            slowest: self.slowest.max(other.slowest),
        }
    }
}

impl Timeouts {
    /// Plays them all; no match is pinned, so that they get in each other's way as much as they can.
    pub(super) fn run(&self, effort: &Effort) -> Result<Vec<Row>> {
        let map = generated("planet-wars", "small", 2, |_| true)?.swap_remove(0);
        let duel = Duel::planet_wars(map, TURNS)?.timed(&format!("move={}", print_duration(self.limit)))?;
        let (next, done) = (AtomicU32::new(0), AtomicBool::new(false));
        let tally = thread::scope(|scope| {
            for _ in 0..if self.hog { cores().len().max(1) } else { 0 } {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        spin_loop();
                    }
                });
            }
            let threads: Vec<_> = (0..self.at_once).map(|_| scope.spawn(|| self.play(&duel, &next, effort))).collect();
            let panicked = |_| Error::user("a thread of the bench has panicked");
            let tallies: Vec<Result<Tally>> =
                threads.into_iter().map(|thread| thread.join().map_err(panicked)?).collect();
            done.store(true, Ordering::Relaxed);
            tallies.into_iter().try_fold(Tally::default(), |sum, tally| Ok::<_, Error>(sum.with(tally?)))
        })?;
        let remark = format!(
            "{} matches of {TURNS} turns, {} at once, {} a move{}",
            tally.played,
            self.at_once,
            print_duration(self.limit),
            if self.hog { ", every core busy besides" } else { "" }
        );
        Ok(vec![
            Row {
                goal: Goal::Value(0.0),
                remark: Some(remark),
                ..Row::new("planet-wars-late", f64::from(tally.late), "bots called late")
            },
            Row {
                remark: Some(format!("the longest of {} answers", tally.answers)),
                ..Row::new("planet-wars-slowest", millis(tally.slowest), "ms")
            },
        ])
    }

    /// Plays matches until there are no more to play.
    fn play(&self, duel: &Duel, next: &AtomicU32, effort: &Effort) -> Result<Tally> {
        let mut tally = Tally::default();
        while next.fetch_add(1, Ordering::Relaxed) < self.matches {
            if effort.cancel.is_cancelled() {
                return Err(interrupted());
            }
            let outcome = duel.play(&effort.cancel, Options::default())?;
            tally.played += 1;
            for seat in &outcome.seats {
                tally.answers += seat.times.count();
                tally.slowest = tally.slowest.max(seat.times.max());
                match seat.fault.as_ref().map(|record| &record.fault) {
                    None => {}
                    Some(Fault::Late { .. }) => tally.late += 1,
                    Some(fault) => {
                        return Err(Error::user(format!(
                            "an instant bot failed, but not by time: {}",
                            clean(&fault.to_string())
                        )));
                    }
                }
            }
        }
        Ok(tally)
    }
}

//! Checks that a bot which answers immediately is never called late, and that the host spoils no match.

use super::{
    Effort, Goal, Row,
    boards::generated,
    duel::{Duel, interrupted},
    millis,
};
use agon_cli::{
    clean::clean,
    error::{Error, Result},
    fault_line,
};
use agon_core::{
    TimePolicy,
    clock::{print_duration, print_rounded},
};
use agon_referee::{Fault, MatchEvent};
use std::{
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
    time::Duration,
};

/// The matches to play.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// The number of matches.
    pub matches: u32,
    /// The number of matches at a time.
    pub at_once: u32,
    /// The limit for a decision.
    pub limit: Duration,
    /// The additional time for the first decision, which includes the start of the process.
    pub first: Duration,
    /// The policy that says which time counts.
    pub policy: TimePolicy,
    /// The number of threads that do nothing but use a core.
    pub hogs: u32,
}

/// The number of turns of a match.
const TURNS: u32 = 50;

/// The sum of the matches of a thread.
#[derive(Clone, Default)]
struct Tally {
    played: u32,
    late: u32,
    /// The number of matches that ended without a result because the host kept a bot from a core.
    spoilt: u32,
    answers: u64,
    slowest: Duration,
    /// The number of answers for which time was given back, the sum of that time, and its maximum.
    given: (u64, Duration, Duration),
    /// The number of answers that took longer than the limit and still counted.
    saved: u64,
    /// The message about a bot that was late.
    words: Option<String>,
}

impl Tally {
    fn with(self, other: Self) -> Self {
        Self {
            played: self.played + other.played,
            late: self.late + other.late,
            spoilt: self.spoilt + other.spoilt,
            answers: self.answers + other.answers,
            slowest: self.slowest.max(other.slowest),
            given: (self.given.0 + other.given.0, self.given.1 + other.given.1, self.given.2.max(other.given.2)),
            saved: self.saved + other.saved,
            words: self.words.or(other.words),
        }
    }
}

impl Timeouts {
    /// Plays all matches. No match is pinned to a core, so they disturb each other as much as they can.
    pub(super) fn run(&self, effort: &Effort) -> Result<Vec<Row>> {
        let map = generated("planet-wars", "small", 2, |_| true)?.swap_remove(0);
        let [limit, first] = [self.limit, self.first].map(print_duration);
        let clock = format!("move={limit},first=+{first},policy={}", self.policy);
        let duel = Duel::planet_wars(map, TURNS)?.timed(&clock)?;
        let (next, done) = (AtomicU32::new(0), AtomicBool::new(false));
        let tally = thread::scope(|scope| {
            for _ in 0..self.hogs {
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
        let mut remark = format!(
            "{} matches of {TURNS} turns, {} at once, {limit} for a move, {first} more for the first, by `{}`{}",
            tally.played,
            self.at_once,
            self.policy,
            match self.hogs {
                0 => String::new(),
                1 => ", beside a CPU hog".to_owned(),
                n => format!(", beside {n} CPU hogs"),
            }
        );
        if let Some(words) = &tally.words {
            remark.push_str(&format!("; one of them: {}", clean(words)));
        }
        let (given, in_all, at_most) = tally.given;
        let [in_all, at_most] = [in_all, at_most].map(print_rounded);
        Ok(vec![
            Row {
                goal: Goal::Value(0.0),
                remark: Some(remark),
                ..Row::new("planet-wars-late", f64::from(tally.late), "bots called late")
            },
            Row {
                goal: Goal::Value(0.0),
                remark: Some("the host kept a bot from a core for its whole limit".to_owned()),
                ..Row::new("planet-wars-spoilt", f64::from(tally.spoilt), "matches without a result")
            },
            Row {
                remark: Some(format!("the longest of {} answers", tally.answers)),
                ..Row::new("planet-wars-slowest", millis(tally.slowest), "ms")
            },
            Row {
                remark: Some(format!("time was given back in {given}: {in_all}, at most {at_most} at once")),
                ..Row::new("planet-wars-saved", tally.saved as f64, "answers beyond the limit")
            },
        ])
    }

    /// Plays matches until there are none left.
    fn play(&self, duel: &Duel, next: &AtomicU32, effort: &Effort) -> Result<Tally> {
        let mut tally = Tally::default();
        while next.fetch_add(1, Ordering::Relaxed) < self.matches {
            if effort.cancel.is_cancelled() {
                return Err(interrupted());
            }
            let mut observe = |event: &MatchEvent| {
                tally.spoilt += u32::from(matches!(event, MatchEvent::Aborted { spoilt: Some(_), .. }));
                let MatchEvent::Ply(record) = event else { return };
                for entry in &record.entries {
                    let limit = if record.ply == 1 { self.limit + self.first } else { self.limit };
                    let over = Duration::from_micros(entry.wall_us) > limit;
                    tally.saved += u64::from(over && entry.failure.is_none());
                    if let Some(given) = entry.given_us.map(Duration::from_micros) {
                        tally.given = (tally.given.0 + 1, tally.given.1 + given, tally.given.2.max(given));
                    }
                }
            };
            let outcome = duel.watch(effort.cancel.flag(), &mut observe)?;
            tally.played += 1;
            for seat in &outcome.seats {
                tally.answers += seat.times.count();
                tally.slowest = tally.slowest.max(seat.times.max());
                match seat.fault.as_ref().map(|record| &record.fault) {
                    None => {}
                    Some(Fault::Late { .. }) => {
                        tally.late += 1;
                        tally.words = seat.fault.as_ref().map(fault_line);
                    }
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

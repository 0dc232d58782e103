//! Plays the matches of a test until it stops.

use super::{
    contest::{Arena, Attempt, Contest, Played},
    live::Live,
    store::{self, TestStore},
};
use crate::{
    clean::clean,
    command::start_error::never_started,
    error::{Error, Result},
    forecast::{Forecast, Games},
    printer::Printer,
    report::seat_fault,
};
use agon_play::{Cancel, Workload, work_at_once};
use agon_spec::{SeatFault, TestFault};
use agon_store::RecordedResult;
use agon_tournament::words;
use agon_tourney::{BlockMatch, Comparison, Findings, MatchEnd, MatchId};
use std::{collections::BTreeMap, num::NonZeroUsize};

/// The most faults that are kept with their reasons.
const KEPT_FAULTS: usize = 1000;

/// How a test is played.
pub struct RunOptions<'a> {
    pub at_once: NonZeroUsize,
    /// Set by the user's first interrupt, and killed by the second one.
    pub cancel: &'a Cancel,
    pub store: Option<&'a TestStore>,
    pub printer: &'a Printer,
    /// What the line of progress begins with.
    pub title: &'a str,
    /// How many games are to be expected.
    pub games: Games,
}

/// A test that has stopped.
pub struct Ended {
    pub findings: Findings,
    /// The first faults, in the order of their matches.
    pub faults: Vec<TestFault>,
    /// Whether the user interrupted it.
    pub interrupted: bool,
}

/// Plays until the test stops or the user interrupts it.
///
/// # Errors
/// A bot cannot be started, no match can be played, or the store cannot be used. What was played is in the store.
pub fn run(contest: &Contest, comparison: Comparison, options: &RunOptions<'_>) -> Result<Ended> {
    // The matches that run when the test stops are broken off. A second interrupt does the same.
    let matches = Cancel::new().map_err(agon_play::Error::Run)?;
    let mut progress = Progress {
        contest,
        options,
        comparison,
        matches: &matches,
        finished: Vec::new(),
        faults: BTreeMap::new(),
        live: Live::new(options.printer, options.title),
        forecast: Forecast::new(options.at_once.get()),
        ended: 0,
        failure: None,
        told: false,
    };
    progress.resume()?;
    let arena = Arena::new(contest, options.at_once, &matches);
    let worked = work_at_once(options.at_once, &mut progress, |worker, next: BlockMatch| {
        let attempt = arena.play(worker, &next);
        (next, attempt)
    });
    progress.live.clear();
    worked?;
    let Progress { comparison, faults, failure, ended, .. } = progress;
    if let Some(error) = failure {
        return Err(if ended > 0 { error.after_play() } else { error });
    }
    let findings = comparison.findings();
    let interrupted = !comparison.is_over();
    // Later matches may have been played, but do not count.
    let counted = |id: &MatchId| comparison.has_counted(*id);
    let faults = faults.into_iter().filter(|(id, _)| counted(id)).flat_map(|(_, faults)| faults).collect();
    Ok(Ended { findings, faults, interrupted })
}

/// The test so far.
struct Progress<'a> {
    contest: &'a Contest,
    options: &'a RunOptions<'a>,
    comparison: Comparison,
    /// Ends the running matches.
    matches: &'a Cancel,
    /// What has ended, but is not on disk yet and does not count.
    finished: Vec<(BlockMatch, Finished)>,
    /// The first faults, by their matches.
    faults: BTreeMap<MatchId, Vec<TestFault>>,
    live: Live,
    forecast: Forecast,
    /// The matches that were played since the beginning.
    ended: u64,
    /// Why no more matches can be played.
    failure: Option<Error>,
    /// Whether the user was told that the running matches are played to their end.
    told: bool,
}

/// A match that has ended.
enum Finished {
    Played(Box<Played>),
    Spoilt(String),
}

impl Workload for Progress<'_> {
    type Job = BlockMatch;
    type Done = (BlockMatch, agon_play::Result<Attempt>);

    fn next(&mut self) -> Option<BlockMatch> {
        if self.failure.is_some() || self.options.cancel.is_cancelled() {
            return None;
        }
        self.comparison.next()
    }

    fn done(&mut self, (next, attempt): Self::Done) {
        match attempt {
            Ok(Attempt::Played(played)) => self.finished.push((next, Finished::Played(played))),
            Ok(Attempt::Spoilt(why)) => {
                let text = format!("the host spoilt match {}, so its block is played again: {}", next.id, clean(&why));
                self.warn(text);
                self.finished.push((next, Finished::Spoilt(why)));
            }
            Ok(Attempt::NotStarted(seats)) => {
                let bots = self.contest.seated(&next.seating);
                self.fail(never_started(self.contest.game, &bots, &seats));
            }
            Ok(Attempt::Cancelled) => {}
            Err(error) => self.fail(error.into()),
        }
        self.look_at_interrupts();
    }

    fn collected(&mut self) {
        let finished = std::mem::take(&mut self.finished);
        if let Some(store) = self.options.store
            && let Err(error) = store.keep(finished.iter().map(|(next, ended)| record(store, next, ended)).collect())
        {
            self.fail(error.after_play().context("the test has ended early, and what was played before is kept"));
            return;
        }
        for (next, ended) in finished {
            self.ended += 1;
            let (end, faults) = match ended {
                Finished::Spoilt(_) => (MatchEnd::Spoilt, Vec::new()),
                Finished::Played(played) => (MatchEnd::Finished(played.finished()), faults_of(&played)),
            };
            self.count(next.id, end, faults);
        }
        if self.comparison.is_over() {
            self.matches.kill();
        } else if let Some(told) = self.forecast.rate(self.ended).and_then(|rate| self.options.games.sentence(rate)) {
            let title = self.options.title;
            self.live.suspend(|| self.options.printer.note(format!("{title}{told}")));
        }
        self.live.show(&self.comparison);
    }

    fn ahead(&self) -> usize {
        // So that a worker with a short match does not wait for the disk.
        self.options.at_once.get()
    }

    fn tick(&mut self) {
        self.look_at_interrupts();
        self.live.show(&self.comparison);
    }
}

impl Progress<'_> {
    /// Takes what the store has.
    fn resume(&mut self) -> Result<()> {
        let Some(store) = self.options.store else { return Ok(()) };
        let matches = store.matches()?;
        let count = matches.len();
        for stored in matches {
            self.count(stored.id, stored.end, stored.faults);
        }
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        // The host may do better now.
        while self.comparison.go_on() {}
        if count > 0 {
            self.options.printer.note(format!("continues after {}", words::matches(count as u64)));
        }
        self.live.begin(&self.comparison);
        Ok(())
    }

    fn count(&mut self, id: MatchId, end: MatchEnd, faults: Vec<Option<SeatFault>>) {
        if let Err(why) = self.comparison.record(id, end) {
            self.fail(Error::user(format!("the store has a match that cannot be: {why}")));
            return;
        }
        let Some(next) = self.comparison.find(id).filter(|_| faults.iter().any(Option::is_some)) else { return };
        let seating: Vec<String> = next.seating.iter().map(|bot| self.contest.name(*bot)).collect();
        let fault = |(seat, fault): (usize, Option<SeatFault>)| {
            let (bot, fault) = (seating.get(seat)?.clone(), fault?);
            Some(TestFault { id: id.0, seed: next.seed, seating: seating.clone(), bot, fault })
        };
        self.faults.insert(id, faults.into_iter().enumerate().filter_map(fault).collect());
        if self.faults.len() > KEPT_FAULTS {
            self.faults.pop_last();
        }
    }

    fn look_at_interrupts(&mut self) {
        let cancel = self.options.cancel;
        if cancel.is_killed() {
            self.matches.kill();
        } else if cancel.is_cancelled() && !self.told {
            self.told = true;
            self.warn("the running matches are played to their end; Ctrl-C again ends them now".to_owned());
        }
    }

    /// Plays no more matches after those that run.
    fn fail(&mut self, error: Error) {
        self.failure.get_or_insert(error);
    }

    fn warn(&self, text: String) {
        self.live.suspend(|| self.options.printer.warning(text));
    }
}

fn record(store: &TestStore, next: &BlockMatch, ended: &Finished) -> (BlockMatch, RecordedResult, u64) {
    match ended {
        Finished::Played(played) => (next.clone(), store.recorded(next, played), played.map),
        Finished::Spoilt(why) => (next.clone(), store::spoilt(why), 0),
    }
}

fn faults_of(played: &Played) -> Vec<Option<SeatFault>> {
    played.result.seats.iter().map(|seat| seat.fault.as_ref().map(seat_fault)).collect()
}

//! Plays the pairs of a run of tuning.

use super::parameter::{Template, print};
use crate::{
    clean::clean,
    command::{
        start_error::never_started,
        test::{Arena, Attempt, Contest, Played, TestStore, spoilt},
    },
    error::{Error, Result},
    exit::Exit,
    forecast::{Forecast, Games},
    printer::Printer,
    terms::prepare,
};
use agon_play::{Cancel, NamedBot, PreparedBot, Preparer, Workload, work_at_once};
use agon_store::RecordedResult;
use agon_tournament::words;
use agon_tourney::{ATTEMPTS, BlockMatch, FAILING, FinishedMatch, MatchEnd, MatchId, Probe, Tuning};
use indicatif::ProgressBar;
use std::{
    collections::{BTreeMap, VecDeque},
    num::NonZeroUsize,
};

/// The version that moved in the drawn directions, and the one that moved the opposite way.
const PLUS: usize = 0;
const MINUS: usize = 1;

/// How a run is played.
pub struct TuneOptions<'a> {
    pub at_once: NonZeroUsize,
    pub cancel: &'a Cancel,
    pub store: Option<&'a TestStore>,
    pub printer: &'a Printer,
}

/// A match to be played, with its two versions.
pub struct Job {
    next: BlockMatch,
    bots: [PreparedBot; 2],
}

/// The faults of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// All of them.
    pub all: u64,
    /// The matches that both bots forfeited. They are worth nothing to either, so they move no value.
    pub double_forfeits: u64,
}

/// Plays until every iteration has a result, the host spoils too many in a row, or the user interrupts. Returns the faults.
///
/// # Errors
/// A bot cannot be prepared or started, no match can be played, or the store cannot be used.
pub fn run(
    contest: &Contest,
    tuning: &mut Tuning,
    template: &Template,
    preparer: &mut Preparer,
    options: &TuneOptions<'_>,
) -> Result<Faults> {
    let matches = Cancel::new().map_err(agon_play::Error::Run)?;
    let pairs = u64::from(tuning.terms().iterations);
    let mut progress = Progress {
        contest,
        options,
        template,
        preparer,
        tuning,
        matches: &matches,
        waiting: VecDeque::new(),
        half: BTreeMap::new(),
        known: BTreeMap::new(),
        spoilt: Vec::new(),
        finished: Vec::new(),
        faults: Faults::default(),
        bar: options.printer.bar(pairs),
        forecast: Forecast::new(options.at_once.get()),
        ended: 0,
        failing: [0; 2],
        failure: None,
        told: false,
    };
    progress.resume()?;
    let arena = Arena::new(contest, options.at_once, &matches);
    let worked = work_at_once(options.at_once, &mut progress, |worker, job: Job| {
        let attempt = arena.play_between(worker, &job.next, &job.bots);
        (job, attempt)
    });
    progress.bar.finish_and_clear();
    worked?;
    match progress.failure {
        Some(error) if progress.ended > 0 => Err(error.after_play()),
        Some(error) => Err(error),
        None => Ok(progress.faults),
    }
}

struct Progress<'a> {
    contest: &'a Contest,
    options: &'a TuneOptions<'a>,
    template: &'a Template,
    preparer: &'a mut Preparer,
    tuning: &'a mut Tuning,
    /// Ends the running matches.
    matches: &'a Cancel,
    /// Matches that can begin.
    waiting: VecDeque<Job>,
    /// For each iteration of which one match has ended, what it is worth to the plus version. `None` if the host spoilt it.
    half: BTreeMap<u32, Option<f64>>,
    /// Matches of the store whose iteration is not complete: their worth, by their numbers.
    known: BTreeMap<MatchId, Option<f64>>,
    /// Matches that the host spoilt too often, and that are not stored yet. As long as nothing that follows depends on them, the
    /// next run plays them again.
    spoilt: Vec<BlockMatch>,
    /// What has ended, but is not on disk yet and does not count. `None` is a match that the host spoilt too often.
    finished: Vec<(BlockMatch, Option<Box<Played>>)>,
    faults: Faults,
    bar: ProgressBar,
    forecast: Forecast,
    /// The matches that were played since the beginning.
    ended: u64,
    /// In how many of them the plus version failed, and the minus version.
    failing: [u64; 2],
    failure: Option<Error>,
    told: bool,
}

/// Returns the match of an iteration. In the second one, both have exchanged their seats.
fn match_of(probe: &Probe, turn: usize) -> BlockMatch {
    let seating = if turn == 0 { vec![PLUS, MINUS] } else { vec![MINUS, PLUS] };
    let id = MatchId(2 * u64::from(probe.iteration) + turn as u64 + 1);
    BlockMatch { id, block: probe.iteration, attempt: 0, turn, seating, seed: probe.seed }
}

/// Returns what a match is worth to the plus version: 1/2, 0 or -1/2.
fn worth(turn: usize, result: &FinishedMatch) -> f64 {
    let [plus, minus] = if turn == 0 { [0, 1] } else { [1, 0] };
    match (result.places.get(plus), result.places.get(minus)) {
        (Some(plus), Some(minus)) if plus < minus => 0.5,
        (Some(plus), Some(minus)) if plus > minus => -0.5,
        _ => 0.0,
    }
}

impl Workload for Progress<'_> {
    type Job = Job;
    type Done = (Job, agon_play::Result<Attempt>);

    fn next(&mut self) -> Option<Job> {
        if self.failure.is_some() || self.options.cancel.is_cancelled() {
            return None;
        }
        while self.waiting.is_empty() {
            let probe = self.tuning.next()?;
            if let Err(error) = self.begin(&probe) {
                // An interrupt also ends the preparation of bots. What was played is kept.
                if !self.options.cancel.is_cancelled() {
                    self.fail(error);
                }
                return None;
            }
        }
        self.waiting.pop_front()
    }

    fn done(&mut self, (job, attempt): Self::Done) {
        match attempt {
            Ok(Attempt::NotStarted(seats)) => {
                let bots: Vec<PreparedBot> = job.next.seating.iter().map(|bot| job.bots[*bot].clone()).collect();
                self.fail(never_started(self.contest.game, &bots, &seats));
            }
            Ok(Attempt::Cancelled) => {}
            Ok(Attempt::Spoilt(why)) => {
                let again = job.next.attempt + 1 < ATTEMPTS;
                let then = if again { "it is played again" } else { "its iteration is left out" };
                self.warn(&format!("the host spoilt match {}, so {then}: {}", job.next.id, clean(&why)));
                if again {
                    let next = BlockMatch { attempt: job.next.attempt + 1, ..job.next };
                    self.waiting.push_front(Job { next, ..job });
                } else {
                    self.finished.push((job.next, None));
                }
            }
            Ok(Attempt::Played(played)) => self.finished.push((job.next, Some(played))),
            Err(error) => self.fail(error.into()),
        }
        self.look_at_interrupts();
    }

    fn collected(&mut self) {
        let finished = std::mem::take(&mut self.finished);
        if let Some(store) = self.options.store {
            let record = |(next, played): &(BlockMatch, Option<Box<Played>>)| {
                played.as_ref().map(|played| (next.clone(), store.recorded(next, played), played.map))
            };
            self.keep(finished.iter().filter_map(record).collect());
            if self.failure.is_some() {
                return;
            }
        }
        for (next, played) in finished {
            let worth = played.map(|played| {
                let result = played.finished();
                self.ended += 1;
                for (seat, failed) in result.faults.iter().enumerate() {
                    self.failing[(seat + next.turn) % 2] += u64::from(*failed);
                }
                self.add_faults(&result);
                worth(next.turn, &result)
            });
            self.count(next.block, worth);
            if worth.is_none() {
                self.spoilt.push(next);
            }
        }
        // Later matches are stored only after these, because their values depend on what was left out.
        let open = self.tuning.first_open();
        let settled = self.spoilt.extract_if(.., |next| next.block < open);
        let settled = settled.map(|next| (next, spoilt("the host spoilt every attempt"), 0)).collect();
        self.keep(settled);
        self.show();
        if self.ended >= 2 * FAILING && self.failing == [self.ended; 2] {
            let error = Error::user(format!("the bot fails in every game ({})", words::matches(self.ended)));
            self.fail(error.hint("`agon check` finds out why").exit(Exit::Forfeit));
        } else if let Some(rate) = self.forecast.rate(self.ended) {
            let games = 2 * u64::from(self.tuning.terms().iterations);
            if let Some(told) = Games::exactly(games).sentence(rate) {
                let told = format!("{told}, and then a test of what was found");
                self.bar.suspend(|| self.options.printer.note(told));
            }
        }
    }

    fn tick(&mut self) {
        self.look_at_interrupts();
        self.bar.tick();
    }
}

impl Progress<'_> {
    fn add_faults(&mut self, result: &FinishedMatch) {
        self.faults.all += result.faults.iter().filter(|failed| **failed).count() as u64;
        self.faults.double_forfeits += u64::from(result.is_forfeited_by_all());
    }

    /// Takes what the store has.
    fn resume(&mut self) -> Result<()> {
        let Some(store) = self.options.store else { return Ok(()) };
        for stored in store.matches()? {
            let turn = usize::from(stored.id.0.is_multiple_of(2));
            let worth = match &stored.end {
                MatchEnd::Finished(result) => {
                    self.add_faults(result);
                    Some(worth(turn, result))
                }
                MatchEnd::Spoilt => None,
            };
            self.known.insert(stored.id, worth);
        }
        if !self.known.is_empty() {
            let count = self.known.len() as u64;
            self.options.printer.note(format!("continues after {}", words::matches(count)));
        }
        Ok(())
    }

    /// Makes the matches of an iteration, as far as the store does not have them.
    fn begin(&mut self, probe: &Probe) -> Result<()> {
        let next = [0, 1].map(|turn| match_of(probe, turn));
        let known = next.each_ref().map(|next| self.known.remove(&next.id));
        if known.iter().any(Option::is_none) {
            let bots = [("plus", &probe.plus), ("minus", &probe.minus)];
            let bots = [self.version(bots[PLUS])?, self.version(bots[MINUS])?];
            let unknown = next.into_iter().zip(known).filter(|(_, known)| known.is_none());
            self.waiting.extend(unknown.map(|(next, _)| Job { next, bots: bots.clone() }));
        }
        for worth in known.into_iter().flatten() {
            self.count(probe.iteration, worth);
        }
        self.show();
        Ok(())
    }

    fn version(&mut self, (name, values): (&str, &Vec<f64>)) -> Result<PreparedBot> {
        let game = self.contest.game;
        let parsed = NamedBot::parse(game, &self.template.with(values)).map_err(agon_play::Error::from)?;
        prepare(
            self.preparer,
            game,
            &NamedBot { name: name.to_owned(), is_named: true, ..parsed },
            self.options.printer,
        )
    }

    fn count(&mut self, iteration: u32, worth: Option<f64>) {
        match self.half.remove(&iteration) {
            None => drop(self.half.insert(iteration, worth)),
            Some(other) => match worth.zip(other) {
                Some((one, other)) => self.tuning.record(iteration, one + other),
                None => self.tuning.leave_out(iteration),
            },
        }
    }

    /// Writes what became of these matches.
    fn keep(&mut self, matches: Vec<(BlockMatch, RecordedResult, u64)>) {
        if let Some(store) = self.options.store
            && !matches.is_empty()
            && let Err(error) = store.keep(matches)
        {
            self.fail(error.after_play().context("the run has ended early, and what was played before is kept"));
        }
    }

    fn show(&self) {
        self.bar.set_position(u64::from(self.tuning.played() + self.tuning.left_out()));
        let each = self.tuning.terms().parameters.iter().zip(self.tuning.values());
        let values: Vec<String> =
            each.map(|(parameter, value)| format!("{} {}", clean(&parameter.name), print(parameter, value))).collect();
        self.bar.set_message(values.join(" "));
    }

    fn look_at_interrupts(&mut self) {
        let cancel = self.options.cancel;
        if cancel.is_killed() {
            self.matches.kill();
        } else if cancel.is_cancelled() && !self.told {
            self.told = true;
            self.warn("the running matches are played to their end; Ctrl-C again ends them now");
        }
    }

    fn warn(&self, text: &str) {
        self.bar.suspend(|| self.options.printer.warning(text));
    }

    fn fail(&mut self, error: Error) {
        self.failure.get_or_insert(error);
    }
}

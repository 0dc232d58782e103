//! The work of a run, seen from the thread that leads it.

mod aside;
mod away;
mod checks;
mod claims;
mod examiner;
mod result;
mod seal;
mod underway;
mod waiting;

use crate::{
    Others, Tournament, TournamentError, TournamentEvent,
    outcome::{WITHDRAWN, of_result},
    past::count_streaks,
    played::{Played, now_ms},
    run::RunOptions,
    tournament::LAST_AFTER,
};
use agon_play::{Cancel, ChangedBot, Workload};
use agon_store::{Attempt, AttemptEnd, Ending, Lease, PlannedMatch, RecordedResult, Report, Store};
use agon_tourney::{Entrant, MatchId, Schedule};
use aside::Comparison;
use away::Away;
pub(crate) use away::is_away;
use checks::Checks;
pub(crate) use claims::unless_lost;
use std::{
    collections::{BTreeSet, VecDeque},
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    time::{Duration, Instant},
};
use underway::{Enqueued, Results, Underway};
use waiting::WaitingMatches;

/// How many matches wait in the store to be claimed, at least.
const WAITING: usize = 64;
/// How many matches that are played last wait in the store at most.
const LAST_AT_MOST: usize = 4_096;
/// How many results may be on their way to the disk.
const UNDERWAY: usize = 1_000;
/// For how much time the matches last that wait for a worker, in microseconds: longer than a busy disk needs for a
/// commit. Matches that take longer need not wait there.
const AHEAD_US: u64 = 50_000;
/// How many matches wait for each worker at most.
const AHEAD_AT_MOST: u64 = 512;
/// How many matches of processes wait for each worker at most. If a bot fails, it matters which match comes next.
const PROCESSES_AHEAD_AT_MOST: u64 = 3;
/// The most results that are reported at once.
const TOGETHER: usize = 100;
/// For how long a match is claimed, in milliseconds. A run extends its claims as long as it lives.
const CLAIMED_MS: i64 = 60_000;
/// How long claims wait to be extended, in milliseconds.
const EXTENDED_AFTER_MS: i64 = 20_000;
/// The rank of matches that are played last.
const LAST: u8 = 1;
/// The rank of matches that were spoilt again and again.
const BEHIND_ALL: u8 = 2;
/// The first table is shown after this many matches, later ones each time their number has grown by a tenth.
const FIRST_TABLE: u64 = 20;
/// Two tables are at least this far apart. A table looks at every match, and of short matches many are over in a moment.
const TABLES_APART: Duration = Duration::from_millis(500);

/// The work of a run.
pub(crate) struct Load<'a, S> {
    tournament: &'a mut Tournament<S>,
    cancel: &'a Cancel,
    at_once: usize,
    events: &'a mut dyn FnMut(TournamentEvent),
    /// The number of this machine among the workers of the store.
    worker: u32,
    /// The tokens of the claims that this run holds.
    held: BTreeSet<u64>,
    /// When they were extended, in milliseconds since 1970.
    extended_ms: i64,
    begins: Sender<TournamentEvent>,
    /// What workers have begun, to be told.
    begun: Receiver<TournamentEvent>,
    /// Claimed matches that have not begun.
    claimed: VecDeque<Lease>,
    /// The matches that are in the store and not over.
    waiting: WaitingMatches,
    /// The highest number of a match that this run has drawn.
    drawn: u64,
    /// New matches on their way to the disk. They may be claimed before they are there.
    enqueued: VecDeque<Enqueued>,
    /// Results that are still to be reported to the store, with the bots of the match.
    reports: Vec<(Report, Vec<u32>)>,
    /// Results and tables on their way to the disk, in this order.
    underway: VecDeque<Underway>,
    /// The bots whose files are not those that were prepared any more. They play no more in this run.
    changed: BTreeSet<u32>,
    /// Claimed matches of changed bots. The next run plays them.
    aside: Vec<Lease>,
    failed: Option<TournamentError>,
    /// The number of matches at which the next table is shown.
    next_table: u64,
    /// When the last table was made.
    table_at: Option<Instant>,
    /// The matches that are played here now.
    here: BTreeSet<u64>,
    /// What other machines play. `None` if none may.
    away: Option<Away<'a>>,
    /// The results of other machines that are checked. `None` if none are.
    checks: Option<Checks>,
    /// What bots do on which worker. `None` if there is but one.
    comparison: Option<Comparison>,
    /// The numbers in the store of the workers that are put aside.
    put_aside: BTreeSet<u32>,
    /// Whether all bots are built in.
    instant: bool,
    /// How long a match lasts, in microseconds, averaged over the last ones.
    match_us: u64,
}

impl<S: Store> Workload for Load<'_, S> {
    type Job = Lease;
    type Done = (Lease, Result<Option<Played>, TournamentError>);

    fn next(&mut self) -> Option<Lease> {
        while self.failed.is_none() && !self.cancel.is_cancelled() {
            if let Some(lease) = self.claimed.pop_front() {
                if self.is_withdrawn(&lease.planned) {
                    let left_out = self.leave_out(lease);
                    self.take(left_out);
                    continue;
                }
                if !self.is_drawn(lease.planned.id) {
                    self.aside.push(lease);
                    continue;
                }
                if lease.planned.bots.iter().any(|bot| self.changed.contains(bot)) {
                    self.set_aside(lease);
                    continue;
                }
                self.here.insert(lease.planned.id);
                return Some(lease);
            }
            let claimed = self.claim();
            match self.take(claimed) {
                Some(leases) if !leases.is_empty() => self.claimed = leases.into(),
                _ => return None,
            }
        }
        None
    }

    fn done(&mut self, (lease, played): Self::Done) {
        self.tell_begun();
        self.here.remove(&lease.planned.id);
        self.stir();
        let finished = match played {
            Ok(Some(played)) => self.finish(lease, played, self.worker),
            Ok(None) => self.release(&[lease.token]),
            Err(TournamentError::Play(agon_play::Error::Changed(changed))) => {
                self.change(lease, &changed);
                Ok(())
            }
            Err(why) => Err(why),
        };
        self.take(finished);
    }

    fn collected(&mut self) {
        self.tell_written(false);
        self.keep_schedule();
        self.lead_away();
    }

    fn ahead(&self) -> usize {
        // A bot that fails may soon come last, so none of its matches waits in front.
        let fails = |streak: &u32| (1..LAST_AFTER).contains(streak);
        let most = if self.away.as_ref().is_some_and(Away::has_met) {
            // What waits here could be played there.
            0
        } else if self.instant {
            AHEAD_AT_MOST
        } else if self.tournament.streaks.iter().any(fails) {
            0
        } else {
            PROCESSES_AHEAD_AT_MOST
        };
        self.at_once * (AHEAD_US / self.match_us.max(1)).min(most) as usize
    }

    fn tick(&mut self) {
        self.tell_written(false);
        self.keep_schedule();
        let extended = self.extend_claims(now_ms());
        self.take(extended);
        self.lead_away();
    }
}

impl<'a, S: Store> Load<'a, S> {
    /// Begins the work of the worker with this number. `instant` says that all bots are built in.
    pub(crate) fn new(
        tournament: &'a mut Tournament<S>,
        options: &'a RunOptions,
        worker: u32,
        instant: bool,
        others: Option<&'a dyn Others>,
        events: &'a mut dyn FnMut(TournamentEvent),
    ) -> Self {
        let checks = others.and_then(|others| Checks::new(tournament.file.verified_share(), others));
        let next_table = (tournament.over + 1).max(FIRST_TABLE);
        let (begins, begun) = channel();
        Self {
            tournament,
            cancel: &options.cancel,
            at_once: options.at_once.get(),
            events,
            worker,
            held: BTreeSet::new(),
            extended_ms: now_ms(),
            begins,
            begun,
            claimed: VecDeque::new(),
            waiting: WaitingMatches::default(),
            drawn: 0,
            enqueued: VecDeque::new(),
            reports: Vec::new(),
            underway: VecDeque::new(),
            changed: BTreeSet::new(),
            aside: Vec::new(),
            failed: None,
            next_table,
            table_at: None,
            here: BTreeSet::new(),
            away: others.map(Away::new),
            checks,
            comparison: None,
            put_aside: BTreeSet::new(),
            instant,
            // As long as nothing is known, none waits.
            match_us: AHEAD_US + 1,
        }
    }

    /// Returns where workers send the event of each match that they begin. A match may wait for its worker, so that
    /// handing it out is too early to tell of it.
    pub(crate) fn begins(&self) -> Sender<TournamentEvent> {
        self.begins.clone()
    }

    fn tell_begun(&mut self) {
        self.begun.try_iter().for_each(&mut *self.events);
    }

    /// Waits until everything is on disk and told. Returns the claims of matches that have not been played, whether bots have
    /// changed, and why the run ends early.
    pub(crate) fn end(mut self) -> (Vec<u64>, bool, Option<TournamentError>) {
        self.tell_written(true);
        self.end_away();
        let left = self.claimed.iter().chain(&self.aside).map(|lease| lease.token).collect();
        (left, !self.changed.is_empty(), self.failed)
    }

    /// Plays no more matches of a bot that is another one than was prepared. The one that tells it has no result.
    fn change(&mut self, lease: Lease, changed: &ChangedBot) {
        let is_it = |bot: &&u32| self.tournament.field.bots()[**bot as usize].name == changed.bot;
        if let Some(bot) = lease.planned.bots.iter().find(is_it).copied()
            && self.changed.insert(bot)
        {
            (self.events)(TournamentEvent::Changed { bot, why: changed.to_string() });
        }
        self.set_aside(lease);
    }

    /// Keeps a match for the next run, and makes room for others.
    fn set_aside(&mut self, lease: Lease) {
        self.waiting.remove(lease.planned.id);
        self.aside.push(lease);
    }

    /// Keeps the first error, which ends the run when running matches have ended.
    fn take<T>(&mut self, result: Result<T, TournamentError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(why) => {
                self.failed.get_or_insert(why);
                None
            }
        }
    }

    fn is_withdrawn(&self, planned: &PlannedMatch) -> bool {
        planned.bots.iter().any(|bot| self.tournament.schedule.is_withdrawn(Entrant(*bot)))
    }

    /// Leaves a match out because one of its bots was withdrawn. Later matches may have waited for it to be counted.
    fn leave_out(&mut self, lease: Lease) -> Result<(), TournamentError> {
        self.tournament.schedule.put_back(MatchId(lease.planned.id));
        let (ending, reason) = (Ending::Void, WITHDRAWN.to_owned());
        let result = RecordedResult { ending, reason, started_ms: now_ms(), ..RecordedResult::default() };
        self.store(lease, result, Vec::new());
        self.count()
    }

    /// Takes the result of a match that the worker with this number has played.
    fn finish(&mut self, lease: Lease, played: Played, worker: u32) -> Result<(), TournamentError> {
        if self.is_withdrawn(&lease.planned) {
            return self.leave_out(lease);
        }
        let (id, rank, Played { mut result, blobs, spoilt }) = (lease.planned.id, lease.planned.rank, played);
        result.worker = Some(worker);
        self.match_us = (self.match_us.saturating_mul(7).saturating_add(result.wall_us)) / 8;
        spoilt.into_iter().for_each(|why| self.tell_spoilt(&lease, worker, result.started_ms, why, false));
        count_streaks(&mut self.tournament.streaks, &lease.planned.bots, &result);
        let is_spoilt = result.ending == Ending::Spoilt;
        if is_spoilt && rank < BEHIND_ALL {
            self.tell_spoilt(&lease, worker, result.started_ms, result.reason, true);
            return self.play_behind_all(lease);
        }
        record(&mut self.tournament.schedule, id, &result)?;
        self.compare(&lease.planned.bots, &result)?;
        let failed = is_spoilt || result.seats.iter().any(|seat| seat.fault.is_some());
        let failing = failed.then(|| lease.planned.bots.clone());
        self.store(lease, result, blobs);
        failing.into_iter().flatten().for_each(|bot| self.play_last(bot));
        self.count()
    }

    fn tell_spoilt(&mut self, lease: &Lease, worker: u32, began_ms: i64, why: String, last: bool) {
        let id = lease.planned.id;
        let attempt = Attempt {
            id,
            token: Some(lease.token),
            worker: Some(worker),
            began_ms,
            ended_ms: now_ms(),
            end: AttemptEnd::Spoilt,
            why: why.clone(),
        };
        self.compare_spoilt(&lease.planned.bots, &attempt);
        // Its order among the writes is enough: the result that follows is waited for.
        drop(self.tournament.store.add_attempt(attempt));
        (self.events)(TournamentEvent::Spoilt { id, why, last });
    }

    /// Gives a match back that was spoilt again and again: the others do not wait for it.
    fn play_behind_all(&mut self, lease: Lease) -> Result<(), TournamentError> {
        let Lease { planned, token, .. } = lease;
        self.waiting.play_last(planned.id);
        drop(self.tournament.store.rerank(vec![planned.id], BEHIND_ALL));
        self.release(&[token])?;
        planned.bots.into_iter().for_each(|bot| self.play_last(bot));
        Ok(())
    }

    /// Counts the faults of matches that are over, and only then draws more: a draw must know of every withdrawal.
    fn count(&mut self) -> Result<(), TournamentError> {
        if self.tournament.file.withdraw_after.is_some() {
            // A withdrawal may undo what is over, so the store must know it.
            self.report();
        }
        self.tournament.count_faults()?;
        self.tournament.schedule.advance();
        std::mem::take(&mut self.tournament.withdrawn).into_iter().for_each(&mut *self.events);
        Ok(())
    }

    fn store(&mut self, lease: Lease, result: RecordedResult, blobs: Vec<agon_store::Blob>) {
        let Lease { planned: PlannedMatch { id, bots, .. }, token, .. } = lease;
        self.waiting.remove(id);
        self.held.remove(&token);
        self.checks.iter_mut().for_each(Checks::stir);
        self.tournament.over += 1;
        self.reports.push((Report { token: Some(token), ..Report::unclaimed(id, result, blobs) }, bots));
    }

    /// Sends the results to the store that have come since the last time.
    fn report(&mut self) {
        let mut reports = std::mem::take(&mut self.reports).into_iter();
        while reports.len() > 0 {
            let event = |(report, bots): (Report, Vec<u32>)| {
                let (id, result) = (report.id, Arc::clone(&report.result));
                (report, TournamentEvent::Match { id, bots, result })
            };
            let (reports, events) = reports.by_ref().take(TOGETHER).map(event).unzip();
            self.underway.push_back(Underway::Results(Results::new(&self.tournament.store, reports, events)));
        }
    }

    /// Puts the matches of a bot behind all others if it has just failed too often.
    fn play_last(&mut self, bot: u32) {
        if self.tournament.streaks[bot as usize] != LAST_AFTER {
            return;
        }
        let ids = self.waiting.play_last_of(bot);
        drop(self.tournament.store.rerank(ids, LAST));
        // Those that were claimed in the old order are claimed again in the new one.
        let claimed: Vec<u64> = self.claimed.drain(..).map(|lease| lease.token).collect();
        let released = self.release(&claimed);
        self.take(released);
    }
}

fn record(schedule: &mut Schedule, id: u64, result: &RecordedResult) -> Result<(), TournamentError> {
    let recorded = schedule.settle(MatchId(id), of_result(result));
    recorded.map_err(|why| TournamentError::Schedule(agon_core::Flaw::new(why.to_string())))
}

#[cfg(test)]
mod checking;
#[cfg(test)]
mod distant;
#[cfg(test)]
mod keeping;
#[cfg(test)]
mod orders;
#[cfg(test)]
mod queue;
#[cfg(test)]
mod spoilt;

//! Plays a tournament: many matches at once, each stored before it is shown.

use crate::{
    Tournament, TournamentError, TournamentEvent,
    outcome::{WITHDRAWN, of_result},
    played::{Manner, Played, now_ms},
    tournament::LAST_AFTER,
};
use agon_play::{Cancel, CorePlacement, HostHistory, Workload, work_at_once};
use agon_store::{
    Completion, Ending, EventKind, Lease, PlannedMatch, RecordedResult, Snapshot, Store, StoreError, StoredEvent,
    Ticket,
};
use agon_tourney::{Entrant, MatchId, Pairing, Schedule};
use std::{
    collections::{BTreeMap, VecDeque},
    num::NonZeroUsize,
};

/// How many matches wait in the store to be claimed, at least.
const WAITING: usize = 64;
/// How many matches wait at most, if most of them are of bots that are played last.
const WAITING_AT_MOST: usize = 4_096;
/// How many results may be on their way to the disk.
const UNDERWAY: usize = 1_000;
/// For how much time the matches last that wait for a worker, in microseconds: longer than the store needs for a commit. Matches
/// that take longer need not wait there.
const AHEAD_US: u64 = 8_000;
/// How many matches wait for each worker at most.
const AHEAD_AT_MOST: u64 = 64;
/// The rank of matches that are played last.
const LAST: u8 = 1;
/// The first table is shown after this many matches, later ones each time their number has grown by a tenth.
const FIRST_TABLE: u64 = 20;
/// The name of the table in the store.
pub(crate) const TABLE: &str = "standings";

/// How a tournament is played.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// How many matches are played at the same time.
    pub at_once: NonZeroUsize,
    /// Ends the run: its first stage lets matches end, its second one breaks them off.
    pub cancel: Cancel,
    /// The cores on which matches run.
    pub placement: CorePlacement,
}

/// Where a run has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// Every match is over.
    Complete,
    /// The run was cancelled. Another one continues it.
    Interrupted,
}

impl<S: Store> Tournament<S> {
    /// Plays until every match is over or the run is cancelled. Tells of a result only when it is on disk.
    ///
    /// # Errors
    /// If a bot cannot play and is not withdrawn, the store cannot be written, or no match can be played. What was told is
    /// stored all the same.
    pub fn run(
        &mut self,
        options: &RunOptions,
        events: &mut dyn FnMut(TournamentEvent),
    ) -> Result<RunEnd, TournamentError> {
        let broken = self.broken();
        if !broken.is_empty() {
            return Err(TournamentError::Bots(broken.into_values().collect()));
        }
        std::mem::take(&mut self.withdrawn).into_iter().for_each(&mut *events);
        let host = HostHistory::default();
        let placements = options.placement.divided(options.at_once);
        let versions = self.versions.clone();
        let (cores, ponder, replays) = (self.file.cores, self.file.ponder, self.file.replays);
        // Workers see the bots while the load changes the rest.
        let field = std::sync::Arc::clone(&self.field);
        let manner = |worker: usize| Manner {
            field: &field,
            host: &host,
            cancel: &options.cancel,
            placement: &placements[worker],
            cores,
            ponder,
            replays,
            versions: &versions,
        };
        let next_table = (self.over + 1).max(FIRST_TABLE);
        let instant = field.processes(usize::MAX) == 0;
        let mut load = Load {
            tournament: self,
            cancel: &options.cancel,
            at_once: options.at_once.get(),
            events,
            claimed: VecDeque::new(),
            waiting: BTreeMap::new(),
            enqueued: VecDeque::new(),
            underway: VecDeque::new(),
            failed: None,
            next_table,
            // As long as nothing is known, none waits.
            match_us: instant.then_some(AHEAD_US + 1),
        };
        work_at_once(options.at_once, &mut load, |worker, lease: Lease| {
            let played = manner(worker).play(&lease.planned);
            (lease, played)
        });
        load.settle(true);
        let left: Vec<u64> = load.claimed.iter().map(|lease| lease.token).collect();
        let failed = load.failed.take();
        self.store.release(&left)?;
        if let Some(why) = failed {
            return Err(why);
        }
        let standings = self.standings();
        self.keep_table(&standings)?.wait()?;
        let complete = self.is_complete();
        let progress = self.store.progress()?;
        events(TournamentEvent::End { complete, progress, standings: Box::new(standings) });
        Ok(if complete { RunEnd::Complete } else { RunEnd::Interrupted })
    }

    /// Stores the table, so that showing it needs no counting.
    pub(crate) fn keep_table(&self, standings: &agon_tourney::Standings) -> Result<Ticket<()>, TournamentError> {
        let text = serde_json::to_string(standings);
        let text = text.map_err(|why| TournamentError::Schedule(agon_core::Flaw::new(why.to_string())))?;
        Ok(self.store.keep(TABLE, Snapshot { after: self.over, text }))
    }
}

/// The work of a run, seen from the thread that leads it.
struct Load<'a, S> {
    tournament: &'a mut Tournament<S>,
    cancel: &'a Cancel,
    at_once: usize,
    events: &'a mut dyn FnMut(TournamentEvent),
    /// Claimed matches that have not begun.
    claimed: VecDeque<Lease>,
    /// The matches that are in the store and not over, with their bots and whether they are played last.
    waiting: BTreeMap<u64, (Vec<u32>, bool)>,
    /// New matches on their way to the disk. They may be claimed before they are there.
    enqueued: VecDeque<Ticket<()>>,
    /// Results on their way to the disk, in this order.
    underway: VecDeque<(Ticket<Completion>, TournamentEvent)>,
    failed: Option<TournamentError>,
    /// The number of matches at which the next table is shown.
    next_table: u64,
    /// How long a match lasts, in microseconds, averaged over the last ones. `None` if processes play: they may fail, and then it
    /// matters which match comes next.
    match_us: Option<u64>,
}

impl<S: Store> Workload for Load<'_, S> {
    type Job = Lease;
    type Done = (Lease, Result<Option<Played>, TournamentError>);

    fn next(&mut self) -> Option<Lease> {
        while self.failed.is_none() && !self.cancel.is_cancelled() {
            if let Some(lease) = self.claimed.pop_front() {
                if self.is_withdrawn(&lease.planned) {
                    self.skip(lease.planned);
                    continue;
                }
                (self.events)(TournamentEvent::Start { id: lease.planned.id, bots: lease.planned.bots.clone() });
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
        let finished = match played {
            Ok(Some(played)) => self.finish(&lease.planned, played),
            Ok(None) => self.tournament.store.release(&[lease.token]).map_err(Into::into),
            Err(why) => Err(why),
        };
        self.take(finished);
        self.settle(false);
    }

    fn ahead(&self) -> usize {
        let each = self.match_us.map_or(0, |us| (AHEAD_US / us.max(1)).min(AHEAD_AT_MOST));
        self.at_once * each as usize
    }

    fn tick(&mut self) {
        self.settle(false);
    }
}

impl<S: Store> Load<'_, S> {
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

    /// Fills the store with matches that may be played, and claims some of them.
    fn claim(&mut self) -> Result<Vec<Lease>, TournamentError> {
        let first = |waiting: &BTreeMap<u64, (Vec<u32>, bool)>| waiting.values().filter(|(_, last)| !last).count();
        let (ahead, claims) = (self.ahead(), 2 * (self.at_once + self.ahead()));
        while first(&self.waiting) < WAITING.max(ahead + 2 * claims) && self.waiting.len() < WAITING_AT_MOST {
            let pairings = self.tournament.schedule.next(WAITING);
            if pairings.is_empty() {
                break;
            }
            let mut matches: Vec<PlannedMatch> = pairings.iter().map(planned_match).collect();
            for planned in &mut matches {
                let last = planned.bots.iter().any(|bot| self.tournament.streaks[*bot as usize] >= LAST_AFTER);
                planned.rank = if last { LAST } else { 0 };
                self.waiting.insert(planned.id, (planned.bots.clone(), last));
            }
            self.enqueued.push_back(self.tournament.store.enqueue(matches));
        }
        Ok(self.tournament.store.claim("run", claims, now_ms(), i64::MAX)?)
    }

    /// Leaves a match out because one of its bots was withdrawn.
    fn skip(&mut self, planned: PlannedMatch) {
        self.tournament.schedule.put_back(MatchId(planned.id));
        let (ending, reason) = (Ending::Void, WITHDRAWN.to_owned());
        let result = RecordedResult { ending, reason, started_ms: now_ms(), ..RecordedResult::default() };
        self.store(planned.id, planned.bots, result, Vec::new());
    }

    fn finish(&mut self, planned: &PlannedMatch, played: Played) -> Result<(), TournamentError> {
        if self.is_withdrawn(planned) {
            self.skip(planned.clone());
            return Ok(());
        }
        let (id, Played { result, blobs, spoilt }) = (planned.id, played);
        if let Some(us) = &mut self.match_us {
            *us = (*us * 7 + result.wall_us) / 8;
        }
        for why in spoilt {
            let (kind, text) = (EventKind::Spoilt, why.clone());
            let event = StoredEvent { kind, at_ms: now_ms(), id: Some(id), bot: None, text };
            // Its order among the writes is enough: the result that follows is waited for.
            drop(self.tournament.store.record(event));
            (self.events)(TournamentEvent::Spoilt { id, why });
        }
        record(&mut self.tournament.schedule, id, &result)?;
        for (bot, seat) in planned.bots.iter().zip(&result.seats) {
            let streak = &mut self.tournament.streaks[*bot as usize];
            *streak = if seat.fault.is_some() { streak.saturating_add(1) } else { 0 };
        }
        let failed = result.seats.iter().any(|seat| seat.fault.is_some());
        self.store(id, planned.bots.clone(), result, blobs);
        if failed {
            planned.bots.iter().for_each(|bot| self.play_last(*bot));
        }
        self.tournament.count_faults()?;
        self.tournament.schedule.advance();
        std::mem::take(&mut self.tournament.withdrawn).into_iter().for_each(&mut *self.events);
        Ok(())
    }

    fn store(&mut self, id: u64, bots: Vec<u32>, result: RecordedResult, blobs: Vec<agon_store::Blob>) {
        self.waiting.remove(&id);
        self.tournament.over += 1;
        let ticket = self.tournament.store.complete(id, result.clone(), blobs);
        self.underway.push_back((ticket, TournamentEvent::Match { id, bots, result: Box::new(result) }));
    }

    /// Puts the matches of a bot behind all others if it has just failed too often.
    fn play_last(&mut self, bot: u32) {
        if self.tournament.streaks[bot as usize] != LAST_AFTER {
            return;
        }
        let mut ids = Vec::new();
        for (id, (bots, last)) in &mut self.waiting {
            if bots.contains(&bot) && !*last {
                *last = true;
                ids.push(*id);
            }
        }
        drop(self.tournament.store.rerank(ids, LAST));
    }

    /// Tells of the results that are on disk. If `all`, waits for every one that is on its way.
    fn settle(&mut self, all: bool) {
        while let Some(ticket) = self.enqueued.pop_front() {
            match if all { Ok(ticket.wait()) } else { ticket.try_wait() } {
                Ok(enqueued) => drop(self.take(enqueued.map_err(Into::into))),
                Err(ticket) => {
                    self.enqueued.push_front(ticket);
                    break;
                }
            }
        }
        while let Some((ticket, event)) = self.underway.pop_front() {
            let stored = if all || self.underway.len() >= UNDERWAY {
                ticket.wait()
            } else {
                match ticket.try_wait() {
                    Ok(stored) => stored,
                    Err(ticket) => {
                        self.underway.push_front((ticket, event));
                        break;
                    }
                }
            };
            let stored = stored.and_then(|completion| match (completion, &event) {
                (Completion::Conflict, TournamentEvent::Match { id, .. }) => Err(StoreError::OtherPlan(*id)),
                _ => Ok(()),
            });
            if self.take(stored.map_err(Into::into)).is_some() {
                (self.events)(event);
            }
        }
        if self.tournament.over >= self.next_table && self.failed.is_none() && self.underway.is_empty() {
            self.tell_table();
        }
    }

    fn tell_table(&mut self) {
        let over = self.tournament.over;
        self.next_table = over + (over / 10).max(FIRST_TABLE);
        let standings = self.tournament.standings();
        let kept = self.tournament.keep_table(&standings).map(drop);
        self.take(kept);
        (self.events)(TournamentEvent::Standing { over, standings: Box::new(standings) });
    }
}

fn record(schedule: &mut Schedule, id: u64, result: &RecordedResult) -> Result<(), TournamentError> {
    let recorded = schedule.settle(MatchId(id), of_result(result));
    recorded.map_err(|why| TournamentError::Schedule(agon_core::Flaw::new(why.to_string())))
}

/// Returns a pairing as the store has it.
#[must_use]
pub fn planned_match(pairing: &Pairing) -> PlannedMatch {
    PlannedMatch {
        id: pairing.id.0,
        round: pairing.round,
        map: pairing.map,
        map_seed: pairing.map_seed.0,
        seed: pairing.seed.0,
        bots: pairing.seats.iter().map(|entrant| entrant.0).collect(),
        probability: pairing.probability,
        rank: 0,
    }
}

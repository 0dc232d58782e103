//! Matches, results and tables on their way to the disk: each is told when it is there.

use super::{FIRST_TABLE, Load, TABLES_APART, UNDERWAY};
use crate::{TournamentError, TournamentEvent};
use agon_store::{Completion, PlannedMatch, Report, Store, StoreError, Ticket};
use std::time::{Duration, Instant};

/// For how long a write is made again whose answer was lost.
const ASKED_AGAIN: Duration = Duration::from_secs(60);

impl<S: Store> Load<'_, S> {
    /// Tells of the results that are on disk. If `all`, waits for every one that is on its way.
    pub(super) fn tell_written(&mut self, all: bool) {
        self.tell_begun();
        self.report();
        let is_early = self.table_at.is_some_and(|at| at.elapsed() < TABLES_APART);
        if self.tournament.over >= self.next_table && !is_early && self.failed.is_none() {
            self.make_table();
        }
        if all {
            self.tournament.store.hurry();
        }
        self.take_enqueued(all);
        let mut results: usize = self.underway.iter().map(Underway::results).sum();
        while let Some(underway) = self.underway.pop_front() {
            let wait = all || results >= UNDERWAY;
            results -= underway.results();
            let rest = match underway {
                Underway::Results(mut sent) => match sent.outcome(&self.tournament.store, wait) {
                    Some(stored) => {
                        self.tell_results(stored, sent.events);
                        None
                    }
                    None => Some(Underway::Results(sent)),
                },
                Underway::Table(ticket, event) => match outcome(ticket, wait) {
                    // The next table replaces one of which nobody knows whether it is there.
                    Ok(Err(StoreError::Lost { .. })) => None,
                    Ok(kept) => {
                        if self.take(kept.map_err(Into::into)).is_some() {
                            (self.events)(event);
                        }
                        None
                    }
                    Err(ticket) => Some(Underway::Table(ticket, event)),
                },
            };
            if let Some(rest) = rest {
                self.underway.push_front(rest);
                break;
            }
        }
    }

    /// Keeps the schedule now and then, when all results are on disk.
    pub(super) fn keep_schedule(&mut self) {
        if self.failed.is_none() && self.tournament.is_schedule_due() {
            self.tell_written(true);
            if self.failed.is_none() {
                let kept = self.tournament.keep_schedule();
                self.take(kept);
            }
        }
    }

    /// Waits until every new match is in the store. Returns whether there were any.
    pub(super) fn settle_enqueued(&mut self) -> bool {
        let any = !self.enqueued.is_empty();
        if any {
            self.tournament.store.hurry();
            self.take_enqueued(true);
        }
        any
    }

    fn take_enqueued(&mut self, wait: bool) {
        while let Some(mut enqueued) = self.enqueued.pop_front() {
            match enqueued.outcome(&self.tournament.store, wait) {
                Some(outcome) => drop(self.take(outcome.map_err(Into::into))),
                None => return self.enqueued.push_front(enqueued),
            }
        }
    }

    fn tell_results(&mut self, stored: Result<Vec<Completion>, StoreError>, events: Vec<TournamentEvent>) {
        let Some(completions) = self.take(stored.map_err(Into::into)) else { return };
        for (completion, event) in completions.into_iter().zip(events) {
            if let TournamentEvent::Match { id, .. } = &event {
                self.settle_away(*id, completion);
            }
            match (completion, &event) {
                // The schedule knows another result than the store, so that only another program can have stored it.
                (Completion::Late, TournamentEvent::Match { id, .. }) => {
                    self.failed.get_or_insert(TournamentError::Overtaken(*id));
                }
                _ => (self.events)(event),
            }
        }
    }

    /// Makes the table of all matches that are over. It is told after them.
    pub(super) fn make_table(&mut self) {
        let over = self.tournament.over;
        self.next_table = over + (over / 10).max(FIRST_TABLE);
        self.table_at = Some(Instant::now());
        let standings = self.tournament.standings();
        let kept = self.tournament.keep_table(&standings);
        if let Some(ticket) = self.take(kept) {
            let event = TournamentEvent::Standing { over, standings: Box::new(standings) };
            self.underway.push_back(Underway::Table(ticket, event));
        }
    }
}

/// Something on its way to the disk, and what to tell when it is there.
pub(super) enum Underway {
    Results(Results),
    Table(Ticket<()>, TournamentEvent),
}

/// Results on their way to the disk.
pub(super) struct Results {
    reports: Vec<Report>,
    write: Again<Vec<Completion>>,
    events: Vec<TournamentEvent>,
}

/// New matches on their way to the disk.
pub(super) struct Enqueued {
    matches: Vec<PlannedMatch>,
    write: Again<()>,
}

/// A write that is made again if its answer is lost.
struct Again<T> {
    /// `None` after the outcome was told.
    ticket: Option<Ticket<T>>,
    lost_at: Option<Instant>,
}

impl Underway {
    fn results(&self) -> usize {
        match self {
            Self::Results(results) => results.events.len(),
            Self::Table(..) => 0,
        }
    }
}

impl Results {
    pub(super) fn new(store: &impl Store, reports: Vec<Report>, events: Vec<TournamentEvent>) -> Self {
        let write = Again::new(store.complete_all(reports.clone()));
        Self { reports, write, events }
    }

    fn outcome(&mut self, store: &impl Store, wait: bool) -> Option<Result<Vec<Completion>, StoreError>> {
        self.write.outcome(wait, || store.complete_all(self.reports.clone()))
    }
}

impl Enqueued {
    pub(super) fn new(store: &impl Store, matches: Vec<PlannedMatch>) -> Self {
        let write = Again::new(store.enqueue(matches.clone()));
        Self { matches, write }
    }

    fn outcome(&mut self, store: &impl Store, wait: bool) -> Option<Result<(), StoreError>> {
        self.write.outcome(wait, || store.enqueue(self.matches.clone()))
    }
}

impl<T> Again<T> {
    fn new(ticket: Ticket<T>) -> Self {
        Self { ticket: Some(ticket), lost_at: None }
    }

    /// Returns the outcome if it is known, or waits for it. If the answer was lost, the write is made again.
    fn outcome(&mut self, wait: bool, write: impl Fn() -> Ticket<T>) -> Option<Result<T, StoreError>> {
        loop {
            let outcome = match outcome(self.ticket.take()?, wait) {
                Ok(outcome) => outcome,
                Err(ticket) => {
                    self.ticket = Some(ticket);
                    return None;
                }
            };
            let lost_at = *self.lost_at.get_or_insert_with(Instant::now);
            match outcome {
                Err(StoreError::Lost { .. }) if lost_at.elapsed() < ASKED_AGAIN => self.ticket = Some(write()),
                known => return Some(known),
            }
            if !wait {
                return None;
            }
        }
    }
}

/// Returns the outcome of a write. If it is not known and nobody is to `wait`, returns the ticket.
fn outcome<T>(ticket: Ticket<T>, wait: bool) -> Result<Result<T, StoreError>, Ticket<T>> {
    if wait { Ok(ticket.wait()) } else { ticket.try_wait() }
}

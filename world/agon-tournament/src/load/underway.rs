//! Results and tables on their way to the disk: each is told when it is there.

use super::{FIRST_TABLE, Load, TABLES_APART, UNDERWAY};
use crate::TournamentEvent;
use agon_store::{Completion, Store, StoreError, Ticket};
use std::time::Instant;

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
        while let Some(ticket) = self.enqueued.pop_front() {
            match if all { Ok(ticket.wait()) } else { ticket.try_wait() } {
                Ok(enqueued) => drop(self.take(enqueued.map_err(Into::into))),
                Err(ticket) => {
                    self.enqueued.push_front(ticket);
                    break;
                }
            }
        }
        let mut results: usize = self.underway.iter().map(Underway::results).sum();
        while let Some(underway) = self.underway.pop_front() {
            let wait = all || results >= UNDERWAY;
            results -= underway.results();
            let rest = match underway {
                Underway::Results(ticket, events) => match outcome(ticket, wait) {
                    Ok(stored) => {
                        self.tell_results(stored, events);
                        None
                    }
                    Err(ticket) => Some(Underway::Results(ticket, events)),
                },
                Underway::Table(ticket, event) => match outcome(ticket, wait) {
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

    fn tell_results(&mut self, stored: Result<Vec<Completion>, StoreError>, events: Vec<TournamentEvent>) {
        let Some(completions) = self.take(stored.map_err(Into::into)) else { return };
        for (completion, event) in completions.into_iter().zip(events) {
            match (completion, &event) {
                (Completion::Conflict, TournamentEvent::Match { id, .. }) => {
                    self.failed.get_or_insert(StoreError::OtherPlan(*id).into());
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
    Results(Ticket<Vec<Completion>>, Vec<TournamentEvent>),
    Table(Ticket<()>, TournamentEvent),
}

impl Underway {
    fn results(&self) -> usize {
        match self {
            Self::Results(_, events) => events.len(),
            Self::Table(..) => 0,
        }
    }
}

/// Returns the outcome of a write. If it is not known and nobody is to `wait`, returns the ticket.
fn outcome<T>(ticket: Ticket<T>, wait: bool) -> Result<Result<T, StoreError>, Ticket<T>> {
    if wait { Ok(ticket.wait()) } else { ticket.try_wait() }
}

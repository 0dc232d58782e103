//! Workers that are put aside while a tournament is played: what they have played is played again.

use super::{Load, is_away};
use crate::{TournamentError, TournamentEvent, file::Machines, purge::put_aside, workers::Residuals};
use agon_dispatch::{In, Notice};
use agon_store::{Attempt, RecordedResult, Store};
use std::collections::BTreeSet;

/// Compares workers while they play.
pub(super) struct Comparison {
    residuals: Residuals,
    /// The numbers in the store of the workers that it knows.
    known: BTreeSet<u32>,
    /// Those of which was told that they stand out and cannot be put aside.
    told: BTreeSet<String>,
}

impl<S: Store> Load<'_, S> {
    /// Reads what workers have played before, and which ones are put aside.
    pub(super) fn begin_comparison(&mut self) -> Result<(), TournamentError> {
        let alike = self.tournament.file.machines == Machines::Alike;
        let aside = put_aside(&self.tournament.store)?;
        let workers = self.tournament.store.workers()?.into_iter();
        let aside = workers.filter(|worker| aside.contains_key(&worker.name) && is_away(&worker.facts));
        self.put_aside = aside.map(|worker| worker.number).collect();
        let residuals = Residuals::read(&self.tournament.store, alike)?;
        let known = self.tournament.store.workers()?.iter().map(|worker| worker.number).collect();
        self.comparison = Some(Comparison { residuals, known, told: BTreeSet::new() });
        Ok(())
    }

    /// Counts a result for the worker that has played it.
    pub(super) fn compare(&mut self, bots: &[u32], result: &RecordedResult) -> Result<(), TournamentError> {
        if let Some(comparison) = self.knowing(result.worker)? {
            comparison.residuals.add(bots, result);
        }
        Ok(())
    }

    /// Counts an attempt that a worker has spoilt.
    pub(super) fn compare_spoilt(&mut self, bots: &[u32], attempt: &Attempt) {
        if let Some(comparison) = &mut self.comparison {
            comparison.residuals.add_attempt(attempt, bots);
        }
    }

    /// Returns the comparison when it knows this worker.
    fn knowing(&mut self, worker: Option<u32>) -> Result<Option<&mut Comparison>, TournamentError> {
        let Some(comparison) = &mut self.comparison else { return Ok(None) };
        if worker.is_some_and(|worker| comparison.known.insert(worker)) {
            for worker in self.tournament.store.workers()? {
                comparison.known.insert(worker.number);
                comparison.residuals.know(&worker);
            }
        }
        Ok(Some(comparison))
    }

    /// Puts aside who stands out.
    pub(super) fn look_who_stands_out(&mut self) -> Result<(), TournamentError> {
        let Some((name, why)) = self.comparison.as_mut().and_then(|comparison| comparison.residuals.stands_out())
        else {
            return Ok(());
        };
        self.put_aside(&name, &why)
    }

    /// Puts the worker with this number in the store aside.
    pub(super) fn put_aside_number(&mut self, number: u32, why: &str) -> Result<(), TournamentError> {
        let workers = self.tournament.store.workers()?;
        let name = workers.into_iter().find(|worker| worker.number == number).map(|worker| worker.name);
        name.map_or(Ok(()), |name| self.put_aside(&name, why))
    }

    /// Puts a worker aside, and plays its matches again. The machine that leads is not put aside: who has it has the store.
    fn put_aside(&mut self, name: &str, why: &str) -> Result<(), TournamentError> {
        let workers = self.tournament.store.workers()?;
        let of_name = workers.iter().filter(|worker| worker.name == name && is_away(&worker.facts));
        let numbers: BTreeSet<u32> = of_name.map(|worker| worker.number).collect();
        let (name, why) = (name.to_owned(), why.to_owned());
        if numbers.is_empty() {
            let is_new = self.comparison.as_mut().is_some_and(|comparison| comparison.told.insert(name.clone()));
            if is_new {
                (self.events)(TournamentEvent::Workers(Notice::StandsOut { name, why }));
            }
            return Ok(());
        }
        if numbers.is_subset(&self.put_aside) {
            return Ok(());
        }
        self.put_aside.extend(&numbers);
        (self.events)(TournamentEvent::Workers(Notice::PutAside { name: name.clone(), why: why.clone() }));
        if let Some(away) = &self.away {
            away.others.tell(In::PutAside { name: name.clone(), why: why.clone() });
        }
        // What counts until now is on disk before it is opened again.
        self.tell_written(true);
        let again = self.tournament.purge_in_run(&numbers, &name, &why)?;
        if let Some(first) = again.first() {
            // They are drawn again before anything else.
            self.drawn = self.drawn.min(first - 1);
        }
        if let Some(checks) = &mut self.checks {
            checks.leave(&again);
        }
        if let Some(comparison) = &mut self.comparison {
            comparison.residuals.remove(&name);
        }
        self.stir();
        Ok(())
    }
}

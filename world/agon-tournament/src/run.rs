//! Plays a tournament: many matches at once, each stored before it is shown.

use crate::{
    Others, Seeds, Tournament, TournamentError, TournamentEvent,
    host::{Host, this_processor},
    load::{Load, is_away, unless_lost},
    played::{Manner, now_ms},
    purge::refuse_aside,
    tournament::wait,
    workers::first_processor,
};
use agon_core::Flaw;
use agon_play::{Cancel, CorePlacement, HostHistory, work_with_others};
use agon_store::{Lease, PlannedMatch, Snapshot, Store, Ticket};
use agon_tourney::{Kind, Pairing};
use std::{num::NonZeroUsize, sync::Arc};

/// The name of the table in the store.
pub(crate) const TABLE: &str = "standings";
/// The name of the number of matches in the store.
pub(crate) const PLANNED: &str = "planned";

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
    /// Matches of bots that have changed are left, or matches that depend on them. Another run plays them.
    BotsChanged,
}

impl<S: Store> Tournament<S> {
    /// Plays until every match is over or the run is cancelled. Tells of a result only when it is on disk.
    ///
    /// # Errors
    /// If a bot cannot play and is not withdrawn, the store cannot be written, or no match can be played. What was told
    /// is stored all the same.
    pub fn run(
        &mut self,
        options: &RunOptions,
        events: &mut dyn FnMut(TournamentEvent),
    ) -> Result<RunEnd, TournamentError> {
        self.run_with(options, None, events)
    }

    /// Does the same with workers on other machines.
    ///
    /// # Errors
    /// The same.
    pub fn run_with(
        &mut self,
        options: &RunOptions,
        others: Option<&dyn Others>,
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
        let field = Arc::clone(&self.field);
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
        let instant = field.processes(usize::MAX) == 0;
        let here = if others.is_some_and(|others| !others.plays_here()) { 0 } else { options.at_once.get() };
        let worker = self.begin_work(others.is_some(), here > 0)?;
        if self.is_schedule_due() {
            self.keep_schedule()?;
        }
        let mut load = Load::new(self, options, worker, instant, others, events);
        let begins = load.begins();
        let worked = work_with_others(here, &mut load, |worker, lease: Lease| {
            if !options.cancel.is_killed() {
                let PlannedMatch { id, bots, .. } = &lease.planned;
                // The load is there as long as its workers are.
                let _ = begins.send(TournamentEvent::Start { worker, id: *id, bots: bots.clone() });
            }
            let played = manner(worker).play(&lease.planned);
            (lease, played)
        });
        let (left, changed, failed) = load.end();
        unless_lost(self.store.release(&left))?;
        if let Some(why) = failed {
            return Err(why);
        }
        worked?;
        let standings = self.standings();
        if self.over >= self.kept_from && self.over != self.kept {
            self.keep_schedule()?;
        }
        wait(&self.store, self.keep_table(&standings)?)?;
        let complete = self.is_complete();
        // A ladder goes on when its file asks for more rounds.
        if complete && !matches!(self.schedule.spec().kind, Kind::Ladder { .. }) {
            Seeds::reveal(&self.store)?;
        }
        let progress = self.store.progress()?;
        events(TournamentEvent::End { complete, progress, standings: Box::new(standings) });
        Ok(match () {
            () if complete => RunEnd::Complete,
            () if changed && !options.cancel.is_cancelled() => RunEnd::BotsChanged,
            () => RunEnd::Interrupted,
        })
    }

    /// Adds this machine to the workers of the store, and returns its number. Gives back what an earlier program has claimed,
    /// which has ended: nobody else writes to the store. With `others`, what other machines have stays theirs for a while.
    /// `plays` says whether this machine plays itself.
    ///
    /// # Errors
    /// If the store cannot be used, or this machine plays and was put aside.
    fn begin_work(&self, others: bool, plays: bool) -> Result<u32, TournamentError> {
        let Host { name, facts } = Host::this(self.field.isolation());
        if plays {
            refuse_aside(&self.store, &name)?;
            self.refuse_other_processor()?;
        }
        let workers = self.store.workers()?;
        let is_away = |number: u32| workers.iter().any(|worker| worker.number == number && is_away(&worker.facts));
        let claims = self.store.claims()?;
        let left = claims.iter().filter(|claim| !others || !is_away(claim.worker));
        let left: Vec<u64> = left.map(|claim| claim.token).collect();
        self.store.release(&left)?;
        Ok(wait(&self.store, self.store.add_worker(&name, &facts, now_ms()))?)
    }

    /// Refuses to play on this machine if others with another processor have played, and all must be alike.
    fn refuse_other_processor(&self) -> Result<(), TournamentError> {
        let own = this_processor();
        match first_processor(&self.store)? {
            Some(first) if self.wants_alike() && first != own => {
                let what = format!(
                    "the tournament is played on machines that are alike, with the processor `{first}`; this one has `{own}`"
                );
                Err(TournamentError::Schedule(Flaw::new(what).hint(
                    "`machines = \"any\"` in the file lets every processor play; or let workers play alone, with `--listen` and \
                     `--cores 0`",
                )))
            }
            _ => Ok(()),
        }
    }

    /// Stores the table and the number of matches, so that showing them needs no counting.
    pub(crate) fn keep_table(&self, standings: &agon_tourney::Standings) -> Result<Ticket<()>, TournamentError> {
        let text = serde_json::to_string(standings);
        let text = text.map_err(|why| TournamentError::Schedule(Flaw::new(why.to_string())))?;
        // The table is written after it.
        drop(self.keep_planned());
        Ok(self.store.keep(TABLE, Snapshot { after: self.over, text }))
    }

    /// Stores how many matches the tournament has, without those that are left out. The text is empty if that is not known.
    pub(crate) fn keep_planned(&self) -> Ticket<()> {
        let planned = self.planned().map(|planned| planned - self.schedule.progress().skipped);
        let text = planned.map_or_else(String::new, |planned| planned.to_string());
        self.store.keep(PLANNED, Snapshot { after: self.over, text })
    }
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

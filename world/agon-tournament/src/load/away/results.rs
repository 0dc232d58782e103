//! The results that workers on other machines bring.

use super::{Held, result, sentence};
use crate::{
    TournamentError,
    load::{BEHIND_ALL, Load},
    played::{Played, now_ms},
};
use agon_dispatch::In;
use agon_spec::{WorkerOutcome, WorkerSettled};
use agon_store::{Attempt, Blob, Completion, Ending, Lease, RecordedResult, Report, Store, StoreError};
use std::iter;

impl<S: Store> Load<'_, S> {
    /// Takes a result.
    pub(super) fn arrived(&mut self, worker: u32, settled: WorkerSettled, known: bool) -> Result<(), TournamentError> {
        let WorkerSettled { id, token: sealed, result, spoilt } = settled;
        let Some(away) = &mut self.away else { return Ok(()) };
        let number = away.number(worker)?;
        if number.is_some_and(|number| self.put_aside.contains(&number)) {
            // It was on its way when the worker was put aside.
            let held = away.leases.remove(&sealed);
            self.release(&held.map(|held| held.lease.token).into_iter().collect::<Vec<_>>())?;
            return self.refuse(id, sealed);
        }
        let held = away.leases.remove(&sealed).filter(|held| held.lease.planned.id == id);
        let token = away.seal.open(sealed);
        let (lease, number) = match (held, number) {
            (Some(Held { lease, worker }), _) if self.waiting.contains(id) => (lease, worker),
            // Another result of it has come meanwhile.
            (Some(Held { worker, .. }), _) => return self.note_late(id, sealed, result, worker),
            (None, Some(number)) if known || self.was_leased(id, token)? => match self.reopened(id, token)? {
                Some(lease) => (lease, number),
                None => return self.note_late(id, sealed, result, number),
            },
            // Perhaps it is stored, and the run that was to say so was killed. A token that was made up is hardly ever so low.
            (None, Some(number)) if self.is_over(id)? && self.may_be_known(token) => {
                return self.note_late(id, sealed, result, number);
            }
            _ => return self.refuse(id, sealed),
        };
        let versions = lease.planned.bots.iter().map(|bot| self.tournament.versions[*bot as usize]);
        let versions: Vec<u32> = versions.collect();
        let Some(mut result) = result::recorded(result, &versions) else {
            // The dispatcher has looked at it, so that only a lease of an earlier run comes here, or other versions of the bots.
            self.release_claims_of(id)?;
            self.stir();
            return self.refuse(id, sealed);
        };
        let blobs = self.blobs_of(&mut result)?;
        if let Some(away) = &mut self.away {
            away.settling.entry(id).or_default().push(sealed);
        }
        let spoilt = spoilt.into_iter().take(result::MOST_SPOILT).map(sentence).collect();
        self.finish(lease, Played { result, blobs, spoilt }, number)?;
        if self.waiting.contains(id) {
            // It is played again behind all others, by nobody who has it now.
            self.release_claims_of(id)?;
            self.settle_away(id, Completion::Stored);
        }
        self.stir();
        Ok(())
    }

    /// Answers that a result is none.
    fn refuse(&self, id: u64, sealed: u64) -> Result<(), TournamentError> {
        if let Some(away) = &self.away {
            away.answer(id, sealed, WorkerOutcome::Unknown);
        }
        Ok(())
    }

    /// Returns the blobs that a result names, and strikes those that are nowhere.
    fn blobs_of(&mut self, result: &mut RecordedResult) -> Result<Vec<Blob>, TournamentError> {
        let mut blobs = Vec::new();
        for named in [&mut result.replay, &mut result.log] {
            let Some(hash) = *named else { continue };
            if let Some(blob) = self.away.as_ref().and_then(|away| away.others.take_blob(hash)) {
                blobs.push(blob);
                continue;
            }
            // A result before this one may have brought it: that one is on its way to the disk before the question.
            self.report();
            if self.tournament.store.get(hash)?.is_none() {
                *named = None;
            }
        }
        Ok(blobs)
    }

    fn is_over(&self, id: u64) -> Result<bool, TournamentError> {
        Ok(self.tournament.store.find(id)?.is_some_and(|stored| stored.result.is_some()))
    }

    /// Returns whether a token of the store may be that of a lease of an earlier run.
    fn may_be_known(&self, token: u64) -> bool {
        self.away.as_ref().is_some_and(|away| token <= away.highest)
    }

    /// Returns whether a token of the store was once that of a lease of this match, which has ended since.
    fn was_leased(&self, id: u64, token: u64) -> Result<bool, TournamentError> {
        let kept = self.away.as_ref().and_then(|away| away.kept.get(&token)).is_some_and(|claim| claim.id == id);
        Ok(kept || self.tournament.store.attempts(id)?.iter().any(|attempt| attempt.token == Some(token)))
    }

    /// Takes a match whose lease has ended for the result that has come nevertheless. `None` if the match is over, or is played on
    /// this machine now.
    fn reopened(&mut self, id: u64, token: u64) -> Result<Option<Lease>, TournamentError> {
        if !self.waiting.contains(id) {
            let stored = self.tournament.store.find(id)?;
            if stored.is_none_or(|stored| stored.result.is_some()) {
                return Ok(None);
            }
        }
        if !self.is_drawn(id) || self.here.contains(&id) {
            return Ok(None);
        }
        let Some(stored) = self.tournament.store.find(id)? else { return Ok(None) };
        self.claimed.retain(|lease| lease.planned.id != id);
        if let Some(away) = &mut self.away {
            away.kept.retain(|_, claim| claim.id != id);
            let others = away.leases.iter().filter(|(_, held)| held.lease.planned.id == id);
            let others: Vec<u64> = others.map(|(sealed, _)| *sealed).collect();
            others.iter().for_each(|sealed| drop(away.leases.remove(sealed)));
            if !others.is_empty() {
                away.others.tell(In::Ended(others));
            }
        }
        Ok(Some(Lease { planned: stored.planned, attempts: stored.attempts, token }))
    }

    /// Notes a result that came too late. The store knows whether it is a repetition of the one that counts.
    fn note_late(
        &mut self,
        id: u64,
        sealed: u64,
        result: agon_spec::WorkerResult,
        number: u32,
    ) -> Result<(), TournamentError> {
        let stored = self.tournament.store.find(id)?;
        let Some(away) = &mut self.away else { return Ok(()) };
        let seats = stored.as_ref().map_or(0, |stored| stored.planned.bots.len());
        let token = away.seal.open(sealed);
        let is_over = stored.is_some_and(|stored| stored.result.is_some());
        // Whatever versions have played.
        let versions = result.seats.iter().map(|seat| seat.version).chain(iter::repeat(0));
        let versions: Vec<u32> = versions.take(seats).collect();
        let Some(mut result) = result::recorded(result, &versions) else { return self.refuse(id, sealed) };
        (result.worker, result.replay, result.log) = (Some(number), None, None);
        let report = Report { token: Some(token), ..Report::unclaimed(id, result, Vec::new()) };
        if is_over {
            let ticket = self.tournament.store.complete_all(vec![report]);
            away.late.push((id, sealed, ticket));
        } else {
            // It is played here, or its result is on its way to the disk.
            drop(self.tournament.store.add_attempt(Attempt::of_late(&report, false)));
            away.answer(id, sealed, WorkerOutcome::Late);
        }
        Ok(())
    }

    /// Tells what the store has said of results that came too late.
    pub(in crate::load) fn tell_late(&mut self) -> Result<(), TournamentError> {
        let Some(away) = &mut self.away else { return Ok(()) };
        let mut told = Ok(());
        for (id, sealed, ticket) in std::mem::take(&mut away.late) {
            match ticket.try_wait() {
                Err(ticket) => away.late.push((id, sealed, ticket)),
                Ok(Err(StoreError::Lost { .. })) => away.answer(id, sealed, WorkerOutcome::Late),
                Ok(Err(why)) => told = Err(why.into()),
                Ok(Ok(completions)) => {
                    let repeated = completions.first() == Some(&Completion::Duplicate);
                    away.answer(id, sealed, if repeated { WorkerOutcome::Duplicate } else { WorkerOutcome::Late });
                }
            }
        }
        told
    }

    /// Tells what became of results of other machines: they are on disk.
    pub(in crate::load) fn settle_away(&mut self, id: u64, completion: Completion) {
        let Some(away) = &mut self.away else { return };
        let outcome = match completion {
            Completion::Stored => WorkerOutcome::Stored,
            Completion::Duplicate => WorkerOutcome::Duplicate,
            Completion::Late => WorkerOutcome::Late,
        };
        for sealed in away.settling.remove(&id).unwrap_or_default() {
            away.answer(id, sealed, outcome);
        }
    }

    /// Ends a match as spoilt that has cost several workers.
    pub(super) fn spoil(&mut self, sealed: u64, why: &str) -> Result<(), TournamentError> {
        let Some(away) = &mut self.away else { return Ok(()) };
        let Some(Held { mut lease, worker }) = away.leases.remove(&sealed) else { return Ok(()) };
        let bots = self.tournament.field.bots();
        let names: Vec<&str> = lease.planned.bots.iter().map(|bot| bots[*bot as usize].name.as_str()).collect();
        let reason = sentence(format!("{why}; its bots are {}", names.join(", ")));
        lease.planned.rank = BEHIND_ALL;
        let result =
            RecordedResult { ending: Ending::Spoilt, reason, started_ms: now_ms(), ..RecordedResult::default() };
        self.finish(lease, Played { result, blobs: Vec::new(), spoilt: Vec::new() }, worker)
    }
}

//! What other machines play: matches that a dispatcher asks for, and results that it brings.

use super::{LAST_AT_MOST, Load, WAITING, result, result::sentence, seal::Seal, unless_lost};
use crate::{
    Others, TournamentError, TournamentEvent,
    load::BEHIND_ALL,
    played::{Played, now_ms},
};
use agon_dispatch::{Do, In, Passed};
use agon_play::{Post, SharedWorkload};
use agon_spec::{WorkerAnswer, WorkerLease, WorkerOutcome, WorkerRegister, WorkerSettled};
use agon_store::{
    Attempt, AttemptEnd, Blob, Claim, Completion, Ending, Lease, RecordedResult, Report, Store, StoreError, Ticket,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How many matches are looked at for one claim, if the worker has not their bots.
const LOOKED_AT: usize = 2_048;
/// How many of those that were passed over are told.
const PASSED: usize = 16;

/// What other machines play.
pub(super) struct Away<'a> {
    others: &'a dyn Others,
    seal: Seal,
    /// The numbers of the dispatcher's workers in the store, or those on their way.
    numbers: BTreeMap<u32, Number>,
    /// What they have, by the tokens that they know.
    leases: BTreeMap<u64, Held>,
    /// Claims of an earlier run that may still go on, by the tokens of the store.
    kept: BTreeMap<u64, Claim>,
    /// The tokens of results on their way to the disk, by match.
    settling: BTreeMap<u64, Vec<u64>>,
    /// Results of matches that are over, which the store judges.
    late: Vec<(u64, u64, Ticket<Vec<Completion>>)>,
    /// Whether somebody was given less than was wanted, and whether there may be more since.
    dry: bool,
    stirred: bool,
    closing: bool,
}

enum Number {
    Coming(Ticket<u32>),
    Known(u32),
}

struct Held {
    lease: Lease,
    /// The number of the worker in the store.
    worker: u32,
}

impl<'a> Away<'a> {
    pub(super) fn new(others: &'a dyn Others) -> Self {
        Self {
            others,
            seal: Seal::new(others.seal_key()),
            numbers: BTreeMap::new(),
            leases: BTreeMap::new(),
            kept: BTreeMap::new(),
            settling: BTreeMap::new(),
            late: Vec::new(),
            dry: false,
            stirred: false,
            closing: false,
        }
    }

    /// Returns whether a worker has come.
    pub(super) fn has_met(&self) -> bool {
        !self.numbers.is_empty()
    }

    /// Returns until when the store keeps a claim.
    fn until_ms(&self, now_ms: i64) -> i64 {
        now_ms.saturating_add_unsigned(2 * self.others.lease_ms())
    }

    fn answer(&self, id: u64, token: u64, outcome: WorkerOutcome) {
        self.others.tell(In::Settled(vec![WorkerAnswer { id, token, outcome }]));
    }

    /// Returns the number of a worker in the store. `None` if nobody knows it.
    fn number(&mut self, worker: u32) -> Result<Option<u32>, TournamentError> {
        let number = match self.numbers.remove(&worker) {
            None => return Ok(None),
            Some(Number::Known(number)) => number,
            Some(Number::Coming(ticket)) => ticket.wait()?,
        };
        self.numbers.insert(worker, Number::Known(number));
        Ok(Some(number))
    }
}

/// Returns what the store keeps of a worker on another machine.
fn facts(about: &WorkerRegister) -> String {
    let machine = &about.machine;
    let tools: BTreeMap<&String, &String> = about.tools.iter().map(|tool| (&tool.name, &tool.version)).collect();
    json!({ "away": true, "agon": machine.agon, "kernel": machine.kernel, "cpu": machine.cpu, "cores": machine.cores,
            "target": machine.target, "isolation": about.isolation, "tools": tools })
    .to_string()
}

/// Returns whether these are the facts of a worker on another machine.
pub(crate) fn is_away(facts: &str) -> bool {
    serde_json::from_str::<Value>(facts).is_ok_and(|facts| facts["away"] == true)
}

impl<S: Store> SharedWorkload for Load<'_, S> {
    type Message = Do;

    fn begin(&mut self, post: Post<Do>) {
        let Some(away) = &mut self.away else { return };
        // What this machine had was given back. The time in which nobody could answer the others is not theirs.
        let until_ms = away.until_ms(now_ms());
        let kept = self.tournament.store.claims().and_then(|claims| {
            let tokens: Vec<u64> = claims.iter().map(|claim| claim.token).collect();
            self.tournament.store.extend(&tokens, until_ms)?;
            Ok(claims.into_iter().map(|claim| (claim.token, Claim { until_ms, ..claim })).collect())
        });
        match kept {
            Ok(kept) => away.kept = kept,
            Err(why) => drop(self.failed.get_or_insert(why.into())),
        }
        away.others.begin(post);
        self.fill(WAITING);
    }

    fn hear(&mut self, order: Do) {
        let heard = self.obey(order);
        self.take(heard);
    }

    fn awaits(&self) -> bool {
        let Some(away) = &self.away else { return false };
        let goes_on = self.failed.is_none() && !self.cancel.is_killed();
        let has_more = !self.cancel.is_cancelled() && !self.waiting.is_empty();
        goes_on && (has_more || !away.leases.is_empty())
    }
}

impl<S: Store> Load<'_, S> {
    /// Notes that there may be more for those who were given too little.
    pub(super) fn stir(&mut self) {
        if let Some(away) = &mut self.away {
            away.stirred = true;
        }
    }

    /// Does what is due for other machines.
    pub(super) fn lead_away(&mut self) {
        if self.away.is_none() {
            return;
        }
        if !self.cancel.is_cancelled() && self.failed.is_none() {
            self.fill(WAITING);
        }
        let expired = self.expire_kept();
        self.take(expired);
        let judged = self.tell_late();
        self.take(judged);
        let Some(away) = &mut self.away else { return };
        if self.cancel.is_cancelled() && !away.closing {
            away.closing = true;
            away.others.tell(In::Closing);
        }
        if away.dry && away.stirred {
            (away.dry, away.stirred) = (false, false);
            away.others.tell(In::More);
        }
    }

    /// Says that the run has ended. Returns the claims of this run that nobody goes on with.
    pub(super) fn end_away(&mut self) {
        let complete = self.tournament.is_complete() && self.failed.is_none();
        let judged = self.tell_late();
        self.take(judged);
        if let Some(away) = &self.away {
            away.others.tell(if complete { In::Finished } else { In::Closing });
        }
    }

    fn obey(&mut self, order: Do) -> Result<(), TournamentError> {
        let Some(away) = &mut self.away else { return Ok(()) };
        match order {
            Do::Answer { .. } => {}
            Do::Tell(notice) => (self.events)(TournamentEvent::Workers(notice)),
            Do::Meet { worker, about } => {
                let ticket = self.tournament.store.add_worker(&about.name, &facts(&about), now_ms());
                away.numbers.insert(worker, Number::Coming(ticket));
                self.tournament.store.hurry();
            }
            Do::Want { asker, worker, count, without } => return self.give(asker, worker, count, &without),
            Do::Store { worker, settled, known } => return self.arrived(worker, settled, known),
            Do::Adopt { worker, tokens } => return self.adopt(worker, &tokens),
            Do::Extend(sealed) => {
                let tokens = sealed.iter().filter_map(|token| away.leases.get(token)).map(|held| held.lease.token);
                let tokens: Vec<u64> = tokens.collect();
                let until_ms = away.until_ms(now_ms());
                unless_lost(self.tournament.store.extend(&tokens, until_ms).map(drop))?;
            }
            Do::GiveBack { token, silent, why } => {
                let Some(Held { lease, .. }) = away.leases.remove(&token) else { return Ok(()) };
                let end = if silent { AttemptEnd::Silent } else { AttemptEnd::Spoilt };
                // Its order among the writes is enough: what is claimed next follows it.
                drop(self.tournament.store.give_back(&lease, end, &sentence(why), now_ms()));
                self.stir();
            }
            Do::Release(sealed) => {
                let tokens: Vec<u64> =
                    sealed.iter().filter_map(|token| away.leases.remove(token)).map(|held| held.lease.token).collect();
                unless_lost(self.tournament.store.release(&tokens))?;
                self.stir();
            }
            Do::Spoil { token, why, .. } => return self.spoil(token, &why),
        }
        Ok(())
    }

    /// Gives matches to a worker.
    fn give(&mut self, asker: u64, worker: u32, count: usize, without: &[u32]) -> Result<(), TournamentError> {
        let (mut leases, mut passed) = (Vec::new(), Vec::new());
        if self.failed.is_none() && !self.cancel.is_cancelled() {
            (leases, passed) = self.choose(worker, count, without)?;
        }
        let Some(away) = &mut self.away else { return Ok(()) };
        away.dry |= leases.len() < count;
        let told = passed
            .iter()
            .take(PASSED)
            .map(|lease: &Lease| Passed { id: lease.planned.id, bots: lease.planned.bots.clone() });
        let given = In::Given { asker, leases, passed: told.collect() };
        away.others.tell(given);
        let tokens: Vec<u64> = passed.iter().map(|lease| lease.token).collect();
        unless_lost(self.tournament.store.release(&tokens))
    }

    /// Claims matches of which a worker has all bots. Returns them, and those that it has not, which go back.
    fn choose(
        &mut self,
        worker: u32,
        count: usize,
        without: &[u32],
    ) -> Result<(Vec<WorkerLease>, Vec<Lease>), TournamentError> {
        let (mut leases, mut passed) = (Vec::new(), Vec::new());
        let Some(number) = self.away.as_mut().map(|away| away.number(worker)).transpose()?.flatten() else {
            return Ok((leases, passed));
        };
        while leases.len() < count && passed.len() < LOOKED_AT {
            self.fill((WAITING + 2 * count + passed.len()).min(LAST_AT_MOST));
            let now_ms = now_ms();
            let until_ms = self.away.as_ref().map_or(now_ms, |away| away.until_ms(now_ms));
            let claimed = self.tournament.store.claim(number, count - leases.len(), now_ms, until_ms)?;
            if claimed.is_empty() && self.settle_enqueued() {
                continue;
            }
            if claimed.is_empty() {
                break;
            }
            for lease in claimed {
                if self.is_withdrawn(&lease.planned) {
                    self.leave_out(lease)?;
                } else if lease.planned.bots.iter().any(|bot| self.changed.contains(bot)) {
                    self.set_aside(lease);
                } else if lease.planned.bots.iter().any(|bot| without.contains(bot)) {
                    passed.push(lease);
                } else if let Some(away) = &mut self.away {
                    leases.push(away.hold(lease, number));
                }
            }
        }
        Ok((leases, passed))
    }

    /// Takes a result.
    fn arrived(&mut self, worker: u32, settled: WorkerSettled, known: bool) -> Result<(), TournamentError> {
        let WorkerSettled { id, token: sealed, result, spoilt } = settled;
        let Some(away) = &mut self.away else { return Ok(()) };
        let number = away.number(worker)?;
        let held = away.leases.remove(&sealed).filter(|held| held.lease.planned.id == id);
        let token = away.seal.open(sealed);
        let (lease, number) = match (held, number) {
            (Some(held), _) => (held.lease, held.worker),
            (None, Some(number)) if known || self.was_leased(id, token)? => match self.reopened(id, token)? {
                Some(lease) => (lease, number),
                None => return self.note_late(id, sealed, result, number),
            },
            _ => return self.refuse(id, sealed),
        };
        let versions = lease.planned.bots.iter().map(|bot| self.tournament.versions[*bot as usize]);
        let versions: Vec<u32> = versions.collect();
        let Some(mut result) = result::recorded(result, &versions) else {
            // The dispatcher has looked at it, so that only a lease of an earlier run comes here.
            unless_lost(self.tournament.store.release(&[lease.token]))?;
            return self.refuse(id, sealed);
        };
        let blobs = self.blobs_of(&mut result)?;
        if let Some(away) = &mut self.away {
            away.settling.entry(id).or_default().push(sealed);
        }
        let spoilt = spoilt.into_iter().take(result::MOST_SPOILT).map(sentence).collect();
        self.finish(lease, Played { result, blobs, spoilt }, number)?;
        if self.waiting.contains_key(&id) {
            // It is played again behind all others.
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
    fn blobs_of(&self, result: &mut RecordedResult) -> Result<Vec<Blob>, TournamentError> {
        let Some(away) = &self.away else { return Ok(Vec::new()) };
        let mut blobs = Vec::new();
        for named in [&mut result.replay, &mut result.log] {
            let Some(hash) = *named else { continue };
            match away.others.take_blob(hash) {
                Some(blob) => blobs.push(blob),
                None if self.tournament.store.get(hash)?.is_none() => *named = None,
                None => {}
            }
        }
        Ok(blobs)
    }

    /// Returns whether a token of the store was once that of a lease of this match, which has ended since.
    fn was_leased(&self, id: u64, token: u64) -> Result<bool, TournamentError> {
        let kept = self.away.as_ref().and_then(|away| away.kept.get(&token)).is_some_and(|claim| claim.id == id);
        Ok(kept
            || self.tournament.store.attempts(id)?.iter().any(|attempt| attempt.token == Some(token))
            // What was claimed when the program was killed, and released when it began again, is not noted anywhere. A token
            // that was made up opens to one that no store gives, but for one in many thousands.
            || (token >> 32 < 1 << 20 && token & 0xffff_ffff < 1 << 28 && self.tournament.store.find(id)?.is_some()))
    }

    /// Takes a match whose lease has ended for the result that has come nevertheless. `None` if the match is over, or is played on
    /// this machine now.
    fn reopened(&mut self, id: u64, token: u64) -> Result<Option<Lease>, TournamentError> {
        if !self.waiting.contains_key(&id) {
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

    /// Returns whether a match is drawn that is not over. An earlier run may have drawn further than this one.
    fn is_drawn(&mut self, id: u64) -> bool {
        let mut before = usize::MAX;
        while !self.waiting.contains_key(&id) && self.waiting.len() != before {
            before = self.waiting.len();
            self.fill(before + WAITING);
        }
        self.waiting.contains_key(&id)
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
        let Some(mut result) = result::recorded(result, &vec![0; seats]) else { return self.refuse(id, sealed) };
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
    pub(super) fn tell_late(&mut self) -> Result<(), TournamentError> {
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
    pub(super) fn settle_away(&mut self, id: u64, completion: Completion) {
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
    fn spoil(&mut self, sealed: u64, why: &str) -> Result<(), TournamentError> {
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

    /// Lets workers go on with what they had in an earlier run.
    fn adopt(&mut self, worker: u32, sealed: &[u64]) -> Result<(), TournamentError> {
        let (mut leases, mut strange) = (Vec::new(), Vec::new());
        for sealed in sealed {
            match self.adopt_one(worker, *sealed)? {
                Some(lease) => leases.push(lease),
                None => strange.push(*sealed),
            }
        }
        let Some(away) = &mut self.away else { return Ok(()) };
        let tokens: Vec<u64> = leases.iter().map(|lease| away.seal.open(lease.token)).collect();
        away.others.tell(In::Adopted { worker, leases, strange });
        let until_ms = away.until_ms(now_ms());
        unless_lost(self.tournament.store.extend(&tokens, until_ms).map(drop))
    }

    fn adopt_one(&mut self, worker: u32, sealed: u64) -> Result<Option<WorkerLease>, TournamentError> {
        let Some(away) = &mut self.away else { return Ok(None) };
        let (Some(number), token) = (away.number(worker)?, away.seal.open(sealed)) else { return Ok(None) };
        let Some(id) = away.kept.get(&token).filter(|claim| claim.worker == number).map(|claim| claim.id) else {
            return Ok(None);
        };
        let stored = self.tournament.store.find(id)?.filter(|stored| stored.result.is_none());
        let Some(stored) = stored.filter(|_| self.is_drawn(id)) else { return Ok(None) };
        let Some(away) = &mut self.away else { return Ok(None) };
        away.kept.remove(&token);
        Ok(Some(away.hold(Lease { planned: stored.planned, attempts: stored.attempts, token }, number)))
    }

    /// Takes back what workers had in an earlier run, if nothing was heard of them since.
    fn expire_kept(&mut self) -> Result<(), TournamentError> {
        let Some(away) = &mut self.away else { return Ok(()) };
        let now_ms = now_ms();
        if away.kept.values().any(|claim| claim.until_ms <= now_ms) {
            away.kept.retain(|_, claim| claim.until_ms > now_ms);
            // What goes on is prolonged long before.
            self.extended_ms = i64::MIN;
            self.extend_claims(now_ms)?;
            drop(self.tournament.store.expire(now_ms));
            self.stir();
        }
        Ok(())
    }
}

impl Away<'_> {
    /// Notes that a worker has a match, and returns the match as it is sent.
    fn hold(&mut self, lease: Lease, worker: u32) -> WorkerLease {
        let token = self.seal.close(lease.token);
        let sent = WorkerLease { token, planned: result::sent(&lease.planned), attempts: lease.attempts };
        self.leases.insert(token, Held { lease, worker });
        sent
    }
}

//! What other machines play: matches that a dispatcher asks for, and results that it brings.

mod results;

use super::{Checks, LAST_AT_MOST, Load, WAITING, result, result::sentence, seal::Seal, unless_lost};
use crate::{Others, TournamentError, TournamentEvent, played::now_ms};
use agon_dispatch::{Do, In, Passed};
use agon_play::{Post, SharedWorkload};
use agon_spec::{WorkerAnswer, WorkerLease, WorkerOutcome, WorkerRegister};
use agon_store::{Attempt, AttemptEnd, Claim, Completion, Lease, Store, Ticket};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How many matches are looked at for one claim, if the worker has not their bots.
const LOOKED_AT: usize = 2_048;
/// How many of those that were passed over are told.
const PASSED: usize = 16;

/// What other machines play.
pub(super) struct Away<'a> {
    pub(super) others: &'a dyn Others,
    seal: Seal,
    /// The numbers of the dispatcher's workers in the store, or those on their way.
    numbers: BTreeMap<u32, Number>,
    /// What they have, by the tokens that they know.
    leases: BTreeMap<u64, Held>,
    /// Claims of an earlier run that may still go on, by the tokens of the store.
    kept: BTreeMap<u64, Claim>,
    /// The highest token of the store that anybody is known to have had.
    highest: u64,
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
            highest: 0,
            settling: BTreeMap::new(),
            late: Vec::new(),
            dry: false,
            stirred: false,
            closing: false,
        }
    }

    /// Returns how many matches other machines have, or may still have from an earlier run.
    pub(super) fn outstanding(&self) -> usize {
        self.leases.len() + self.kept.len()
    }

    /// Returns whether a worker has come.
    pub(super) fn has_met(&self) -> bool {
        !self.numbers.is_empty()
    }

    /// Returns the numbers in the store of the workers that have come. `None` for those that are not there yet.
    pub(super) fn known(&self) -> impl Iterator<Item = Option<u32>> {
        self.numbers.values().map(|number| match number {
            Number::Known(number) => Some(*number),
            Number::Coming(_) => None,
        })
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
            Ok(claims.into_iter().map(|claim| (claim.token, Claim { until_ms, ..claim })).collect::<BTreeMap<_, _>>())
        });
        match kept {
            Ok(kept) => {
                away.highest = kept.keys().next_back().copied().unwrap_or(0);
                away.kept = kept;
            }
            Err(why) => drop(self.failed.get_or_insert(why.into())),
        }
        away.others.begin(post);
        let begun = self.begin_checks().and_then(|()| self.begin_comparison());
        self.take(begun);
        self.fill(WAITING);
    }

    fn hear(&mut self, order: Do) {
        let heard = self.obey(order);
        self.take(heard);
    }

    fn awaits(&self) -> bool {
        let Some(away) = &self.away else { return false };
        let goes_on = self.failed.is_none() && !self.cancel.is_killed();
        let has_more = !self.waiting.is_empty() || !self.checks.as_ref().is_none_or(Checks::are_done);
        let has_more = !self.cancel.is_cancelled() && has_more;
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
        let checked = if self.cancel.is_cancelled() {
            Ok(())
        } else {
            self.lead_checks().and_then(|()| self.look_who_stands_out())
        };
        self.take(checked);
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

    /// Says that the run has ended.
    pub(super) fn end_away(&mut self) {
        self.keep_checked();
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
            Do::Checked { worker, findings } => {
                if let Some(number) = away.number(worker)?
                    && !self.put_aside.contains(&number)
                {
                    self.checked(number, findings)?;
                }
            }
            Do::Adopt { worker, tokens } => return self.adopt(worker, &tokens),
            Do::Extend(sealed) => {
                let tokens = sealed.iter().filter_map(|token| away.leases.get(token)).map(|held| held.lease.token);
                let tokens: Vec<u64> = tokens.collect();
                let until_ms = away.until_ms(now_ms());
                unless_lost(self.tournament.store.extend(&tokens, until_ms).map(drop))?;
            }
            Do::GiveBack { token, silent, why } => {
                let Some(Held { lease, worker }) = away.leases.remove(&token) else { return Ok(()) };
                let end = if silent { AttemptEnd::Silent } else { AttemptEnd::Spoilt };
                let (bots, at_ms) = (&lease.planned.bots, now_ms());
                let attempt = Attempt {
                    id: lease.planned.id,
                    token: Some(lease.token),
                    worker: Some(worker),
                    began_ms: at_ms,
                    ended_ms: at_ms,
                    end,
                    why: String::new(),
                };
                self.compare_spoilt(bots, &attempt);
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
        let number = self.away.as_mut().map(|away| away.number(worker)).transpose()?.flatten();
        let checks = number.map_or_else(|| Ok(Vec::new()), |number| self.checks_for(number, without))?;
        let Some(away) = &mut self.away else { return Ok(()) };
        away.dry |= leases.len() < count;
        let told = passed
            .iter()
            .take(PASSED)
            .map(|lease: &Lease| Passed { id: lease.planned.id, bots: lease.planned.bots.clone() });
        let given = In::Given { asker, leases, checks, passed: told.collect() };
        away.others.tell(given);
        if passed.is_empty() {
            return Ok(());
        }
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
                if !self.is_drawn(lease.planned.id) {
                    passed.push(lease);
                } else if self.is_withdrawn(&lease.planned) {
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
            // What goes on is prolonged long before, unless this machine slept.
            let held: Vec<u64> = away.leases.values().map(|held| held.lease.token).collect();
            let until_ms = away.until_ms(now_ms);
            unless_lost(self.tournament.store.extend(&held, until_ms).map(drop))?;
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
        self.highest = self.highest.max(lease.token);
        let sent = WorkerLease { token, planned: result::sent(&lease.planned), attempts: lease.attempts };
        self.leases.insert(token, Held { lease, worker });
        sent
    }
}

//! A back end that keeps nothing, for tests and for tournaments that nobody resumes.

mod records;

use crate::{
    Artefact, Attempt, AttemptEnd, Blob, BlobHash, BotChange, BotTotals, Claim, Claims, Completion, Decision,
    EarlierResult, Ending, EventKind, FileVersion, Lease, MatchQueue, MatchState, PlannedMatch, Progress,
    RecordedResult, Report, Result, Snapshot, StoreError, StoredBot, StoredEvent, StoredMap, StoredMatch, StoredWorker,
    Ticket, first_token,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// A store in memory.
#[derive(Default)]
pub struct Memory(Mutex<Content>);

#[derive(Default)]
struct Content {
    matches: BTreeMap<u64, StoredMatch>,
    /// The matches that nobody has claimed, in the order of play.
    ready: BTreeSet<(u8, u64)>,
    claims: Claims,
    /// The number of claims so far.
    claimed: u64,
    /// The matches that are over, in the order of their numbers, which are those of their ends.
    over: BTreeMap<u64, u64>,
    /// The number of the last end.
    ends: u64,
    /// The token under which each match was played that is over.
    tokens: HashMap<u64, u64>,
    attempts: Vec<Attempt>,
    workers: Vec<StoredWorker>,
    artefacts: HashMap<BlobHash, Artefact>,
    progress: Progress,
    blobs: HashMap<BlobHash, Blob>,
    bots: Vec<StoredBot>,
    files: Vec<FileVersion>,
    maps: Vec<StoredMap>,
    amendments: Vec<String>,
    earlier: Vec<EarlierResult>,
    events: Vec<StoredEvent>,
    snapshots: HashMap<String, Snapshot>,
}

impl Memory {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A panic elsewhere leaves no change half made: every change is checked before it begins.
    fn content(&self) -> MutexGuard<'_, Content> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Content {
    /// Counts a match that has changed its state.
    fn moved(&mut self, from: MatchState, to: MatchState) {
        *self.progress.of(from) -= 1;
        *self.progress.of(to) += 1;
    }

    /// Adds a finished match to the sums of its bots, or takes it out again.
    fn count(&mut self, bots: &[u32], result: &RecordedResult, add: bool) {
        for (number, seat) in bots.iter().zip(&result.seats) {
            let Some(bot) = self.bots.get_mut(*number as usize) else { continue };
            let BotTotals { played, faults, time_us } = &mut bot.totals;
            for (sum, part) in [(played, 1), (faults, u64::from(seat.fault.is_some())), (time_us, seat.time_us)] {
                *sum = if add { sum.saturating_add(part) } else { sum.saturating_sub(part) };
            }
        }
    }

    fn complete(&mut self, report: Report) -> Result<Completion> {
        let id = report.id;
        let stored = self.matches.get_mut(&id).ok_or(StoreError::NoMatch(id))?;
        if let Some(before) = &stored.result {
            if report.repeats(self.tokens.get(&id).copied(), before) {
                return Ok(Completion::Duplicate);
            }
            let attempt = Attempt::of_late(&report, before.agrees(&report.result));
            self.note_late(attempt);
            return Ok(Completion::Late);
        }
        let Report { token, result, blobs, .. } = report;
        let (rank, bots) = (stored.planned.rank, stored.planned.bots.clone());
        stored.result = Some((*result).clone());
        self.ready.remove(&(rank, id));
        self.claims.end(id);
        self.tokens.extend(token.map(|token| (id, token)));
        self.end_of(id);
        self.moved(MatchState::Ready, MatchState::Over(result.ending));
        if result.ending == Ending::Finished {
            self.count(&bots, &result, true);
        }
        self.blobs.extend(blobs.into_iter().map(|blob| (blob.hash(), blob)));
        Ok(Completion::Stored)
    }

    /// Notes a late result, once, and in place of what was noted of its claim before.
    fn note_late(&mut self, attempt: Attempt) {
        let known = self.attempts.iter_mut().find(|known| known.token.is_some() && known.token == attempt.token);
        if known.as_ref().is_some_and(|known| known.end == AttemptEnd::Late) {
            return;
        }
        self.events.extend(attempt.event());
        match known {
            Some(known) => *known = attempt,
            None => self.attempts.push(attempt),
        }
    }

    /// Gives a match that is over its number.
    fn end_of(&mut self, id: u64) {
        self.over.retain(|_, over| *over != id);
        self.ends += 1;
        self.over.insert(self.ends, id);
    }

    fn add_attempt(&mut self, attempt: Attempt) -> Result<u32> {
        let stored = self.matches.get_mut(&attempt.id).ok_or(StoreError::NoMatch(attempt.id))?;
        stored.attempts += u32::from(attempt.end.is_used());
        let used = stored.attempts;
        self.events.extend(attempt.event());
        self.attempts.push(attempt);
        Ok(used)
    }

    fn void(&mut self, id: u64, why: &str, now_ms: i64) -> Result<()> {
        let stored = self.matches.get_mut(&id).ok_or(StoreError::NoMatch(id))?;
        let (from, rank, bots) = (stored.state(), stored.planned.rank, stored.planned.bots.clone());
        let before = stored.result.clone();
        let result = stored.result.get_or_insert_default();
        (result.ending, result.reason) = (Ending::Void, why.to_owned());
        self.ready.remove(&(rank, id));
        self.claims.end(id);
        self.end_of(id);
        self.moved(from, MatchState::Over(Ending::Void));
        if let Some(before) = before.filter(|before| before.ending == Ending::Finished) {
            self.count(&bots, &before, false);
        }
        let event = StoredEvent { kind: EventKind::Void, at_ms: now_ms, id: Some(id), bot: None, text: why.to_owned() };
        self.events.push(event);
        Ok(())
    }

    fn decide(&mut self, decision: Decision) -> Result<()> {
        let is_over = |id: &u64| self.matches.get(id).is_some_and(|stored| stored.result.is_some());
        if let Some(id) = decision.again.iter().find(|id| !is_over(id)) {
            return Err(StoreError::NoMatch(*id));
        }
        if let Some(BotChange::Renamed(number, name)) = &decision.bot
            && self.bots.iter().any(|bot| bot.number != *number && bot.name == *name)
        {
            return Err(StoreError::SameName(name.clone()));
        }
        match decision.bot {
            Some(BotChange::Readmitted(bot) | BotChange::Renamed(bot, _)) if bot as usize >= self.bots.len() => {
                return Err(StoreError::NoBot(bot));
            }
            Some(BotChange::Readmitted(bot)) => self.bots[bot as usize].withdrawn = None,
            Some(BotChange::Renamed(bot, name)) => self.bots[bot as usize].name = name,
            None => {}
        }
        for id in decision.again {
            let Some(stored) = self.matches.get(&id).cloned() else { continue };
            self.moved(stored.state(), MatchState::Ready);
            if let Some(before) = stored.result.as_ref().filter(|before| before.ending == Ending::Finished) {
                self.count(&stored.planned.bots, before, false);
            }
            let planned = PlannedMatch { rank: 0, ..stored.planned.clone() };
            self.ready.insert((0, id));
            self.claims.end(id);
            self.over.retain(|_, over| *over != id);
            self.tokens.remove(&id);
            self.matches.insert(id, StoredMatch { planned, attempts: 0, result: None });
            self.earlier.push(EarlierResult { stored, at_ms: decision.event.at_ms });
        }
        self.amendments.extend(decision.amendment);
        self.events.push(decision.event);
        Ok(())
    }
}

impl MatchQueue for Memory {
    fn enqueue(&self, matches: Vec<PlannedMatch>) -> Ticket<()> {
        let mut content = self.content();
        let other = |planned: &&PlannedMatch| {
            content.matches.get(&planned.id).is_some_and(|stored| !stored.planned.agrees(planned))
        };
        if let Some(planned) = matches.iter().find(other) {
            return Ticket::over(Err(StoreError::OtherPlan(planned.id)));
        }
        for planned in matches {
            if !content.matches.contains_key(&planned.id) {
                content.ready.insert((planned.rank, planned.id));
                content.progress.ready += 1;
                content.matches.insert(planned.id, StoredMatch { planned, attempts: 0, result: None });
            }
        }
        Ticket::over(Ok(()))
    }

    fn claim(&self, worker: u32, count: usize, now_ms: i64, until_ms: i64) -> Result<Vec<Lease>> {
        let content = &mut *self.content();
        let mut leases = Vec::new();
        for (_, id) in &content.ready {
            if leases.len() == count {
                break;
            }
            if content.claims.is_free(*id)
                && let Some(stored) = content.matches.get(id)
            {
                content.claimed += 1;
                let token = first_token(1) + content.claimed;
                content.claims.add(Claim { token, id: *id, worker, began_ms: now_ms, until_ms });
                leases.push(Lease { planned: stored.planned.clone(), attempts: stored.attempts, token });
            }
        }
        Ok(leases)
    }

    fn extend(&self, tokens: &[u64], until_ms: i64) -> Result<Vec<u64>> {
        Ok(self.content().claims.extend(tokens, until_ms))
    }

    fn expire(&self, now_ms: i64) -> Ticket<Vec<Attempt>> {
        let mut content = self.content();
        let out = content.claims.run_out(now_ms);
        let attempts: Vec<Attempt> = out.iter().map(|claim| Attempt::of_silence(claim, now_ms)).collect();
        let added = attempts.iter().try_for_each(|attempt| content.add_attempt(attempt.clone()).map(drop));
        Ticket::over(added.map(|()| attempts))
    }

    fn complete(&self, report: Report) -> Ticket<Completion> {
        Ticket::over(self.content().complete(report))
    }

    fn complete_all(&self, reports: Vec<Report>) -> Ticket<Vec<Completion>> {
        let mut content = self.content();
        if let Some(Report { id, .. }) = reports.iter().find(|report| !content.matches.contains_key(&report.id)) {
            return Ticket::over(Err(StoreError::NoMatch(*id)));
        }
        Ticket::over(reports.into_iter().map(|report| content.complete(report)).collect())
    }

    fn give_back(&self, lease: &Lease, end: AttemptEnd, why: &str, now_ms: i64) -> Ticket<u32> {
        let content = &mut *self.content();
        let id = lease.planned.id;
        let Some(stored) = content.matches.get(&id) else { return Ticket::over(Err(StoreError::NoMatch(id))) };
        let used = stored.attempts;
        let Some(claim) = content.claims.release(lease.token) else { return Ticket::over(Ok(used)) };
        let attempt = Attempt { end, why: why.to_owned(), ..Attempt::of_silence(&claim, now_ms) };
        Ticket::over(content.add_attempt(attempt))
    }

    fn add_attempt(&self, attempt: Attempt) -> Ticket<u32> {
        Ticket::over(self.content().add_attempt(attempt))
    }

    fn release(&self, tokens: &[u64]) -> Result<()> {
        let mut content = self.content();
        for token in tokens {
            content.claims.release(*token);
        }
        Ok(())
    }

    fn rerank(&self, ids: Vec<u64>, rank: u8) -> Ticket<()> {
        let content = &mut *self.content();
        for id in ids {
            let Some(stored) = content.matches.get_mut(&id).filter(|stored| stored.result.is_none()) else { continue };
            content.ready.remove(&(stored.planned.rank, id));
            content.ready.insert((rank, id));
            stored.planned.rank = rank;
        }
        Ticket::over(Ok(()))
    }

    fn void(&self, id: u64, why: &str, now_ms: i64) -> Ticket<()> {
        Ticket::over(self.content().void(id, why, now_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance;

    #[test]
    fn it_conforms() {
        conformance::all(&mut Memory::new);
    }
}

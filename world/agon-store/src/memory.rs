//! A back end that keeps nothing, for tests and for tournaments that nobody resumes.

use crate::{
    Blob, BlobHash, BlobStore, BotChange, BotTotals, BotVersion, Completion, Decision, EarlierResult, Ending,
    EventKind, FileVersion, Lease, MatchQueue, MatchState, PlannedMatch, Progress, RecordedResult, Records, Registry,
    Report, Result, Snapshot, StoreError, StoredBot, StoredEvent, StoredMap, StoredMatch, Ticket, blob::unpack,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
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

/// Who has claimed which match. A store of one process keeps this in memory, because claims end with their process.
#[derive(Default)]
pub(crate) struct Claims {
    by_match: HashMap<u64, Claim>,
    given: u64,
}

struct Claim {
    token: u64,
    until_ms: i64,
}

impl Claims {
    /// Claims a match and returns the token. `None` if somebody has it.
    pub(crate) fn claim(&mut self, id: u64, now_ms: i64, until_ms: i64) -> Option<u64> {
        if self.by_match.get(&id).is_some_and(|claim| claim.until_ms > now_ms) {
            return None;
        }
        self.given += 1;
        self.by_match.insert(id, Claim { token: self.given, until_ms });
        Some(self.given)
    }

    pub(crate) fn extend(&mut self, tokens: &[u64], until_ms: i64) {
        for claim in self.by_match.values_mut().filter(|claim| tokens.contains(&claim.token)) {
            claim.until_ms = until_ms;
        }
    }

    pub(crate) fn release(&mut self, tokens: &[u64]) {
        self.by_match.retain(|_, claim| !tokens.contains(&claim.token));
    }

    /// Ends every claim of a match that is over.
    pub(crate) fn end(&mut self, id: u64) {
        self.by_match.remove(&id);
    }

    /// Returns whether this claim is the last one of the match.
    pub(crate) fn is_current(&self, id: u64, token: u64) -> bool {
        self.by_match.get(&id).is_some_and(|claim| claim.token == token)
    }
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

    fn complete(&mut self, id: u64, result: RecordedResult, blobs: Vec<Blob>) -> Result<Completion> {
        let stored = self.matches.get_mut(&id).ok_or(StoreError::NoMatch(id))?;
        if let Some(before) = &stored.result {
            return Ok(if before.agrees(&result) { Completion::Duplicate } else { Completion::Conflict });
        }
        let (rank, bots) = (stored.planned.rank, stored.planned.bots.clone());
        stored.result = Some(result.clone());
        self.ready.remove(&(rank, id));
        self.claims.end(id);
        self.moved(MatchState::Ready, MatchState::Over(result.ending));
        if result.ending == Ending::Finished {
            self.count(&bots, &result, true);
        }
        self.blobs.extend(blobs.into_iter().map(|blob| (blob.hash(), blob)));
        Ok(Completion::Stored)
    }

    fn void(&mut self, id: u64, why: &str, now_ms: i64) -> Result<()> {
        let stored = self.matches.get_mut(&id).ok_or(StoreError::NoMatch(id))?;
        let (from, rank, bots) = (stored.state(), stored.planned.rank, stored.planned.bots.clone());
        let before = stored.result.clone();
        let result = stored.result.get_or_insert_default();
        (result.ending, result.reason) = (Ending::Void, why.to_owned());
        self.ready.remove(&(rank, id));
        self.claims.end(id);
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

    fn claim(&self, _worker: &str, count: usize, now_ms: i64, until_ms: i64) -> Result<Vec<Lease>> {
        let content = &mut *self.content();
        let mut leases = Vec::new();
        for (_, id) in &content.ready {
            if leases.len() == count {
                break;
            }
            if let Some(token) = content.claims.claim(*id, now_ms, until_ms)
                && let Some(stored) = content.matches.get(id)
            {
                leases.push(Lease { planned: stored.planned.clone(), attempts: stored.attempts, token });
            }
        }
        Ok(leases)
    }

    fn extend(&self, tokens: &[u64], until_ms: i64) -> Result<()> {
        self.content().claims.extend(tokens, until_ms);
        Ok(())
    }

    fn complete(&self, id: u64, result: RecordedResult, blobs: Vec<Blob>) -> Ticket<Completion> {
        Ticket::over(self.content().complete(id, result, blobs))
    }

    fn complete_all(&self, reports: Vec<Report>) -> Ticket<Vec<Completion>> {
        let mut content = self.content();
        if let Some(Report { id, .. }) = reports.iter().find(|report| !content.matches.contains_key(&report.id)) {
            return Ticket::over(Err(StoreError::NoMatch(*id)));
        }
        let complete = |Report { id, result, blobs }| content.complete(id, Arc::unwrap_or_clone(result), blobs);
        Ticket::over(reports.into_iter().map(complete).collect())
    }

    fn give_back(&self, lease: &Lease, why: &str, now_ms: i64) -> Ticket<u32> {
        let content = &mut *self.content();
        let id = lease.planned.id;
        let Some(stored) = content.matches.get_mut(&id) else { return Ticket::over(Err(StoreError::NoMatch(id))) };
        if content.claims.is_current(id, lease.token) && stored.result.is_none() {
            stored.attempts += 1;
            content.claims.end(id);
            let (kind, text) = (EventKind::Spoilt, why.to_owned());
            content.events.push(StoredEvent { kind, at_ms: now_ms, id: Some(id), bot: None, text });
        }
        Ticket::over(Ok(stored.attempts))
    }

    fn release(&self, tokens: &[u64]) -> Result<()> {
        self.content().claims.release(tokens);
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

impl BlobStore for Memory {
    fn put(&self, blob: Blob) -> Ticket<BlobHash> {
        let hash = blob.hash();
        self.content().blobs.insert(hash, blob);
        Ticket::over(Ok(hash))
    }

    fn get(&self, hash: BlobHash) -> Result<Option<Vec<u8>>> {
        let content = self.content();
        content.blobs.get(&hash).map(|blob| unpack(hash, blob.size(), blob.packed())).transpose()
    }
}

impl Records for Memory {
    fn progress(&self) -> Result<Progress> {
        Ok(self.content().progress)
    }

    fn find(&self, id: u64) -> Result<Option<StoredMatch>> {
        Ok(self.content().matches.get(&id).cloned())
    }

    fn matches(&self, after: u64, count: usize) -> Result<Vec<StoredMatch>> {
        let Some(first) = after.checked_add(1) else { return Ok(Vec::new()) };
        Ok(self.content().matches.range(first..).take(count).map(|(_, stored)| stored.clone()).collect())
    }

    fn bots(&self) -> Result<Vec<StoredBot>> {
        Ok(self.content().bots.clone())
    }

    fn files(&self) -> Result<Vec<FileVersion>> {
        Ok(self.content().files.clone())
    }

    fn maps(&self) -> Result<Vec<StoredMap>> {
        Ok(self.content().maps.clone())
    }

    fn amendments(&self) -> Result<Vec<String>> {
        Ok(self.content().amendments.clone())
    }

    fn earlier(&self) -> Result<Vec<EarlierResult>> {
        Ok(self.content().earlier.clone())
    }

    fn events(&self, count: usize) -> Result<Vec<StoredEvent>> {
        let events = &self.content().events;
        Ok(events[events.len().saturating_sub(count)..].to_vec())
    }

    fn snapshot(&self, name: &str) -> Result<Option<Snapshot>> {
        Ok(self.content().snapshots.get(name).cloned())
    }
}

impl Registry for Memory {
    fn add_file(&self, file: FileVersion) -> Ticket<()> {
        self.content().files.push(file);
        Ticket::over(Ok(()))
    }

    fn add_map(&self, map: StoredMap) -> Ticket<()> {
        self.content().maps.push(map);
        Ticket::over(Ok(()))
    }

    fn add_bot(&self, name: &str) -> Ticket<u32> {
        let bots = &mut self.content().bots;
        if bots.iter().any(|bot| bot.name == name) {
            return Ticket::over(Err(StoreError::SameName(name.to_owned())));
        }
        let number = u32::try_from(bots.len()).unwrap_or(u32::MAX);
        let (name, totals) = (name.to_owned(), BotTotals::default());
        bots.push(StoredBot { number, name, versions: Vec::new(), withdrawn: None, totals });
        Ticket::over(Ok(number))
    }

    fn add_version(&self, bot: u32, version: BotVersion) -> Ticket<u32> {
        let mut content = self.content();
        let Some(bot) = content.bots.get_mut(bot as usize) else { return Ticket::over(Err(StoreError::NoBot(bot))) };
        let number = bot.versions.last().map_or(1, |last| last.number + 1);
        bot.versions.push(BotVersion { number, ..version });
        Ticket::over(Ok(number))
    }

    fn withdraw(&self, bot: u32, why: Option<&str>) -> Ticket<()> {
        let mut content = self.content();
        let Some(bot) = content.bots.get_mut(bot as usize) else { return Ticket::over(Err(StoreError::NoBot(bot))) };
        bot.withdrawn = why.map(str::to_owned);
        Ticket::over(Ok(()))
    }

    fn amend(&self, text: &str) -> Ticket<()> {
        self.content().amendments.push(text.to_owned());
        Ticket::over(Ok(()))
    }

    fn decide(&self, decision: Decision) -> Ticket<()> {
        Ticket::over(self.content().decide(decision))
    }

    fn record(&self, event: StoredEvent) -> Ticket<()> {
        self.content().events.push(event);
        Ticket::over(Ok(()))
    }

    fn keep(&self, name: &str, snapshot: Snapshot) -> Ticket<()> {
        self.content().snapshots.insert(name.to_owned(), snapshot);
        Ticket::over(Ok(()))
    }

    fn hurry(&self) {}
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

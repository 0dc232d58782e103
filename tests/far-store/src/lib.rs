//! A store behind a connection that breaks, for tests. It is a back end of another crate than `agon-store`, and what it promises
//! is what [`agon_store::conformance`] asks.

use agon_store::{
    Artefact, Attempt, AttemptEnd, Blob, BlobHash, BlobStore, BotVersion, Claim, Completion, Decision, EarlierResult,
    FileVersion, Lease, MatchQueue, Memory, PlannedMatch, Progress, Records, Registry, Report, Result, Snapshot,
    StoreError, StoredBot, StoredEvent, StoredMap, StoredMatch, StoredWorker, Ticket,
};
use std::sync::atomic::{AtomicU32, Ordering};

/// A store behind a connection that breaks: of three writes one is lost before it is made, one after, and one arrives.
#[derive(Default)]
pub struct Far {
    store: Memory,
    calls: AtomicU32,
    /// Whether it asks again by itself until it hears an answer.
    is_patient: bool,
}

impl Far {
    /// Goes on with what is in a store. A patient one asks again by itself when an answer is lost; the other tells its caller
    /// ([`StoreError::Lost`]).
    #[must_use]
    pub fn new(store: Memory, is_patient: bool) -> Self {
        Self { store, calls: AtomicU32::new(0), is_patient }
    }

    /// Returns how many writes were tried.
    #[must_use]
    pub fn calls(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }

    fn write<T>(&self, mut write: impl FnMut(&Memory) -> Result<T>) -> Result<T> {
        loop {
            let answer = match self.calls.fetch_add(1, Ordering::Relaxed) % 3 {
                0 => Err(lost()),
                1 => write(&self.store).and(Err(lost())),
                _ => write(&self.store),
            };
            match answer {
                Err(StoreError::Lost { .. }) if self.is_patient => {}
                heard => return heard,
            }
        }
    }

    fn ticket<T>(&self, mut write: impl FnMut(&Memory) -> Ticket<T>) -> Ticket<T> {
        let (answer, ticket) = Ticket::new();
        // The channel has room for one answer.
        let _ = answer.send(self.write(|store| write(store).wait()));
        ticket
    }
}

fn lost() -> StoreError {
    StoreError::Lost { place: "far://away".to_owned(), why: "the cable was pulled".to_owned() }
}

impl MatchQueue for Far {
    fn enqueue(&self, matches: Vec<PlannedMatch>) -> Ticket<()> {
        self.ticket(|store| store.enqueue(matches.clone()))
    }

    fn claim(&self, worker: u32, count: usize, now_ms: i64, until_ms: i64) -> Result<Vec<Lease>> {
        self.store.claim(worker, count, now_ms, until_ms)
    }

    fn extend(&self, tokens: &[u64], until_ms: i64) -> Result<Vec<u64>> {
        self.write(|store| store.extend(tokens, until_ms))
    }

    fn expire(&self, now_ms: i64) -> Ticket<Vec<Attempt>> {
        self.store.expire(now_ms)
    }

    fn complete(&self, report: Report) -> Ticket<Completion> {
        // What was stored by a write whose answer was lost is told as a repetition. The first answer is the true one.
        let was_there = self.store.find(report.id).is_ok_and(|stored| stored.is_some_and(|one| one.result.is_some()));
        let known = self.ticket(|store| store.complete(report.clone())).wait();
        Ticket::over(known.map(|known| first_answer(known, was_there)))
    }

    fn complete_all(&self, reports: Vec<Report>) -> Ticket<Vec<Completion>> {
        // A patient caller could not tell which of the reports were stored by which write.
        if self.is_patient {
            return self.store.complete_all(reports);
        }
        self.ticket(|store| store.complete_all(reports.clone()))
    }

    fn give_back(&self, lease: &Lease, end: AttemptEnd, why: &str, now_ms: i64) -> Ticket<u32> {
        self.ticket(|store| store.give_back(lease, end, why, now_ms))
    }

    fn add_attempt(&self, attempt: Attempt) -> Ticket<u32> {
        self.store.add_attempt(attempt)
    }

    fn release(&self, tokens: &[u64]) -> Result<()> {
        self.write(|store| store.release(tokens))
    }

    fn rerank(&self, ids: Vec<u64>, rank: u8) -> Ticket<()> {
        self.ticket(|store| store.rerank(ids.clone(), rank))
    }

    fn void(&self, id: u64, why: &str, now_ms: i64) -> Ticket<()> {
        self.store.void(id, why, now_ms)
    }
}

/// Returns what a report was answered the first time, if nobody else has reported meanwhile.
fn first_answer(known: Completion, was_there: bool) -> Completion {
    match known {
        Completion::Duplicate if !was_there => Completion::Stored,
        known => known,
    }
}

impl BlobStore for Far {
    fn put(&self, blob: Blob) -> Ticket<BlobHash> {
        self.ticket(|store| store.put(blob.clone()))
    }

    fn get(&self, hash: BlobHash) -> Result<Option<Vec<u8>>> {
        self.store.get(hash)
    }
}

impl Records for Far {
    fn progress(&self) -> Result<Progress> {
        self.store.progress()
    }

    fn find(&self, id: u64) -> Result<Option<StoredMatch>> {
        self.store.find(id)
    }

    fn matches(&self, after: u64, count: usize) -> Result<Vec<StoredMatch>> {
        self.store.matches(after, count)
    }

    fn over_since(&self, after: u64, count: usize) -> Result<Vec<(u64, StoredMatch)>> {
        self.store.over_since(after, count)
    }

    fn attempts(&self, id: u64) -> Result<Vec<Attempt>> {
        self.store.attempts(id)
    }

    fn claims(&self) -> Result<Vec<Claim>> {
        self.store.claims()
    }

    fn workers(&self) -> Result<Vec<StoredWorker>> {
        self.store.workers()
    }

    fn artefact(&self, hash: BlobHash) -> Result<Option<Artefact>> {
        self.store.artefact(hash)
    }

    fn bots(&self) -> Result<Vec<StoredBot>> {
        self.store.bots()
    }

    fn files(&self) -> Result<Vec<FileVersion>> {
        self.store.files()
    }

    fn maps(&self) -> Result<Vec<StoredMap>> {
        self.store.maps()
    }

    fn amendments(&self) -> Result<Vec<String>> {
        self.store.amendments()
    }

    fn earlier(&self) -> Result<Vec<EarlierResult>> {
        self.store.earlier()
    }

    fn events(&self, count: usize) -> Result<Vec<StoredEvent>> {
        self.store.events(count)
    }

    fn snapshot(&self, name: &str) -> Result<Option<Snapshot>> {
        self.store.snapshot(name)
    }
}

/// What a tournament writes beside its matches is not asked for again: a lost answer ends the run, and the next one looks what
/// is there.
impl Registry for Far {
    fn add_file(&self, file: FileVersion) -> Ticket<()> {
        self.store.add_file(file)
    }

    fn add_worker(&self, name: &str, facts: &str, now_ms: i64) -> Ticket<u32> {
        self.store.add_worker(name, facts, now_ms)
    }

    fn add_artefact(&self, artefact: Artefact) -> Ticket<()> {
        self.store.add_artefact(artefact)
    }

    fn add_map(&self, map: StoredMap) -> Ticket<()> {
        self.store.add_map(map)
    }

    fn add_bot(&self, name: &str) -> Ticket<u32> {
        self.store.add_bot(name)
    }

    fn add_version(&self, bot: u32, version: BotVersion) -> Ticket<u32> {
        self.store.add_version(bot, version)
    }

    fn withdraw(&self, bot: u32, why: Option<&str>) -> Ticket<()> {
        self.store.withdraw(bot, why)
    }

    fn amend(&self, text: &str) -> Ticket<()> {
        self.store.amend(text)
    }

    fn decide(&self, decision: Decision) -> Ticket<()> {
        self.store.decide(decision)
    }

    fn record(&self, event: StoredEvent) -> Ticket<()> {
        self.store.record(event)
    }

    fn keep(&self, name: &str, snapshot: Snapshot) -> Ticket<()> {
        self.store.keep(name, snapshot)
    }

    fn hurry(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_store::conformance;

    #[test]
    fn it_conforms_although_answers_get_lost() {
        let mut stores = 0;
        conformance::all(&mut || {
            stores += 1;
            Far::new(Memory::new(), true)
        });
        assert!(stores > 15, "every test has a store of its own");
    }
}

//! Stores of which it is known only at run time what they are.

use crate::{
    Artefact, Attempt, AttemptEnd, Blob, BlobHash, BlobStore, BotVersion, Claim, Completion, Copied, Decision,
    EarlierResult, FileVersion, Lease, MatchQueue, PlannedMatch, Progress, Records, Registry, Report, Result, Snapshot,
    Sqlite, SqliteReader, Store, StoredBot, StoredEvent, StoredMap, StoredMatch, StoredWorker, TakePart, Ticket,
};

/// A store that is opened to write, of any back end.
pub trait OpenStore: Store {
    /// Writes everything, and closes the store.
    ///
    /// # Errors
    /// If something cannot be written now, or could not be before. What was acknowledged is stored all the same.
    fn close(self: Box<Self>) -> Result<()>;

    /// Copies everything that another store has of a tournament, or nothing.
    ///
    /// The write fails with [`StoreError::NotEmpty`](crate::StoreError::NotEmpty) if there is something already.
    fn import(&self, source: Box<dyn StoreReader>) -> Ticket<Copied>;
}

/// A store that is only read, of any back end, also while another process writes to it.
pub trait StoreReader: Records {
    /// Stays with the store as it is now: nothing that is written later is seen, and all answers fit together. This is for a reader
    /// that soon ends.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn freeze(&self) -> Result<()>;

    /// Returns the bytes with this hash. `None` if there are none.
    ///
    /// # Errors
    /// If the store cannot be read, or the bytes are damaged.
    fn get(&self, hash: BlobHash) -> Result<Option<Vec<u8>>>;

    /// Returns whether there are bytes with this hash, without a look at them.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn has(&self, hash: BlobHash) -> Result<bool>;

    /// Returns what is wrong with the counts of matches, and, if it is one file, with the file.
    ///
    /// # Errors
    /// If the store cannot be read at all.
    fn flaws(&self) -> Result<Vec<String>>;

    /// Tells every part of the tournament, as of one moment.
    ///
    /// # Errors
    /// If the store cannot be read, or a part is not taken.
    fn export(&self, take: TakePart<'_>) -> Result<()>;
}

impl OpenStore for Sqlite {
    fn close(self: Box<Self>) -> Result<()> {
        (*self).close()
    }

    fn import(&self, source: Box<dyn StoreReader>) -> Ticket<Copied> {
        self.import(source)
    }
}

impl StoreReader for SqliteReader {
    fn freeze(&self) -> Result<()> {
        self.freeze()
    }

    fn get(&self, hash: BlobHash) -> Result<Option<Vec<u8>>> {
        self.get(hash)
    }

    fn has(&self, hash: BlobHash) -> Result<bool> {
        self.has(hash)
    }

    fn flaws(&self) -> Result<Vec<String>> {
        self.flaws()
    }

    fn export(&self, take: TakePart<'_>) -> Result<()> {
        self.export(take)
    }
}

impl<T: MatchQueue + ?Sized> MatchQueue for Box<T> {
    fn enqueue(&self, matches: Vec<PlannedMatch>) -> Ticket<()> {
        (**self).enqueue(matches)
    }

    fn claim(&self, worker: u32, count: usize, now_ms: i64, until_ms: i64) -> Result<Vec<Lease>> {
        (**self).claim(worker, count, now_ms, until_ms)
    }

    fn extend(&self, tokens: &[u64], until_ms: i64) -> Result<Vec<u64>> {
        (**self).extend(tokens, until_ms)
    }

    fn expire(&self, now_ms: i64) -> Ticket<Vec<Attempt>> {
        (**self).expire(now_ms)
    }

    fn complete(&self, report: Report) -> Ticket<Completion> {
        (**self).complete(report)
    }

    fn complete_all(&self, reports: Vec<Report>) -> Ticket<Vec<Completion>> {
        (**self).complete_all(reports)
    }

    fn give_back(&self, lease: &Lease, end: AttemptEnd, why: &str, now_ms: i64) -> Ticket<u32> {
        (**self).give_back(lease, end, why, now_ms)
    }

    fn add_attempt(&self, attempt: Attempt) -> Ticket<u32> {
        (**self).add_attempt(attempt)
    }

    fn release(&self, tokens: &[u64]) -> Result<()> {
        (**self).release(tokens)
    }

    fn rerank(&self, ids: Vec<u64>, rank: u8) -> Ticket<()> {
        (**self).rerank(ids, rank)
    }

    fn void(&self, id: u64, why: &str, now_ms: i64) -> Ticket<()> {
        (**self).void(id, why, now_ms)
    }
}

impl<T: BlobStore + ?Sized> BlobStore for Box<T> {
    fn put(&self, blob: Blob) -> Ticket<BlobHash> {
        (**self).put(blob)
    }

    fn get(&self, hash: BlobHash) -> Result<Option<Vec<u8>>> {
        (**self).get(hash)
    }
}

impl<T: Records + ?Sized> Records for Box<T> {
    fn progress(&self) -> Result<Progress> {
        (**self).progress()
    }

    fn find(&self, id: u64) -> Result<Option<StoredMatch>> {
        (**self).find(id)
    }

    fn matches(&self, after: u64, count: usize) -> Result<Vec<StoredMatch>> {
        (**self).matches(after, count)
    }

    fn over_since(&self, after: u64, count: usize) -> Result<Vec<(u64, StoredMatch)>> {
        (**self).over_since(after, count)
    }

    fn attempts(&self, id: u64) -> Result<Vec<Attempt>> {
        (**self).attempts(id)
    }

    fn claims(&self) -> Result<Vec<Claim>> {
        (**self).claims()
    }

    fn workers(&self) -> Result<Vec<StoredWorker>> {
        (**self).workers()
    }

    fn artefact(&self, hash: BlobHash) -> Result<Option<Artefact>> {
        (**self).artefact(hash)
    }

    fn bots(&self) -> Result<Vec<StoredBot>> {
        (**self).bots()
    }

    fn files(&self) -> Result<Vec<FileVersion>> {
        (**self).files()
    }

    fn maps(&self) -> Result<Vec<StoredMap>> {
        (**self).maps()
    }

    fn amendments(&self) -> Result<Vec<String>> {
        (**self).amendments()
    }

    fn earlier(&self) -> Result<Vec<EarlierResult>> {
        (**self).earlier()
    }

    fn events(&self, count: usize) -> Result<Vec<StoredEvent>> {
        (**self).events(count)
    }

    fn snapshot(&self, name: &str) -> Result<Option<Snapshot>> {
        (**self).snapshot(name)
    }
}

impl<T: Registry + ?Sized> Registry for Box<T> {
    fn add_file(&self, file: FileVersion) -> Ticket<()> {
        (**self).add_file(file)
    }

    fn add_worker(&self, name: &str, facts: &str, now_ms: i64) -> Ticket<u32> {
        (**self).add_worker(name, facts, now_ms)
    }

    fn add_artefact(&self, artefact: Artefact) -> Ticket<()> {
        (**self).add_artefact(artefact)
    }

    fn add_map(&self, map: StoredMap) -> Ticket<()> {
        (**self).add_map(map)
    }

    fn add_bot(&self, name: &str) -> Ticket<u32> {
        (**self).add_bot(name)
    }

    fn add_version(&self, bot: u32, version: BotVersion) -> Ticket<u32> {
        (**self).add_version(bot, version)
    }

    fn withdraw(&self, bot: u32, why: Option<&str>) -> Ticket<()> {
        (**self).withdraw(bot, why)
    }

    fn amend(&self, text: &str) -> Ticket<()> {
        (**self).amend(text)
    }

    fn decide(&self, decision: Decision) -> Ticket<()> {
        (**self).decide(decision)
    }

    fn record(&self, event: StoredEvent) -> Ticket<()> {
        (**self).record(event)
    }

    fn keep(&self, name: &str, snapshot: Snapshot) -> Ticket<()> {
        (**self).keep(name, snapshot)
    }

    fn hurry(&self) {
        (**self).hurry();
    }
}

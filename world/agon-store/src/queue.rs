//! What every back end can do.

use crate::{
    Artefact, Attempt, AttemptEnd, Blob, BlobHash, BotVersion, Claim, Completion, Decision, EarlierResult, FileVersion,
    Lease, PlannedMatch, Progress, Report, Result, Snapshot, StoredBot, StoredEvent, StoredMap, StoredMatch,
    StoredWorker, Ticket,
};

/// Matches to be played and their results. Any number of workers may use it at the same time.
///
/// Every method takes the time as data, in milliseconds since 1970. Everything but
/// [`add_attempt`](Self::add_attempt) may be asked again if the answer was lost ([`StoreError::Lost`](crate::StoreError::Lost)):
/// the second time changes nothing that the first has changed. Claims of which the answer was lost run out.
pub trait MatchQueue: Send + Sync {
    /// Adds matches. A match that is there already stays as it is.
    ///
    /// The write fails as a whole with [`StoreError::OtherPlan`](crate::StoreError::OtherPlan) if there is another
    /// match with one of the ids.
    fn enqueue(&self, matches: Vec<PlannedMatch>) -> Ticket<()>;

    /// Gives at most `count` matches that nobody has claimed to the worker with this number, lowest rank first, then lowest
    /// id. Nobody else gets them until the claim ends: by a result, because it is given back, or because it has
    /// [run out](Self::expire) after `until_ms`.
    ///
    /// # Errors
    /// If the store cannot be used.
    fn claim(&self, worker: u32, count: usize, now_ms: i64, until_ms: i64) -> Result<Vec<Lease>>;

    /// Prolongs the claims with these tokens. Returns the tokens of those that have ended: what is played under them counts
    /// only if no other result comes first.
    ///
    /// # Errors
    /// If the store cannot be used.
    fn extend(&self, tokens: &[u64], until_ms: i64) -> Result<Vec<u64>>;

    /// Ends the claims that have run out at `now_ms`. Each has used an attempt of its match, which whoever asks next gets.
    /// Returns these attempts.
    fn expire(&self, now_ms: i64) -> Ticket<Vec<Attempt>>;

    /// Stores the result of a match, and the blobs that it names. The first report counts, whoever sends it: a worker whose
    /// claim has run out may still report what it has played. Any later one is [`Completion::Late`] and is noted among the
    /// attempts; a repetition of the first one is a [`Completion::Duplicate`]. So whoever has lost an answer asks again.
    ///
    /// The write fails with [`StoreError::NoMatch`](crate::StoreError::NoMatch) if there is no such match.
    fn complete(&self, report: Report) -> Ticket<Completion>;

    /// Stores several results at once, all of them or none, which costs less. The answers are in the same order.
    ///
    /// The write fails with [`StoreError::NoMatch`](crate::StoreError::NoMatch) if there is no match for one of them.
    fn complete_all(&self, reports: Vec<Report>) -> Ticket<Vec<Completion>>;

    /// Gives a match back that was played without a result: an attempt that ended in this way, for this reason. Returns the
    /// number of attempts that the match has used. Does nothing if the claim has ended.
    ///
    /// The write fails with [`StoreError::NoMatch`](crate::StoreError::NoMatch) if there is no such match.
    fn give_back(&self, lease: &Lease, end: AttemptEnd, why: &str, now_ms: i64) -> Ticket<u32>;

    /// Notes an attempt under a claim that goes on. Returns the number of attempts that the match has used. An attempt that is
    /// noted twice has been made twice.
    ///
    /// The write fails with [`StoreError::NoMatch`](crate::StoreError::NoMatch) if there is no such match.
    fn add_attempt(&self, attempt: Attempt) -> Ticket<u32>;

    /// Gives matches back that were not played. Ignores claims that have ended.
    ///
    /// # Errors
    /// If the store cannot be used.
    fn release(&self, tokens: &[u64]) -> Result<()>;

    /// Changes when it is the turn of these matches. Ignores those that are over.
    fn rerank(&self, ids: Vec<u64>, rank: u8) -> Ticket<()>;

    /// Declares that a match does not count, and records `why` as an event. If it was played, its scores stay visible.
    ///
    /// The write fails with [`StoreError::NoMatch`](crate::StoreError::NoMatch) if there is no such match.
    fn void(&self, id: u64, why: &str, now_ms: i64) -> Ticket<()>;
}

/// Bytes, named by their content.
pub trait BlobStore: Send + Sync {
    /// Stores a blob. A blob that is there already is not stored again.
    fn put(&self, blob: Blob) -> Ticket<BlobHash>;

    /// Returns the bytes with this hash. `None` if there are none.
    ///
    /// # Errors
    /// If the store cannot be read, or the bytes are damaged.
    fn get(&self, hash: BlobHash) -> Result<Option<Vec<u8>>>;
}

/// What a store can tell. What is not on disk yet is not told.
pub trait Records: Send {
    /// Returns how many matches are in each state.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn progress(&self) -> Result<Progress>;

    /// Returns the match with this id.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn find(&self, id: u64) -> Result<Option<StoredMatch>>;

    /// Returns at most `count` matches with an id above `after`, lowest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn matches(&self, after: u64, count: usize) -> Result<Vec<StoredMatch>>;

    /// Returns at most `count` matches that are over, in the order in which they came to be so, behind the number `after`, each
    /// with its number. A match that is declared void after it was over comes again, with a new number. So whoever keeps the
    /// last number misses nothing. Numbers begin at 1 and have gaps.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn over_since(&self, after: u64, count: usize) -> Result<Vec<(u64, StoredMatch)>>;

    /// Returns the attempts to play a match that did not give the result that counts, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn attempts(&self, id: u64) -> Result<Vec<Attempt>>;

    /// Returns the claims that hold, in the order of their matches.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn claims(&self) -> Result<Vec<Claim>>;

    /// Returns the workers in the order of their numbers.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn workers(&self) -> Result<Vec<StoredWorker>>;

    /// Returns the artefact with this hash. `None` if there is none.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn artefact(&self, hash: BlobHash) -> Result<Option<Artefact>>;

    /// Returns the bots in the order of their numbers.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn bots(&self) -> Result<Vec<StoredBot>>;

    /// Returns every version of the tournament file, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn files(&self) -> Result<Vec<FileVersion>>;

    /// Returns the maps in the order of their numbers.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn maps(&self) -> Result<Vec<StoredMap>>;

    /// Returns the decisions of the organiser, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn amendments(&self) -> Result<Vec<String>>;

    /// Returns the results of matches that were played again, in the order in which that was decided.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn earlier(&self) -> Result<Vec<EarlierResult>>;

    /// Returns at most the last `count` events, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn events(&self, count: usize) -> Result<Vec<StoredEvent>>;

    /// Returns the snapshot with this name.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn snapshot(&self, name: &str) -> Result<Option<Snapshot>>;
}

/// What a tournament writes beside its matches.
pub trait Registry: Send + Sync {
    /// Adds a version of the tournament file.
    fn add_file(&self, file: FileVersion) -> Ticket<()>;

    /// Adds a worker and returns its number. A worker that is there with the same name and facts keeps its number.
    fn add_worker(&self, name: &str, facts: &str, now_ms: i64) -> Ticket<u32>;

    /// Adds an artefact, of which every piece must be stored. One that is there already stays.
    ///
    /// The write fails with [`StoreError::NoBlob`](crate::StoreError::NoBlob) if a piece is missing.
    fn add_artefact(&self, artefact: Artefact) -> Ticket<()>;

    /// Adds a map after those that are there.
    fn add_map(&self, map: StoredMap) -> Ticket<()>;

    /// Adds a bot after those that are there, still without a version. Returns its number.
    ///
    /// The write fails with [`StoreError::SameName`](crate::StoreError::SameName) if there is a bot with this name.
    fn add_bot(&self, name: &str) -> Ticket<u32>;

    /// Adds a version of a bot and returns its number, which follows that of the last one, whatever
    /// [`BotVersion::number`] says.
    ///
    /// The write fails with [`StoreError::NoBot`](crate::StoreError::NoBot) if there is no such bot.
    fn add_version(&self, bot: u32, version: BotVersion) -> Ticket<u32>;

    /// Withdraws a bot, or lets it take part again if `why` is `None`.
    ///
    /// The write fails with [`StoreError::NoBot`](crate::StoreError::NoBot) if there is no such bot.
    fn withdraw(&self, bot: u32, why: Option<&str>) -> Ticket<()>;

    /// Adds a decision of the organiser after those that are there.
    fn amend(&self, text: &str) -> Ticket<()>;

    /// Stores a decision of the organiser with everything that it changes.
    ///
    /// The write fails, and changes nothing, with [`StoreError::NoMatch`](crate::StoreError::NoMatch) if a match of it is
    /// not over, with [`StoreError::NoBot`](crate::StoreError::NoBot) if there is no such bot, or with
    /// [`StoreError::SameName`](crate::StoreError::SameName) if another bot has its new name.
    fn decide(&self, decision: Decision) -> Ticket<()>;

    /// Records an event.
    fn record(&self, event: StoredEvent) -> Ticket<()>;

    /// Keeps a text under this name in place of the one before.
    fn keep(&self, name: &str, snapshot: Snapshot) -> Ticket<()>;

    /// Sends everything that was written so far to the disk now, instead of waiting for later writes. Call this before
    /// you wait for a ticket while nobody else writes.
    fn hurry(&self);
}

/// A whole back end.
pub trait Store: MatchQueue + BlobStore + Records + Registry {}

impl<T: MatchQueue + BlobStore + Records + Registry> Store for T {}

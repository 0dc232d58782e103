//! A back end in one file.

mod failure;
mod lock;
mod open;
mod read;
mod reader;
mod records;
mod schema;
mod state;
mod transfer;
mod write;
mod writer;

use crate::{
    Attempt, AttemptEnd, Completion, Copied, Lease, MatchQueue, PlannedMatch, Report, Result, StoreError, StoreReader,
    Ticket,
};
use failure::Failure;
use lock::{Lock, beside};
pub use reader::SqliteReader;
use rusqlite::Connection;
pub use schema::SCHEMA;
use state::{Scope, State};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Sender, channel},
    },
    thread::{self, JoinHandle, Thread},
};
use writer::{Failed, GROUP, Request, Settle, Write, Writer};

/// The number of the first tournament of a store.
const FIRST: u32 = 1;

/// A tournament in a store of one file, to which one process at a time writes. Others may read it meanwhile with
/// [`SqliteReader`].
///
/// Beside the file `NAME` there are `NAME-wal` and `NAME-shm` while it is open, and `NAME.lock`, which stays. Writes
/// are committed in groups of at most 100, after at most 50 milliseconds. If a group cannot be written, every later
/// write fails with the same error, and so does every claim: open the store again to go on.
///
/// When the last of a store's tournaments is dropped, everything is written and the file is complete by itself. To learn
/// whether that worked, use [`Sqlite::close`].
#[derive(Debug)]
pub struct Sqlite {
    shared: Arc<Shared>,
    tournament: u32,
}

/// What the tournaments of a store share.
#[derive(Debug)]
struct Shared {
    path: PathBuf,
    requests: Sender<Request>,
    /// The thread that writes, until it was waited for.
    writer: Mutex<Option<JoinHandle<()>>>,
    thread: Thread,
    /// How many writes were sent.
    sent: AtomicUsize,
    /// Released after everything is written.
    _lock: Lock,
}

impl Sqlite {
    /// Opens the store at this path, or creates it, with its first tournament.
    ///
    /// # Errors
    /// If another process writes to it, or the file is not a store, is damaged, or of a newer version; or if the system
    /// refuses something.
    pub fn open(path: &Path) -> Result<Self> {
        let lock = Lock::take(path)?;
        let db = open::for_writing(path)?;
        let (requests, receiver) = channel();
        let state = State::load(&db).map_err(|why| why.at(path))?;
        let writer = Writer::new(db, path, state, receiver);
        let writer = thread::Builder::new().name("agon-store".to_owned()).spawn(move || writer.run());
        let writer = writer.map_err(|why| StoreError::io("open the store", path, &why))?;
        let (thread, sent) = (writer.thread().clone(), AtomicUsize::new(0));
        let writer = Mutex::new(Some(writer));
        let shared = Shared { path: path.to_owned(), requests, writer, thread, sent, _lock: lock };
        Ok(Self { shared: Arc::new(shared), tournament: FIRST })
    }

    /// Returns the tournament with this name in the same store. Begins it if there is none. The first tournament of a store
    /// has an empty name.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub fn tournament(&self, name: &str) -> Result<Self> {
        let name = name.to_owned();
        let ticket = self.write(move |scope| write::tournament(scope.db, &name));
        self.send(Request::Read(Box::new(|_, _| ())));
        Ok(Self { tournament: ticket.wait()?, shared: Arc::clone(&self.shared) })
    }

    /// Returns the names of the tournaments in the order in which they began. That of the first is empty.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn tournaments(&self) -> Result<Vec<String>> {
        let found = self.read(|db, _| read::tournaments(db))?;
        Ok(found.into_iter().map(|(_, name)| name).collect())
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Reads the whole file and returns what is wrong with it, in the words of SQLite. Takes seconds for a gigabyte.
    ///
    /// # Errors
    /// If the file cannot be read at all.
    pub fn flaws(&self) -> Result<Vec<String>> {
        self.read(|db, _| read::flaws(db))
    }

    /// Writes everything, and closes the file unless another tournament of it is still used.
    ///
    /// # Errors
    /// If something cannot be written now, or could not be before. What was acknowledged is stored all the same.
    pub fn close(self) -> Result<()> {
        match Arc::try_unwrap(self.shared) {
            Ok(shared) => shared.finish(),
            Err(shared) => Self { shared, tournament: self.tournament }.read(|_, _| Ok(())),
        }
    }

    /// Copies everything that another store has of a tournament, or nothing.
    ///
    /// The write fails with [`StoreError::NotEmpty`] if there is something already.
    pub fn import(&self, source: Box<dyn StoreReader>) -> Ticket<Copied> {
        self.write(move |scope| transfer::import(scope, &*source))
    }

    fn send(&self, request: Request) {
        self.shared.send(request);
    }

    fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection, u32) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T> {
        self.read_with_state(|db, tournament, _| read(db, tournament))
    }

    fn read_with_state<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection, u32, Option<&mut State>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T> {
        let (sender, ticket) = Ticket::new();
        let tournament = self.tournament;
        self.send(Request::Read(Box::new(move |db, state| drop(sender.send(Ok(read(db, tournament, state)))))));
        ticket.wait()?.map_err(|why| why.at(&self.shared.path))
    }

    fn write<T: Send + 'static>(
        &self,
        change: impl FnOnce(&mut Scope<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Ticket<T> {
        self.write_many(1, change)
    }

    /// Makes a change, which counts as this many writes.
    fn write_many<T: Send + 'static>(
        &self,
        writes: usize,
        change: impl FnOnce(&mut Scope<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Ticket<T> {
        let (sender, ticket) = Ticket::new();
        let tournament = self.tournament;
        let write: Write = Box::new(move |usable| {
            let usable = usable.map_err(Failure::from);
            match usable.and_then(|(db, state)| change(&mut state.scope(db, tournament))) {
                Ok(value) => {
                    // Nobody may be waiting.
                    let settle: Settle = Box::new(move |result| drop(sender.send(result.map(|()| value))));
                    Ok(settle)
                }
                Err(why) => Err(Failed { why, settle: Box::new(move |why| drop(sender.send(Err(why)))) }),
            }
        });
        self.send(Request::Write(writes, write));
        ticket
    }

    fn with_state<T: Send + 'static>(&self, look: impl FnOnce(&mut State, u32) -> T + Send + 'static) -> Result<T> {
        let (sender, ticket) = Ticket::new();
        let tournament = self.tournament;
        let look = move |state: &mut State| look(state, tournament);
        self.send(Request::Claim(Box::new(move |state| drop(sender.send(state.map(look))))));
        ticket.wait()
    }

    /// Makes the file say which claims hold, without hurry.
    fn keep_claims(&self) {
        drop(self.write(|_| Ok(())));
    }
}

impl Shared {
    fn finish(&self) -> Result<()> {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(writer) = writer else { return Ok(()) };
        let (settle, ticket) = Ticket::new();
        self.send(Request::Close(Box::new(move |result| drop(settle.send(result)))));
        let result = ticket.wait();
        if writer.join().is_err() {
            return Err(StoreError::Closed);
        }
        result
    }

    /// A writer that has ended drops the request, and the ticket reports that.
    fn send(&self, request: Request) {
        let wakes = match &request {
            // To be woken for each write would cost as much as the write.
            Request::Write(writes, _) => {
                let before = self.sent.fetch_add(*writes, Ordering::Relaxed);
                before / GROUP != (before + writes) / GROUP
            }
            _ => true,
        };
        let _ = self.requests.send(request);
        if wakes {
            self.thread.unpark();
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}

/// Returns the files that a store may have: its own, the log and the shared memory of SQLite beside it, the journal,
/// and the lock. Where the path is a link, those of the file that it leads to follow.
#[must_use]
pub fn files_of_store(path: &Path) -> Vec<PathBuf> {
    let real = path.canonicalize().ok().filter(|real| real != path);
    let stores = std::iter::once(path.to_owned()).chain(real);
    stores.flat_map(|store| ["", "-wal", "-shm", "-journal", ".lock"].map(|end| beside(&store, end))).collect()
}

/// Moves a store out of the way: `NAME` becomes `NAME.1`, or the next number that is free. Returns the new name.
///
/// # Errors
/// If another process writes to the store, or it cannot be moved.
pub fn move_aside(path: &Path) -> Result<PathBuf> {
    let _lock = Lock::take(path)?;
    let failed = |why| StoreError::io("move the store", path, &why);
    if !path.try_exists().map_err(failed)? {
        return Err(StoreError::Missing(path.to_owned()));
    }
    let free = |target: &PathBuf| !target.exists() && !beside(target, "-wal").exists();
    let target = (1..=u32::MAX).map(|n| beside(path, &format!(".{n}"))).find(free).unwrap_or_default();
    // The log first: the store without it would look complete under its old name.
    for end in ["-wal", "-shm", ""] {
        let from = beside(path, end);
        if from.exists() {
            fs::rename(&from, beside(&target, end)).map_err(failed)?;
        }
    }
    Ok(target)
}

impl MatchQueue for Sqlite {
    fn enqueue(&self, matches: Vec<PlannedMatch>) -> Ticket<()> {
        self.write(move |scope| write::enqueue(scope, matches))
    }

    fn claim(&self, worker: u32, count: usize, now_ms: i64, until_ms: i64) -> Result<Vec<Lease>> {
        let leases =
            self.with_state(move |state, tournament| state.claim(tournament, worker, count, now_ms, until_ms))?;
        if !leases.is_empty() {
            self.keep_claims();
        }
        Ok(leases)
    }

    fn extend(&self, tokens: &[u64], until_ms: i64) -> Result<Vec<u64>> {
        let tokens = tokens.to_vec();
        self.with_state(move |state, tournament| state.own(tournament).claims.extend(&tokens, until_ms))
    }

    fn expire(&self, now_ms: i64) -> Ticket<Vec<Attempt>> {
        self.write(move |scope| write::expire(scope, now_ms))
    }

    fn complete(&self, report: Report) -> Ticket<Completion> {
        self.write(move |scope| {
            let completions = write::complete(scope, std::slice::from_ref(&report))?;
            completions.first().copied().ok_or_else(|| StoreError::NoMatch(report.id).into())
        })
    }

    fn complete_all(&self, reports: Vec<Report>) -> Ticket<Vec<Completion>> {
        self.write_many(reports.len(), move |scope| write::complete(scope, &reports))
    }

    fn give_back(&self, lease: &Lease, end: AttemptEnd, why: &str, now_ms: i64) -> Ticket<u32> {
        let (key, why) = ((lease.planned.id, lease.token), why.to_owned());
        self.write(move |scope| write::give_back(scope, key, end, &why, now_ms))
    }

    fn add_attempt(&self, attempt: Attempt) -> Ticket<u32> {
        self.write(move |scope| write::add_attempt(scope, &attempt))
    }

    fn release(&self, tokens: &[u64]) -> Result<()> {
        let tokens = tokens.to_vec();
        self.with_state(move |state, tournament| {
            let own = state.own(tournament);
            for token in tokens {
                own.release(token);
            }
        })?;
        self.keep_claims();
        Ok(())
    }

    fn rerank(&self, ids: Vec<u64>, rank: u8) -> Ticket<()> {
        self.write(move |scope| {
            ids.into_iter().for_each(|id| scope.own.waiting.rerank(id, rank));
            Ok(())
        })
    }

    fn void(&self, id: u64, why: &str, now_ms: i64) -> Ticket<()> {
        let why = why.to_owned();
        self.write(move |scope| write::void(scope, id, &why, now_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blob, BlobHash, Progress, Records, Registry, Snapshot, conformance};

    #[test]
    fn it_conforms() {
        let folder = std::env::temp_dir().join(format!("agon-store-conforms-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let mut count = 0;
        let mut make = || {
            count += 1;
            Sqlite::open(&folder.join(format!("{count}.agon"))).expect("a new store")
        };
        conformance::all(&mut make);
        assert!(count > 10, "every test has a store of its own");
        fs::remove_dir_all(&folder).expect("it can be removed");
    }

    #[test]
    fn nothing_is_written_after_what_could_not_be_written() {
        let folder = std::env::temp_dir().join(format!("agon-store-undone-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("s.agon");
        let store = Sqlite::open(&path).expect("a new store");
        store.enqueue((1..=300).map(conformance::planned).collect()).wait().expect("they are new");
        let most = |pages: i64| {
            let limit = move |db: &Connection, _| Ok(db.pragma_update(None, "max_page_count", pages)?);
            store.read(limit).expect("it can be set");
        };
        let complete = |id: u64| store.complete(Report::unclaimed(id, conformance::result(1), Vec::new()));
        // As many pages as there are: the blob finds no room.
        most(1);
        let noise: Vec<u8> = (0..40_000_u32).flat_map(|n| *BlobHash::of(&n.to_le_bytes()).bytes()).collect();
        let blob = Blob::new(&noise).expect("packed");
        // Whether the first one is of the same group depends on the time.
        let first = complete(1);
        let lost = store.complete(Report::unclaimed(2, conformance::result(1), vec![blob]));
        // Its caller does not know yet that the match before it has no result.
        let table = store.keep("standings", Snapshot { after: 2, text: "[]".to_owned() });
        let full = StoreError::Full(path.clone());
        assert_eq!((lost.wait(), table.wait()), (Err(full.clone()), Err(full.clone())));
        let finished = match first.wait() {
            Ok(completion) => u64::from(completion == Completion::Stored),
            Err(why) => {
                assert_eq!(why, full);
                0
            }
        };
        most(1 << 20);
        let later = store.enqueue(vec![conformance::planned(301)]).wait();
        assert_eq!((later, complete(3).wait()), (Err(full.clone()), Err(full.clone())), "also with more room");
        assert_eq!(store.claim(1, 1, 0, 1), Err(full.clone()));
        let left = Progress { ready: 300 - finished, finished, ..Progress::default() };
        assert_eq!((store.progress(), store.snapshot("standings")), (Ok(left), Ok(None)), "it can be read");
        assert_eq!(store.close(), Err(full));
        let again = Sqlite::open(&path).expect("it is there");
        assert_eq!((again.progress(), again.flaws()), (Ok(left), Ok(Vec::new())));
        let leases = again.claim(1, 2, 0, 1).expect("it can be read");
        assert_eq!(leases.iter().map(|lease| lease.planned.id).collect::<Vec<_>>(), [1 + finished, 2 + finished]);
        assert_eq!(
            again.complete(Report::unclaimed(2, conformance::result(1), Vec::new())).wait(),
            Ok(Completion::Stored)
        );
        drop(again);
        fs::remove_dir_all(&folder).expect("it can be removed");
    }
}

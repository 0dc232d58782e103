//! A back end in one file.

mod failure;
mod lock;
mod open;
mod read;
mod reader;
mod records;
mod schema;
mod sums;
mod text;
mod waiting;
mod write;
mod writer;

use crate::{
    Blob, Completion, Lease, MatchQueue, PlannedMatch, RecordedResult, Report, Result, StoreError, Ticket,
    memory::Claims,
};
use failure::Failure;
use lock::{Lock, beside};
pub use reader::SqliteReader;
use rusqlite::Connection;
pub use schema::SCHEMA;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Sender, channel},
    },
    thread::{self, JoinHandle},
};
use waiting::Waiting;
use writer::{Failed, GROUP, Request, Settle, State, Write, Writer};

/// A store in one file, to which one process at a time writes. Others may read it meanwhile with [`SqliteReader`].
///
/// Beside the file `NAME` there are `NAME-wal` and `NAME-shm` while it is open, and `NAME.lock`, which stays. Writes
/// are committed in groups of at most 100, after at most 50 milliseconds. If a group cannot be written, every later
/// write fails with the same error, and so does every claim: open the store again to go on.
///
/// When this is dropped, everything is written and the file is complete by itself. To learn whether that worked, use
/// [`Sqlite::close`].
#[derive(Debug)]
pub struct Sqlite {
    path: PathBuf,
    requests: Sender<Request>,
    writer: Option<JoinHandle<()>>,
    /// How many writes were sent.
    sent: AtomicUsize,
    /// Released after everything is written.
    _lock: Lock,
}

impl Sqlite {
    /// Opens the store at this path, or creates it.
    ///
    /// # Errors
    /// If another process writes to it, or the file is not a store, is damaged, or of a newer version; or if the system
    /// refuses something.
    pub fn open(path: &Path) -> Result<Self> {
        let lock = Lock::take(path)?;
        let db = open::for_writing(path)?;
        let (requests, receiver) = channel();
        let waiting = Waiting::load(&db).map_err(|why| why.at(path))?;
        let writer = Writer::new(db, path, State { waiting, ..State::default() }, receiver);
        let writer = thread::Builder::new().name("agon-store".to_owned()).spawn(move || writer.run());
        let writer = writer.map_err(|why| StoreError::io("open the store", path, &why))?;
        Ok(Self { path: path.to_owned(), requests, writer: Some(writer), sent: AtomicUsize::new(0), _lock: lock })
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the whole file and returns what is wrong with it, in the words of SQLite. Takes seconds for a gigabyte.
    ///
    /// # Errors
    /// If the file cannot be read at all.
    pub fn flaws(&self) -> Result<Vec<String>> {
        self.read(read::flaws)
    }

    /// Writes everything and closes the file.
    ///
    /// # Errors
    /// If something cannot be written now, or could not be before. What was acknowledged is stored all the same.
    pub fn close(mut self) -> Result<()> {
        self.finish()
    }

    fn finish(&mut self) -> Result<()> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
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
        if let Some(writer) = self.writer.as_ref().filter(|_| wakes) {
            writer.thread().unpark();
        }
    }

    fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T> {
        let (sender, ticket) = Ticket::new();
        self.send(Request::Read(Box::new(move |db| drop(sender.send(Ok(read(db)))))));
        ticket.wait()?.map_err(|why| why.at(&self.path))
    }

    fn write<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection, &mut State) -> Result<T, Failure> + Send + 'static,
    ) -> Ticket<T> {
        self.write_then(1, change, |_| ())
    }

    /// Makes a change, which counts as this many writes, and then, when it is on disk, one to the claims.
    fn write_then<T: Send + 'static>(
        &self,
        writes: usize,
        change: impl FnOnce(&Connection, &mut State) -> Result<T, Failure> + Send + 'static,
        then: impl FnOnce(&mut Claims) + Send + 'static,
    ) -> Ticket<T> {
        let (sender, ticket) = Ticket::new();
        let write: Write =
            Box::new(move |usable| match usable.map_err(Failure::from).and_then(|(db, state)| change(db, state)) {
                Ok(value) => {
                    let settle: Settle = Box::new(move |result, claims| {
                        if result.is_ok() {
                            then(claims);
                        }
                        // Nobody may be waiting.
                        let _ = sender.send(result.map(|()| value));
                    });
                    Ok(settle)
                }
                Err(why) => Err(Failed { why, settle: Box::new(move |why| drop(sender.send(Err(why)))) }),
            });
        self.send(Request::Write(writes, write));
        ticket
    }

    fn with_claims<T: Send + 'static>(&self, look: impl FnOnce(&mut State) -> T + Send + 'static) -> Result<T> {
        let (sender, ticket) = Ticket::new();
        self.send(Request::Claim(Box::new(move |state| drop(sender.send(state.map(look))))));
        ticket.wait()
    }
}

impl Drop for Sqlite {
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
        self.write(move |db, state| write::enqueue(db, state, matches))
    }

    fn claim(&self, _worker: &str, count: usize, now_ms: i64, until_ms: i64) -> Result<Vec<Lease>> {
        self.with_claims(move |State { claims, waiting, .. }| waiting.claim(claims, count, now_ms, until_ms))
    }

    fn extend(&self, tokens: &[u64], until_ms: i64) -> Result<()> {
        let tokens = tokens.to_vec();
        self.with_claims(move |state| state.claims.extend(&tokens, until_ms))
    }

    fn complete(&self, id: u64, result: RecordedResult, blobs: Vec<Blob>) -> Ticket<Completion> {
        let report = Report { id, result: Arc::new(result), blobs };
        let change = move |db: &Connection, state: &mut State| {
            let completions = write::complete(db, state, std::slice::from_ref(&report))?;
            completions.first().copied().ok_or_else(|| StoreError::NoMatch(id).into())
        };
        self.write_then(1, change, move |claims| claims.end(id))
    }

    fn complete_all(&self, reports: Vec<Report>) -> Ticket<Vec<Completion>> {
        let (ids, count) = (reports.iter().map(|report| report.id).collect::<Vec<_>>(), reports.len());
        self.write_then(
            count,
            move |db, state| write::complete(db, state, &reports),
            move |claims| ids.into_iter().for_each(|id| claims.end(id)),
        )
    }

    fn give_back(&self, lease: &Lease, why: &str, now_ms: i64) -> Ticket<u32> {
        let (id, token, why) = (lease.planned.id, lease.token, why.to_owned());
        let change = move |db: &Connection, state: &mut State| {
            if state.claims.is_current(id, token) {
                write::add_attempt(db, state, id, &why, now_ms)
            } else {
                write::attempts(db, state, id)
            }
        };
        self.write_then(1, change, move |claims| claims.release(&[token]))
    }

    fn release(&self, tokens: &[u64]) -> Result<()> {
        let tokens = tokens.to_vec();
        self.with_claims(move |state| state.claims.release(&tokens))
    }

    fn rerank(&self, ids: Vec<u64>, rank: u8) -> Ticket<()> {
        self.write(move |_, state| {
            ids.into_iter().for_each(|id| state.waiting.rerank(id, rank));
            Ok(())
        })
    }

    fn void(&self, id: u64, why: &str, now_ms: i64) -> Ticket<()> {
        let why = why.to_owned();
        self.write_then(1, move |db, state| write::void(db, state, id, &why, now_ms), move |claims| claims.end(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BlobHash, Progress, Records, Registry, Snapshot, conformance};

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
            let limit = move |db: &Connection| Ok(db.pragma_update(None, "max_page_count", pages)?);
            store.read(limit).expect("it can be set");
        };
        let complete = |id: u64| store.complete(id, conformance::result(1), Vec::new());
        // As many pages as there are: the blob finds no room.
        most(1);
        let noise: Vec<u8> = (0..40_000_u32).flat_map(|n| *BlobHash::of(&n.to_le_bytes()).bytes()).collect();
        let blob = Blob::new(&noise).expect("packed");
        // Whether the first one is of the same group depends on the time.
        let first = complete(1);
        let lost = store.complete(2, conformance::result(1), vec![blob]);
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
        assert_eq!(store.claim("w", 1, 0, 1), Err(full.clone()));
        let left = Progress { ready: 300 - finished, finished, ..Progress::default() };
        assert_eq!((store.progress(), store.snapshot("standings")), (Ok(left), Ok(None)), "it can be read");
        assert_eq!(store.close(), Err(full));
        let again = Sqlite::open(&path).expect("it is there");
        assert_eq!((again.progress(), again.flaws()), (Ok(left), Ok(Vec::new())));
        let leases = again.claim("w", 2, 0, 1).expect("it can be read");
        assert_eq!(leases.iter().map(|lease| lease.planned.id).collect::<Vec<_>>(), [1 + finished, 2 + finished]);
        assert_eq!(again.complete(2, conformance::result(1), Vec::new()).wait(), Ok(Completion::Stored));
        drop(again);
        fs::remove_dir_all(&folder).expect("it can be removed");
    }
}

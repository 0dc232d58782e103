//! A back end in one file.

mod failure;
mod lock;
mod open;
mod read;
mod reader;
mod schema;
mod sums;
mod write;
mod writer;

use crate::{
    Blob, BlobHash, BlobStore, BotVersion, Completion, FileVersion, Lease, MatchQueue, PlannedMatch, Progress,
    RecordedResult, Records, Registry, Result, Snapshot, StoreError, StoredBot, StoredEvent, StoredMap, StoredMatch,
    Ticket, memory::Claims,
};
use failure::Failure;
use lock::{Lock, beside};
pub use reader::SqliteReader;
use rusqlite::Connection;
pub use schema::SCHEMA;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::mpsc::{Sender, channel},
    thread::{self, JoinHandle},
    time::Instant,
};
use writer::{Failed, Request, Settle, State, Writer};

/// A store in one file, to which one process at a time writes. Others may read it meanwhile with [`SqliteReader`].
///
/// Beside the file `NAME` there are `NAME-wal` and `NAME-shm` while it is open, and `NAME.lock`, which stays. Writes are
/// committed in groups of at most 100, after at most 50 milliseconds.
///
/// When this is dropped, everything is written and the file is complete by itself. To learn whether that worked, use
/// [`Sqlite::close`].
#[derive(Debug)]
pub struct Sqlite {
    path: PathBuf,
    requests: Sender<Request>,
    writer: Option<JoinHandle<()>>,
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
        let writer = Writer {
            db,
            path: path.to_owned(),
            state: State::default(),
            requests: receiver,
            group: Vec::new(),
            opened: Instant::now(),
        };
        let writer = thread::Builder::new().name("agon-store".to_owned()).spawn(move || writer.run());
        let writer = writer.map_err(|why| StoreError::io("open the store", path, &why))?;
        Ok(Self { path: path.to_owned(), requests, writer: Some(writer), _lock: lock })
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
    /// If something cannot be written. What was acknowledged before is stored all the same.
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
        let waits = !matches!(request, Request::Write(_));
        let _ = self.requests.send(request);
        if let Some(writer) = self.writer.as_ref().filter(|_| waits) {
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
        self.write_then(change, |_| ())
    }

    /// Makes a change, and then, when it is on disk, one to the claims.
    fn write_then<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection, &mut State) -> Result<T, Failure> + Send + 'static,
        then: impl FnOnce(&mut Claims) + Send + 'static,
    ) -> Ticket<T> {
        let (sender, ticket) = Ticket::new();
        self.send(Request::Write(Box::new(move |db, state| match change(db, state) {
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
        })));
        ticket
    }

    fn with_claims<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Connection, &mut Claims) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T> {
        let (sender, ticket) = Ticket::new();
        self.send(Request::Claim(Box::new(move |db, claims| drop(sender.send(Ok(look(db, claims)))))));
        ticket.wait()?.map_err(|why| why.at(&self.path))
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}

/// Returns the files that a store may have: its own, the log and the shared memory of SQLite beside it, the journal, and
/// the lock. Where the path is a link, those of the file that it leads to follow.
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
        self.write(move |db, state| write::enqueue(db, &mut state.sums, &matches))
    }

    fn claim(&self, _worker: &str, count: usize, now_ms: i64, until_ms: i64) -> Result<Vec<Lease>> {
        self.with_claims(move |db, claims| {
            let mut leases = Vec::new();
            if count > 0 {
                read::ready(db, &mut |planned, attempts| {
                    if let Some(token) = claims.claim(planned.id, now_ms, until_ms) {
                        leases.push(Lease { planned, attempts, token });
                    }
                    leases.len() < count
                })?;
            }
            Ok(leases)
        })
    }

    fn extend(&self, tokens: &[u64], until_ms: i64) -> Result<()> {
        let tokens = tokens.to_vec();
        self.with_claims(move |_, claims| {
            claims.extend(&tokens, until_ms);
            Ok(())
        })
    }

    fn complete(&self, id: u64, result: RecordedResult, blobs: Vec<Blob>) -> Ticket<Completion> {
        let change =
            move |db: &Connection, state: &mut State| write::complete(db, &mut state.sums, id, &result, &blobs);
        self.write_then(change, move |claims| claims.end(id))
    }

    fn give_back(&self, lease: &Lease, why: &str, now_ms: i64) -> Ticket<u32> {
        let (id, token, why) = (lease.planned.id, lease.token, why.to_owned());
        let change = move |db: &Connection, state: &mut State| {
            if state.claims.is_current(id, token) {
                write::add_attempt(db, id, &why, now_ms)
            } else {
                write::attempts(db, id)
            }
        };
        self.write_then(change, move |claims| claims.release(&[token]))
    }

    fn release(&self, tokens: &[u64]) -> Result<()> {
        let tokens = tokens.to_vec();
        self.with_claims(move |_, claims| {
            claims.release(&tokens);
            Ok(())
        })
    }

    fn rerank(&self, ids: Vec<u64>, rank: u8) -> Ticket<()> {
        self.write(move |db, _| write::rerank(db, &ids, rank))
    }

    fn void(&self, id: u64, why: &str, now_ms: i64) -> Ticket<()> {
        let why = why.to_owned();
        self.write_then(
            move |db, state| write::void(db, &mut state.sums, id, &why, now_ms),
            move |claims| claims.end(id),
        )
    }
}

impl BlobStore for Sqlite {
    fn put(&self, blob: Blob) -> Ticket<BlobHash> {
        self.write(move |db, _| write::put(db, &blob))
    }

    fn get(&self, hash: BlobHash) -> Result<Option<Vec<u8>>> {
        self.read(move |db| read::get(db, hash))
    }
}

impl Records for Sqlite {
    fn progress(&self) -> Result<Progress> {
        self.read(read::progress)
    }

    fn find(&self, id: u64) -> Result<Option<StoredMatch>> {
        self.read(move |db| read::find(db, id))
    }

    fn matches(&self, after: u64, count: usize) -> Result<Vec<StoredMatch>> {
        self.read(move |db| read::matches(db, after, count))
    }

    fn bots(&self) -> Result<Vec<StoredBot>> {
        self.read(read::bots)
    }

    fn files(&self) -> Result<Vec<FileVersion>> {
        self.read(read::files)
    }

    fn maps(&self) -> Result<Vec<StoredMap>> {
        self.read(read::maps)
    }

    fn amendments(&self) -> Result<Vec<String>> {
        self.read(read::amendments)
    }

    fn events(&self, count: usize) -> Result<Vec<StoredEvent>> {
        self.read(move |db| read::events(db, count))
    }

    fn snapshot(&self, name: &str) -> Result<Option<Snapshot>> {
        let name = name.to_owned();
        self.read(move |db| read::snapshot(db, &name))
    }
}

impl Registry for Sqlite {
    fn add_file(&self, file: FileVersion) -> Ticket<()> {
        self.write(move |db, _| write::add_file(db, &file))
    }

    fn add_map(&self, map: StoredMap) -> Ticket<()> {
        self.write(move |db, _| write::add_map(db, &map))
    }

    fn add_bot(&self, name: &str) -> Ticket<u32> {
        let name = name.to_owned();
        self.write(move |db, _| write::add_bot(db, &name))
    }

    fn add_version(&self, bot: u32, version: BotVersion) -> Ticket<u32> {
        self.write(move |db, _| write::add_version(db, bot, &version))
    }

    fn withdraw(&self, bot: u32, why: Option<&str>) -> Ticket<()> {
        let why = why.map(str::to_owned);
        self.write(move |db, _| write::withdraw(db, bot, why.as_deref()))
    }

    fn amend(&self, text: &str) -> Ticket<()> {
        let text = text.to_owned();
        self.write(move |db, _| write::amend(db, &text))
    }

    fn record(&self, event: StoredEvent) -> Ticket<()> {
        self.write(move |db, _| write::record(db, &event))
    }

    fn keep(&self, name: &str, snapshot: Snapshot) -> Ticket<()> {
        let name = name.to_owned();
        self.write(move |db, _| write::keep(db, &name, &snapshot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance;

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
}

//! The only thread that writes. It commits in groups, because a commit waits for the disk.

use super::{failure::Failure, state::State};
use crate::{Result, StoreError};
use rusqlite::Connection;
use std::{
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError},
    thread,
    time::{Duration, Instant},
};

/// The number of writes after which a group is committed.
pub(super) const GROUP: usize = 100;
/// How long a write waits for others at most.
const WAIT: Duration = Duration::from_millis(50);
/// How long the end waits for those who read. A report may read for long.
const PATIENCE: Duration = Duration::from_millis(200);

/// Something for the writer to do.
pub(super) enum Request {
    /// A change that counts as this many writes. It belongs to the open group.
    Write(usize, Write),
    /// A look at what is on disk: the open group is committed first.
    Read(Look),
    /// A look at what is to be played, the open group included, so that claims do not hurry commits.
    Claim(Claim),
    /// Commits the open group and ends.
    Close(Box<dyn FnOnce(Result<()>) + Send>),
}

/// Looks at what is on disk. What is to be played is also in memory, unless a group could not be written.
pub(super) type Look = Box<dyn FnOnce(&Connection, Option<&mut State>) + Send>;

/// Looks at what is to be played, and claims some of it.
pub(super) type Claim = Box<dyn FnOnce(Result<&mut State>) + Send>;

/// Makes a change. Returns what to do when it is known whether the change is on disk. The error is why nothing can be
/// changed any more.
pub(super) type Write = Box<dyn FnOnce(Result<(&Connection, &mut State)>) -> Result<Settle, Failed> + Send>;

/// Answers the ticket of a change. The error is why nothing of it is stored.
pub(super) type Settle = Box<dyn FnOnce(Result<()>) + Send>;

/// A change that failed, and what answers its ticket.
pub(super) struct Failed {
    pub(super) why: Failure,
    pub(super) settle: Box<dyn FnOnce(StoreError) + Send>,
}

pub(super) struct Writer {
    db: Connection,
    path: PathBuf,
    state: State,
    /// Why a group could not be written. Nothing is written after it: later writes were made by somebody who did not
    /// know yet that the group is lost.
    failed: Option<StoreError>,
    requests: Receiver<Request>,
    /// The open group. There is an open transaction if it is not empty.
    group: Vec<Settle>,
    /// The number of writes in the group.
    writes: usize,
    /// When the first write of the group came.
    opened: Instant,
}

impl Writer {
    pub(super) fn new(db: Connection, path: &Path, state: State, requests: Receiver<Request>) -> Self {
        let (path, group, opened) = (path.to_owned(), Vec::new(), Instant::now());
        Self { db, path, state, failed: None, requests, group, writes: 0, opened }
    }

    /// Works until the store is closed.
    pub(super) fn run(mut self) {
        loop {
            match self.next() {
                Ok(Request::Write(writes, write)) => {
                    if self.writes + writes > GROUP {
                        self.commit();
                    }
                    self.apply(writes, write);
                    if self.writes >= GROUP {
                        self.commit();
                    }
                }
                Ok(Request::Read(read)) => {
                    self.commit();
                    let state = self.failed.is_none().then_some(&mut self.state);
                    read(&self.db, state);
                }
                // What the lost group has taken out of the matches to be played is missing there.
                Ok(Request::Claim(claim)) => claim(self.usable().map(|(_, state)| state)),
                Ok(Request::Close(closed)) => {
                    self.commit();
                    // Then the file alone has everything, for whoever copies it. While somebody reads, the log stays.
                    let _ = self.db.busy_timeout(PATIENCE);
                    let folded = self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
                    let path = self.path;
                    let closing = self.db.close().map_err(|(_, why)| why);
                    let result = folded.and(closing).map_err(|why| Failure::from(why).at(&path));
                    closed(self.failed.map_or(result, Err));
                    return;
                }
                Err(RecvTimeoutError::Timeout) => self.commit(),
                Err(RecvTimeoutError::Disconnected) => {
                    self.commit();
                    return;
                }
            }
        }
    }

    /// Returns the next request. Waits for it, but no longer than until the open group must be committed.
    fn next(&self) -> Result<Request, RecvTimeoutError> {
        if self.group.is_empty() {
            return self.requests.recv().map_err(|_| RecvTimeoutError::Disconnected);
        }
        loop {
            match self.requests.try_recv() {
                Ok(request) => return Ok(request),
                Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
                Err(TryRecvError::Empty) => {}
            }
            let left = WAIT.saturating_sub(self.opened.elapsed());
            if left.is_zero() {
                return Err(RecvTimeoutError::Timeout);
            }
            // Whoever fills the group or waits for an answer wakes it.
            thread::park_timeout(left);
        }
    }

    /// Returns what a change needs.
    ///
    /// # Errors
    /// If a group could not be written.
    fn usable(&mut self) -> Result<(&Connection, &mut State)> {
        match &self.failed {
            None => Ok((&self.db, &mut self.state)),
            Some(why) => Err(why.clone()),
        }
    }

    fn apply(&mut self, writes: usize, write: Write) {
        if self.group.is_empty() && self.failed.is_none() {
            self.opened = Instant::now();
            // `IMMEDIATE`: nobody else writes, so this fails only if the file cannot be used.
            if let Err(why) = self.db.execute_batch("BEGIN IMMEDIATE") {
                self.fail(&Failure::from(why).at(&self.path));
            }
        }
        match write(self.usable()) {
            Ok(settle) => {
                self.group.push(settle);
                self.writes += writes;
            }
            Err(Failed { why, settle }) => {
                // A refused change has changed nothing. Any other failure may have changed a part of it, so the whole
                // group is taken back.
                let refused = matches!(why, Failure::Refused(_));
                let why = why.at(&self.path);
                if !refused {
                    self.fail(&why);
                } else if self.group.is_empty() {
                    self.roll_back();
                }
                settle(why);
            }
        }
    }

    fn commit(&mut self) {
        if self.group.is_empty() {
            return;
        }
        match self.state.write(&self.db).and_then(|()| Ok(self.db.execute_batch("COMMIT")?)) {
            Ok(()) => {
                self.writes = 0;
                for settle in std::mem::take(&mut self.group) {
                    settle(Ok(()));
                }
            }
            Err(why) => self.fail(&why.at(&self.path)),
        }
    }

    /// Takes the open group back, and refuses every later write.
    fn fail(&mut self, why: &StoreError) {
        self.roll_back();
        self.failed = Some(why.clone());
        for settle in std::mem::take(&mut self.group) {
            settle(Err(why.clone()));
        }
    }

    fn roll_back(&self) {
        // SQLite may have done it already.
        if !self.db.is_autocommit() {
            let _ = self.db.execute_batch("ROLLBACK");
        }
    }
}

//! The only thread that writes. It commits in groups, because a commit waits for the disk of the server. When the connection
//! breaks, it makes the open group again on another one, unless the server says that it was committed.

use crate::{db::Db, failure::Failure, place::Place, schema, state::State};
use agon_store::{Result, StoreError};
use std::{
    sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError},
    thread,
    time::{Duration, Instant},
};

/// The number of writes after which a group is committed.
pub(crate) const GROUP: usize = 100;
/// How long a write waits for others at most.
const WAIT: Duration = Duration::from_millis(50);
/// For how long a connection that was lost is tried again. Then the store gives up.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time between two tries.
const PAUSE: Duration = Duration::from_millis(100);

/// Something for the writer to do.
pub(crate) enum Request {
    /// A change that counts as this many writes. It belongs to the open group.
    Write(usize, Box<dyn Step>),
    /// A look at what is on disk: the open group is committed first.
    Read(Box<dyn Step>),
    /// A look at what is to be played, the open group included, so that claims do not hurry commits.
    Claim(Claim),
    /// Commits the open group and ends.
    Close(Box<dyn FnOnce(Result<()>) + Send>),
}

/// Looks at what is to be played, and claims some of it.
pub(crate) type Claim = Box<dyn FnOnce(Result<&mut State>) + Send>;

/// A change or a look, which can be made again.
pub(crate) trait Step: Send {
    /// Makes it, and keeps what it found.
    fn make(&mut self, db: &mut Db, state: &mut State) -> Result<(), Failure>;

    /// Answers its ticket: with what it found, or with why nothing of it is stored.
    fn settle(self: Box<Self>, outcome: Result<()>);
}

pub(crate) struct Writer {
    db: Db,
    place: Place,
    state: State,
    /// Why a group could not be written. Nothing is written after it: later writes were made by somebody who did not
    /// know yet that the group is lost.
    failed: Option<StoreError>,
    requests: Receiver<Request>,
    /// The open group. There is an open transaction if it is not empty.
    group: Vec<Box<dyn Step>>,
    /// The number of writes in the group.
    writes: usize,
    /// When the first write of the group came.
    opened: Instant,
}

impl Writer {
    pub(crate) fn new(db: Db, place: Place, state: State, requests: Receiver<Request>) -> Self {
        let (group, opened) = (Vec::new(), Instant::now());
        Self { db, place, state, failed: None, requests, group, writes: 0, opened }
    }

    /// Works until the store is closed.
    pub(crate) fn run(mut self) {
        loop {
            match self.next() {
                Ok(Request::Write(writes, step)) => {
                    if self.writes + writes > GROUP {
                        self.commit();
                    }
                    self.apply(writes, step);
                    if self.writes >= GROUP {
                        self.commit();
                    }
                }
                Ok(Request::Read(step)) => {
                    self.commit();
                    self.look(step);
                }
                // What the lost group has taken out of the matches to be played is missing there.
                Ok(Request::Claim(claim)) => claim(match &self.failed {
                    None => Ok(&mut self.state),
                    Some(why) => Err(why.clone()),
                }),
                Ok(Request::Close(closed)) => {
                    self.commit();
                    let place = self.place;
                    let result = self.db.close().map_err(|why| why.at(&place));
                    // Everything is committed: nothing is lost with a connection that broke at its end.
                    let result =
                        result.or_else(|why| if matches!(why, StoreError::Lost { .. }) { Ok(()) } else { Err(why) });
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

    fn apply(&mut self, writes: usize, mut step: Box<dyn Step>) {
        if let Some(why) = &self.failed {
            return step.settle(Err(why.clone()));
        }
        let begun = if self.group.is_empty() {
            self.opened = Instant::now();
            self.db.batch("BEGIN")
        } else {
            Ok(())
        };
        match begun.and_then(|()| step.make(&mut self.db, &mut self.state)) {
            Ok(()) => {
                self.group.push(step);
                self.writes += writes;
            }
            // A refused change has changed nothing. Any other failure may have changed a part of it.
            Err(Failure::Refused(why)) => {
                if self.group.is_empty() {
                    let _ = self.db.batch("ROLLBACK");
                }
                step.settle(Err(why));
            }
            Err(why) => {
                self.group.push(step);
                self.writes += writes;
                match self.begin_again(why, false) {
                    Ok(_) => {}
                    Err(why) => self.fail(&why),
                }
            }
        }
    }

    fn commit(&mut self) {
        while !self.group.is_empty() {
            let sent = self.state.send(&mut self.db);
            let was_sent = sent.is_ok();
            let committed = match sent.and_then(|()| self.db.batch("COMMIT")) {
                Ok(()) => Ok(true),
                Err(why) => self.begin_again(why, was_sent),
            };
            match committed {
                Ok(true) => {
                    self.state.committed();
                    self.writes = 0;
                    self.group.drain(..).for_each(|step| step.settle(Ok(())));
                }
                // It was made again, and is sent again.
                Ok(false) => {}
                Err(why) => self.fail(&why),
            }
        }
    }

    /// Looks at what is on disk.
    fn look(&mut self, mut step: Box<dyn Step>) {
        let outcome = loop {
            match step.make(&mut self.db, &mut self.state) {
                Ok(()) => break Ok(()),
                Err(why) if why.is_passing() && self.failed.is_none() => {
                    if let Err(why) = self.begin_again(why, false) {
                        self.failed = Some(why.clone());
                        break Err(why);
                    }
                }
                Err(why) => break Err(why.at(&self.place)),
            }
        };
        step.settle(outcome);
    }

    /// Connects again and makes the open group again, if the failure may pass. Returns `true` if the group needs that not, because
    /// it was committed. `may_be` says whether that is possible.
    fn begin_again(&mut self, why: Failure, may_be: bool) -> Result<bool> {
        if !why.is_passing() {
            return Err(why.at(&self.place));
        }
        let lost = why.at(&self.place);
        let until = Instant::now() + PATIENCE;
        loop {
            match self.connect_again().and_then(|is_committed| {
                if is_committed && may_be {
                    return Ok(true);
                }
                self.make_again().map(|()| false)
            }) {
                Ok(is_committed) => return Ok(is_committed),
                // The lock may still be that of the connection that broke.
                Err(Failure::Refused(StoreError::Led { .. })) if Instant::now() < until => {}
                Err(why) if why.is_passing() && Instant::now() < until => {}
                Err(why) if why.is_passing() => return Err(lost),
                Err(why) => return Err(why.at(&self.place)),
            }
            thread::sleep(PAUSE);
        }
    }

    /// Returns whether the group that was last sent was committed.
    fn connect_again(&mut self) -> Result<bool, Failure> {
        let before = self.db.process;
        let mut db = Db::connect(&self.place)?;
        if schema::look(&mut db, &self.place)? != schema::SCHEMA {
            return Err(Failure::Overtaken);
        }
        let is_committed = self.state.lead_again(&mut db, &self.place, before)?;
        self.db = db;
        Ok(is_committed)
    }

    fn make_again(&mut self) -> Result<(), Failure> {
        self.state.reload(&mut self.db)?;
        if self.group.is_empty() {
            return Ok(());
        }
        self.db.batch("BEGIN")?;
        let mut at = 0;
        while let Some(step) = self.group.get_mut(at) {
            match step.make(&mut self.db, &mut self.state) {
                Ok(()) => at += 1,
                // It has changed nothing. The others go on without it.
                Err(Failure::Refused(why)) => self.group.remove(at).settle(Err(why)),
                Err(why) => return Err(why),
            }
        }
        self.state.mark_claimed();
        if self.group.is_empty() {
            self.writes = 0;
            self.db.batch("ROLLBACK")?;
        }
        Ok(())
    }

    /// Takes the open group back, and refuses every later write.
    fn fail(&mut self, why: &StoreError) {
        let _ = self.db.batch("ROLLBACK");
        self.failed = Some(why.clone());
        self.writes = 0;
        self.group.drain(..).for_each(|step| step.settle(Err(why.clone())));
    }
}

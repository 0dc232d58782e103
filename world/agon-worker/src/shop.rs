//! What the threads of a worker share.

use crate::{
    desk::Desk,
    error::WorkerFailure,
    event::WorkerEvent,
    link::{Link, Unanswered},
    outbox::{Finished, Outbox},
    place::Place,
};
use agon_play::Cancel;
use agon_spec::{WorkerFinding, WorkerReady};
use std::{
    collections::VecDeque,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
        mpsc::Sender,
    },
    time::Duration,
};

/// A thread that waits for something to do looks at least this often whether everything has ended.
const GLANCE: Duration = Duration::from_millis(100);

/// What the threads of a worker share.
pub(crate) struct Shop {
    pub(crate) link: Link,
    pub(crate) place: Place,
    pub(crate) cancel: Cancel,
    desk: Mutex<Desk>,
    outbox: Mutex<Outbox>,
    errands: Mutex<VecDeque<Errand>>,
    /// Why the worker cannot go on. The first reason counts.
    failure: Mutex<Option<WorkerFailure>>,
    /// Rings when there may be something to do. It belongs to the desk.
    bell: Condvar,
    /// Where threads send the results of matches. `None` when all have ended.
    pub(crate) finished: Mutex<Option<Sender<Finished>>>,
    pub(crate) told: Sender<Told>,
    /// Whether results cannot be kept at the moment.
    pub(crate) unkept: AtomicBool,
    /// How many matches in a row could not be played at all.
    pub(crate) unplayable: AtomicU32,
    ended: AtomicBool,
}

/// Something to tell the server, in this order.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Errand {
    /// These matches were not begun here, or were broken off.
    Release(Vec<u64>),
    /// A match could not be played.
    GiveBack { token: u64, id: Option<u64>, why: String },
    /// What was found about a result of another worker.
    Checked(WorkerFinding),
    /// Which bots can play here.
    Ready(WorkerReady),
}

/// What a thread tells the one that leads.
#[derive(Debug)]
pub(crate) enum Told {
    Event(WorkerEvent<'static>),
    /// The server has another edition of the tournament.
    Edition,
    /// A bot is another one than was prepared.
    Changed,
    /// Whether the tournament has no more matches.
    Finished(bool),
}

impl Shop {
    pub(crate) fn new(
        link: Link,
        place: Place,
        outbox: Outbox,
        cancel: Cancel,
        finished: Sender<Finished>,
        told: Sender<Told>,
    ) -> Self {
        let mut desk = Desk::default();
        desk.keep(outbox.tokens());
        Self {
            link,
            place,
            cancel,
            desk: Mutex::new(desk),
            outbox: Mutex::new(outbox),
            errands: Mutex::default(),
            failure: Mutex::default(),
            bell: Condvar::new(),
            finished: Mutex::new(Some(finished)),
            told,
            unkept: AtomicBool::new(false),
            unplayable: AtomicU32::new(0),
            ended: AtomicBool::new(false),
        }
    }

    pub(crate) fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn errands(&self) -> MutexGuard<'_, VecDeque<Errand>> {
        self.errands.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends something to the server when it is its turn.
    pub(crate) fn send(&self, errand: Errand) {
        if errand != Errand::Release(Vec::new()) {
            self.errands().push_back(errand);
            self.ring();
        }
    }

    pub(crate) fn tell(&self, event: WorkerEvent<'static>) {
        // Nobody may listen any more.
        let _ = self.told.send(Told::Event(event));
    }

    /// Wakes every thread that waits for something to do.
    pub(crate) fn ring(&self) {
        self.bell.notify_all();
    }

    /// Waits for the bell, but not for long.
    pub(crate) fn wait<'a>(&self, desk: MutexGuard<'a, Desk>) -> MutexGuard<'a, Desk> {
        self.bell.wait_timeout(desk, GLANCE).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Ends the worker for this reason.
    pub(crate) fn fail(&self, why: WorkerFailure) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
        self.ring();
    }

    /// Ends the worker if it cannot go on without an answer to this request.
    pub(crate) fn fail_without(&self, request: &'static str, why: Unanswered) {
        match why {
            Unanswered::Ended => {}
            Unanswered::Refused(error) => self.fail(WorkerFailure::Refused { request, error }),
            Unanswered::Failed(why) => self.fail(why),
        }
    }

    /// Returns whether the worker cannot go on.
    pub(crate) fn has_failed(&self) -> bool {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Returns why the worker cannot go on.
    pub(crate) fn take_failure(&self) -> Option<WorkerFailure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns whether the server has acknowledged everything, and there is nothing more to tell it.
    pub(crate) fn is_done(&self) -> bool {
        self.errands().is_empty() && self.outbox().is_empty() && self.desk().is_empty()
    }

    /// Ends all threads. Requests are broken off.
    pub(crate) fn end(&self) {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.ended.store(true, Ordering::Release);
        self.link.end();
        self.ring();
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Returns whether what the server does is of any consequence here.
    pub(crate) fn note_holding(&self) {
        self.link.set_holding(!self.desk().is_empty());
    }
}

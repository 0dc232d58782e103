//! The threads that own the connections.

use super::{DatabaseError, Row, Sql, Value};
use crate::{Error, Result};
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use std::{
    any::Any,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    thread::{self, JoinHandle, ThreadId},
};

/// What a transaction may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// Only read. It sees one state of the database.
    Read,
    /// Read and write. What it sees does not change meanwhile.
    Write,
}

/// A connection.
pub(super) trait Backend: Sql + Send {
    /// Begins a transaction.
    fn begin(&mut self, mode: Mode) -> Result<()>;

    /// Ends the transaction: it is on disk when this returns.
    fn commit(&mut self) -> Result<()>;

    /// Ends the transaction: nothing of it is kept. Does nothing if there is none.
    fn rollback(&mut self);

    /// Returns where the database is, without passwords.
    fn place(&self) -> String;
}

type Job = Box<dyn FnOnce(&mut dyn Backend) + Send>;

/// Threads, each with a connection, that do one job after the other.
pub(super) struct Pool {
    /// None while the pool is dropped.
    jobs: Option<Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    pub(super) fn new(name: &str, backends: Vec<Box<dyn Backend>>) -> Result<Self> {
        let (jobs, queue) = unbounded();
        let mut pool = Self { jobs: Some(jobs), threads: Vec::new() };
        for backend in backends {
            let queue: Receiver<Job> = queue.clone();
            let started = thread::Builder::new().name(name.to_owned()).spawn(move || work(backend, &queue));
            let failed = |why: std::io::Error| DatabaseError::Failed {
                place: "the contest's database".to_owned(),
                why: format!("there is no thread for it: {why}"),
            };
            pool.threads.push(started.map_err(failed)?);
        }
        Ok(pool)
    }

    /// Makes a transaction on the first thread that is free.
    pub(super) fn run<T: Send + 'static>(
        &self,
        mode: Mode,
        job: impl FnOnce(&mut dyn Sql) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        if self.is_own(thread::current().id()) {
            return Err(DatabaseError::Nested.into());
        }
        let (answer, answered) = bounded(1);
        let job: Job = Box::new(move |backend| drop(answer.send(transaction(backend, mode, job))));
        let sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
        let answer = if sent { answered.recv().ok() } else { None };
        answer.unwrap_or_else(|| Err(DatabaseError::Closed.into()))
    }

    fn is_own(&self, thread: ThreadId) -> bool {
        self.threads.iter().any(|own| own.thread().id() == thread)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.jobs = None;
        let current = thread::current().id();
        // A job may have had the last clone.
        for thread in self.threads.drain(..).filter(|own| own.thread().id() != current) {
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({})", self.threads.len())
    }
}

fn work(mut backend: Box<dyn Backend>, queue: &Receiver<Job>) {
    while let Ok(job) = queue.recv() {
        job(&mut *backend);
    }
}

/// Makes a transaction: as a whole, or not at all.
fn transaction<T>(backend: &mut dyn Backend, mode: Mode, job: impl FnOnce(&mut dyn Sql) -> Result<T>) -> Result<T> {
    backend.begin(mode)?;
    let mut watched = Watched { backend, failed: None };
    // The connection is rolled back, and nothing else is shared with the job.
    let made = catch_unwind(AssertUnwindSafe(|| job(&mut watched)));
    let failed = watched.failed.take();
    let made = made.unwrap_or_else(|why| Err(DatabaseError::Panicked(words(&*why)).into()));
    let made = match (made, failed) {
        // The database may have kept none of what came before.
        (Ok(_), Some(why)) => Err(why),
        (made, _) => made,
    };
    let ended = made.and_then(|made| backend.commit().map(|()| made));
    if ended.is_err() {
        backend.rollback();
    }
    ended
}

/// Remembers whether a statement failed, also when the job does not mind.
struct Watched<'a> {
    backend: &'a mut dyn Backend,
    failed: Option<Error>,
}

impl Watched<'_> {
    fn seen<T>(&mut self, result: Result<T>) -> Result<T> {
        if let Err(why) = &result {
            self.failed.get_or_insert_with(|| why.clone());
        }
        result
    }
}

impl Sql for Watched<'_> {
    fn run(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        let result = self.backend.run(sql, values);
        self.seen(result)
    }

    fn rows(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
        let result = self.backend.rows(sql, values);
        self.seen(result)
    }
}

fn words(why: &(dyn Any + Send)) -> String {
    let text = why.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| why.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it panicked".to_owned())
}

//! A back end in a database on a server.

use crate::{
    db::Db,
    failure::Failure,
    lead,
    place::Place,
    read, schema,
    state::{Scope, State},
    transfer, write,
    writer::{GROUP, Request, Step, Writer},
};
use agon_store::{
    Attempt, AttemptEnd, Claim, Completion, Copied, Lease, MatchQueue, OpenStore, PlannedMatch, Report, Result,
    StoreError, StoreReader, Ticket,
};
use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Sender, SyncSender, channel},
    },
    thread::{self, JoinHandle, Thread},
    time::{Duration, Instant},
};

/// How long a store waits for a leader that is just ending. The server takes a while to notice.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time between two tries.
const PAUSE: Duration = Duration::from_millis(50);

/// A tournament in a store in PostgreSQL, which one process at a time leads. Others may read it meanwhile with
/// [`PostgresReader`](crate::PostgresReader).
///
/// Writes are committed in groups of at most 100, after at most 50 milliseconds. When the connection breaks, or the server is
/// started again, it connects again for up to a minute and makes the open group again if it was not committed. So a caller learns
/// of a lost connection ([`StoreError::Lost`]) only after that. Then every later write fails with the same error: open the store
/// again to go on.
///
/// When the last of a store's tournaments is dropped, everything is written. To learn whether that worked, use
/// [`Postgres::close`].
pub struct Postgres {
    shared: Arc<Shared>,
    tournament: i32,
}

/// What the tournaments of a store share.
struct Shared {
    place: Place,
    requests: Sender<Request>,
    /// The thread that writes, until it was waited for.
    writer: Mutex<Option<JoinHandle<()>>>,
    thread: Thread,
    /// How many writes were sent.
    sent: AtomicUsize,
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Postgres({})", self.shared.place.shown)
    }
}

impl Postgres {
    /// Opens the store at an address like `postgres://USER@HOST/DATABASE`, and leads a tournament of it: its first one, or that of
    /// `?tournament=NAME`, which begins if there is none. Tables are made where there are none, in the schema `agon` or that of
    /// `?schema=NAME`, and older ones are brought up to date.
    ///
    /// # Errors
    /// If another process leads the tournament ([`StoreError::Led`]), the server cannot be reached ([`StoreError::Lost`]) or
    /// refuses something, or the schema is that of something else.
    pub fn open(address: &str) -> Result<Self> {
        let until = Instant::now() + PATIENCE;
        Self::open_after(address, &mut |why| {
            thread::sleep(PAUSE);
            matches!(why, StoreError::Led { .. }) && Instant::now() < until
        })
    }

    /// Opens the store as soon as nobody else leads the tournament. `pause` is called with the reason while that is not so, or the
    /// server cannot be reached, and returns whether to try again.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_after(address: &str, pause: &mut dyn FnMut(&StoreError) -> bool) -> Result<Self> {
        let place = Place::read(address)?;
        loop {
            match Self::begin(&place) {
                Ok(store) => return Ok(store),
                Err(why) => {
                    let why = why.at(&place);
                    let may_pass = matches!(why, StoreError::Led { .. } | StoreError::Lost { .. });
                    if !may_pass || !pause(&why) {
                        return Err(why);
                    }
                }
            }
        }
    }

    fn begin(place: &Place) -> Result<Self, Failure> {
        let mut db = Db::connect(place)?;
        schema::migrate(&mut db, place)?;
        let tournament = lead::tournament(&mut db, place, &place.tournament)?;
        let mut state = State::default();
        state.lead(&mut db, place, tournament)?;
        let (requests, receiver) = channel();
        let writer = Writer::new(db, place.clone(), state, receiver);
        let writer = thread::Builder::new().name("agon-store".to_owned()).spawn(move || writer.run());
        let writer = writer.map_err(|why| place.error("open the store", why.to_string()))?;
        let (place, thread, sent) = (place.clone(), writer.thread().clone(), AtomicUsize::new(0));
        let shared = Shared { place, requests, writer: Mutex::new(Some(writer)), thread, sent };
        Ok(Self { shared: Arc::new(shared), tournament })
    }

    /// Returns the tournament with this name in the same store, and leads it, too. Begins it if there is none. The first
    /// tournament of a store has an empty name.
    ///
    /// # Errors
    /// If another process leads it, or the store cannot be used.
    pub fn tournament(&self, name: &str) -> Result<Self> {
        let (name, place) = (name.to_owned(), self.shared.place.clone());
        let tournament = self.ask(move |db, state, _| {
            let tournament = lead::tournament(db, &place, &name)?;
            state.lead(db, &place, tournament)?;
            Ok(tournament)
        })?;
        Ok(Self { tournament, shared: Arc::clone(&self.shared) })
    }

    /// Returns the names of the tournaments in the order in which they began. That of the first is empty.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn tournaments(&self) -> Result<Vec<String>> {
        self.read(|db, _| read::tournaments(db))
    }

    /// Returns the address of the store without passwords.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.shared.place.shown
    }

    /// Returns what is wrong with the counts of matches.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn flaws(&self) -> Result<Vec<String>> {
        self.read(|db, _| read::flaws(db))
    }

    /// Writes everything, and ends the lead unless another tournament of the store is still used.
    ///
    /// # Errors
    /// If something cannot be written now, or could not be before. What was acknowledged is stored all the same.
    pub fn close(self) -> Result<()> {
        match Arc::try_unwrap(self.shared) {
            Ok(shared) => shared.finish(),
            Err(shared) => Self { shared, tournament: self.tournament }.read(|_, _| Ok(())),
        }
    }

    /// Reads what is on disk.
    pub(crate) fn read<T: Send + 'static>(
        &self,
        mut read: impl FnMut(&mut Db, i32) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T> {
        self.ask(move |db, _, tournament| read(db, tournament))
    }

    /// Reads what is on disk, or is in memory beside it.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        look: impl FnMut(&mut Db, &mut State, i32) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T> {
        let (answer, ticket) = Ticket::new();
        let step = Asked { look, tournament: self.tournament, found: None, answer };
        self.shared.send(Request::Read(Box::new(step)));
        ticket.wait()
    }

    pub(crate) fn write<T: Send + 'static>(
        &self,
        change: impl FnMut(&mut Scope<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Ticket<T> {
        self.write_many(1, change)
    }

    /// Makes a change, which counts as this many writes.
    fn write_many<T: Send + 'static>(
        &self,
        writes: usize,
        mut change: impl FnMut(&mut Scope<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Ticket<T> {
        let (answer, ticket) = Ticket::new();
        let look = move |db: &mut Db, state: &mut State, tournament| change(&mut state.scope(db, tournament)?);
        let step = Asked { look, tournament: self.tournament, found: None, answer };
        self.shared.send(Request::Write(writes, Box::new(step)));
        ticket
    }

    pub(crate) fn with_state<T: Send + 'static>(
        &self,
        look: impl FnOnce(&mut crate::state::Led) -> T + Send + 'static,
    ) -> Result<T> {
        let (sender, ticket) = Ticket::new();
        let tournament = self.tournament;
        let look = move |state: Result<&mut State>| {
            let found = state.and_then(|state| state.led(tournament).ok_or(StoreError::Closed)).map(look);
            // Nobody may be waiting.
            drop(sender.send(found));
        };
        self.shared.send(Request::Claim(Box::new(look)));
        ticket.wait()
    }

    /// Commits what was written so far.
    pub(crate) fn hurry_writes(&self) {
        let (answer, _) = Ticket::new();
        let look = |_: &mut Db, _: &mut State, _| Ok(());
        let step = Asked { look, tournament: self.tournament, found: None, answer };
        // Whatever is read, the open group is committed before.
        self.shared.send(Request::Read(Box::new(step)));
    }

    /// Makes the store say which claims hold, without hurry.
    fn keep_claims(&self) {
        drop(self.write(|_| Ok(())));
    }
}

/// A change or a look, and what answers it.
struct Asked<T, F> {
    look: F,
    tournament: i32,
    found: Option<T>,
    answer: SyncSender<Result<T>>,
}

impl<T, F> Step for Asked<T, F>
where
    T: Send + 'static,
    F: FnMut(&mut Db, &mut State, i32) -> Result<T, Failure> + Send + 'static,
{
    fn make(&mut self, db: &mut Db, state: &mut State) -> Result<(), Failure> {
        self.found = Some((self.look)(db, state, self.tournament)?);
        Ok(())
    }

    fn settle(self: Box<Self>, outcome: Result<()>) {
        let Self { found, answer, .. } = *self;
        // Nobody may be waiting.
        drop(answer.send(outcome.and_then(|()| found.ok_or(StoreError::Closed))));
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

impl OpenStore for Postgres {
    fn close(self: Box<Self>) -> Result<()> {
        (*self).close()
    }

    fn import(&self, source: Box<dyn StoreReader>) -> Ticket<Copied> {
        self.write(move |scope| transfer::import(scope, &*source))
    }
}

impl MatchQueue for Postgres {
    fn enqueue(&self, matches: Vec<PlannedMatch>) -> Ticket<()> {
        self.write(move |scope| write::enqueue(scope, &matches))
    }

    fn claim(&self, worker: u32, count: usize, now_ms: i64, until_ms: i64) -> Result<Vec<Lease>> {
        let leases = self.with_state(move |led| led.claim(worker, count, now_ms, until_ms))?;
        if !leases.is_empty() {
            self.keep_claims();
        }
        Ok(leases)
    }

    fn extend(&self, tokens: &[u64], until_ms: i64) -> Result<Vec<u64>> {
        let tokens = tokens.to_vec();
        self.with_state(move |led| led.own.claims.extend(&tokens, until_ms))
    }

    fn expire(&self, now_ms: i64) -> Ticket<Vec<Attempt>> {
        let mut taken: Vec<Claim> = Vec::new();
        self.write(move |scope| write::expire(scope, &mut taken, now_ms))
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
        let (key, why, mut taken) = ((lease.planned.id, lease.token), why.to_owned(), None);
        self.write(move |scope| write::give_back(scope, key, &mut taken, (end, &why), now_ms))
    }

    fn add_attempt(&self, attempt: Attempt) -> Ticket<u32> {
        self.write(move |scope| write::add_attempt(scope, &attempt))
    }

    fn release(&self, tokens: &[u64]) -> Result<()> {
        let tokens = tokens.to_vec();
        self.with_state(move |led| {
            for token in tokens {
                led.own.release(token);
            }
        })?;
        self.keep_claims();
        Ok(())
    }

    fn rerank(&self, ids: Vec<u64>, rank: u8) -> Ticket<()> {
        self.write(move |scope| {
            ids.iter().for_each(|id| scope.led.own.waiting.rerank(*id, rank));
            Ok(())
        })
    }

    fn void(&self, id: u64, why: &str, now_ms: i64) -> Ticket<()> {
        let why = why.to_owned();
        self.write(move |scope| write::void(scope, id, &why, now_ms))
    }
}

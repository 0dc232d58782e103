//! Requests that are repeated until they have an answer.

use crate::{backoff::pause, client::Client, clock::Clock, error::WorkerFailure, trouble::Trouble};
use agon_play::Cancel;
use agon_spec::{WorkerErrorCode, WorkerRegister, WorkerRegistered};
use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::Sender,
    },
    time::Duration,
};

/// So many failures in a row are told. The first may be a connection that was closed because nobody used it.
const TOLD_AFTER: u32 = 3;

/// What the link tells while it repeats requests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum LinkNote {
    /// The server cannot be reached, or asks for patience.
    Away(String),
    /// It answers again.
    Back,
    /// The server did not know this worker any more. It does now.
    Registered(Box<WorkerRegistered>),
}

/// The connection of a worker to its server: it repeats requests for as long as the server is away.
#[derive(Debug)]
pub(crate) struct Link {
    client: Client,
    clock: Arc<dyn Clock>,
    about: WorkerRegister,
    cancel: Cancel,
    /// How long the server may be away while nothing depends on it. `None` for ever.
    patience: Option<Duration>,
    state: Mutex<State>,
    /// Whether something depends on the server's return: matches in work, or results.
    holds: AtomicBool,
    /// Whether no more matches are claimed.
    unclaimed: AtomicBool,
    /// Whether all requests were broken off.
    ended: AtomicBool,
    notes: Sender<LinkNote>,
}

#[derive(Debug, Default)]
struct State {
    /// What the server has said of this worker.
    registered: Option<WorkerRegistered>,
    /// How often it was registered.
    times: u64,
    /// Since when no request has had an answer.
    away_since: Option<Duration>,
    /// Whether it was told that the server is away.
    told: bool,
    /// Until when the server wants no requests.
    quiet_until: Duration,
}

/// How long a request is repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Until {
    /// Until nothing new is to begin: the first Ctrl-C ends it.
    Finishing,
    /// The same, or until no more matches are claimed.
    Claiming,
    /// Until everything is to end: the second one ends it.
    Killed,
    /// Until this moment of the worker's clock, or until everything is to end.
    Time(Duration),
}

/// Why a request has no answer in the end.
#[derive(Debug)]
pub(crate) enum Unanswered {
    /// It was broken off.
    Ended,
    /// The server refuses it, for a reason that concerns this request alone.
    Refused(agon_spec::WorkerError),
    /// The worker cannot go on.
    Failed(WorkerFailure),
}

impl Link {
    pub(crate) fn new(
        client: Client,
        clock: Arc<dyn Clock>,
        about: WorkerRegister,
        cancel: Cancel,
        patience: Option<Duration>,
        notes: Sender<LinkNote>,
    ) -> Self {
        let state = Mutex::default();
        let (holds, unclaimed, ended) = (AtomicBool::new(false), AtomicBool::new(false), AtomicBool::new(false));
        Self { client, clock, about, cancel, patience, state, holds, unclaimed, ended, notes }
    }

    /// Returns what sends requests.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Returns what the server is told of this worker.
    pub(crate) fn about(&self) -> &WorkerRegister {
        &self.about
    }

    /// Returns the clock.
    pub(crate) fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Says whether something depends on the server's return.
    pub(crate) fn set_holding(&self, holds: bool) {
        self.holds.store(holds, Ordering::Release);
    }

    /// Returns whether it was told that the server is away.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.state().told
    }

    /// Says whether matches are claimed. If not, what waits for them ends.
    pub(crate) fn set_claiming(&self, claims: bool) {
        self.unclaimed.store(!claims, Ordering::Release);
    }

    /// Breaks off all requests. There are no more.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.client.shut_down();
    }

    /// Returns the time between two signs of life, and for how long a match stays with a silent worker.
    pub(crate) fn times(&self) -> (Duration, Duration) {
        let state = self.state();
        let millis = |of: fn(&WorkerRegistered) -> u64| state.registered.as_ref().map_or(5_000, of);
        // Whatever the server says, it is neither asked in a loop nor forgotten.
        let beat = millis(|registered| registered.beat_ms).clamp(100, 60_000);
        let lease = millis(|registered| registered.lease_ms).clamp(beat, 3_600_000);
        (Duration::from_millis(beat), Duration::from_millis(lease))
    }

    /// Registers the worker.
    pub(crate) fn register(&self, until: Until) -> Result<WorkerRegistered, Unanswered> {
        let times = self.state().times;
        self.register_after(times, until)?;
        self.state().registered.clone().ok_or(Unanswered::Ended)
    }

    /// Repeats a request until it has an answer. If the server does not know the worker, registers it.
    pub(crate) fn ask<T>(
        &self,
        until: Until,
        mut request: impl FnMut(&Client) -> Result<T, Trouble>,
    ) -> Result<T, Unanswered> {
        let mut failures = 0;
        loop {
            self.wait_for_quiet(until)?;
            let times = self.state().times;
            match self.attempt(&mut failures, until, &mut request) {
                Ok(answer) => return Ok(answer),
                Err(Some(Unanswered::Refused(error))) if error.code == WorkerErrorCode::UnknownWorker => {
                    self.register_after(times, until)?;
                }
                Err(Some(why)) => return Err(why),
                Err(None) => {}
            }
        }
    }

    /// Sends a request once. `Err(None)` means that it may be repeated, after a pause that is over.
    fn attempt<T>(
        &self,
        failures: &mut u32,
        until: Until,
        request: &mut impl FnMut(&Client) -> Result<T, Trouble>,
    ) -> Result<T, Option<Unanswered>> {
        let trouble = match request(&self.client) {
            Ok(answer) => {
                self.is_back();
                return Ok(answer);
            }
            Err(trouble) => trouble,
        };
        // Only who was a server of Agon before may be away.
        let known = self.state().times > 0;
        let (asked, why) = match trouble {
            Trouble::Refused(error) => {
                self.is_back();
                return Err(Some(self.refused(error)));
            }
            Trouble::Stranger(why) if !known => {
                let address = self.client.address().to_string();
                return Err(Some(Unanswered::Failed(WorkerFailure::Stranger { address, why })));
            }
            Trouble::Away(why) | Trouble::Stranger(why) => (None, why),
            Trouble::Busy { after, why } => (after, why),
        };
        *failures = failures.saturating_add(1);
        self.is_away(*failures, &why).map_err(Some)?;
        let pause = pause(*failures, asked, random());
        if asked.is_some() {
            // All requests of this worker wait, not only this one.
            let mut state = self.state();
            state.quiet_until = state.quiet_until.max(self.clock.now() + pause);
        }
        self.wait(pause, until).map_err(Some)?;
        Err(None)
    }

    /// Registers the worker, unless somebody else has done that since it was registered so many `times`.
    fn register_after(&self, times: u64, until: Until) -> Result<(), Unanswered> {
        let mut failures = 0;
        loop {
            self.wait_for_quiet(until)?;
            if self.state().times > times {
                return Ok(());
            }
            let mut request = |client: &Client| client.post::<WorkerRegistered>("register", &self.about);
            match self.attempt(&mut failures, until, &mut request) {
                Ok(registered) => {
                    let mut state = self.state();
                    let again = state.times > 0;
                    (state.registered, state.times) = (Some(registered.clone()), state.times + 1);
                    drop(state);
                    if again {
                        // Nobody may listen any more.
                        let _ = self.notes.send(LinkNote::Registered(Box::new(registered)));
                    }
                    return Ok(());
                }
                // What a server refuses of a registration, it refuses again.
                Err(Some(Unanswered::Refused(error))) => {
                    return Err(Unanswered::Failed(WorkerFailure::Refused { request: "register", error }));
                }
                Err(Some(why)) => return Err(why),
                Err(None) => {}
            }
        }
    }

    /// Says whether a refusal ends the worker.
    fn refused(&self, error: agon_spec::WorkerError) -> Unanswered {
        match error.code {
            WorkerErrorCode::NoKey => Unanswered::Failed(WorkerFailure::WrongKey(error)),
            WorkerErrorCode::OtherVersion => Unanswered::Failed(WorkerFailure::OtherVersion(error)),
            WorkerErrorCode::PutAside => Unanswered::Failed(WorkerFailure::PutAside(error)),
            _ => Unanswered::Refused(error),
        }
    }

    fn is_back(&self) {
        let mut state = self.state();
        state.away_since = None;
        if std::mem::take(&mut state.told) {
            let _ = self.notes.send(LinkNote::Back);
        }
    }

    /// Notes that the server is away. It is told once.
    fn is_away(&self, failures: u32, why: &str) -> Result<(), Unanswered> {
        let now = self.clock.now();
        let mut state = self.state();
        let since = *state.away_since.get_or_insert(now);
        if failures >= TOLD_AFTER && !state.told {
            state.told = true;
            let _ = self.notes.send(LinkNote::Away(why.to_owned()));
        }
        let away = now.saturating_sub(since);
        if self.patience.is_some_and(|patience| away > patience) && !self.holds.load(Ordering::Acquire) {
            let address = self.client.address().to_string();
            return Err(Unanswered::Failed(WorkerFailure::Gone {
                address,
                why: why.to_owned(),
                minutes: away.as_secs() / 60,
            }));
        }
        Ok(())
    }

    fn wait_for_quiet(&self, until: Until) -> Result<(), Unanswered> {
        let left = self.state().quiet_until.saturating_sub(self.clock.now());
        // Also if there is nothing to wait for, it may have ended.
        self.wait(left, until)
    }

    /// Waits for so long, unless the request is to end before.
    pub(crate) fn wait(&self, time: Duration, until: Until) -> Result<(), Unanswered> {
        let ends = || {
            self.ended.load(Ordering::Acquire)
                || match until {
                    Until::Finishing => self.cancel.is_cancelled(),
                    Until::Claiming => self.cancel.is_cancelled() || self.unclaimed.load(Ordering::Acquire),
                    Until::Killed => self.cancel.is_killed(),
                    Until::Time(end) => self.cancel.is_killed() || self.clock.now() >= end,
                }
        };
        if ends() {
            return Err(Unanswered::Ended);
        }
        if time.is_zero() || self.clock.wait(time, &ends) { Ok(()) } else { Err(Unanswered::Ended) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a random number. Where the system has none, pauses are as long as they can be.
fn random() -> u64 {
    getrandom::u64().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;

//! A simulated worker: everything that a real one says, and nothing that it does. It registers, claims matches, reports their
//! results, and now and then does what goes wrong with workers.

use crate::{
    acknowledged::Acknowledged,
    client::{Client, Response},
    expected,
};
use agon_core::{Rng, Seed};
use agon_spec::{
    WORKER_PATH, WORKER_WAIT_MS, WorkerBeat, WorkerBeaten, WorkerClaim, WorkerClaimed, WorkerErrorCode,
    WorkerErrorDocument, WorkerGiveBack, WorkerHeld, WorkerLease, WorkerLeave, WorkerMachine, WorkerNoted, WorkerReady,
    WorkerReadyBot, WorkerRegister, WorkerRegistered, WorkerRelease, WorkerReport, WorkerReported, WorkerSettled,
};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    cell::Cell,
    pin::pin,
    rc::Rc,
    time::{Duration, Instant},
};
use tokio::time::{sleep, timeout};

/// The number of bots of the tournament.
pub const BOTS: u32 = 5;
/// The longest pause between two attempts to reach a server that is away.
const LONGEST_PAUSE_MS: u64 = 2_000;

/// How workers behave.
#[derive(Clone, Copy)]
pub struct Behaviour {
    /// How many matches a worker claims at once.
    pub most: u32,
    /// Whether it is sometimes slow, silent, or cut off.
    pub is_troubled: bool,
}

/// What workers of a process share.
pub struct Shared {
    pub acknowledged: Acknowledged,
    /// Whether they shall leave.
    pub leaves: Cell<bool>,
}

/// A simulated worker.
pub struct Worker {
    client: Client,
    /// A connection of its own for signs of life while a claim waits.
    pulse: Client,
    name: String,
    instance: String,
    rng: Rng,
    behaviour: Behaviour,
    shared: Rc<Shared>,
    /// What the server has said of the tournament. `None` if the worker must register.
    registered: Option<WorkerRegistered>,
    /// Matches that it has and has not reported.
    held: Vec<WorkerLease>,
    beaten: Instant,
    pause_ms: u64,
}

/// Why a request has no answer.
enum Trouble {
    /// The server is away.
    Away,
    /// The server wants to be asked later.
    Later(Duration),
    /// The server does not know the worker.
    Unknown,
    /// The server says that the worker is wrong. That is a mistake of one of both.
    Wrong(String),
}

impl Worker {
    /// Makes the worker with this number. A process that is started again has the same workers, as real ones have after a
    /// crash. `start` tells one start from the next.
    pub fn new(number: u32, start: u64, client: impl Fn(&str) -> Client, how: Behaviour, shared: Rc<Shared>) -> Self {
        let instance = format!("{:016x}", Seed(u64::from(number)).derive("instance", 0).0);
        Self {
            client: client(&instance),
            pulse: client(&instance),
            name: format!("simulated-{number}"),
            instance,
            rng: Rng::new(Seed(start).derive("worker", number.into())),
            behaviour: how,
            shared,
            registered: None,
            held: Vec::new(),
            beaten: Instant::now(),
            pause_ms: 0,
        }
    }

    /// Works until the tournament is over, or the process is to end.
    ///
    /// # Errors
    /// The server has refused what it must take.
    pub async fn work(mut self) -> Result<(), String> {
        loop {
            if self.shared.leaves.get() {
                self.say(&WorkerLeave {}, "leave").await.unwrap_or_default();
                return Ok(());
            }
            match self.step().await {
                Ok(false) => self.pause_ms = 0,
                Ok(true) => {
                    self.say(&WorkerLeave {}, "leave").await.unwrap_or_default();
                    return Ok(());
                }
                Err(Trouble::Away) => {
                    self.pause_ms = (2 * self.pause_ms).clamp(50, LONGEST_PAUSE_MS);
                    self.rest(self.pause_ms).await;
                }
                Err(Trouble::Later(pause)) => {
                    sleep(pause).await;
                    self.rest(500).await;
                }
                Err(Trouble::Unknown) => self.registered = None,
                Err(Trouble::Wrong(why)) => return Err(format!("{}: {why}", self.name)),
            }
        }
    }

    /// Does the next thing. Returns whether the tournament is over.
    async fn step(&mut self) -> Result<bool, Trouble> {
        let Some(registered) = self.registered.clone() else {
            self.register().await?;
            return Ok(false);
        };
        let (beat, lease) = (Duration::from_millis(registered.beat_ms), Duration::from_millis(registered.lease_ms));
        if self.held.is_empty() {
            let request = format!("{:016x}{:016x}", self.rng.bits(), self.rng.bits());
            let claim = WorkerClaim { request, most: self.behaviour.most, wait_ms: WORKER_WAIT_MS };
            let claimed = self.claim(&claim, beat).await?;
            self.held = claimed.leases;
            self.beaten = Instant::now();
            if self.held.is_empty() {
                return Ok(claimed.finished);
            }
            self.play(beat, lease).await?;
        }
        if self.beaten.elapsed() >= beat {
            self.beat(1).await?;
        }
        self.report().await.map(|()| false)
    }

    /// Is known, and knows what it had before it was killed.
    async fn register(&mut self) -> Result<(), Trouble> {
        let about = WorkerRegister {
            name: self.name.clone(),
            instance: self.instance.clone(),
            machine: WorkerMachine { agon: env!("CARGO_PKG_VERSION").to_owned(), cores: 1, ..WorkerMachine::default() },
            isolation: None,
            tools: Vec::new(),
        };
        let registered: WorkerRegistered = self.ask(&about, "register").await?;
        let bots = (0..BOTS).map(|number| WorkerReadyBot { number, ok: true, why: None }).collect();
        self.say(&WorkerReady { edition: registered.edition, bots }, "ready").await?;
        let own = |token: &u64| self.held.iter().any(|lease| lease.token == *token);
        let forgotten: Vec<u64> = registered.held.iter().copied().filter(|token| !own(token)).collect();
        // Half of those that were killed give back what they had, and the others keep silent about it.
        if !forgotten.is_empty() && self.rng.one_in(2) {
            self.say(&WorkerRelease { tokens: forgotten }, "release").await?;
        }
        self.registered = Some(registered);
        Ok(())
    }

    /// Takes no time for the matches, unless something goes wrong.
    async fn play(&mut self, beat: Duration, lease: Duration) -> Result<(), Trouble> {
        if !self.behaviour.is_troubled {
            return Ok(());
        }
        self.rest(20).await;
        // A match that was lost again and again would end as spoilt, as it should.
        let is_lost = self.held.iter().any(|lease| lease.attempts > 0);
        if self.rng.one_in(300) {
            // Slow matches.
            let turns = self.rng.below(4);
            for ply in 1..=turns {
                sleep(beat).await;
                self.beat(ply).await?;
            }
        } else if !is_lost && self.rng.one_in(500) {
            // Nothing is heard of it for longer than its lease.
            sleep(lease).await;
            self.rest(u64::try_from(lease.as_millis()).unwrap_or(u64::MAX)).await;
        } else if self.rng.one_in(300) {
            let tokens = self.held.pop().map(|lease| lease.token).into_iter().collect();
            self.say(&WorkerRelease { tokens }, "release").await?;
        } else if !is_lost
            && self.rng.one_in(2_000)
            && let Some(WorkerLease { token, .. }) = self.held.pop()
        {
            self.say(&WorkerGiveBack { token, why: "simulated".to_owned() }, "give-back").await?;
        }
        Ok(())
    }

    async fn beat(&mut self, ply: u32) -> Result<(), Trouble> {
        let held = self.held.iter().map(|lease| WorkerHeld { token: lease.token, ply: Some(ply) }).collect();
        let WorkerBeaten { over } = self.ask(&WorkerBeat { held }, "beat").await?;
        self.beaten = Instant::now();
        // One in two reports them nevertheless.
        if self.rng.one_in(2) {
            self.held.retain(|lease| !over.contains(&lease.token));
        }
        Ok(())
    }

    /// Reports the results of everything that it has.
    async fn report(&mut self) -> Result<(), Trouble> {
        if self.held.is_empty() {
            return Ok(());
        }
        let settled = |lease: &WorkerLease| WorkerSettled {
            id: lease.planned.id,
            token: lease.token,
            result: expected::of_lease(&lease.planned, lease.token),
            spoilt: Vec::new(),
        };
        let report = WorkerReport { results: self.held.iter().map(settled).collect() };
        if self.behaviour.is_troubled && self.rng.one_in(100) {
            let body = body_of(&report)?;
            // Whoever has lost an answer asks again.
            let _ = self.client.ask_and_hang_up(&path("report"), &body).await;
        }
        let reported: WorkerReported = self.ask(&report, "report").await?;
        self.acknowledge(&reported)?;
        if self.behaviour.is_troubled && self.rng.one_in(100) {
            let again: WorkerReported = self.ask(&report, "report").await?;
            self.acknowledge(&again)?;
        }
        self.held.clear();
        Ok(())
    }

    fn acknowledge(&self, reported: &WorkerReported) -> Result<(), Trouble> {
        let written = self.shared.acknowledged.write(&reported.answers);
        written.map_err(|why| Trouble::Wrong(format!("cannot write what was acknowledged: {why}")))
    }

    async fn rest(&mut self, at_most_ms: u64) {
        let at_most = u32::try_from(at_most_ms).unwrap_or(u32::MAX);
        sleep(Duration::from_millis(self.rng.below(at_most.max(1)).into())).await;
    }

    async fn say(&mut self, document: &impl Serialize, action: &str) -> Result<(), Trouble> {
        self.ask::<WorkerNoted>(document, action).await.map(drop)
    }

    /// Claims matches, and gives signs of life until they come. If the answer is lost, it asks again with the same request.
    async fn claim(&mut self, claim: &WorkerClaim, beat: Duration) -> Result<WorkerClaimed, Trouble> {
        let (document, nothing) = (body_of(claim)?, body_of(&WorkerBeat { held: Vec::new() })?);
        let mut tries = 3;
        loop {
            let claim_path = path("claim");
            let mut asked = pin!(self.client.ask(&claim_path, &document));
            let response = loop {
                match timeout(beat, &mut asked).await {
                    Ok(response) => break response,
                    // Whatever becomes of it, the answer to the claim says it, too.
                    Err(_) => drop(self.pulse.ask(&path("beat"), &nothing).await),
                }
            };
            match response {
                Ok(response) => return answer(&response, "claim"),
                Err(_) if tries > 0 => tries -= 1,
                Err(_) => return Err(Trouble::Away),
            }
            sleep(Duration::from_millis(self.rng.below(200).into())).await;
        }
    }

    async fn ask<T: DeserializeOwned>(&mut self, document: &impl Serialize, action: &str) -> Result<T, Trouble> {
        let response = self.client.ask(&path(action), &body_of(document)?).await.map_err(|_| Trouble::Away)?;
        answer(&response, action)
    }
}

fn answer<T: DeserializeOwned>(response: &Response, action: &str) -> Result<T, Trouble> {
    let strange = |why: serde_json::Error| Trouble::Wrong(format!("{action} has a strange answer: {why}"));
    if response.status == 200 {
        return serde_json::from_slice(&response.body).map_err(strange);
    }
    let error = serde_json::from_slice::<WorkerErrorDocument>(&response.body).map_err(strange)?.error;
    Err(match (error.code, response.retry_after_s) {
        (WorkerErrorCode::UnknownWorker, _) => Trouble::Unknown,
        (WorkerErrorCode::Busy | WorkerErrorCode::Unavailable, Some(seconds)) => {
            Trouble::Later(Duration::from_secs(seconds))
        }
        _ => Trouble::Wrong(format!("{action}: {}", error.message)),
    })
}

fn path(action: &str) -> String {
    format!("{WORKER_PATH}/{action}")
}

fn body_of(document: &impl Serialize) -> Result<Vec<u8>, Trouble> {
    serde_json::to_vec(document).map_err(|why| Trouble::Wrong(why.to_string()))
}

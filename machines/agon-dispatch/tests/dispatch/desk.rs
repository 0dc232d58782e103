//! A dispatcher with a clock that the test turns.

use agon_core::Seed;
use agon_dispatch::{Answer, Dispatcher, Do, In, Notice, Refusal, Request, Settings};
use agon_spec::{
    WorkerAnswer, WorkerBeat, WorkerClaim, WorkerClaimed, WorkerEnding, WorkerHeld, WorkerLease, WorkerMachine,
    WorkerMatch, WorkerOutcome, WorkerReady, WorkerReadyBot, WorkerRefusals, WorkerRegister, WorkerReport,
    WorkerResult, WorkerSeat, WorkerSettled, WorkerTournament,
};

pub struct Desk {
    pub dispatcher: Dispatcher,
    pub now: u64,
    asker: u64,
}

pub fn settings() -> Settings {
    let tournament = WorkerTournament { name: "cup".into(), game: "toy".into() };
    let usual = Settings::new("1.2.3", tournament, 3);
    Settings { patience_ms: Some(60_000), nobody_ms: 50_000, local: false, ..usual }
}

/// What a worker says of its matches: tokens and turns.
pub type Spoken = [(u64, Option<u32>)];

/// Returns the instance of a worker.
pub fn instance(worker: &str) -> String {
    worker.bytes().map(|byte| format!("{byte:02x}")).collect::<String>() + &"0".repeat(16)
}

pub fn about(name: &str, cores: u32) -> WorkerRegister {
    let machine = WorkerMachine { agon: "1.2.3".into(), cores, ..WorkerMachine::default() };
    WorkerRegister { name: name.into(), instance: instance(name), machine, isolation: None, tools: Vec::new() }
}

pub fn ready(bots: &[u32]) -> Request {
    let bot = |number: &u32| WorkerReadyBot { number: *number, ok: true, why: None };
    Request::Ready(WorkerReady { edition: 1, bots: bots.iter().map(bot).collect() })
}

pub fn claim(request: u32, most: u32) -> Request {
    Request::Claim(WorkerClaim { request: format!("{request:016x}"), most, wait_ms: 20_000 })
}

/// Returns a lease of a match between the first two bots.
pub fn lease(id: u64, token: u64) -> WorkerLease {
    let (map_seed, seed) = (Seed(id), Seed(id + 1));
    let planned = WorkerMatch { id, round: 1, map: 0, map_seed, seed, bots: vec![0, 1], probability: None };
    WorkerLease { token, planned, attempts: 0 }
}

pub fn result(wall_us: u64) -> WorkerResult {
    let seat = |place| WorkerSeat {
        version: 1,
        score: 0,
        place,
        fault: None,
        refused: WorkerRefusals::default(),
        decisions: 1,
        time_us: 1,
        max_us: 1,
    };
    WorkerResult {
        ending: WorkerEnding::Finished,
        reason: "limit".into(),
        seats: vec![seat(1), seat(2)],
        plies: 1,
        fingerprint: None,
        replay: None,
        log: None,
        started_ms: 0,
        wall_us,
    }
}

pub fn report(results: &[(u64, u64)], wall_us: u64) -> Request {
    let settled = |(id, token): &(u64, u64)| WorkerSettled {
        id: *id,
        token: *token,
        result: result(wall_us),
        spoilt: Vec::new(),
    };
    Request::Report(WorkerReport { results: results.iter().map(settled).collect() })
}

pub fn beat(held: &Spoken) -> Request {
    Request::Beat(WorkerBeat {
        held: held.iter().map(|(token, ply)| WorkerHeld { token: *token, ply: *ply }).collect(),
    })
}

pub fn stored(id: u64, token: u64) -> In {
    In::Settled(vec![WorkerAnswer { id, token, outcome: WorkerOutcome::Stored }])
}

impl Desk {
    pub fn new(settings: Settings) -> Self {
        Self { dispatcher: Dispatcher::new(settings, 0), now: 0, asker: 0 }
    }

    /// Creates a dispatcher with workers that have all bots ready.
    pub fn with(workers: &[(&str, u32)]) -> Self {
        let mut desk = Self::new(settings());
        for (name, cores) in workers {
            desk.register(about(name, *cores)).expect("it is known");
            desk.ask(name, ready(&[0, 1, 2]));
        }
        desk
    }

    pub fn step(&mut self, message: In) -> Vec<Do> {
        self.dispatcher.step(self.now, message)
    }

    pub fn asker(&self) -> u64 {
        self.asker
    }

    /// Sends a request and returns its number with all that is to be done.
    pub fn ask(&mut self, worker: &str, request: Request) -> (u64, Vec<Do>) {
        self.asker += 1;
        let instance = instance(worker);
        (self.asker, self.step(In::Asked { asker: self.asker, instance, request }))
    }

    /// Sends a request that is answered at once, and returns the answer.
    pub fn answer(&mut self, worker: &str, request: Request) -> Result<Answer, Refusal> {
        let (asker, done) = self.ask(worker, request);
        answer_to(asker, done)
    }

    pub fn register(&mut self, about: WorkerRegister) -> Result<Answer, Refusal> {
        self.asker += 1;
        let asker = self.asker;
        let done = self.step(In::Asked { asker, instance: String::new(), request: Request::Register(about) });
        answer_to(asker, done)
    }

    /// Claims matches for a worker and gives it these. Returns what it is answered.
    pub fn hand(&mut self, worker: &str, request: u32, leases: &[WorkerLease]) -> WorkerClaimed {
        let (asker, done) = self.ask(worker, claim(request, 100));
        assert!(done.iter().any(|it| matches!(it, Do::Want { asker: wanted, .. } if *wanted == asker)), "{done:?}");
        let done = self.step(In::Given { asker, leases: leases.to_vec(), checks: Vec::new(), passed: Vec::new() });
        claimed(answer_to(asker, done))
    }

    /// Lets time go by, with a tick every second, and returns what is done in it.
    pub fn wait(&mut self, ms: u64) -> Vec<Do> {
        let end = self.now + ms;
        let mut done = Vec::new();
        while self.now < end {
            self.now = (self.now + 1_000).min(end);
            done.extend(self.step(In::Tick));
        }
        done
    }

    /// Lets time go by while these workers beat.
    pub fn wait_beating(&mut self, ms: u64, workers: &[(&str, &Spoken)]) -> Vec<Do> {
        let end = self.now + ms;
        let mut done = Vec::new();
        while self.now < end {
            done.extend(self.wait(5_000.min(end - self.now)));
            for (worker, held) in workers {
                done.extend(self.ask(worker, beat(held)).1);
            }
        }
        done
    }
}

pub fn answer_to(asker: u64, done: Vec<Do>) -> Result<Answer, Refusal> {
    let answer = done.into_iter().find_map(|it| match it {
        Do::Answer { asker: to, answer } if to == asker => Some(answer),
        _ => None,
    });
    answer.unwrap_or_else(|| panic!("request {asker} has no answer"))
}

pub fn claimed(answer: Result<Answer, Refusal>) -> WorkerClaimed {
    match answer {
        Ok(Answer::Claimed(claimed)) => claimed,
        other => panic!("{other:?}"),
    }
}

pub fn tokens(claimed: &WorkerClaimed) -> Vec<u64> {
    claimed.leases.iter().map(|lease| lease.token).collect()
}

/// Returns what matches were given back, with the reasons.
pub fn given_back(done: &[Do]) -> Vec<(u64, String)> {
    let back = done.iter().filter_map(|it| match it {
        Do::GiveBack { token, why, .. } => Some((*token, why.clone())),
        _ => None,
    });
    back.collect()
}

pub fn notices(done: &[Do]) -> Vec<Notice> {
    let told = done.iter().filter_map(|it| match it {
        Do::Tell(notice) => Some(notice.clone()),
        _ => None,
    });
    told.collect()
}

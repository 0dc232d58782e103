//! Workers that die, repeat themselves, come late and lie: every match is counted once, and no lease stays.

use crate::desk::{about, beat, claim, instance, lease, ready, report, settings};
use agon_dispatch::{Answer, Dispatcher, Do, In, Passed, Request, Settings};
use agon_spec::{WorkerAnswer, WorkerGiveBack, WorkerLease, WorkerOutcome, WorkerRegister, WorkerRelease};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

const MATCHES: u64 = 30;

/// What a run does with the store, as simply as it can be said.
#[derive(Default)]
struct Load {
    /// Matches that nobody has.
    open: BTreeSet<u64>,
    /// Tokens that count, with their matches.
    leased: BTreeMap<u64, u64>,
    /// Every token that was ever given.
    given: BTreeMap<u64, u64>,
    attempts: BTreeMap<u64, u32>,
    /// How often a result of a match was stored, and with which token.
    stored: BTreeMap<u64, Vec<u64>>,
    spoilt: BTreeSet<u64>,
    last: u64,
}

impl Load {
    fn bots(id: u64) -> Vec<u32> {
        vec![(id % 3) as u32, ((id + 1) % 3) as u32]
    }

    fn is_over(&self, id: u64) -> bool {
        self.stored.contains_key(&id) || self.spoilt.contains(&id)
    }

    /// Does what the dispatcher asks of a load, and returns what it answers.
    fn take(&mut self, order: Do) -> Vec<In> {
        match order {
            Do::Want { asker, count, without, .. } => {
                let (mut leases, mut passed) = (Vec::new(), Vec::new());
                for id in self.open.clone() {
                    let bots = Self::bots(id);
                    if bots.iter().any(|bot| without.contains(bot)) {
                        passed.push(Passed { id, bots });
                    } else if leases.len() < count {
                        self.last += 1;
                        let attempts = self.attempts.get(&id).copied().unwrap_or_default();
                        let mut lease = WorkerLease { attempts, ..lease(id, self.last) };
                        lease.planned.bots = bots;
                        leases.push(lease);
                        self.open.remove(&id);
                        self.leased.insert(self.last, id);
                        self.given.insert(self.last, id);
                    }
                }
                vec![In::Given { asker, leases, checks: vec![], passed }]
            }
            Do::Checked { .. } => Vec::new(),
            Do::Store { settled, known, .. } => {
                let (id, token) = (settled.id, settled.token);
                let is_lease = self.given.get(&token) == Some(&id);
                assert!(is_lease || !known, "what the dispatcher calls known is a lease of the match");
                let outcome = match self.stored.get(&id) {
                    _ if !is_lease => WorkerOutcome::Unknown,
                    Some(tokens) if tokens.contains(&token) => WorkerOutcome::Duplicate,
                    _ if self.is_over(id) => WorkerOutcome::Late,
                    _ => {
                        self.stored.entry(id).or_default().push(token);
                        WorkerOutcome::Stored
                    }
                };
                if is_lease {
                    self.leased.remove(&token);
                }
                let mut answers = vec![In::Settled(vec![WorkerAnswer { id, token, outcome }])];
                if outcome == WorkerOutcome::Stored {
                    self.open.remove(&id);
                    answers.push(In::Ended(self.close(id)));
                }
                answers.push(In::More);
                answers
            }
            Do::GiveBack { token, .. } => {
                if let Some(id) = self.leased.get(&token) {
                    *self.attempts.entry(*id).or_default() += 1;
                }
                self.reopen(&[token])
            }
            Do::Release(tokens) => self.reopen(&tokens),
            Do::Spoil { token, id, .. } => {
                self.leased.remove(&token);
                if !self.is_over(id) {
                    self.spoilt.insert(id);
                }
                vec![In::Ended(self.close(id)), In::More]
            }
            Do::Adopt { worker, tokens } => vec![In::Adopted { worker, leases: Vec::new(), strange: tokens }],
            Do::Answer { .. } | Do::Meet { .. } | Do::Extend(_) | Do::Tell(_) => Vec::new(),
        }
    }

    fn close(&mut self, id: u64) -> Vec<u64> {
        let others = self.leased.iter().filter(|(_, of)| **of == id).map(|(token, _)| *token);
        let others: Vec<u64> = others.collect();
        self.leased.retain(|_, of| *of != id);
        others
    }

    fn reopen(&mut self, tokens: &[u64]) -> Vec<In> {
        for token in tokens {
            if let Some(id) = self.leased.remove(token)
                && !self.is_over(id)
            {
                self.open.insert(id);
            }
        }
        vec![In::More]
    }
}

/// A worker with a mind of its own.
#[derive(Default)]
struct Worker {
    /// How often it was killed.
    life: u32,
    registered: bool,
    held: Vec<WorkerLease>,
    /// What it has played, also in earlier lives, and may report again.
    played: Vec<(u64, u64)>,
    ply: u32,
    request: u32,
}

struct World {
    dispatcher: Dispatcher,
    load: Load,
    now: u64,
    asker: u64,
    workers: Vec<Worker>,
    /// The worker and whether it is still the same life, by request.
    asked: BTreeMap<u64, (usize, u32)>,
    /// What the load has not taken yet.
    orders: VecDeque<Do>,
    longest: BTreeMap<u64, u64>,
}

impl World {
    fn new() -> Self {
        let settings = Settings { longest_ms: 600_000, requests: (1_000_000, 1), ..settings() };
        let load = Load { open: (1..=MATCHES).collect(), ..Load::default() };
        let workers = (0..3).map(|_| Worker::default()).collect();
        let dispatcher = Dispatcher::new(settings, 0);
        let (asked, orders, longest) = Default::default();
        Self { dispatcher, load, now: 0, asker: 0, workers, asked, orders, longest }
    }

    fn name(worker: usize) -> String {
        format!("w{worker}")
    }

    fn step(&mut self, message: In) {
        for order in self.dispatcher.step(self.now, message) {
            let Do::Answer { asker, answer } = order else {
                self.orders.push_back(order);
                continue;
            };
            let Some((worker, life)) = self.asked.remove(&asker) else { continue };
            let it = &mut self.workers[worker];
            if it.life != life {
                continue;
            }
            match answer {
                Ok(Answer::Claimed(claimed)) => it.held.extend(claimed.leases),
                Ok(Answer::Beaten(beaten)) => it.held.retain(|lease| !beaten.over.contains(&lease.token)),
                Err(refusal) if refusal.error.code == agon_spec::WorkerErrorCode::UnknownWorker => {
                    it.registered = false;
                }
                _ => {}
            }
        }
        // No lease is older than it may be.
        let held: BTreeSet<u64> =
            self.dispatcher.workers().iter().flat_map(|it| it.held.clone()).map(|it| it.0).collect();
        self.longest.retain(|id, _| held.contains(id));
        for id in held {
            let since = *self.longest.entry(id).or_insert(self.now);
            assert!(self.now - since <= 2 * 600_000 + 10_000, "match {id} has been with workers since {since}");
        }
    }

    fn ask(&mut self, worker: usize, request: Request) {
        self.asker += 1;
        let (asker, life) = (self.asker, self.workers[worker].life);
        self.asked.insert(asker, (worker, life));
        let instance = instance(&format!("{}x{life}", Self::name(worker)));
        self.step(In::Asked { asker, instance, request });
    }

    fn register(&mut self, worker: usize) {
        let life = self.workers[worker].life;
        self.workers[worker].registered = true;
        let about = WorkerRegister {
            instance: instance(&format!("{}x{life}", Self::name(worker))),
            ..about(&Self::name(worker), 2)
        };
        self.ask(worker, Request::Register(about));
        self.ask(worker, ready(if worker == 0 { &[0, 1] } else { &[0, 1, 2] }));
    }

    fn serve_load(&mut self, most: usize) {
        for _ in 0..most {
            let Some(order) = self.orders.pop_front() else { return };
            self.load.take(order).into_iter().for_each(|answer| self.step(answer));
        }
    }

    /// Does one thing that happens on a bad day.
    fn act(&mut self, kind: u8, worker: usize, number: u32) {
        let lie = u64::from(number % 50);
        if !self.workers[worker].registered {
            self.register(worker);
        }
        match kind {
            0 | 1 => {
                self.workers[worker].request += u32::from(!number.is_multiple_of(4));
                let request = self.workers[worker].request;
                self.ask(worker, claim(request, number % 5));
            }
            2 | 3 => {
                // Plays a match and reports it.
                if let Some(lease) = self.workers[worker].held.pop() {
                    let played = (lease.planned.id, lease.token);
                    self.workers[worker].played.push(played);
                    if !number.is_multiple_of(3) {
                        self.ask(worker, report(&[played], 100_000));
                    }
                }
            }
            4 => {
                let played = self.workers[worker].played.clone();
                self.ask(worker, report(&played, 100_000));
            }
            5 => {
                self.workers[worker].ply += number % 2;
                let ply = self.workers[worker].ply;
                let mut held: Vec<_> = self.workers[worker]
                    .held
                    .iter()
                    .map(|lease| (lease.token, (!number.is_multiple_of(7)).then_some(ply)))
                    .collect();
                if number.is_multiple_of(5) {
                    held.push((lie, Some(ply)));
                }
                self.ask(worker, beat(&held));
            }
            6 => {
                // It is killed. What it has played is on its disk.
                let it = &mut self.workers[worker];
                (it.life, it.registered) = (it.life + 1, false);
                it.held.clear();
            }
            7 => self.ask(worker, report(&[(lie, u64::from(number % 11)), (u64::from(number % 13), lie)], 1)),
            8 => {
                let tokens = vec![lie];
                self.ask(worker, Request::Release(WorkerRelease { tokens }));
            }
            9 => {
                let token = self.workers[worker].held.pop().map_or(lie, |lease| lease.token);
                self.ask(worker, Request::GiveBack(WorkerGiveBack { token, why: "no room".into() }));
            }
            10 => {
                if number.is_multiple_of(4) {
                    self.ask(worker, Request::Leave);
                }
            }
            11 => {
                let asker = self.asked.iter().find(|(_, (of, _))| *of == worker).map(|(asker, _)| *asker);
                if let Some(asker) = asker {
                    self.asked.remove(&asker);
                    self.step(In::Hung { asker });
                }
            }
            12 => {
                for _ in 0..number % 40 {
                    self.now += 1_000;
                    self.step(In::Tick);
                }
            }
            _ => {
                self.now += u64::from(number % 3_000);
                self.step(In::Tick);
            }
        }
        self.serve_load(usize::from(kind) % 4 + (number % 3) as usize);
    }

    /// Lets a good worker play what is left.
    fn finish(&mut self) {
        let worker = self.workers.len();
        self.workers.push(Worker::default());
        self.register(worker);
        for request in 0..3_000 {
            self.serve_load(usize::MAX);
            if self.load.open.is_empty() && self.load.leased.is_empty() && self.dispatcher.outstanding() == 0 {
                break;
            }
            self.now += 1_000;
            self.step(In::Tick);
            let held: Vec<(u64, u64)> =
                self.workers[worker].held.drain(..).map(|lease| (lease.planned.id, lease.token)).collect();
            if held.is_empty() {
                self.ask(worker, claim(1_000_000 + request, 8));
            } else {
                self.ask(worker, report(&held, 100_000));
            }
        }
        self.serve_load(usize::MAX);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_match_counts_once(actions in prop::collection::vec((0u8..14, 0usize..3, any::<u32>()), 1..400)) {
        let mut world = World::new();
        for (kind, worker, number) in actions {
            world.act(kind, worker, number);
        }
        world.finish();
        let Load { open, stored, spoilt, leased, .. } = &world.load;
        prop_assert!(open.is_empty(), "{open:?}");
        prop_assert!(leased.is_empty(), "{leased:?}");
        prop_assert_eq!(world.dispatcher.outstanding(), 0);
        for id in 1..=MATCHES {
            let times = stored.get(&id).map_or(0, Vec::len) + usize::from(spoilt.contains(&id));
            prop_assert_eq!(times, 1, "match {}", id);
        }
    }
}

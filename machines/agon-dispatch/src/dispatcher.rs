//! The dispatcher: takes messages one by one.

use crate::{
    Answer, Do, In, Notice, Refusal, Request, Settings, WorkerPresence, WorkerState,
    alone::Lost,
    claims::Waiting,
    leases::Held,
    notice::reason,
    passed::PassedMatches,
    recent::Recent,
    reports::{MOST_RESULTS, Reports},
    worker::{Bucket, Worker},
};
use agon_spec::{WorkerErrorCode, WorkerFinding, WorkerFound, WorkerLease};
use std::collections::{BTreeMap, VecDeque};

/// How many leases that are over are remembered.
const OVER: usize = 1 << 16;

/// Hands matches to workers. See the page of the crate.
#[derive(Debug)]
pub struct Dispatcher {
    pub(crate) settings: Settings,
    pub(crate) workers: BTreeMap<u32, Worker>,
    pub(crate) by_instance: BTreeMap<String, u32>,
    pub(crate) last_number: u32,
    pub(crate) registers: Bucket,
    pub(crate) leases: BTreeMap<u64, Held>,
    /// Leases that are over, each with its match.
    pub(crate) over: Recent<u64, u64>,
    /// Claims that wait, the oldest first.
    pub(crate) waiting: VecDeque<Waiting>,
    /// Claims that were repeated while the load had been asked for them: the first request, and the one in its place.
    pub(crate) successors: Vec<(u64, u64)>,
    /// Matches that were lost with a worker, and wait for one that plays nothing else.
    pub(crate) aside: VecDeque<WorkerLease>,
    /// What is known of the lost attempts of a match, by its number.
    pub(crate) lost: BTreeMap<u64, Lost>,
    pub(crate) reports: Reports,
    pub(crate) passed: PassedMatches,
    /// How long a match lasts, in microseconds, averaged over the last ones.
    pub(crate) usual_us: Option<u64>,
    /// Since when no worker is here, and whether that was told.
    pub(crate) empty: Option<(u64, bool)>,
    pub(crate) finished: bool,
    pub(crate) closing: bool,
    pub(crate) now: u64,
    pub(crate) out: Vec<Do>,
}

impl Dispatcher {
    /// Creates a dispatcher that knows no worker. `now` is the instant, in milliseconds, on the clock of all others.
    #[must_use]
    pub fn new(settings: Settings, now: u64) -> Self {
        Self {
            registers: Bucket::new(settings.registers, now),
            settings,
            workers: BTreeMap::new(),
            by_instance: BTreeMap::new(),
            last_number: 0,
            leases: BTreeMap::new(),
            over: Recent::new(OVER),
            waiting: VecDeque::new(),
            successors: Vec::new(),
            aside: VecDeque::new(),
            lost: BTreeMap::new(),
            reports: Reports::default(),
            passed: PassedMatches::default(),
            usual_us: None,
            empty: Some((now, false)),
            finished: false,
            closing: false,
            now,
            out: Vec::new(),
        }
    }

    /// Takes a message, and returns what is to be done, in this order. `now` is in milliseconds; a clock that goes back stands
    /// still.
    pub fn step(&mut self, now: u64, message: In) -> Vec<Do> {
        self.now = self.now.max(now);
        match message {
            In::Asked { asker, instance, request } => {
                if let Err(refusal) = self.asked(asker, &instance, request) {
                    self.out.push(Do::Answer { asker, answer: Err(refusal) });
                }
            }
            In::Hung { asker } => {
                self.waiting.retain(|waiting| waiting.asker != asker);
                self.reports.hung(asker);
            }
            In::Given { asker, leases, checks, passed } => self.given(asker, leases, checks, passed),
            In::More => self.waiting.iter_mut().for_each(|waiting| waiting.dry = false),
            In::Settled(answers) => answers.into_iter().for_each(|answer| self.settled(answer)),
            In::Adopted { worker, leases, strange } => self.adopted(worker, leases, &strange),
            In::Ended(tokens) => {
                self.aside.retain(|lease| !tokens.contains(&lease.token));
                tokens.into_iter().for_each(|token| drop(self.end(token)));
                self.free_alone();
            }
            In::PutAside { name, why } => self.put_aside(name, why),
            In::Closing => self.close(),
            In::Finished => {
                self.finished = true;
                self.answer_waiting();
            }
            In::Tick => self.tick(),
        }
        self.serve();
        std::mem::take(&mut self.out)
    }

    /// Returns the workers, in the order of their numbers.
    #[must_use]
    pub fn workers(&self) -> Vec<WorkerState> {
        self.workers.values().map(|worker| self.state(worker)).collect()
    }

    /// Returns the number of matches that workers have, and of those that wait for a worker of their own.
    #[must_use]
    pub fn outstanding(&self) -> usize {
        self.leases.len() + self.aside.len()
    }

    /// Returns whether a worker is here.
    #[must_use]
    pub fn has_workers(&self) -> bool {
        self.workers.values().any(Worker::is_here)
    }

    fn state(&self, worker: &Worker) -> WorkerState {
        let held = worker.held.iter().filter_map(|token| self.leases.get(token));
        WorkerState {
            worker: worker.number,
            name: worker.name.clone(),
            cores: worker.about.machine.cores,
            presence: worker.presence,
            ready: worker.ready.len(),
            failed: worker.failed.keys().copied().collect(),
            held: held.map(|held| (held.lease.planned.id, held.ply)).collect(),
            played: worker.played,
            told: worker.told,
            silent_ms: self.now.saturating_sub(worker.seen_ms),
        }
    }

    fn asked(&mut self, asker: u64, instance: &str, request: Request) -> Result<(), Refusal> {
        if let Request::Register(about) = request {
            return self.register(asker, about);
        }
        let now = self.now;
        let unknown = || {
            Refusal::new(WorkerErrorCode::UnknownWorker, "this worker is not known")
                .hint("a worker registers again when the server has begun anew")
        };
        let number = *self.by_instance.get(instance).ok_or_else(unknown)?;
        let worker = self.workers.get_mut(&number).ok_or_else(unknown)?;
        if !worker.bucket.take(now) {
            return Err(Refusal::new(WorkerErrorCode::Busy, "too many requests from this worker").retry_after(1, asker));
        }
        if worker.presence == WorkerPresence::PutAside {
            return Err(Refusal::new(
                WorkerErrorCode::PutAside,
                "the organiser wants no more matches from this worker",
            ));
        }
        worker.seen_ms = now;
        // What a worker that has left still sends does not bring it back.
        let stays = worker.presence == WorkerPresence::Left && !matches!(request, Request::Claim(_) | Request::Beat(_));
        if !worker.is_here() && !stays {
            worker.presence = WorkerPresence::Here;
            self.empty = None;
            let name = worker.name.clone();
            self.tell(Notice::Back { name });
        }
        match request {
            Request::Register(_) => {}
            Request::Ready(ready) => self.ready(asker, number, ready)?,
            Request::Claim(claim) => self.claim(asker, number, claim)?,
            Request::Beat(beat) => self.beat(asker, number, beat),
            Request::Report(report) => self.report(asker, number, report)?,
            Request::Checked(checked) => {
                if checked.findings.len() > MOST_RESULTS {
                    return Err(Refusal::new(WorkerErrorCode::BadRequest, "too many findings in one request"));
                }
                let findings = checked.findings.into_iter().map(shortened).collect();
                self.out.push(Do::Checked { worker: number, findings });
                self.answer(asker, Answer::Noted);
            }
            Request::Release(release) => {
                let own = release.tokens.into_iter().filter(|token| self.is_of(*token, number)).collect();
                self.release(own);
                self.answer(asker, Answer::Noted);
            }
            Request::GiveBack(back) => {
                if self.is_of(back.token, number) {
                    let name = self.name(number);
                    if let Some(worker) = self.workers.get_mut(&number) {
                        worker.pause(now);
                    }
                    self.lose(back.token, false, &format!("worker {name} could not play it: {}", reason(back.why)));
                }
                self.answer(asker, Answer::Noted);
            }
            Request::Leave => {
                self.leave(number);
                self.answer(asker, Answer::Noted);
            }
        }
        Ok(())
    }

    fn tick(&mut self) {
        self.end_leases();
        self.end_waits();
        self.free_alone();
        self.end_workers();
        self.tell_nobody();
    }

    /// Hands nothing more out.
    fn close(&mut self) {
        self.closing = true;
        let aside = self.aside.drain(..).map(|lease| lease.token).collect::<Vec<_>>();
        self.released(aside);
        self.free_alone();
    }

    pub(crate) fn answer(&mut self, asker: u64, answer: Answer) {
        self.out.push(Do::Answer { asker, answer: Ok(answer) });
    }

    pub(crate) fn tell(&mut self, notice: Notice) {
        self.out.push(Do::Tell(notice));
    }

    /// Gives matches back to the load that nobody has begun.
    pub(crate) fn released(&mut self, tokens: Vec<u64>) {
        if !tokens.is_empty() {
            self.out.push(Do::Release(tokens));
        }
    }

    pub(crate) fn name(&self, number: u32) -> String {
        self.workers.get(&number).map_or_else(|| format!("#{number}"), |worker| worker.name.clone())
    }
}

/// Cuts the words of a worker about a check, if they are too long to be kept and shown.
fn shortened(finding: WorkerFinding) -> WorkerFinding {
    let found = match finding.found {
        WorkerFound::Wrong(why) => WorkerFound::Wrong(reason(why)),
        WorkerFound::Nothing(why) => WorkerFound::Nothing(reason(why)),
        end @ WorkerFound::End(_) => end,
    };
    WorkerFinding { found, ..finding }
}

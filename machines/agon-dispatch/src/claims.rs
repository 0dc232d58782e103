//! Requests for matches, and how they wait.

use crate::{Answer, Dispatcher, Do, Passed, Refusal};
use agon_spec::{WORKER_MOST, WORKER_WAIT_MS, WorkerCheck, WorkerClaim, WorkerClaimed, WorkerErrorCode, WorkerLease};

/// A claim that has no answer yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Waiting {
    pub(crate) asker: u64,
    pub(crate) worker: u32,
    request: String,
    most: usize,
    until_ms: u64,
    /// Whether the load was asked.
    pub(crate) wanted: bool,
    /// Whether it had nothing.
    pub(crate) dry: bool,
}

/// Returns whether a text can be a random name: 16 to 64 hexadecimal digits.
pub(crate) fn is_random(name: &str) -> bool {
    (16..=64).contains(&name.len()) && name.bytes().all(|digit| digit.is_ascii_hexdigit())
}

impl Dispatcher {
    pub(crate) fn claim(&mut self, asker: u64, number: u32, claim: WorkerClaim) -> Result<(), Refusal> {
        if !is_random(&claim.request) {
            let what = "`request` must have 16 to 64 hexadecimal digits";
            return Err(Refusal::new(WorkerErrorCode::BadRequest, what));
        }
        let until_ms = self.now + u64::from(claim.wait_ms.min(WORKER_WAIT_MS));
        if let Some(earlier) = self.waiting.iter_mut().find(|waiting| waiting.worker == number) {
            // A worker has one claim. An earlier one has been given up, or its connection was lost.
            let same = earlier.request == claim.request;
            let before = earlier.asker;
            if same && earlier.wanted {
                // The load answers the first; its answer goes to who asked last.
                self.successors.push((before, asker));
                earlier.asker = asker;
                earlier.until_ms = until_ms;
                self.answer_empty(before);
                return Ok(());
            }
            self.waiting.retain(|waiting| waiting.worker != number);
            self.answer_empty(before);
        }
        let finished = self.finished;
        let Some(worker) = self.workers.get_mut(&number) else { return Ok(()) };
        worker.told = finished;
        if let Some(tokens) = worker.claims.get(&claim.request) {
            let leases = tokens.iter().filter_map(|token| self.leases.get(token)).map(|held| held.lease.clone());
            let leases: Vec<WorkerLease> = leases.collect();
            for lease in &leases {
                if let Some(held) = self.leases.get_mut(&lease.token) {
                    held.until_ms = self.now + self.settings.lease_ms;
                }
            }
            self.answer_claim(asker, leases, Vec::new());
            return Ok(());
        }
        let most = claim.most.min(WORKER_MOST) as usize;
        if self.finished || most == 0 {
            self.answer_empty(asker);
            return Ok(());
        }
        let request = claim.request;
        self.waiting.push_back(Waiting { asker, worker: number, request, most, until_ms, wanted: false, dry: false });
        Ok(())
    }

    /// Takes the matches that the load gives for a claim.
    pub(crate) fn given(
        &mut self,
        asker: u64,
        leases: Vec<WorkerLease>,
        checks: Vec<WorkerCheck>,
        passed: Vec<Passed>,
    ) {
        self.note_passed(passed);
        let asker = self.successor(asker);
        let Some(place) = self.waiting.iter().position(|waiting| waiting.asker == asker && waiting.wanted) else {
            self.released(leases.into_iter().map(|lease| lease.token).collect());
            return;
        };
        let is_here = self.workers.get(&self.waiting[place].worker).is_some_and(|worker| worker.is_here());
        if self.closing || !is_here {
            self.waiting[place].wanted = false;
            self.released(leases.into_iter().map(|lease| lease.token).collect());
            return;
        }
        let (suspect, sound): (Vec<_>, Vec<_>) = leases.into_iter().partition(|lease| self.is_suspect(lease));
        // Also a worker that has nothing else may have lost it itself: there it is decided who gets it.
        self.waiting[place].dry = suspect.is_empty() && sound.is_empty() && checks.is_empty();
        self.waiting[place].wanted = false;
        self.aside.extend(suspect);
        if (!sound.is_empty() || !checks.is_empty())
            && let Some(waiting) = self.waiting.remove(place)
        {
            self.grant(waiting, sound, checks);
        }
    }

    /// Gives matches to the worker of a claim.
    pub(crate) fn grant(&mut self, waiting: Waiting, leases: Vec<WorkerLease>, checks: Vec<WorkerCheck>) {
        leases.iter().for_each(|lease| self.hold(waiting.worker, lease.clone()));
        if let Some(worker) = self.workers.get_mut(&waiting.worker) {
            worker.claims.add(waiting.request, leases.iter().map(|lease| lease.token).collect());
        }
        self.answer_claim(waiting.asker, leases, checks);
    }

    /// Gives claims what there is, and asks the load for more.
    pub(crate) fn serve(&mut self) {
        if self.closing || self.finished {
            return;
        }
        self.serve_alone();
        let Self { settings, workers, waiting, out, now, usual_us, .. } = self;
        for claim in waiting.iter_mut().filter(|claim| !claim.wanted && !claim.dry) {
            let Some(worker) = workers.get(&claim.worker) else { continue };
            if !worker.is_here() || worker.alone.is_some() || worker.paused_ms > *now || worker.ready.is_empty() {
                continue;
            }
            let room = worker.may_hold(settings.batch_ms, *usual_us).saturating_sub(worker.held.len());
            let count = claim.most.min(room);
            if count == 0 {
                continue;
            }
            claim.wanted = true;
            let without = (0..settings.bots).filter(|bot| !worker.ready.contains(bot)).collect();
            out.push(Do::Want { asker: claim.asker, worker: worker.number, count, without });
        }
    }

    /// Ends the waits whose time is over. What the load is about to give for them goes back.
    pub(crate) fn end_waits(&mut self) {
        let over: Vec<u64> =
            self.waiting.iter().filter(|waiting| waiting.until_ms <= self.now).map(|waiting| waiting.asker).collect();
        self.waiting.retain(|waiting| waiting.until_ms > self.now);
        over.into_iter().for_each(|asker| self.answer_empty(asker));
    }

    /// Answers all claims that wait.
    pub(crate) fn answer_waiting(&mut self) {
        for waiting in std::mem::take(&mut self.waiting) {
            if let Some(worker) = self.workers.get_mut(&waiting.worker) {
                worker.told = self.finished;
            }
            self.answer_empty(waiting.asker);
        }
    }

    pub(crate) fn answer_empty(&mut self, asker: u64) {
        self.answer_claim(asker, Vec::new(), Vec::new());
    }

    fn answer_claim(&mut self, asker: u64, leases: Vec<WorkerLease>, checks: Vec<WorkerCheck>) {
        let (until_ms, edition) = (self.settings.lease_ms, self.settings.edition);
        let claimed = WorkerClaimed { leases, checks, until_ms, finished: self.finished, edition };
        self.answer(asker, Answer::Claimed(claimed));
    }

    fn successor(&mut self, asker: u64) -> u64 {
        let mut last = asker;
        // Those that follow each other stand in this order.
        self.successors.retain(|(before, after)| {
            let is_it = *before == last;
            if is_it {
                last = *after;
            }
            !is_it
        });
        last
    }
}

//! The threads that talk with the server: one claims matches, one reports results, and one gives signs of life.

use crate::{
    client::Client,
    error::WorkerFailure,
    event::WorkerEvent,
    link::{Link, Unanswered, Until},
    outbox::{Group, hex},
    shop::{Errand, Shop, Told},
};
use agon_spec::{
    WORKER_WAIT_MS, WorkerBeat, WorkerBeaten, WorkerChecked, WorkerClaim, WorkerClaimed, WorkerErrorCode,
    WorkerGiveBack, WorkerNoted, WorkerRelease, WorkerReport, WorkerReported, WorkerSettled,
};
use std::{collections::BTreeMap, io, sync::atomic::Ordering, time::Duration};

/// The least time between two claims that give nothing.
const NOTHING: Duration = Duration::from_secs(1);
/// The time between two claims when the tournament is finished.
const FINISHED: Duration = Duration::from_secs(5);
/// The most results in a report.
const TOGETHER: usize = 256;
/// A report has no more results when it has so many bytes.
const BYTES_TOGETHER: usize = 1 << 20;
/// A report that the server does not answer completely is sent again so often.
const UNANSWERED: u32 = 5;

impl Shop {
    /// Claims matches for so many threads until no more begin. `client` is broken off when nothing new is to begin.
    pub(crate) fn claim(&self, threads: usize, edition: u64, client: &Client) {
        let mut request = draw();
        loop {
            let Some(most) = self.wanted(threads) else { return };
            let claim = WorkerClaim { request: request.clone(), most, wait_ms: WORKER_WAIT_MS };
            let begun = self.link.clock().now();
            let claimed = match self.link.ask(Until::Claiming, |_| client.post::<WorkerClaimed>("claim", &claim)) {
                Ok(claimed) => claimed,
                Err(why) => return self.fail_without("claim", why),
            };
            request = draw();
            let tokens: Vec<u64> = claimed.leases.iter().map(|lease| lease.token).collect();
            if claimed.edition != edition {
                self.send(Errand::Release(tokens));
                let _ = self.told.send(Told::Edition);
                return;
            }
            let mut desk = self.desk();
            if desk.is_closed() {
                drop(desk);
                return self.send(Errand::Release(tokens));
            }
            let has_checks = !claimed.checks.is_empty();
            desk.take(claimed.leases);
            desk.take_checks(claimed.checks);
            drop(desk);
            self.ring();
            let _ = self.told.send(Told::Finished(claimed.finished));
            let pause = match () {
                () if !tokens.is_empty() || has_checks => continue,
                () if claimed.finished => FINISHED,
                // A server that does not wait is asked no more often for that.
                () => NOTHING.saturating_sub(self.link.clock().now().saturating_sub(begun)),
            };
            let spread = pause.mul_f64(getrandom::u32().unwrap_or(0) as f64 / f64::from(u32::MAX));
            if self.link.wait(pause + spread, Until::Claiming).is_err() {
                return;
            }
        }
    }

    /// Waits until matches are wanted. `None` if none begin any more.
    fn wanted(&self, threads: usize) -> Option<u32> {
        loop {
            // Results that pile up or cannot be kept are dealt with first.
            let room = !self.unkept.load(Ordering::Acquire) && !self.outbox().is_full();
            let desk = self.desk();
            if desk.is_closed() || self.has_ended() {
                return None;
            }
            let wanted = desk.wanted(threads);
            if wanted > 0 && room {
                return Some(wanted);
            }
            drop(self.wait(desk));
        }
    }

    /// Gives signs of life until everything ends.
    pub(crate) fn beat(&self) {
        loop {
            let (beat, _) = self.link.times();
            if self.link.wait(beat, Until::Killed).is_err() {
                return;
            }
            let held = self.desk().held();
            // A later sign of life says more than a late one.
            let until = Until::Time(self.link.clock().now() + beat);
            let body = WorkerBeat { held };
            match self.link.ask(until, |client| client.post::<WorkerBeaten>("beat", &body)) {
                Ok(beaten) => {
                    let matches = self.desk().lose(&beaten.over);
                    if matches > 0 {
                        self.tell(WorkerEvent::Lost { matches });
                    }
                }
                Err(Unanswered::Ended) => {}
                Err(why) => return self.fail_without("beat", why),
            }
        }
    }

    /// Reports results, and whatever else the server is to know, until everything ends.
    pub(crate) fn report(&self) {
        let (mut unanswered, mut most) = (0, TOGETHER);
        while !self.has_ended() && !self.has_failed() {
            let errand = self.errands().front().cloned();
            if let Some(errand) = errand {
                match self.run(&errand, Until::Killed) {
                    Ok(()) => drop(self.errands().pop_front()),
                    Err(Unanswered::Ended) => return,
                    Err(why) => return self.fail_without(errand.request(), why),
                }
                continue;
            }
            match self.report_some(most) {
                Ok(Some(true)) => (unanswered, most) = (0, TOGETHER),
                Ok(Some(false)) if unanswered < UNANSWERED => {
                    unanswered += 1;
                    if self.link.wait(NOTHING * unanswered, Until::Killed).is_err() {
                        return;
                    }
                }
                Ok(Some(false)) => {
                    let (address, why) =
                        (self.link.client().address().to_string(), "it does not answer to results".to_owned());
                    return self.fail(WorkerFailure::Stranger { address, why });
                }
                Ok(None) => {
                    let desk = self.desk();
                    drop(self.wait(desk));
                }
                Err(Unanswered::Ended) => return,
                Err(Unanswered::Refused(error)) if is_of_results(error.code) => {
                    // A result that is none keeps no others back. The matches of its file are played again.
                    if most == 1 {
                        self.put_aside();
                    }
                    most = 1;
                }
                Err(why) => return self.fail_without("report", why),
            }
        }
    }

    /// Puts the oldest results aside.
    fn put_aside(&self) {
        let mut outbox = self.outbox();
        let aside = outbox.next_after(0).map(|number| outbox.put_aside(number));
        drop(outbox);
        if let Some(Ok((path, tokens))) = aside {
            self.desk().forget(tokens);
            self.tell(WorkerEvent::Damaged { path });
        }
    }

    /// Tells the server one thing.
    pub(crate) fn run(&self, errand: &Errand, until: Until) -> Result<(), Unanswered> {
        errand.send(&self.link, until)
    }

    /// Reports the oldest results, those of one file or up to about so many. `None` if there are none, and `Some(false)` if some have
    /// no answer.
    fn report_some(&self, most: usize) -> Result<Option<bool>, Unanswered> {
        let groups = self.oldest(most);
        if groups.is_empty() {
            return Ok(None);
        }
        let all = || groups.iter().flat_map(|(_, group)| &group.settled);
        let files: BTreeMap<&String, &Vec<u8>> = groups.iter().flat_map(|(_, group)| &group.files).collect();
        let body = WorkerReport { results: all().cloned().collect() };
        let mut attempts = 0;
        let reported = loop {
            for (hash, bytes) in &files {
                let path = format!("blob/{hash}");
                self.link.ask(Until::Killed, |client| client.put::<WorkerNoted>(&path, bytes))?;
            }
            match self.link.ask(Until::Killed, |client| client.post::<WorkerReported>("report", &body)) {
                Ok(reported) => break reported,
                // A server that has begun anew has lost what was sent before.
                Err(Unanswered::Refused(error)) if error.code == WorkerErrorCode::NoBlob && attempts < UNANSWERED => {
                    attempts += 1;
                }
                Err(why) => return Err(why),
            }
        };
        // Answers belong to a result by its number and its token, not by their order.
        let answers: BTreeMap<(u64, u64), _> =
            reported.answers.iter().map(|answer| ((answer.id, answer.token), answer.outcome)).collect();
        let outcome = |settled: &WorkerSettled| answers.get(&(settled.id, settled.token)).copied();
        let mut complete = true;
        for (number, group) in &groups {
            if group.settled.iter().any(|settled| outcome(settled).is_none()) {
                complete = false;
                continue;
            }
            // It has been acknowledged: if it stays, it is reported once more by the next process.
            let _ = self.outbox().remove(*number);
            self.desk().forget(group.settled.iter().map(|settled| settled.token));
            for settled in &group.settled {
                let outcome = outcome(settled);
                outcome.into_iter().for_each(|outcome| self.tell(WorkerEvent::Answered { id: settled.id, outcome }));
            }
        }
        self.ring();
        Ok(Some(complete))
    }

    /// Returns the oldest files of the outbox, as many as fit in a report. Puts those aside that are damaged.
    fn oldest(&self, most: usize) -> Vec<(u64, Group)> {
        let (mut groups, mut last, mut results, mut bytes) = (Vec::new(), 0, 0, 0);
        while results < most && bytes < BYTES_TOGETHER {
            let mut outbox = self.outbox();
            let Some(number) = outbox.next_after(last) else { break };
            last = number;
            match outbox.read(number) {
                Ok(group) => {
                    results += group.settled.len();
                    bytes += serde_json::to_vec(&group.settled).map_or(0, |text| text.len());
                    bytes += group.files.values().map(Vec::len).sum::<usize>() / 16;
                    groups.push((number, group));
                }
                Err(why) if why.kind() == io::ErrorKind::InvalidData => {
                    let aside = outbox.put_aside(number);
                    drop(outbox);
                    if let Ok((path, tokens)) = aside {
                        self.desk().forget(tokens);
                        self.tell(WorkerEvent::Damaged { path });
                    }
                }
                // It is tried again with the next report.
                Err(_) => break,
            }
        }
        groups
    }
}

impl Errand {
    /// Tells it the server.
    pub(crate) fn send(&self, link: &Link, until: Until) -> Result<(), Unanswered> {
        let request = self.request();
        let noted = match self {
            Self::Release(tokens) => {
                let body = WorkerRelease { tokens: tokens.clone() };
                link.ask(until, |client| client.post::<WorkerNoted>(request, &body))
            }
            Self::GiveBack { token, why, .. } => {
                let body = WorkerGiveBack { token: *token, why: why.clone() };
                link.ask(until, |client| client.post::<WorkerNoted>(request, &body))
            }
            Self::Checked(finding) => {
                let body = WorkerChecked { findings: vec![finding.clone()] };
                link.ask(until, |client| client.post::<WorkerNoted>(request, &body))
            }
            Self::Ready(body) => link.ask(until, |client| client.post::<WorkerNoted>(request, body)),
        };
        match noted {
            Ok(WorkerNoted {}) => Ok(()),
            // The lease is over, or the edition: there is nothing left to tell.
            Err(Unanswered::Refused(error)) if error.code == WorkerErrorCode::NotFound => Ok(()),
            Err(why) => Err(why),
        }
    }

    /// Returns the name of the request.
    fn request(&self) -> &'static str {
        match self {
            Self::Release(_) => "release",
            Self::GiveBack { .. } => "give-back",
            Self::Checked(_) => "checked",
            Self::Ready(_) => "ready",
        }
    }
}

/// Returns whether a refusal is about the results of a report, and not about the worker.
fn is_of_results(code: WorkerErrorCode) -> bool {
    use WorkerErrorCode::{BadRequest, NoBlob, OtherBytes, TooLarge};
    matches!(code, BadRequest | NoBlob | OtherBytes | TooLarge)
}

/// Draws the name of a claim. Where the system has no random numbers, it is the time.
fn draw() -> String {
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        let since = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap_or_default();
        bytes = since.as_nanos().to_be_bytes();
    }
    hex(&bytes)
}

//! Results on their way to the store.

use crate::{Answer, Dispatcher, Do, Refusal, recent::Recent, worker::average};
use agon_spec::{
    WORKER_MOST, WorkerAnswer, WorkerEnding, WorkerErrorCode, WorkerOutcome, WorkerReport, WorkerReported,
    WorkerSettled,
};
use std::collections::BTreeMap;

/// How many results a report may have: more than a worker can have matches.
pub const MOST_RESULTS: usize = 2 * WORKER_MOST as usize;
/// How many outcomes are remembered.
const OUTCOMES: usize = 1 << 16;

/// A result: the number of its match, and the token of its lease. Both together, because a worker may be wrong about one.
type Key = (u64, u64);

/// Reports that wait for the store, and what became of earlier ones.
#[derive(Debug)]
pub(crate) struct Reports {
    /// By the number of the request: how many results have no answer yet, and the answers.
    waiting: BTreeMap<u64, (usize, Vec<WorkerAnswer>)>,
    /// Results that the load has, with the requests that wait for them.
    underway: BTreeMap<Key, Vec<u64>>,
    outcomes: Recent<Key, WorkerOutcome>,
}

impl Default for Reports {
    fn default() -> Self {
        Self { waiting: BTreeMap::new(), underway: BTreeMap::new(), outcomes: Recent::new(OUTCOMES) }
    }
}

impl Reports {
    /// Forgets a request for whose answer nobody waits. Its results go on.
    pub(crate) fn hung(&mut self, asker: u64) {
        self.waiting.remove(&asker);
    }
}

impl Dispatcher {
    pub(crate) fn report(&mut self, asker: u64, number: u32, report: WorkerReport) -> Result<(), Refusal> {
        let results = report.results;
        if results.len() > MOST_RESULTS {
            return Err(Refusal::new(WorkerErrorCode::BadRequest, "too many results in one report"));
        }
        if self.reports.underway.len() + results.len() > self.settings.most_underway {
            let what = "too many results are on their way to the disk";
            return Err(Refusal::new(WorkerErrorCode::Unavailable, what).retry_after(2, asker));
        }
        for settled in &results {
            self.check(settled)?;
        }
        let (mut left, mut answers) = (0, Vec::new());
        for settled in results {
            let (id, token) = (settled.id, settled.token);
            let answer = |outcome| WorkerAnswer { id, token, outcome };
            if let Some(outcome) = self.reports.outcomes.get(&(id, token)) {
                answers.push(answer(match outcome {
                    WorkerOutcome::Stored => WorkerOutcome::Duplicate,
                    other => *other,
                }));
                continue;
            }
            if let Some(askers) = self.reports.underway.get_mut(&(id, token)) {
                askers.push(asker);
                left += 1;
                continue;
            }
            let known = match self.leases.get_mut(&token) {
                Some(held) if held.lease.planned.id == id => {
                    held.reported_us = Some(settled.result.wall_us);
                    true
                }
                Some(_) => {
                    answers.push(answer(WorkerOutcome::Unknown));
                    continue;
                }
                None => match self.over.get(&token) {
                    Some(of) if *of == id => true,
                    Some(_) => {
                        answers.push(answer(WorkerOutcome::Unknown));
                        continue;
                    }
                    None => false,
                },
            };
            self.reports.underway.insert((id, token), vec![asker]);
            left += 1;
            self.out.push(Do::Store { worker: number, settled, known });
        }
        if left == 0 {
            self.answer(asker, Answer::Reported(WorkerReported { answers }));
        } else {
            self.reports.waiting.insert(asker, (left, answers));
        }
        Ok(())
    }

    /// Refuses a result that cannot be one of its match.
    fn check(&self, settled: &WorkerSettled) -> Result<(), Refusal> {
        let Some(held) = self.leases.get(&settled.token) else { return Ok(()) };
        let (seats, result) = (held.lease.planned.bots.len(), &settled.result);
        let wrong = |what: &str| {
            let id = settled.id;
            Err(Refusal::new(WorkerErrorCode::BadRequest, format!("the result of match {id} is none: {what}")))
        };
        if held.lease.planned.id != settled.id {
            return Ok(());
        }
        match result.ending {
            WorkerEnding::Finished if result.seats.len() != seats => wrong("it has another number of seats"),
            WorkerEnding::Spoilt if !result.seats.is_empty() && result.seats.len() != seats => {
                wrong("it has another number of seats")
            }
            _ if result.seats.iter().any(|seat| seat.place == 0 || seat.place as usize > seats + 1) => {
                wrong("a place is out of range")
            }
            _ => Ok(()),
        }
    }

    /// Takes what became of a result.
    pub(crate) fn settled(&mut self, answer: WorkerAnswer) {
        let key = (answer.id, answer.token);
        self.reports.outcomes.add(key, answer.outcome);
        if answer.outcome == WorkerOutcome::Stored {
            self.lost.remove(&answer.id);
        }
        if self.leases.get(&answer.token).is_some_and(|held| held.lease.planned.id == answer.id)
            && let Some(held) = self.end(answer.token)
            && let Some(wall_us) = held.reported_us
        {
            self.usual_us = Some(average(self.usual_us, wall_us));
            if let Some(worker) = self.workers.get_mut(&held.worker) {
                worker.has_played(wall_us, self.now);
            }
        }
        for (nth, asker) in self.reports.underway.remove(&key).unwrap_or_default().into_iter().enumerate() {
            let Some((left, answers)) = self.reports.waiting.get_mut(&asker) else { continue };
            let outcome = match answer.outcome {
                WorkerOutcome::Stored if nth > 0 => WorkerOutcome::Duplicate,
                other => other,
            };
            answers.push(WorkerAnswer { outcome, ..answer });
            *left -= 1;
            if *left == 0
                && let Some((_, answers)) = self.reports.waiting.remove(&asker)
            {
                self.answer(asker, Answer::Reported(WorkerReported { answers }));
            }
        }
    }
}

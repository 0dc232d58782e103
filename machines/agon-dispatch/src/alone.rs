//! Matches that were lost with a worker. Each is played alone from then on, so that the one that kills workers does not take others
//! with it, and ends as spoilt when it has cost enough of them.

use crate::{Dispatcher, Do, Notice, Settings, claims::Waiting, worker::Worker};
use agon_spec::WorkerLease;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of the lost attempts of a match.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Lost {
    pub(crate) attempts: u32,
    /// The names of the workers, by their instances. One that was killed and started again has the same instance, and machines
    /// made from one image have the same name.
    pub(crate) workers: BTreeMap<String, String>,
}

impl Dispatcher {
    /// Ends a lease whose attempt is lost.
    pub(crate) fn lose(&mut self, token: u64, silent: bool, why: &str) {
        let Some(held) = self.end(token) else { return };
        let id = held.lease.planned.id;
        let lost = self.lost.entry(id).or_default();
        lost.attempts += 1;
        if let Some(worker) = self.workers.get(&held.worker) {
            lost.workers.insert(worker.about.instance.clone(), worker.name.clone());
        }
        let Settings { poison_attempts, poison_workers, .. } = self.settings;
        if lost.attempts >= poison_attempts && lost.workers.len() >= poison_workers {
            let workers: Vec<&str> = lost.workers.values().map(String::as_str).collect();
            let why = format!("{} attempts were lost, on the workers {}: {why}", lost.attempts, workers.join(", "));
            self.lost.remove(&id);
            self.out.push(Do::Spoil { token, id, why: why.clone() });
            self.tell(Notice::Lost { id, why });
        } else {
            self.out.push(Do::GiveBack { token, silent, why: why.to_owned() });
            self.tell(Notice::Lost { id, why: why.to_owned() });
        }
    }

    /// Returns whether a match was begun before without a result.
    pub(crate) fn is_suspect(&self, lease: &WorkerLease) -> bool {
        lease.attempts > 0 || self.lost.contains_key(&lease.planned.id)
    }

    /// Gives each match that is to be played alone to a worker that has nothing. If none has, one gets nothing more until then.
    ///
    /// There may be thousands of these matches after a rack of workers has lost its power, and this is asked after every message:
    /// it looks at no more of them than there are claims that could get one.
    pub(crate) fn serve_alone(&mut self) {
        let mut claims = self.waiting.iter().filter(|waiting| self.may_get_one_alone(waiting)).count();
        let bots = self.settings.bots as usize;
        // Matches that nobody can play go back.
        let everything = move |worker: &Worker| worker.is_here() && worker.ready.len() == bots;
        if claims == 0 && (self.aside.is_empty() || self.workers.values().any(everything)) {
            return;
        }
        let mut drained: BTreeSet<u64> = self.workers.values().filter_map(|worker| worker.alone).collect();
        for _ in 0..self.aside.len() {
            if claims == 0 && self.workers.values().any(everything) {
                break;
            }
            let Some(lease) = self.aside.pop_front() else { break };
            let may = |worker: &Worker| worker.is_here() && worker.can_play(&lease.planned.bots);
            if !self.workers.values().any(may) {
                self.released(vec![lease.token]);
                continue;
            }
            // Who lost it is not the first to try it again.
            let burnt = self.lost.get(&lease.planned.id).map(|lost| lost.workers.clone()).unwrap_or_default();
            let fresh = |worker: &Worker| may(worker) && !burnt.contains_key(&worker.about.instance);
            let only_fresh = self.workers.values().any(fresh);
            let fits = |worker: &Worker| {
                (if only_fresh { fresh(worker) } else { may(worker) })
                    && worker.alone.is_none_or(|token| token == lease.token)
                    && worker.paused_ms <= self.now
            };
            let free = |waiting: &Waiting| !waiting.wanted;
            let idle = self.waiting.iter().position(|waiting| {
                free(waiting) && self.workers.get(&waiting.worker).is_some_and(|it| fits(it) && it.held.is_empty())
            });
            if let Some(place) = idle {
                let token = lease.token;
                if let Some(waiting) = self.waiting.remove(place) {
                    if let Some(worker) = self.workers.get_mut(&waiting.worker) {
                        worker.alone = Some(token);
                    }
                    self.grant(waiting, vec![lease], Vec::new());
                    claims = claims.saturating_sub(1);
                }
                continue;
            }
            if !drained.contains(&lease.token) {
                let next = self.waiting.iter().find(|waiting| self.workers.get(&waiting.worker).is_some_and(fits));
                if let Some(number) = next.map(|waiting| waiting.worker)
                    && let Some(worker) = self.workers.get_mut(&number)
                {
                    worker.alone = Some(lease.token);
                    drained.insert(lease.token);
                    claims = claims.saturating_sub(1);
                }
            }
            self.aside.push_back(lease);
        }
        self.free_alone();
    }

    /// Returns whether a claim could get a match alone, now or when its worker has nothing else.
    fn may_get_one_alone(&self, waiting: &Waiting) -> bool {
        let may = |worker: &Worker| worker.is_here() && worker.paused_ms <= self.now;
        !waiting.wanted && !self.aside.is_empty() && self.workers.get(&waiting.worker).is_some_and(may)
    }

    /// Keeps no worker free for a match that has gone elsewhere.
    pub(crate) fn free_alone(&mut self) {
        // What a worker is kept free for may have gone elsewhere.
        let kept: BTreeSet<u64> = self.aside.iter().map(|lease| lease.token).collect();
        for worker in self.workers.values_mut() {
            if worker.alone.is_some_and(|token| !worker.held.contains(&token) && !kept.contains(&token)) {
                worker.alone = None;
            }
        }
    }
}

//! Matches that were lost with a worker. Each is played alone from then on, so that the one that kills workers does not take others
//! with it, and ends as spoilt when it has cost enough of them.

use crate::{Dispatcher, Do, Notice, Settings, worker::Worker};
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
    /// a worker that is kept free for a match is compared with that one alone.
    pub(crate) fn serve_alone(&mut self) {
        if self.aside.is_empty() {
            return;
        }
        let bots = self.settings.bots as usize;
        if !self.workers.values().any(|worker| worker.is_here() && worker.ready.len() == bots) {
            self.give_back_what_nobody_plays();
        }
        self.serve_kept();
        self.serve_next();
    }

    fn give_back_what_nobody_plays(&mut self) {
        let Self { aside, workers, .. } = self;
        let before = aside.len();
        let mut tokens = Vec::new();
        aside.retain(|lease| {
            let is_played = workers.values().any(|worker| may_play(worker, lease));
            if !is_played {
                tokens.push(lease.token);
            }
            is_played
        });
        if aside.len() < before {
            self.released(tokens);
            self.free_alone();
        }
    }

    /// Gives the matches for which workers are kept free to those that have nothing else any more.
    fn serve_kept(&mut self) {
        let kept = self.claims_alone().filter_map(|worker| worker.alone.filter(|_| worker.held.is_empty()));
        for token in kept.collect::<Vec<_>>() {
            let Some(place) = self.aside.iter().position(|lease| lease.token == token) else { continue };
            let keeper = self.workers.values().find(|worker| worker.alone == Some(token));
            let fits =
                keeper.filter(|worker| self.fits(worker, &self.aside[place], self.has_fresh(&self.aside[place])));
            if let Some(number) = fits.map(|worker| worker.number)
                && let Some(lease) = self.aside.remove(place)
            {
                self.grant_alone(number, lease);
            }
        }
    }

    /// Gives further matches to workers that have nothing, and keeps others free for what is left.
    fn serve_next(&mut self) {
        let free = self.claims_alone().filter(|worker| worker.alone.is_none());
        let mut free: Vec<(u32, bool)> = free.map(|worker| (worker.number, worker.held.is_empty())).collect();
        if free.is_empty() {
            return;
        }
        let mut kept: BTreeSet<u64> = self.workers.values().filter_map(|worker| worker.alone).collect();
        for _ in 0..self.aside.len() {
            if free.is_empty() {
                break;
            }
            let Some(lease) = self.aside.pop_front() else { break };
            let only_fresh = self.has_fresh(&lease);
            let is_kept = kept.contains(&lease.token);
            let place = |idle: bool| {
                free.iter().position(|(number, is_idle)| {
                    *is_idle == idle
                        && self.workers.get(number).is_some_and(|worker| self.fits(worker, &lease, only_fresh))
                })
            };
            if let Some(place) = place(true) {
                if is_kept && let Some(keeper) = self.workers.values_mut().find(|it| it.alone == Some(lease.token)) {
                    keeper.alone = None;
                }
                self.grant_alone(free.remove(place).0, lease);
                continue;
            }
            if !is_kept
                && let Some(place) = place(false)
                && let Some(worker) = self.workers.get_mut(&free[place].0)
            {
                worker.alone = Some(lease.token);
                kept.insert(lease.token);
                free.remove(place);
            }
            self.aside.push_back(lease);
        }
    }

    /// The workers whose claims could get a match alone, now or when they have nothing else, the oldest claim first.
    fn claims_alone(&self) -> impl Iterator<Item = &Worker> {
        let claims = self.waiting.iter().filter(|waiting| !waiting.wanted);
        claims
            .filter_map(|waiting| self.workers.get(&waiting.worker))
            .filter(|worker| worker.is_here() && worker.paused_ms <= self.now)
    }

    /// Whether a worker may play a match that has not lost it. Who has is not the first to try it again.
    fn has_fresh(&self, lease: &WorkerLease) -> bool {
        self.workers.values().any(|worker| may_play(worker, lease) && !self.has_lost(worker, lease))
    }

    fn has_lost(&self, worker: &Worker, lease: &WorkerLease) -> bool {
        self.lost.get(&lease.planned.id).is_some_and(|lost| lost.workers.contains_key(&worker.about.instance))
    }

    fn fits(&self, worker: &Worker, lease: &WorkerLease, only_fresh: bool) -> bool {
        may_play(worker, lease) && !(only_fresh && self.has_lost(worker, lease))
    }

    fn grant_alone(&mut self, number: u32, lease: WorkerLease) {
        let Some(place) = self.waiting.iter().position(|waiting| waiting.worker == number) else { return };
        let Some(waiting) = self.waiting.remove(place) else { return };
        if let Some(worker) = self.workers.get_mut(&number) {
            worker.alone = Some(lease.token);
        }
        self.grant(waiting, vec![lease], Vec::new());
    }

    /// Keeps no worker free for a match that has gone elsewhere.
    pub(crate) fn free_alone(&mut self) {
        let kept: BTreeSet<u64> = self.aside.iter().map(|lease| lease.token).collect();
        for worker in self.workers.values_mut() {
            if worker.alone.is_some_and(|token| !worker.held.contains(&token) && !kept.contains(&token)) {
                worker.alone = None;
            }
        }
    }
}

fn may_play(worker: &Worker, lease: &WorkerLease) -> bool {
    worker.is_here() && worker.can_play(&lease.planned.bots)
}

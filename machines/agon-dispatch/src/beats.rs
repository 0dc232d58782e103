//! Signs of life.

use crate::{Answer, Dispatcher, Do};
use agon_spec::{WORKER_MOST, WorkerBeat, WorkerBeaten, WorkerLease};
use std::collections::BTreeSet;

/// How many leases of earlier runs a worker may speak of.
const EARLIER: usize = 2 * WORKER_MOST as usize;

impl Dispatcher {
    pub(crate) fn beat(&mut self, asker: u64, number: u32, beat: WorkerBeat) {
        let (now, lease_ms) = (self.now, self.settings.lease_ms);
        let (mut over, mut adopt, mut alive) = (Vec::new(), Vec::new(), BTreeSet::new());
        let Some(worker) = self.workers.get_mut(&number) else { return };
        for spoken in beat.held {
            let token = spoken.token;
            match self.leases.get_mut(&token) {
                Some(held) if held.worker == number => {
                    held.until_ms = now + lease_ms;
                    match spoken.ply {
                        // It is over, and its result is on its way: to a slow network or a full disk.
                        None if held.ply.is_some() => held.progress_ms = now,
                        // A match that the host of a bot has spoilt begins again at its first turn.
                        ply if ply != held.ply => (held.ply, held.progress_ms, worker.progress_ms) = (ply, now, now),
                        _ => {}
                    }
                    alive.insert(token);
                }
                // What another worker has is not said.
                Some(_) => over.push(token),
                None if self.over.get(&token).is_some() || worker.strange.get(&token).is_some() => over.push(token),
                None if worker.asked.contains(&token) => {}
                None if self.closing || worker.asked.len() >= EARLIER => over.push(token),
                None => {
                    worker.asked.insert(token);
                    adopt.push(token);
                }
            }
        }
        over.sort_unstable();
        over.dedup();
        if !adopt.is_empty() {
            self.out.push(Do::Adopt { worker: number, tokens: adopt });
        }
        self.extend(alive.into_iter());
        self.answer(asker, Answer::Beaten(WorkerBeaten { over }));
    }

    /// Takes what the load knows of leases of an earlier run.
    pub(crate) fn adopted(&mut self, number: u32, leases: Vec<WorkerLease>, strange: &[u64]) {
        let Some(worker) = self.workers.get_mut(&number).filter(|worker| worker.is_here()) else {
            self.released(leases.into_iter().map(|lease| lease.token).collect());
            return;
        };
        for token in strange {
            worker.asked.remove(token);
            worker.strange.add(*token, ());
        }
        for lease in leases {
            if let Some(worker) = self.workers.get_mut(&number) {
                worker.asked.remove(&lease.token);
            }
            if !self.leases.contains_key(&lease.token) && self.over.get(&lease.token).is_none() {
                self.hold(number, lease);
            }
        }
    }
}

//! The matches that workers have, and when they have them no more.

use crate::{Dispatcher, Do, Settings};
use agon_spec::WorkerLease;

/// A match that a worker has.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub(crate) lease: WorkerLease,
    /// The number of the worker.
    pub(crate) worker: u32,
    pub(crate) given_ms: u64,
    /// Until when it has it without a further sign of life.
    pub(crate) until_ms: u64,
    /// The turn in which it is. `None` if it has not begun.
    pub(crate) ply: Option<u32>,
    /// When the turn changed last, or the worker said last that the match is over.
    pub(crate) progress_ms: u64,
    /// How long it took, if its result is on its way to the store.
    pub(crate) reported_us: Option<u64>,
    /// When the load was asked last to prolong it.
    pub(crate) extended_ms: u64,
}

impl Dispatcher {
    /// Gives a match to a worker.
    pub(crate) fn hold(&mut self, number: u32, lease: WorkerLease) {
        let (now, token) = (self.now, lease.token);
        let Some(worker) = self.workers.get_mut(&number) else { return };
        worker.held.insert(token);
        let held = Held {
            lease,
            worker: number,
            given_ms: now,
            until_ms: now + self.settings.lease_ms,
            ply: None,
            progress_ms: now,
            reported_us: None,
            extended_ms: now,
        };
        self.leases.insert(token, held);
    }

    pub(crate) fn is_of(&self, token: u64, number: u32) -> bool {
        self.leases.get(&token).is_some_and(|held| held.worker == number && held.reported_us.is_none())
    }

    /// Ends a lease, and forgets what belongs to it.
    pub(crate) fn end(&mut self, token: u64) -> Option<Held> {
        let held = self.leases.remove(&token)?;
        self.over.add(token, held.lease.planned.id);
        if let Some(worker) = self.workers.get_mut(&held.worker) {
            worker.held.remove(&token);
            if worker.alone == Some(token) {
                worker.alone = None;
            }
        }
        Some(held)
    }

    /// Gives matches back that were not played.
    pub(crate) fn release(&mut self, tokens: Vec<u64>) {
        let ended = tokens.into_iter().filter(|token| self.end(*token).is_some()).collect();
        self.released(ended);
    }

    /// Ends the leases whose time is over, and those that make no progress.
    pub(crate) fn end_leases(&mut self) {
        let now = self.now;
        let Settings { lease_ms, patience_ms, longest_ms, .. } = &self.settings;
        let seconds = |ms: u64| format!("{} s", ms.div_ceil(1_000));
        let mut over = Vec::new();
        for (token, held) in self.leases.iter().filter(|(_, held)| held.reported_us.is_none()) {
            let Some(worker) = self.workers.get(&held.worker) else { continue };
            let name = &worker.name;
            // A match that has not begun waits for others of its worker.
            let progress = if held.ply.is_none() { held.progress_ms.max(worker.progress_ms) } else { held.progress_ms };
            let why = match patience_ms {
                _ if held.until_ms <= now && worker.seen_ms + lease_ms / 2 <= now => {
                    format!("worker {name} was silent for {}", seconds(now - worker.seen_ms))
                }
                _ if held.until_ms <= now => format!("worker {name} did not speak of it for {}", seconds(*lease_ms)),
                Some(patience) if progress + patience <= now => match held.ply {
                    Some(ply) => {
                        format!("worker {name} was in turn {ply} of it for {}", seconds(now - progress))
                    }
                    None => format!("worker {name} did not begin it within {}", seconds(now - progress)),
                },
                _ if held.given_ms + longest_ms <= now => {
                    format!("worker {name} had it for {}", seconds(now - held.given_ms))
                }
                _ => continue,
            };
            over.push((*token, why));
        }
        for (token, why) in over {
            self.lose(token, true, &why);
        }
    }

    /// Asks the load to prolong leases whose workers are alive, none more often than three times in its length.
    pub(crate) fn extend(&mut self, tokens: impl Iterator<Item = u64>) {
        let (now, apart) = (self.now, self.settings.lease_ms / 3);
        let mut extended = Vec::new();
        for token in tokens {
            if let Some(held) = self.leases.get_mut(&token)
                && held.extended_ms + apart <= now
            {
                held.extended_ms = now;
                extended.push(token);
            }
        }
        if !extended.is_empty() {
            self.out.push(Do::Extend(extended));
        }
    }
}

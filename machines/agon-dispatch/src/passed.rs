//! Matches that nobody can play.

use crate::{Dispatcher, Notice, Passed, worker::Worker};
use std::collections::BTreeMap;

/// How many such matches are kept in mind.
const MOST: usize = 64;

/// Matches that workers could not be given, because they have not all of their bots ready, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct PassedMatches {
    by_match: BTreeMap<u64, PassedMatch>,
}

#[derive(Debug)]
struct PassedMatch {
    bots: Vec<u32>,
    /// When it was first passed over, and last.
    since_ms: u64,
    last_ms: u64,
    told: bool,
}

impl Dispatcher {
    /// Takes matches that were passed over for one worker.
    pub(crate) fn note_passed(&mut self, passed: Vec<Passed>) {
        let now = self.now;
        for Passed { id, bots } in passed {
            let matches = &mut self.passed.by_match;
            if let Some(known) = matches.get_mut(&id) {
                known.last_ms = now;
            } else if matches.len() < MOST {
                matches.insert(id, PassedMatch { bots, since_ms: now, last_ms: now, told: false });
            }
        }
    }

    /// Tells of matches that no worker which is here could play for long. Each is told once.
    pub(crate) fn tell_nobody(&mut self) {
        if self.settings.local {
            return;
        }
        let (now, nobody_ms) = (self.now, self.settings.nobody_ms);
        let Self { workers, passed, .. } = self;
        passed.by_match.retain(|_, passed| {
            let may = workers.values().filter(|worker| worker.is_here()).any(|it: &Worker| it.can_play(&passed.bots));
            // A match that somebody got is not passed over again.
            !may && passed.last_ms + 2 * nobody_ms > now
        });
        let mut told = Vec::new();
        for (id, passed) in &mut passed.by_match {
            if !passed.told && passed.since_ms + nobody_ms <= now {
                passed.told = true;
                told.push(Notice::Nobody { id: *id, bots: passed.bots.clone() });
            }
        }
        told.into_iter().for_each(|notice| self.tell(notice));
    }
}

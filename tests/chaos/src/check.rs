//! Whether a store has what it must have after everything.

use crate::{acknowledged::Answers, expected};
use agon_store::{BotTotals, Ending, Records, StoredMatch};
use serde::Serialize;
use std::collections::BTreeSet;

/// Matches that are read at once.
const PAGE: usize = 2_000;
/// The most findings that are told.
const TOLD: usize = 10;
/// How many lost attempts, on how many workers, end a match as spoilt.
const SPOILT_AFTER: (usize, usize) = (3, 2);

/// What a store has.
#[derive(Default, Debug, Serialize)]
pub struct Found {
    /// The matches that are over.
    pub results: u64,
    /// Those that were played to their end.
    pub finished: u64,
    /// Those that ended without a result because three workers were killed over them, as they must.
    pub spoilt: u64,
    /// Those that were played more than once.
    pub repeated: u64,
    /// What workers were told: stored, a repetition, too late, no lease.
    pub stored: u64,
    pub duplicate: u64,
    pub late: u64,
    pub unknown: u64,
    /// How many of those without a lease are in the store nevertheless: their answer was lost, and the server that was asked again
    /// was another one.
    pub denied: u64,
    /// How many mistakes there are.
    pub mistakes: u64,
    /// The first of them, in words.
    pub examples: Vec<String>,
}

impl Found {
    fn mistake(&mut self, what: impl FnOnce() -> String) {
        self.mistakes += 1;
        if self.examples.len() < TOLD {
            self.examples.push(what());
        }
    }

    /// Looks at every match of a store that is to have the matches from 1 to `matches`, and at what workers were told.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn look(store: &(impl Records + ?Sized), matches: u64, answers: &Answers) -> agon_store::Result<Self> {
        let mut found = Self {
            stored: answers.stored,
            duplicate: answers.duplicate,
            late: answers.late,
            unknown: answers.unknown.len() as u64,
            ..Self::default()
        };
        let mut totals = vec![BotTotals::default(); store.bots()?.len()];
        let (mut after, mut next) = (0, 1);
        loop {
            let page = store.matches(after, PAGE)?;
            let Some(last) = page.last() else { break };
            after = last.planned.id;
            for stored in &page {
                let id = stored.planned.id;
                if id != next {
                    found.mistake(|| format!("match {id} follows match {}", next - 1));
                }
                next = id + 1;
                found.take(store, stored, answers, &mut totals)?;
            }
        }
        if found.results != matches {
            let results = found.results;
            found.mistake(|| format!("{results} matches are over instead of {matches}"));
        }
        let progress = store.progress()?;
        if (progress.over(), progress.ready, progress.spoilt) != (matches, 0, found.spoilt) {
            found.mistake(|| format!("the store has counted otherwise: {progress:?}"));
        }
        for (bot, counted) in store.bots()?.into_iter().zip(totals) {
            if bot.totals != counted {
                found.mistake(|| format!("the sums of `{}` are {:?} instead of {counted:?}", bot.name, bot.totals));
            }
        }
        for (id, token) in &answers.unknown {
            let stored = store.find(*id)?.and_then(|stored| stored.result);
            found.denied += u64::from(stored.is_some_and(|result| result.started_ms == expected::mark(*token)));
        }
        for (id, token) in &answers.twice {
            found.mistake(|| format!("match {id} was called stored twice, at last under {token}"));
        }
        if let Some((id, _)) = answers.counting.last_key_value().filter(|(id, _)| **id > matches) {
            found.mistake(|| format!("there is no match {id}, and a result of it was acknowledged"));
        }
        Ok(found)
    }

    fn take(
        &mut self,
        store: &(impl Records + ?Sized),
        stored: &StoredMatch,
        answers: &Answers,
        totals: &mut [BotTotals],
    ) -> agon_store::Result<()> {
        let id = stored.planned.id;
        self.repeated += u64::from(stored.attempts > 0);
        let told = answers.counting.get(&id).map_or(&[][..], Vec::as_slice);
        let Some(result) = &stored.result else {
            self.mistake(|| format!("match {id} has no result"));
            return Ok(());
        };
        self.results += 1;
        match result.ending {
            Ending::Finished => {
                self.finished += 1;
                if !expected::is_right(&stored.planned, result) {
                    self.mistake(|| format!("match {id} has another result: {result:?}"));
                }
                // What was acknowledged is what is there, and nothing else was.
                if told.iter().any(|token| expected::mark(*token) != result.started_ms) {
                    self.mistake(|| format!("match {id} has another result than those acknowledged, {told:?}"));
                }
                for (bot, seat) in stored.planned.bots.iter().zip(&result.seats) {
                    if let Some(sum) = totals.get_mut(*bot as usize) {
                        sum.played += 1;
                        sum.faults += u64::from(seat.fault.is_some());
                        sum.time_us += seat.time_us;
                    }
                }
            }
            Ending::Spoilt => {
                self.spoilt += 1;
                let attempts = store.attempts(id)?;
                let lost = attempts.iter().filter(|attempt| attempt.end.is_used());
                let workers: BTreeSet<Option<u32>> = lost.clone().map(|attempt| attempt.worker).collect();
                // The last one is told by the result.
                if lost.count() + 1 < SPOILT_AFTER.0 || workers.len() + 1 < SPOILT_AFTER.1 || !told.is_empty() {
                    self.mistake(|| format!("match {id} is spoilt after {attempts:?}; acknowledged: {told:?}"));
                }
            }
            Ending::Void => self.mistake(|| format!("match {id} is void")),
        }
        Ok(())
    }
}

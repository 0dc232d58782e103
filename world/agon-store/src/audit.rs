//! Whether a store is whole: everything that something names is there, and the sums are those of the results.

use crate::{
    Artefact, BlobHash, BotTotals, Ending, Part, PlannedMatch, Progress, Result, StoreError, StoreReader, StoredMatch,
};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// What was looked at in a store, and what is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Audit {
    /// Matches that are over.
    pub over: u64,
    /// Matches that are to be played.
    pub ready: u64,
    /// Results that do not count any more.
    pub earlier: u64,
    /// Blobs, each of which was hashed.
    pub blobs: u64,
    /// Artefacts, each of which was hashed.
    pub artefacts: u64,
    /// What is wrong, with the number of the match if it is about one.
    pub findings: Vec<(Option<u64>, String)>,
}

/// Reads a whole store, as of one moment, and says what is wrong with it. `look` is called for every part, and returns whether to go
/// on; if it does not, there is no answer.
///
/// # Errors
/// If the store cannot be read at all.
pub fn audit(store: &dyn StoreReader, look: &mut dyn FnMut() -> bool) -> Result<Option<Audit>> {
    store.freeze()?;
    let mut seen = Seen::default();
    let mut is_cancelled = false;
    let told = store.export(&mut |part| {
        if !look() {
            is_cancelled = true;
            return Err(StoreError::Closed);
        }
        seen.take(&part);
        Ok(())
    });
    if is_cancelled {
        return Ok(None);
    }
    told?;
    for flaw in store.flaws()? {
        seen.find(None, flaw);
    }
    let artefacts = std::mem::take(&mut seen.artefacts);
    for artefact in &artefacts {
        seen.check_artefact(store, artefact)?;
    }
    if store.progress()? != seen.progress {
        seen.find(None, "the counts of matches are not those of the results");
    }
    seen.check_totals(store)?;
    Ok(Some(seen.audit))
}

#[derive(Default)]
struct Seen {
    audit: Audit,
    blobs: BTreeSet<BlobHash>,
    artefacts: Vec<Artefact>,
    workers: BTreeSet<u32>,
    /// How many versions each bot has.
    versions: Vec<u32>,
    maps: u32,
    over: BTreeSet<u64>,
    ready: BTreeSet<u64>,
    /// The number of the last match that is over.
    number: u64,
    progress: Progress,
    totals: BTreeMap<u32, BotTotals>,
}

impl Seen {
    fn find(&mut self, id: Option<u64>, flaw: impl Into<String>) {
        self.audit.findings.push((id, flaw.into()));
    }

    fn take(&mut self, part: &Part) {
        match part {
            Part::Worker(worker) => drop(self.workers.insert(worker.number)),
            Part::Blob(blob) => {
                self.audit.blobs += 1;
                self.blobs.insert(blob.hash());
                if blob.unpacked().is_err() {
                    self.find(None, format!("the blob {} has other bytes", blob.hash()));
                }
            }
            Part::Artefact(artefact) => self.artefacts.push(artefact.clone()),
            Part::Map(map) => {
                self.maps += 1;
                if map.content.is_some_and(|content| !self.blobs.contains(&content)) {
                    self.find(None, format!("the content of map {} is missing", self.maps - 1));
                }
            }
            Part::Bot(bot) => {
                if bot.number as usize != self.versions.len()
                    || bot.versions.iter().zip(1..).any(|(own, n)| own.number != n)
                {
                    self.find(None, format!("the numbers of bot {} or its versions have gaps", bot.number));
                }
                self.versions.push(u32::try_from(bot.versions.len()).unwrap_or(u32::MAX));
            }
            Part::Over { number, stored, .. } => self.take_over(*number, stored),
            Part::Earlier { stored, .. } => {
                self.audit.earlier += 1;
                self.check_match(stored);
            }
            Part::Ready(matches) => matches.iter().for_each(|(planned, _)| {
                self.audit.ready += 1;
                self.progress.ready += 1;
                self.check_plan(planned);
                if !self.ready.insert(planned.id) || self.over.contains(&planned.id) {
                    self.find(Some(planned.id), "there are two of it");
                }
            }),
            Part::Attempt(attempt) => {
                if !self.over.contains(&attempt.id) && !self.ready.contains(&attempt.id) {
                    self.find(Some(attempt.id), "there was an attempt, but there is no such match");
                }
            }
            Part::Opened(_) | Part::Event(_) | Part::Amendment(_) | Part::Snapshot(..) | Part::File(_) => {}
        }
    }

    fn take_over(&mut self, number: u64, stored: &StoredMatch) {
        let id = stored.planned.id;
        self.audit.over += 1;
        *self.progress.of(stored.state()) += 1;
        if number <= self.number {
            self.find(Some(id), format!("its number {number} is not above that of the match before"));
        }
        self.number = number;
        if !self.over.insert(id) {
            self.find(Some(id), "it has two results");
        }
        self.check_match(stored);
        let Some(result) = stored.result.as_ref().filter(|result| result.ending == Ending::Finished) else { return };
        for (bot, seat) in stored.planned.bots.iter().zip(&result.seats) {
            let totals = self.totals.entry(*bot).or_default();
            totals.played += 1;
            totals.faults += u64::from(seat.fault.is_some());
            totals.time_us = totals.time_us.saturating_add(seat.time_us);
        }
    }

    fn check_match(&mut self, stored: &StoredMatch) {
        let id = stored.planned.id;
        self.check_plan(&stored.planned);
        let Some(result) = &stored.result else { return self.find(Some(id), "it is over and has no result") };
        for (name, hash) in [("replay", result.replay), ("log", result.log)] {
            if hash.is_some_and(|hash| !self.blobs.contains(&hash)) {
                self.find(Some(id), format!("its {name} is missing"));
            }
        }
        if !result.seats.is_empty() && result.seats.len() != stored.planned.bots.len() {
            self.find(Some(id), "it has not a seat for each bot");
        }
        for (bot, seat) in stored.planned.bots.iter().zip(&result.seats) {
            if self.versions.get(*bot as usize).is_some_and(|versions| seat.version > *versions) {
                self.find(Some(id), format!("bot {bot} has no version {}", seat.version));
            }
        }
        if result.worker.is_some_and(|worker| !self.workers.contains(&worker)) {
            self.find(Some(id), "its worker is missing");
        }
    }

    fn check_plan(&mut self, planned: &PlannedMatch) {
        if planned.bots.iter().any(|bot| *bot as usize >= self.versions.len()) {
            self.find(Some(planned.id), "a bot of it is missing");
        }
        if planned.map >= self.maps {
            self.find(Some(planned.id), "its map is missing");
        }
    }

    fn check_artefact(&mut self, store: &dyn StoreReader, artefact: &Artefact) -> Result<()> {
        self.audit.artefacts += 1;
        let (mut hash, mut size) = (Sha256::new(), 0);
        for piece in &artefact.pieces {
            // Those with other bytes were found before.
            match store.get(*piece) {
                Ok(Some(bytes)) => {
                    size += bytes.len() as u64;
                    hash.update(&bytes);
                }
                Ok(None) | Err(StoreError::Blob(_)) => {}
                Err(why) => return Err(why),
            }
        }
        if size != artefact.size || BlobHash::from_bytes(hash.finalize().into()) != artefact.hash {
            self.find(None, format!("the artefact {} is not whole", artefact.hash));
        }
        Ok(())
    }

    fn check_totals(&mut self, store: &dyn StoreReader) -> Result<()> {
        for bot in store.bots()? {
            if self.totals.get(&bot.number).copied().unwrap_or_default() != bot.totals {
                self.find(None, format!("the sums of bot {} are not those of its results", bot.number));
            }
        }
        Ok(())
    }
}

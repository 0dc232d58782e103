//! The schedule: hands out matches, takes outcomes, and keeps the order of both from mattering.

mod amendments;
mod kept;
mod resumption;
mod table;

use crate::{
    Amendment, Change, MatchId, Outcome, Pairing, Seatings, Spec,
    draw::{Draw, Drawn, Past},
    ledger::{Ledger, State},
    seating::{SeatCounts, orders},
};
use agon_core::{Flaw, Rng};
pub use kept::KeptSchedule;
use resumption::Rerun;
use std::collections::{BTreeMap, VecDeque};

/// The matches of a tournament: results in, pairings out.
#[derive(Debug)]
pub struct Schedule {
    /// The tournament as it began.
    first: Spec,
    /// The tournament with every extension.
    spec: Spec,
    amendments: Vec<Amendment>,
    ledger: Ledger,
    draw: Box<dyn Draw>,
    seats: SeatCounts,
    /// Outcomes of matches that are not drawn yet. Only while a tournament is resumed.
    early: BTreeMap<MatchId, Outcome>,
    /// Reruns that no draw has come to. Only while a tournament is resumed.
    reruns: VecDeque<Rerun>,
    /// Every match before this index has been handed out or is settled.
    cursor: usize,
    /// The number of matches that can be handed out.
    open: usize,
    over: bool,
}

/// Why an outcome cannot be recorded.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordError {
    /// No match with this number was drawn.
    #[error("there is no match {0} yet")]
    Unknown(MatchId),
    /// The match has an outcome.
    #[error("match {0} already has an outcome")]
    Recorded(MatchId),
    /// The number of results or a place is wrong.
    #[error("the outcome of match {0} does not have one result with a place from 1 to 127 for each seat")]
    Misfit(MatchId),
}

/// How far a tournament is, as numbers of matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// All matches that have been drawn so far.
    pub drawn: u64,
    /// Handed out, without an outcome.
    pub running: u64,
    /// Played to the end, also if they do not count.
    pub finished: u64,
    /// Declared void before they were played.
    pub void: u64,
    /// Spoilt by the host for good.
    pub no_result: u64,
    /// Not played, because one of their bots was withdrawn.
    pub skipped: u64,
}

impl Schedule {
    /// Begins a tournament.
    ///
    /// # Errors
    /// Returns what [`Spec::check`] finds.
    pub fn new(spec: Spec) -> Result<Self, Flaw> {
        let mut schedule = Self::unstarted(spec)?;
        schedule.advance();
        Ok(schedule)
    }

    fn unstarted(spec: Spec) -> Result<Self, Flaw> {
        spec.check()?;
        let block_size = spec.block_size().and_then(|size| usize::try_from(size).ok()).unwrap_or(usize::MAX);
        Ok(Self {
            ledger: Ledger::new(spec.seats as usize, block_size, spec.forfeits_lose),
            draw: spec.kind.rules().begin(&spec),
            first: spec.clone(),
            spec,
            amendments: Vec::new(),
            seats: SeatCounts::default(),
            early: BTreeMap::new(),
            reruns: VecDeque::new(),
            cursor: 0,
            open: 0,
            over: false,
        })
    }

    /// Returns up to `at_most` matches that may be played now, in the order of their numbers. Each is handed out once.
    pub fn next(&mut self, at_most: usize) -> Vec<Pairing> {
        let mut pairings = Vec::new();
        while pairings.len() < at_most {
            let id = MatchId::of_index(self.cursor);
            match self.ledger.state(id) {
                Some(State::Open) => {
                    self.ledger.set_state(id, State::Running);
                    self.open -= 1;
                    pairings.extend(self.pairing(id));
                    self.cursor += 1;
                }
                Some(_) => self.cursor += 1,
                None if self.draw_once(true) => {}
                None => break,
            }
        }
        // A draw may have opened a match again that came before.
        pairings.sort_by_key(|pairing| pairing.id);
        self.advance();
        pairings
    }

    /// Takes back a match that was handed out and has no outcome. If one of its bots was withdrawn meanwhile, it is not
    /// played. Else it is handed out again. Draws nothing: call [`Schedule::advance`] afterwards.
    pub fn put_back(&mut self, id: MatchId) {
        if self.ledger.state(id) == Some(State::Running) {
            self.ledger.set_state(id, State::Open);
            self.open += 1;
            self.cursor = self.cursor.min(id.index());
            self.skip_withdrawn();
        }
    }

    /// Records the outcome of a match.
    ///
    /// # Errors
    /// Returns an error, and changes nothing, if the match was not drawn or has an outcome, or the outcome does not fit.
    pub fn record(&mut self, id: MatchId, outcome: Outcome) -> Result<(), RecordError> {
        self.settle(id, outcome)?;
        self.advance();
        Ok(())
    }

    /// Returns the number of matches of the whole tournament, or `None` if it depends on results to come.
    #[must_use]
    pub fn planned(&self) -> Option<u64> {
        let past = Past::new(&self.spec, &self.ledger, &self.amendments);
        let to_come = if self.over { 0 } else { self.draw.to_come(&past)? };
        Some(self.ledger.len() as u64 + to_come)
    }

    /// Returns whether every match has an outcome.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.over && self.ledger.is_settled()
    }

    /// Returns the tournament with every extension.
    #[must_use]
    pub const fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Returns the tournament as it began.
    #[must_use]
    pub const fn first(&self) -> &Spec {
        &self.first
    }

    /// Returns every amendment in the order in which it was made.
    #[must_use]
    pub fn amendments(&self) -> &[Amendment] {
        &self.amendments
    }

    /// Returns how far the tournament is. It looks at every match.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let mut progress = Progress { drawn: self.ledger.len() as u64, ..Progress::default() };
        for (_, state) in self.ledger.states() {
            match state {
                State::Open => {}
                State::Running => progress.running += 1,
                State::Finished => progress.finished += 1,
                State::Void => progress.void += 1,
                State::NoResult => progress.no_result += 1,
                State::Skipped => progress.skipped += 1,
            }
        }
        progress
    }

    /// Returns a match that was drawn.
    #[must_use]
    pub fn pairing(&self, id: MatchId) -> Option<Pairing> {
        self.ledger.state(id)?;
        let block = self.ledger.block(id);
        let (map, spec) = (self.ledger.map(block), &self.spec);
        // With a key, the seed of a match that was played says nothing of the others of its block.
        let number = if spec.key.is_some() { id.0 } else { self.ledger.seed_number(block) };
        Some(Pairing {
            id,
            round: self.ledger.round(block),
            map: map % self.spec.maps,
            map_seed: spec.seed_for("map", u64::from(map)),
            seats: self.ledger.seats(id).to_vec(),
            seed: spec.seed_for("match", number),
            probability: self.ledger.probability(block),
        })
    }

    /// Records the outcome of a match and draws nothing. Call [`Schedule::advance`] afterwards.
    ///
    /// # Errors
    /// The same as those of [`Schedule::record`].
    pub fn settle(&mut self, id: MatchId, outcome: Outcome) -> Result<(), RecordError> {
        match self.ledger.state(id) {
            None => return Err(RecordError::Unknown(id)),
            // What has no result may be declared void.
            Some(State::NoResult) if outcome == Outcome::Void => {}
            Some(State::Finished | State::Void | State::NoResult) => return Err(RecordError::Recorded(id)),
            Some(_) if !self.ledger.fits(&outcome) => return Err(RecordError::Misfit(id)),
            Some(State::Open) => self.open -= 1,
            Some(State::Running | State::Skipped) => {}
        }
        self.ledger.set_outcome(id, &outcome, &self.spec.points);
        Ok(())
    }

    /// Draws until a match can be handed out, or until a draw needs outcomes that are not known.
    pub fn advance(&mut self) {
        while self.open == 0 && self.draw_once(true) {}
    }

    /// Draws once. Returns whether there are new matches. If `skip`, matches of withdrawn bots are settled at once.
    fn draw_once(&mut self, skip: bool) -> bool {
        self.begin_reruns();
        let spec = self.spec_at(self.ledger.next_id());
        let past = Past::new(&spec, &self.ledger, &self.amendments);
        let blocks = match self.draw.draw(&past) {
            Drawn::Blocks(blocks) => blocks,
            Drawn::Wait => return false,
            Drawn::Over => {
                self.over = true;
                return false;
            }
        };
        let seatings = spec.played_seatings();
        for block in &blocks {
            let mut first = block.bots.clone();
            if !block.seated && seatings == Seatings::One {
                first = self.seats.assign(&first);
            } else if !block.seated {
                // Otherwise the bot with the next number would always move next.
                let number = self.ledger.len() as u64;
                Rng::new(spec.seed_for("seats", number)).shuffle(&mut first);
            }
            let orders = orders(seatings, first);
            self.open += orders.len();
            self.ledger.push(block, &orders);
        }
        if skip {
            self.skip_withdrawn();
        }
        true
    }

    /// Returns the tournament as a draw of the match `at` sees it.
    fn spec_at(&self, at: MatchId) -> Spec {
        let mut spec = self.first.clone();
        for amendment in self.amendments.iter().filter(|amendment| amendment.from <= at) {
            if let Change::Extend { entrants, rounds } = amendment.change {
                spec = spec.extended(entrants, rounds);
            }
        }
        spec
    }
}

//! The schedule: hands out matches, takes outcomes, and keeps the order of both from mattering.

use crate::{
    Amendment, Change, Entrant, Kind, MatchId, Outcome, Pairing, Seatings, Spec, Standings, TieBreak,
    bracket::Bracket,
    draw::{Draw, Drawn, Past},
    elimination::Elimination,
    groups::Groups,
    ladder::{self, Ladder},
    ledger::{Ledger, Recorded, State},
    round_robin::RoundRobin,
    seating::{SeatCounts, orders},
    standings::Table,
    swiss::Swiss,
    walkover,
};
use agon_core::{Flaw, Rng};
use std::collections::BTreeMap;

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

    /// Continues a tournament from its specification as it began, every amendment in the order in which it was made,
    /// and the outcomes in any order. Matches that were running are handed out again.
    ///
    /// # Errors
    /// Returns what is wrong with the specification or an amendment, or the first outcome that does not fit.
    pub fn resume(
        spec: Spec,
        amendments: impl IntoIterator<Item = Amendment>,
        outcomes: impl IntoIterator<Item = (MatchId, Outcome)>,
    ) -> Result<Self, Flaw> {
        let mut schedule = Self::resume_undrawn(spec, amendments, outcomes)?;
        schedule.advance();
        Ok(schedule)
    }

    /// Does the same as [`Schedule::resume`], but draws nothing that no outcome needs. So a withdrawal that the outcomes
    /// imply counts from where it would have counted without the interruption. Call [`Schedule::advance`] afterwards.
    ///
    /// # Errors
    /// The same as those of [`Schedule::resume`].
    pub fn resume_undrawn(
        spec: Spec,
        amendments: impl IntoIterator<Item = Amendment>,
        outcomes: impl IntoIterator<Item = (MatchId, Outcome)>,
    ) -> Result<Self, Flaw> {
        let mut schedule = Self::unstarted(spec)?;
        for amendment in amendments {
            if let Change::Extend { entrants, rounds } = amendment.change {
                schedule.spec = schedule.extended(entrants, rounds)?;
            }
            schedule.amendments.push(amendment);
        }
        let misfit = |error: RecordError| Flaw::new(error.to_string());
        for (id, outcome) in outcomes {
            while schedule.ledger.state(id).is_none() && schedule.draw_once(false) {}
            if schedule.ledger.state(id).is_some() {
                schedule.settle(id, outcome).map_err(misfit)?;
            } else if schedule.early.insert(id, outcome).is_some() {
                return Err(misfit(RecordError::Recorded(id)));
            }
        }
        schedule.skip_withdrawn();
        while !schedule.early.is_empty() {
            if !schedule.take_early().map_err(misfit)? && !schedule.draw_once(true) {
                break;
            }
        }
        match schedule.early.first_key_value() {
            Some((id, _)) => Err(misfit(RecordError::Unknown(*id))),
            None => Ok(schedule),
        }
    }

    fn unstarted(spec: Spec) -> Result<Self, Flaw> {
        spec.check()?;
        let block_size = spec.block_size().and_then(|size| usize::try_from(size).ok()).unwrap_or(usize::MAX);
        let draw: Box<dyn Draw> = match spec.kind {
            Kind::RoundRobin | Kind::Gauntlet { .. } => Box::new(RoundRobin::new()),
            Kind::Swiss => Box::new(Swiss::default()),
            Kind::Groups { .. } => Box::new(Groups::new(&spec)),
            Kind::Ladder { .. } => Box::new(Ladder::default()),
            Kind::SingleElimination { .. } | Kind::DoubleElimination { .. } => Box::new(Elimination::new(&spec)),
        };
        Ok(Self {
            ledger: Ledger::new(spec.seats as usize, block_size),
            first: spec.clone(),
            spec,
            amendments: Vec::new(),
            draw,
            seats: SeatCounts::default(),
            early: BTreeMap::new(),
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
        self.advance();
        pairings
    }

    /// Takes back a match that was handed out and has not begun. If one of its bots was withdrawn meanwhile, it is not
    /// played. Else it is handed out again.
    pub fn put_back(&mut self, id: MatchId) {
        if self.ledger.state(id) == Some(State::Running) {
            self.ledger.set_state(id, State::Open);
            self.open += 1;
            self.cursor = self.cursor.min(id.index());
            self.skip_withdrawn();
            self.advance();
        }
    }

    /// Records the outcome of a match.
    ///
    /// # Errors
    /// Returns an error, and changes nothing, if the match was not drawn, has an outcome, or if the outcome does not fit
    /// it.
    pub fn record(&mut self, id: MatchId, outcome: Outcome) -> Result<(), RecordError> {
        self.settle(id, outcome)?;
        self.advance();
        Ok(())
    }

    /// Withdraws a bot. Its matches that were not handed out are not played. The caller must keep the amendment.
    ///
    /// # Errors
    /// Returns an error if there is no such bot, or if it is withdrawn already.
    pub fn withdraw(&mut self, entrant: Entrant) -> Result<Amendment, Flaw> {
        if entrant.0 >= self.spec.entrants {
            return Err(Flaw::new(format!("there is no bot {}", u64::from(entrant.0) + 1)));
        }
        if self.is_withdrawn(entrant) {
            return Err(Flaw::new(format!("bot {} is withdrawn already", entrant.0 + 1)));
        }
        Ok(self.amend(Change::Withdraw(entrant)))
    }

    /// Withdraws a bot after a match: whatever it has played after it counts as not played, and is returned. So the
    /// withdrawal does not depend on the order in which matches end. If the bot is withdrawn already, there is no
    /// amendment. The caller must keep the amendment, and call [`Schedule::advance`] afterwards.
    ///
    /// # Errors
    /// Returns an error if there is no such bot.
    pub fn withdraw_after(
        &mut self,
        entrant: Entrant,
        last: MatchId,
    ) -> Result<(Option<Amendment>, Vec<MatchId>), Flaw> {
        if entrant.0 >= self.spec.entrants {
            return Err(Flaw::new(format!("there is no bot {}", u64::from(entrant.0) + 1)));
        }
        let amendment = (!self.is_withdrawn(entrant)).then(|| {
            let mut from = self.ledger.next_id();
            if let Kind::Ladder { window, .. } = self.spec.kind {
                // A draw knows the results of all rounds but the last few, so no earlier one could know of it.
                from = from.max(self.ledger.first_of(self.ledger.block(last) + window as usize));
            }
            Amendment { from, change: Change::Withdraw(entrant) }
        });
        self.amendments.extend(amendment);
        self.over = false;
        let played = |state: State| matches!(state, State::Finished | State::NoResult);
        let later = self.ledger.states().skip(last.index() + 1).filter(|(_, state)| played(*state));
        let undone: Vec<MatchId> =
            later.filter(|(id, _)| self.ledger.seats(*id).contains(&entrant)).map(|(id, _)| id).collect();
        for id in &undone {
            self.ledger.set_state(*id, State::Skipped);
        }
        self.skip_withdrawn();
        Ok((amendment, undone))
    }

    /// Returns the bots of a match with whether each of them failed. Empty if the match has no result. `None` if it was not
    /// drawn, or may still be played.
    #[must_use]
    pub fn faults(&self, id: MatchId) -> Option<Vec<(Entrant, bool)>> {
        let state = self.ledger.state(id).filter(|state| state.is_settled())?;
        if state != State::Finished {
            return Some(Vec::new());
        }
        let played = self.ledger.recorded(id);
        Some(played.seats.iter().enumerate().map(|(seat, entrant)| (*entrant, played.fault(seat))).collect())
    }

    /// Declares that a finished match does not count. A match without an outcome is recorded as [`Outcome::Void`]
    /// instead. The caller must keep the amendment.
    ///
    /// # Errors
    /// Returns an error if the match is not finished or is void already.
    pub fn void(&mut self, id: MatchId) -> Result<Amendment, Flaw> {
        match self.ledger.state(id) {
            Some(State::Finished) if self.is_void(id) => Err(Flaw::new(format!("match {id} is void already"))),
            Some(State::Finished) => Ok(self.amend(Change::Void(id))),
            Some(_) => Err(Flaw::new(format!("match {id} has no result"))),
            None => Err(Flaw::new(format!("there is no match {id} yet"))),
        }
    }

    /// Adds bots behind the others, or rounds. The caller must keep the amendment.
    ///
    /// # Errors
    /// Returns an error if there would be fewer bots or rounds, if the kind of tournament cannot take them any more, or
    /// what [`Spec::check`] finds.
    pub fn extend(&mut self, entrants: u32, rounds: u32) -> Result<Amendment, Flaw> {
        self.spec = self.extended(entrants, rounds)?;
        Ok(self.amend(Change::Extend { entrants, rounds }))
    }

    fn extended(&self, entrants: u32, rounds: u32) -> Result<Spec, Flaw> {
        let spec = Spec { entrants, rounds, ..self.spec.clone() };
        if let Some(why) = self.spec.differences(&spec).into_iter().find(|difference| !difference.keeps_the_past) {
            return Err(Flaw::new(why.what));
        }
        let spec = self.spec.extended(entrants, rounds);
        spec.check()?;
        Ok(spec)
    }

    fn amend(&mut self, change: Change) -> Amendment {
        let amendment = Amendment { from: self.ledger.next_id(), change };
        self.amendments.push(amendment);
        self.over = false;
        self.skip_withdrawn();
        self.advance();
        amendment
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
        let map = self.ledger.map(block);
        let seed = self.spec.seed;
        Some(Pairing {
            id,
            round: self.ledger.round(block),
            map: map % self.spec.maps,
            map_seed: seed.derive("map", u64::from(map)),
            seats: self.ledger.seats(id).to_vec(),
            seed: seed.derive("match", self.ledger.seed_number(block)),
            probability: self.ledger.probability(block),
        })
    }

    /// Returns the bracket of an elimination as it is now. `None` for other kinds.
    #[must_use]
    pub fn bracket(&self) -> Option<Bracket> {
        self.draw.bracket(&Past::new(&self.spec, &self.ledger, &self.amendments))
    }

    /// Returns the table of each group. Empty for kinds without groups.
    #[must_use]
    pub fn group_standings(&self) -> Vec<Standings> {
        self.draw.tables(&Past::new(&self.spec, &self.ledger, &self.amendments))
    }

    /// Returns whether a bot was withdrawn.
    #[must_use]
    pub fn is_withdrawn(&self, entrant: Entrant) -> bool {
        self.amendments.iter().any(|amendment| amendment.change == Change::Withdraw(entrant))
    }

    /// Returns whether the organiser declared a finished match void.
    #[must_use]
    pub fn is_void(&self, id: MatchId) -> bool {
        self.amendments.iter().any(|amendment| amendment.change == Change::Void(id))
    }

    /// Records the outcome of a match and draws nothing. Call [`Schedule::advance`] afterwards.
    ///
    /// # Errors
    /// The same as those of [`Schedule::record`].
    pub fn settle(&mut self, id: MatchId, outcome: Outcome) -> Result<(), RecordError> {
        match self.ledger.state(id) {
            None => return Err(RecordError::Unknown(id)),
            Some(State::Finished | State::Void | State::NoResult) => return Err(RecordError::Recorded(id)),
            Some(_) if !self.ledger.fits(&outcome) => return Err(RecordError::Misfit(id)),
            Some(State::Open) => self.open -= 1,
            Some(State::Running | State::Skipped) => {}
        }
        self.ledger.settle(id, &outcome, &self.spec.points);
        Ok(())
    }

    /// Draws until a match can be handed out, or until a draw needs outcomes that are not known.
    pub fn advance(&mut self) {
        while self.open == 0 && self.draw_once(true) {}
    }

    /// Draws once. Returns whether there are new matches. If `skip`, matches of withdrawn bots are settled at once.
    fn draw_once(&mut self, skip: bool) -> bool {
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
                Rng::new(spec.seed.derive("seats", number)).shuffle(&mut first);
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

    /// Settles the open matches of bots that were withdrawn.
    fn skip_withdrawn(&mut self) {
        let withdrawn: Vec<Entrant> = self.withdrawn().collect();
        if withdrawn.is_empty() {
            return;
        }
        for index in self.cursor..self.ledger.len() {
            let id = MatchId::of_index(index);
            let plays = |seat: &Entrant| !withdrawn.contains(seat);
            if self.ledger.state(id) == Some(State::Open) && !self.ledger.seats(id).iter().all(plays) {
                self.ledger.set_state(id, State::Skipped);
                self.open -= 1;
            }
        }
    }

    fn take_early(&mut self) -> Result<bool, RecordError> {
        let Some((id, _)) = self.early.first_key_value() else { return Ok(false) };
        if self.ledger.state(*id).is_none() {
            return Ok(false);
        }
        match self.early.pop_first() {
            Some((id, outcome)) => self.settle(id, outcome).map(|()| true),
            None => Ok(false),
        }
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

    fn withdrawn(&self) -> impl Iterator<Item = Entrant> {
        self.amendments.iter().filter_map(|amendment| match amendment.change {
            Change::Withdraw(entrant) => Some(entrant),
            Change::Void(_) | Change::Extend { .. } => None,
        })
    }

    /// Returns for each bot whether it was withdrawn.
    fn withdrawn_flags(&self) -> Vec<bool> {
        let mut withdrawn = vec![false; self.spec.entrants as usize];
        for entrant in self.withdrawn() {
            withdrawn[entrant.index()] = true;
        }
        withdrawn
    }

    /// Returns for each bot whether it was withdrawn and none of its matches counts.
    fn erased(&self, withdrawn: &[bool]) -> Vec<bool> {
        walkover::erased(&self.spec, &self.ledger, withdrawn, |entrant| self.draw.planned_of(entrant, &self.spec))
    }

    /// Returns the finished matches that count if none of the bots in `erased` does.
    fn counted_among(&self, erased: &[bool]) -> impl Iterator<Item = (MatchId, Recorded<'_>)> {
        let voided: Vec<MatchId> = self
            .amendments
            .iter()
            .filter_map(|amendment| if let Change::Void(id) = amendment.change { Some(id) } else { None })
            .collect();
        self.ledger.finished().filter(move |(id, played)| {
            !voided.contains(id) && !played.seats.iter().any(|entrant| erased[entrant.index()])
        })
    }

    /// Returns the matches that make the table: finished, not void, and not of a bot that was withdrawn so early that
    /// none of its matches counts. They are in the order of the schedule. It looks at every match.
    #[must_use]
    pub fn counted(&self) -> Vec<MatchId> {
        let erased = self.erased(&self.withdrawn_flags());
        self.counted_among(&erased).map(|(id, _)| id).collect()
    }

    /// Returns the table. It looks at every match.
    #[must_use]
    pub fn standings(&self) -> Standings {
        let withdrawn = self.withdrawn_flags();
        let erased = self.erased(&withdrawn);
        let counted = || self.counted_among(&erased);
        let matches = || counted().map(|(_, played)| played);
        let plays = |entrant: Entrant| !withdrawn[entrant.index()];
        let mut walkovers = walkover::of_forfeits(&self.spec, &self.ledger, plays, |entrant| !erased[entrant.index()]);
        walkovers.extend(walkover::of_byes(self.draw.byes(), &self.spec, &self.ledger, counted()));
        let byes: Vec<Entrant> = self.draw.byes().iter().map(|bye| bye.entrant).collect();
        let mut classes = self.draw.classes(&Past::new(&self.spec, &self.ledger, &self.amendments));
        let is_ladder = matches!(self.spec.kind, Kind::Ladder { .. });
        let ratings = if is_ladder { ladder::ratings(&self.spec, matches()) } else { Vec::new() };
        if is_ladder {
            classes = ladder::classes(&ratings);
        }
        let mut standings = Table {
            matches,
            walkovers: &walkovers,
            byes: &byes,
            classes: &classes,
            withdrawn: &withdrawn,
            tie_breaks: TieBreak::of(&self.spec),
        }
        .standings();
        for row in &mut standings.rows {
            row.rating = ratings.get(row.entrant.index()).copied();
        }
        standings
    }
}

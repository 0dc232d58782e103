//! What the organiser decides while the tournament runs.

use super::Schedule;
use crate::{Amendment, Change, Entrant, MatchId, Outcome, Spec, amendment, ledger::State};
use agon_core::Flaw;
use std::collections::BTreeMap;

impl Schedule {
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

    /// Lets a withdrawn bot play again. Its matches that were left out are played after all, and returned, unless something
    /// was drawn since then that rests on them: then they stay what they are, and it plays in what is drawn from now on. The
    /// caller must keep the amendment, and no match may be running.
    ///
    /// # Errors
    /// Returns an error if the bot is not withdrawn.
    pub fn readmit(&mut self, entrant: Entrant) -> Result<(Amendment, Vec<MatchId>), Flaw> {
        let is_it = |amendment: &&Amendment| amendment.change == Change::Withdraw(entrant);
        let withdrawal = self.amendments.iter().rfind(is_it).filter(|_| self.is_withdrawn(entrant));
        let Some(withdrawal) = withdrawal else {
            return Err(Flaw::new(format!("bot {} is not withdrawn", u64::from(entrant.0) + 1)));
        };
        let plays_missed = withdrawal.from == self.ledger.next_id() || !self.draw.rests_on_results();
        let amendment = Amendment { from: self.ledger.next_id(), change: Change::Readmit { entrant, plays_missed } };
        self.amendments.push(amendment.clone());
        let skipped = self.ledger.states().filter(|(_, state)| *state == State::Skipped);
        let missed: Vec<MatchId> = skipped.map(|(id, _)| id).filter(|id| !self.is_left_out(*id)).collect();
        missed.iter().for_each(|id| self.reopen(*id));
        self.over = false;
        self.advance();
        Ok((amendment, missed))
    }

    /// Opens a match that is over, so that it is played again. `was` is the outcome that it had. The caller must keep the
    /// amendment.
    ///
    /// # Errors
    /// Returns an error if the match is not over, was not played because of a withdrawal, or a bot of it is withdrawn.
    pub fn rerun(&mut self, id: MatchId, was: Outcome) -> Result<Amendment, Flaw> {
        self.catch_up();
        match self.ledger.state(id) {
            None => return Err(Flaw::new(format!("there is no match {id} yet"))),
            Some(State::Open | State::Running) => {
                return Err(Flaw::new(format!("match {id} has no result")).hint("it is still to be played"));
            }
            Some(_) if self.is_left_out(id) => {
                let what = format!("match {id} cannot be played, because a bot of it was withdrawn");
                return Err(Flaw::new(what).hint("`agon tournament readmit` lets it play again"));
            }
            Some(_) => {}
        }
        let amendment = Amendment { from: self.ledger.next_id(), change: Change::Rerun { id, was } };
        self.amendments.push(amendment.clone());
        self.reopen(id);
        self.over = false;
        self.advance();
        Ok(amendment)
    }

    /// Opens many matches that are over, so that they are played again. Each comes with the outcome that it had. Those of bots
    /// that are withdrawn count as not played from then on, and are returned. The caller must keep the amendment.
    ///
    /// # Errors
    /// Returns an error, and changes nothing, if there are none, or one of them is not over.
    pub fn rerun_all(&mut self, again: BTreeMap<MatchId, Outcome>) -> Result<(Amendment, Vec<MatchId>), Flaw> {
        if again.is_empty() {
            return Err(Flaw::new("there is no match to play again"));
        }
        self.catch_up();
        if let Some(id) = again.keys().find(|id| !self.ledger.state(**id).is_some_and(State::is_settled)) {
            return Err(Flaw::new(format!("match {id} has no result")).hint("it is still to be played"));
        }
        let left_out = again.keys().copied().filter(|id| self.is_left_out(*id)).collect();
        again.keys().for_each(|id| self.reopen(*id));
        let amendment = Amendment { from: self.ledger.next_id(), change: Change::RerunAll(again) };
        self.amendments.push(amendment.clone());
        self.over = false;
        self.skip_withdrawn();
        self.advance();
        Ok((amendment, left_out))
    }

    /// Returns whether matches were drawn by the results of others before them.
    #[must_use]
    pub fn rests_on_results(&self) -> bool {
        self.draw.rests_on_results()
    }

    /// Opens a settled match.
    pub(super) fn reopen(&mut self, id: MatchId) {
        if self.ledger.state(id).is_some_and(State::is_settled) {
            self.ledger.set_state(id, State::Open);
            self.open += 1;
            self.cursor = self.cursor.min(id.index());
        }
    }

    /// Returns whether a match without an outcome is not played, because one of its bots is or was withdrawn.
    fn is_left_out(&self, id: MatchId) -> bool {
        let misses = |bot: &Entrant| self.is_withdrawn(*bot) || amendment::has_missed(&self.amendments, *bot, id);
        self.ledger.seats(id).iter().any(misses)
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
            if let Some(window) = self.spec.kind.rules().window() {
                // A draw knows the results of all rounds but the last few, so no earlier one could know of it.
                from = from.max(self.ledger.first_of(self.ledger.block(last) + window as usize));
            }
            Amendment { from, change: Change::Withdraw(entrant) }
        });
        self.amendments.extend(amendment.clone());
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

    /// Declares that a finished match does not count. A match without an outcome is recorded as
    /// [`Outcome::Void`] instead. The caller must keep the amendment.
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

    pub(super) fn extended(&self, entrants: u32, rounds: u32) -> Result<Spec, Flaw> {
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
        self.amendments.push(amendment.clone());
        self.over = false;
        self.skip_withdrawn();
        self.advance();
        amendment
    }

    /// Returns whether a bot was withdrawn.
    #[must_use]
    pub fn is_withdrawn(&self, entrant: Entrant) -> bool {
        !amendment::plays(self.changes(), entrant)
    }

    /// Returns whether a bot was withdrawn and plays again.
    #[must_use]
    pub fn is_readmitted(&self, bot: Entrant) -> bool {
        self.changes().any(|change| matches!(change, Change::Readmit { entrant, .. } if *entrant == bot))
    }

    /// Returns whether the organiser declared a finished match void.
    #[must_use]
    pub fn is_void(&self, id: MatchId) -> bool {
        amendment::is_void(self.changes(), id)
    }

    fn changes(&self) -> impl Iterator<Item = &Change> {
        self.amendments.iter().map(|amendment| &amendment.change)
    }

    /// Settles the open matches of bots that were withdrawn.
    pub(super) fn skip_withdrawn(&mut self) {
        // Few bots are ever withdrawn, and a tournament may have millions of matches.
        let ever: Vec<Entrant> = self.ever_withdrawn().collect();
        if ever.is_empty() {
            return;
        }
        for index in self.cursor..self.ledger.len() {
            let id = MatchId::of_index(index);
            let is_open = self.ledger.state(id) == Some(State::Open);
            if is_open && self.ledger.seats(id).iter().any(|bot| ever.contains(bot)) && self.is_left_out(id) {
                self.ledger.set_state(id, State::Skipped);
                self.open -= 1;
            }
        }
    }

    /// Returns the bots that are withdrawn.
    pub(super) fn withdrawn(&self) -> impl Iterator<Item = Entrant> {
        self.ever_withdrawn().filter(|entrant| self.is_withdrawn(*entrant))
    }

    fn ever_withdrawn(&self) -> impl Iterator<Item = Entrant> {
        self.changes().filter_map(|change| if let Change::Withdraw(entrant) = change { Some(*entrant) } else { None })
    }
}

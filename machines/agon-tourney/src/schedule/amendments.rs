//! What the organiser decides while the tournament runs.

use super::Schedule;
use crate::{Amendment, Change, Entrant, MatchId, Spec, ledger::State};
use agon_core::Flaw;

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

    /// Declares that a finished match does not count. A match without an outcome is recorded as
    /// [`Outcome::Void`](crate::Outcome::Void) instead. The caller must keep the amendment.
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
        self.amendments.push(amendment);
        self.over = false;
        self.skip_withdrawn();
        self.advance();
        amendment
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

    /// Settles the open matches of bots that were withdrawn.
    pub(super) fn skip_withdrawn(&mut self) {
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

    pub(super) fn withdrawn(&self) -> impl Iterator<Item = Entrant> {
        self.amendments.iter().filter_map(|amendment| match amendment.change {
            Change::Withdraw(entrant) => Some(entrant),
            Change::Void(_) | Change::Extend { .. } => None,
        })
    }
}

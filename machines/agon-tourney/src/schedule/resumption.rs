//! A schedule made anew from what was recorded.

use super::{RecordError, Schedule};
use crate::{Amendment, Change, MatchId, Outcome, Spec};
use agon_core::Flaw;
use std::collections::{BTreeMap, VecDeque};

impl Schedule {
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

    /// Does the same as [`Schedule::resume`], but draws only what an outcome needs. So a withdrawal that the outcomes
    /// imply counts from where it would have counted without the interruption. Call [`Schedule::advance`] afterwards.
    ///
    /// # Errors
    /// The same as those of [`Schedule::resume`].
    pub fn resume_undrawn(
        spec: Spec,
        amendments: impl IntoIterator<Item = Amendment>,
        outcomes: impl IntoIterator<Item = (MatchId, Outcome)>,
    ) -> Result<Self, Flaw> {
        let mut schedule = Self::amended(spec, amendments)?;
        let mut outcomes: Vec<(MatchId, Outcome)> = outcomes.into_iter().collect();
        schedule.reruns = take_reruns(&schedule.amendments, &mut outcomes);
        schedule.take_outcomes(outcomes)?;
        Ok(schedule)
    }

    /// Begins a tournament with amendments, of which each counts from where it says.
    pub(super) fn amended(spec: Spec, amendments: impl IntoIterator<Item = Amendment>) -> Result<Self, Flaw> {
        let mut schedule = Self::unstarted(spec)?;
        for amendment in amendments {
            if let Change::Extend { entrants, rounds } = amendment.change {
                schedule.spec = schedule.extended(entrants, rounds)?;
            }
            schedule.amendments.push(amendment);
        }
        Ok(schedule)
    }

    /// Settles matches in any order, and draws only what they need.
    pub(super) fn take_outcomes(&mut self, outcomes: impl IntoIterator<Item = (MatchId, Outcome)>) -> Result<(), Flaw> {
        let misfit = |error: RecordError| Flaw::new(error.to_string());
        for (id, outcome) in outcomes {
            while self.ledger.state(id).is_none() && self.draw_once(false) {}
            if self.ledger.state(id).is_some() {
                self.settle(id, outcome).map_err(misfit)?;
            } else if self.early.insert(id, outcome).is_some() {
                return Err(misfit(RecordError::Recorded(id)));
            }
        }
        self.skip_withdrawn();
        while !self.early.is_empty() {
            if !self.take_early().map_err(misfit)? && !self.draw_once(true) {
                break;
            }
        }
        self.begin_reruns();
        match self.early.first_key_value() {
            Some((id, _)) => Err(misfit(RecordError::Unknown(*id))),
            None => Ok(()),
        }
    }

    /// Opens the matches that are played again from here on, and settles those that have been. A draw before it has seen what
    /// they were.
    pub(super) fn begin_reruns(&mut self) {
        let mut begun = false;
        while let Some(Rerun { id, then, .. }) = self.reruns.pop_front_if(|rerun| rerun.from <= self.ledger.next_id()) {
            begun = true;
            self.reopen(id);
            if let Some(outcome) = then.filter(|outcome| self.ledger.fits(outcome)) {
                self.open -= 1;
                self.ledger.set_outcome(id, &outcome, &self.spec.points);
            }
        }
        if begun {
            self.skip_withdrawn();
        }
    }

    /// Draws again what was drawn before the last rerun, so that another one comes behind it.
    pub(super) fn catch_up(&mut self) {
        self.begin_reruns();
        while !self.reruns.is_empty() && self.draw_once(true) {
            self.begin_reruns();
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
}

/// A match that is played again, while a tournament is resumed.
#[derive(Debug)]
pub(super) struct Rerun {
    /// The first match whose draw knows of it.
    from: MatchId,
    id: MatchId,
    /// The outcome after it. `None` if it is still to be played.
    then: Option<Outcome>,
}

/// Returns every rerun with its outcome, and gives each of these matches its first outcome instead of its last one.
fn take_reruns(amendments: &[Amendment], outcomes: &mut Vec<(MatchId, Outcome)>) -> VecDeque<Rerun> {
    let mut reruns: VecDeque<Rerun> = VecDeque::new();
    let mut last: BTreeMap<MatchId, Option<Outcome>> = BTreeMap::new();
    let known: BTreeMap<MatchId, &Outcome> = match amendments.iter().any(|amendment| is_rerun(&amendment.change)) {
        true => outcomes.iter().map(|(id, outcome)| (*id, outcome)).collect(),
        false => BTreeMap::new(),
    };
    for Amendment { from, change } in amendments.iter().rev() {
        let mut take = |id: MatchId, was: &Outcome| {
            let then = last.insert(id, Some(was.clone())).unwrap_or_else(|| known.get(&id).copied().cloned());
            reruns.push_front(Rerun { from: *from, id, then });
        };
        match change {
            Change::Rerun { id, was } => take(*id, was),
            Change::RerunAll(again) => again.iter().rev().for_each(|(id, was)| take(*id, was)),
            _ => {}
        }
    }
    outcomes.retain(|(id, _)| !last.contains_key(id));
    outcomes.extend(last.into_iter().filter_map(|(id, was)| Some((id, was?))));
    // A draw follows every outcome before it.
    outcomes.sort_by_key(|(id, _)| *id);
    reruns
}

fn is_rerun(change: &Change) -> bool {
    matches!(change, Change::Rerun { .. } | Change::RerunAll(_))
}

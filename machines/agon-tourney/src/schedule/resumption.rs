//! A schedule made anew from what was recorded.

use super::{RecordError, Schedule};
use crate::{Amendment, Change, MatchId, Outcome, Spec};
use agon_core::Flaw;

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

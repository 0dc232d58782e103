//! A schedule as it is at one point, to be stored: whoever has it need not draw everything again.

use super::Schedule;
use crate::{Amendment, MatchId, Outcome, Spec, draw::KeptDraw, ledger::Ledger, seating::SeatCounts};
use agon_core::Flaw;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A schedule as it is at one point. It says nothing of the tournament and its amendments, which must be the same when it is
/// resumed. Its form belongs to one version of this crate: store that version beside it.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeptSchedule<'a> {
    ledger: Cow<'a, Ledger>,
    draw: KeptDraw,
    seats: Cow<'a, SeatCounts>,
}

impl Schedule {
    /// Returns what [`Schedule::resume_kept`] needs. `None` if the kind of tournament has too few matches to be worth it, or
    /// if a rerun was not begun yet.
    #[must_use]
    pub fn kept(&self) -> Option<KeptSchedule<'_>> {
        let draw = self.draw.kept().filter(|_| self.reruns.is_empty() && self.early.is_empty())?;
        Some(KeptSchedule { ledger: Cow::Borrowed(&self.ledger), draw, seats: Cow::Borrowed(&self.seats) })
    }

    /// Does the same as [`Schedule::resume_undrawn`] from a schedule that had these amendments, and from the outcomes that
    /// have come since, in any order. Call [`Schedule::advance`] afterwards.
    ///
    /// # Errors
    /// The same as those of [`Schedule::resume`], or that the schedule is that of another tournament.
    pub fn resume_kept(
        spec: Spec,
        amendments: impl IntoIterator<Item = Amendment>,
        kept: KeptSchedule<'_>,
        outcomes: impl IntoIterator<Item = (MatchId, Outcome)>,
    ) -> Result<Self, Flaw> {
        let mut schedule = Self::amended(spec, amendments)?;
        let KeptSchedule { ledger, draw, seats } = kept;
        if !ledger.is_like(&schedule.ledger, schedule.spec.entrants) {
            return Err(Flaw::new("the stored schedule is that of another tournament"));
        }
        schedule.ledger = ledger.into_owned();
        schedule.draw = draw.resume();
        schedule.seats = seats.into_owned();
        schedule.open = schedule.ledger.open_running();
        schedule.take_outcomes(outcomes)?;
        Ok(schedule)
    }
}

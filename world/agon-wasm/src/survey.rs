//! What is collected of the whole match, turn by turn: the numbers for charts, and the marks of the time bar.

use crate::{
    engine::{Failed, seek},
    timeline::Timeline,
    told::{Told, play_on, weightiest},
    verifier::open,
};
use agon_core::Seat;
use agon_referee::{PlyRecord, Rerun};

/// A walk through the match with the eyes of one viewer.
pub(crate) struct Survey {
    rerun: Rerun,
    eyes: Option<Seat>,
    seats: usize,
    /// For each position from the first on, the numbers of each seat.
    numbers: Vec<f64>,
    /// What weighs most of a turn, with the number of the turn.
    marks: Vec<(u32, Told)>,
    /// Whether the rules did not accept a turn, so that nothing more can be collected.
    is_stuck: bool,
}

impl Survey {
    /// Begins with the first position.
    ///
    /// # Errors
    /// Fails if the match cannot be opened.
    pub(crate) fn new(timeline: &Timeline, eyes: Option<Seat>) -> Result<Self, Failed> {
        let rerun = open(&timeline.play.spec)?;
        let seats = timeline.play.spec.seats.len();
        let mut survey = Self { rerun, eyes, seats, numbers: Vec::new(), marks: Vec::new(), is_stuck: false };
        survey.measure();
        Ok(survey)
    }

    pub(crate) fn eyes(&self) -> Option<Seat> {
        self.eyes
    }

    /// Returns the rerun, which has snapshots of all turns once it has been through the match.
    pub(crate) fn rerun(&self) -> &Rerun {
        &self.rerun
    }

    pub(crate) fn plies(&self) -> u32 {
        self.rerun.board().plies()
    }

    fn measure(&mut self) {
        for seat in 0..self.seats {
            self.rerun.board().measure(self.eyes, Seat::new(seat), &mut self.numbers);
        }
    }

    /// Goes on through at most `count` turns. Returns whether there are more.
    pub(crate) fn advance(&mut self, timeline: &Timeline, count: u32) -> bool {
        let more = |survey: &Self| !survey.is_stuck && (survey.plies() as usize) < timeline.play.turns.len();
        for _ in 0..count {
            if !more(self) {
                return false;
            }
            match play_on(&mut self.rerun, timeline, self.eyes) {
                Ok(told) => {
                    self.measure();
                    self.marks.extend(weightiest(told).map(|told| (self.rerun.board().plies(), told)));
                }
                Err(_) => self.is_stuck = true,
            }
        }
        more(self)
    }

    /// Forgets the turns after `ply`, which are still among `turns`.
    ///
    /// # Errors
    /// Fails if the rules do not accept a turn before.
    pub(crate) fn step_back(&mut self, turns: &[PlyRecord], ply: u32) -> Result<(), Failed> {
        if self.plies() > ply {
            seek(&mut self.rerun, &[], turns, ply)?;
            self.numbers.truncate((ply as usize + 1) * self.seats * self.names().len());
            self.marks.retain(|(turn, _)| *turn <= ply);
        }
        self.is_stuck = false;
        Ok(())
    }

    pub(crate) fn marks(&self) -> &[(u32, Told)] {
        &self.marks
    }

    pub(crate) fn names(&self) -> &'static [&'static str] {
        self.rerun.board().series()
    }

    /// Returns a number of a seat after `ply` turns, or `NAN` if it is not known or not collected yet.
    pub(crate) fn number(&self, name: usize, seat: usize, ply: usize) -> f64 {
        let names = self.names().len();
        self.numbers.get((ply * self.seats + seat) * names + name).copied().unwrap_or(f64::NAN)
    }
}

//! The seam between the schedule and the kinds of tournament.

use crate::{
    Amendment, Change, Entrant, MatchId, Spec, amendment,
    bracket::Bracket,
    ladder::Ladder,
    ledger::{Ledger, Recorded, State},
    round_robin::RoundRobin,
    standings::{Class, Standings},
    walkover::{self, Bye},
};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// How a kind of tournament draws its matches. What else a kind decides is in [`KindRules`](crate::kind::KindRules).
///
/// A draw must be a function of the past that it is shown, of the tournament's seed, and of the draws before it.
/// Whatever it keeps must follow from these.
pub(crate) trait Draw: Debug + Send + Sync {
    /// Draws the next blocks.
    fn draw(&mut self, past: &Past<'_>) -> Drawn;

    /// Returns what the next draws need to know of those before, to be stored. `None` if that is not worth it: then a
    /// tournament that is resumed draws everything again.
    fn kept(&self) -> Option<KeptDraw> {
        None
    }

    /// Returns whether what is drawn from now on rests on matches that have been drawn.
    fn rests_on_results(&self) -> bool {
        true
    }

    /// Returns how many matches are still to be drawn, if that depends on no result.
    fn to_come(&self, past: &Past<'_>) -> Option<u64>;

    /// Returns the class of each bot.
    fn classes(&self, past: &Past<'_>) -> Vec<Class> {
        vec![Class::default(); past.spec.entrants as usize]
    }

    /// Returns the table of each group, if there are groups.
    fn tables(&self, _: &Past<'_>) -> Vec<Standings> {
        Vec::new()
    }

    /// Returns the number of all matches of a bot in a round robin, a gauntlet or a group. `None` in other kinds.
    fn planned_of(&self, _: Entrant, _: &Spec) -> Option<u128> {
        None
    }

    /// Returns the bracket, if there is one.
    fn bracket(&self, _: &Past<'_>) -> Option<Bracket> {
        None
    }

    /// Returns the rounds in which a bot had no match, in the order in which they were drawn.
    fn byes(&self) -> &[Bye] {
        &[]
    }
}

/// What a draw keeps, of the kinds that play millions of matches.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum KeptDraw {
    RoundRobin(RoundRobin),
    Ladder(Ladder),
}

impl KeptDraw {
    /// Returns the draw to go on with.
    pub(crate) fn resume(self) -> Box<dyn Draw> {
        match self {
            Self::RoundRobin(draw) => Box::new(draw),
            Self::Ladder(draw) => Box::new(draw),
        }
    }
}

/// What a kind of tournament has drawn.
pub(crate) enum Drawn {
    /// At least one block, in the order of the schedule.
    Blocks(Vec<Block>),
    /// The next draw needs more outcomes.
    Wait,
    /// There is nothing left to play.
    Over,
}

/// A set of bots that play on one map with one seed.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The round, counted from 1.
    pub round: u32,
    /// The number of the map that is played, counted from 0. The list of maps is repeated without an end.
    pub map: u32,
    /// The bots. If `seated`, they are in the order of their seats.
    pub bots: Vec<Entrant>,
    /// Whether the kind has chosen the seats. Otherwise the schedule keeps them even.
    pub seated: bool,
    /// Whether the block is the one before it in other seats, with the same seed.
    pub same_seed: bool,
    /// The probability of this set of bots.
    pub probability: Option<f64>,
}

/// What a draw may know: the matches before it, and the decisions of the organiser that count from there.
pub(crate) struct Past<'a> {
    /// The tournament as it is at this point.
    pub spec: &'a Spec,
    /// Every match that was drawn.
    pub ledger: &'a Ledger,
    amendments: &'a [Amendment],
    /// The number of the next match.
    at: MatchId,
}

impl<'a> Past<'a> {
    pub(crate) fn new(spec: &'a Spec, ledger: &'a Ledger, amendments: &'a [Amendment]) -> Self {
        Self { spec, ledger, amendments, at: ledger.next_id() }
    }

    fn changes(&self) -> impl Iterator<Item = &Change> {
        self.amendments.iter().filter(|amendment| amendment.from <= self.at).map(|amendment| &amendment.change)
    }

    /// Returns whether `entrant` still plays.
    pub(crate) fn plays(&self, entrant: Entrant) -> bool {
        amendment::plays(self.changes(), entrant)
    }

    /// Returns whether `entrant` would have played a match that was left out.
    pub(crate) fn would_have_played(&self, id: MatchId, entrant: Entrant) -> bool {
        self.plays(entrant) && !amendment::has_missed(self.amendments, entrant, id)
    }

    /// Returns the finished matches that count, in the order of the schedule.
    pub(crate) fn finished(&self) -> impl Iterator<Item = (MatchId, Recorded<'_>)> {
        self.ledger.finished().filter(|(id, _)| !amendment::is_void(self.changes(), *id))
    }

    /// Returns a match if it is finished and counts.
    pub(crate) fn result(&self, id: MatchId) -> Option<Recorded<'_>> {
        let counts = self.ledger.state(id) == Some(State::Finished) && !amendment::is_void(self.changes(), id);
        counts.then(|| self.ledger.recorded(id))
    }

    /// Returns how many decisions have changed the result of a match.
    pub(crate) fn changed_results(&self) -> usize {
        let is_it = |change: &&Change| matches!(change, Change::Void(_) | Change::Rerun { .. } | Change::RerunAll(_));
        self.changes().filter(is_it).count()
    }

    /// Returns the points of each bot.
    pub(crate) fn points(&self, byes: &[Bye]) -> Vec<i64> {
        let mut points = vec![0_i64; self.spec.entrants as usize];
        let mut add = |entrant: Entrant, more: i64| {
            let sum = &mut points[entrant.index()];
            *sum = sum.saturating_add(more);
        };
        for (_, played) in self.finished() {
            for (entrant, more) in played.seats.iter().zip(played.points) {
                add(*entrant, *more);
            }
        }
        for (entrant, more) in walkover::of_byes(byes, self.spec, self.ledger, self.finished()) {
            add(entrant, more);
        }
        let plays = |id, entrant| self.would_have_played(id, entrant);
        for (entrant, more) in walkover::of_forfeits(self.spec, self.ledger, plays, |_| true) {
            add(entrant, more);
        }
        points
    }
}

//! The seam between the schedule and the kinds of tournament.

use crate::{Entrant, Spec, ledger::Ledger};
use std::fmt::Debug;

/// How a kind of tournament draws its matches.
///
/// A draw must be a function of the past that it is shown, of the tournament's seed, and of the draws before it.
/// Whatever it keeps must follow from these.
pub(crate) trait Draw: Debug + Send + Sync {
    /// Draws the next blocks.
    fn draw(&mut self, past: &Past<'_>) -> Drawn;

    /// Returns how many matches are still to be drawn, if that depends on no result.
    fn to_come(&self, past: &Past<'_>) -> Option<u64>;
}

/// What a kind of tournament has drawn.
pub(crate) enum Drawn {
    /// At least one block, in the order of the schedule.
    Blocks(Vec<Block>),
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
    /// The probability of this set of bots.
    pub probability: Option<f64>,
}

/// What a draw may know.
pub(crate) struct Past<'a> {
    /// The tournament as it is at this point.
    pub spec: &'a Spec,
    /// Every match that was drawn.
    pub ledger: &'a Ledger,
}

//! What one player may know: everything that the judge sends. There is no fog of war.

use crate::board::Board;
use agon_core::Seat;

/// The judge's message of one turn (specification "Judge message format").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View<'a> {
    /// Who is asked.
    pub me: Seat,
    /// How many captures it may order in this turn. Bots are told and need not know how it is rounded (G2).
    pub energy: u32,
    /// The map.
    pub board: &'a Board,
}

impl View<'_> {
    /// The other player.
    #[must_use]
    pub fn other(&self) -> Seat {
        Seat::new(1 - self.me.index())
    }
}

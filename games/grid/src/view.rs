//! What one player may know: everything that the judge sends. There is no fog of war.

use crate::board::Board;
use agon_core::Seat;

/// The judge's message of one turn (specification "Judge message format").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View<'a> {
    /// The player that decides.
    pub me: Seat,
    /// The number of captures that it may order in this turn. Bots are given this number and need not know how it is
    /// rounded (G2).
    pub energy: u32,
    /// The board before the turn.
    pub board: &'a Board,
}

impl View<'_> {
    /// The other player.
    #[must_use]
    pub fn other(&self) -> Seat {
        Seat::new(1 - self.me.index())
    }
}

//! What the laws in `agon_core::laws` need from the game, and nothing else does.

use crate::position::{End, Position};
use agon_core::{LawHooks, Seat, Seats};
use alloc::vec::Vec;

impl LawHooks for Position {
    fn with_seats_exchanged(&self, _one: Seat, _other: Seat) -> Option<Self> {
        let board = self.board.exchanged();
        let mut reach = Vec::new();
        let survey = board.survey(&mut reach);
        let swap = |out: Seats| out.iter().map(|s| Seat::new(1 - s.index())).collect();
        let end = match self.end {
            Some(End::Forfeit(out)) => Some(End::Forfeit(swap(out))),
            other => other,
        };
        Some(Self { board, survey, reach, end, ..*self })
    }
}

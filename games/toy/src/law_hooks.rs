//! What the laws in `agon_core::laws` need from the game, and nothing else does.

use crate::position::Position;
use agon_core::{LawHooks, Seat};

impl LawHooks for Position {
    fn with_seats_exchanged(&self, _one: Seat, _other: Seat) -> Option<Self> {
        let other = |seat: Seat| Seat::new(1 - seat.index());
        Some(Self {
            mover: other(self.mover),
            last: self.last.map(other),
            failed: self.failed.iter().map(other).collect(),
            ..self.clone()
        })
    }
}

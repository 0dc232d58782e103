//! What the laws in `agon_core::laws` need from the game, and nothing else does.

use crate::position::Position;
use agon_core::{LawHooks, Seat};

impl LawHooks for Position {
    fn with_seats_exchanged(&self, _one: Seat, _other: Seat) -> Option<Self> {
        let mut other = self.clone();
        other.planets.exchange();
        other.arrivals.exchange();
        other.fleets.iter_mut().flatten().for_each(|f| f.owner = 3 - f.owner);
        other.forfeited.swap(0, 1);
        Some(other)
    }
}

//! What the laws in `agon_core::laws` need from the game, and nothing else does.

use crate::position::{Position, opponent};
use agon_core::{LawHooks, Seat};

impl LawHooks for Position {
    fn with_seats_exchanged(&self, _one: Seat, _other: Seat) -> Option<Self> {
        let mut other = self.clone();
        other.scores.swap(0, 1);
        other.to_move = opponent(self.to_move);
        other.out = self.out.iter().map(opponent).collect();
        other.forfeited = self.forfeited.map(opponent);
        for made in &mut other.made[..usize::from(self.drawn_count)] {
            made.by = made.by.map(opponent);
        }
        Some(other)
    }
}

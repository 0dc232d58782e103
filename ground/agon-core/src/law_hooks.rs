//! What the laws need from a game and no other code does.

use crate::{Game, Rng, Seat};

/// Changed positions that the laws compare with the original ones. Only tests call these methods. A game that hides
/// nothing and is not symmetric implements the trait with an empty block.
pub trait LawHooks: Game {
    /// Returns a position that differs from this one only in facts hidden from `seat`, or `None` if nothing is hidden.
    fn with_hidden_change(&self, seat: Seat, rng: &mut Rng) -> Option<Self> {
        let _ = (seat, rng);
        None
    }

    /// Returns this position with two different seats exchanged, or `None` if the game is not symmetric. Within a match
    /// the answer is `None` for every position or for none.
    fn with_seats_exchanged(&self, one: Seat, other: Seat) -> Option<Self> {
        let _ = (one, other);
        None
    }
}

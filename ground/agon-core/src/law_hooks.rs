//! What only the laws ask of a game.

use crate::{Game, Rng, Seat};

/// Positions that the laws compare with a game's own. Nothing but tests calls this; a game that hides nothing and is not
/// symmetric implements it with an empty block.
pub trait LawHooks: Game {
    /// A position that differs from this one only in what is hidden from `seat`; `None` where nothing is hidden.
    fn with_hidden_change(&self, seat: Seat, rng: &mut Rng) -> Option<Self> {
        let _ = (seat, rng);
        None
    }

    /// This position with two different seats exchanged; `None` where that makes another game. Either every position of
    /// a match can be exchanged or none.
    fn with_seats_exchanged(&self, one: Seat, other: Seat) -> Option<Self> {
        let _ = (one, other);
        None
    }
}

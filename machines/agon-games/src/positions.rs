//! Every game, for programs that only look at positions.
//!
//! Nothing in this module refers to a bot, a dialogue or a generator, so a program that uses only this module does not
//! contain them.
//!
//! ```
//! use agon_games::positions;
//! use agon_referee::Decision;
//! use agon_spec::{MatchSpec, SeatSpec};
//!
//! let seats = ["one", "two"].map(SeatSpec::of_words);
//! let spec = MatchSpec::new("triangles", "spec", "point 1 1\npoint 5 1\npoint 1 5\n", seats);
//! let mut position = positions::find("triangles").unwrap().position(&spec).unwrap();
//! let before = position.board().fingerprint();
//! let seat = position.board().awaiting().iter().next().unwrap();
//! let legal = position.board().legal(seat).unwrap();
//! let first = legal.read::<serde_json::Value>().take(1).map(Result::unwrap).collect();
//! position.apply(&[Decision { seat, orders: first, failure: None }]).unwrap();
//! assert_ne!(position.board().fingerprint(), before);
//! assert!(position.undo());
//! assert_eq!(position.board().fingerprint(), before);
//! ```

use crate::{AnySetup, TypedGame};

macro_rules! list {
    ($($name:ident: $game:ident),* $(,)?) => {
        /// Every game, in display order.
        static SETUPS: &[&dyn AnySetup] = &[$(&TypedGame::<$game::Position>::new()),*];
    };
}

crate::for_each_game!(list);

/// Returns every game, in display order.
#[must_use]
pub fn all() -> &'static [&'static dyn AnySetup] {
    SETUPS
}

/// Returns the game of this name, or `None` if no game has it.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn AnySetup> {
    all().iter().copied().find(|g| g.name() == name)
}

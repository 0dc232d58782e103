//! The interface to a game for programs in which people play against built-in bots: positions, bots and generators, without
//! dialogues and referees.
//!
//! Nothing in this module refers to a dialogue, so a program that uses only this module and
//! [`positions`](crate::positions) does not contain them.
//!
//! ```
//! use agon_core::{Seat, Seed};
//! use agon_games::playable;
//! use agon_referee::Decision;
//! use agon_spec::{MatchSpec, SeatSpec};
//!
//! let game = playable::find("planet-wars").unwrap();
//! let map = game.generate(game.info().map_kinds[0].name, Seed(1), 2).unwrap();
//! let spec = MatchSpec::new(game.name(), game.rule_sets()[0], map, ["one", "two"].map(SeatSpec::of_words));
//! let mut position = game.position(&spec).unwrap();
//! let decide = |seat| game.decide(position.board(), seat, "prospector", Seed(1)).unwrap();
//! let decisions: Vec<_> =
//!     position.board().awaiting().iter().map(|seat| Decision { seat, orders: decide(seat), failure: None }).collect();
//! let turn = position.apply(&decisions).unwrap();
//! assert!(turn.refused.is_empty());
//!
//! let mut rollouts = game.rollouts(position.board(), &["random", "prospector"]).unwrap();
//! assert_eq!(rollouts.play(Seed(1)).places, [2, 1]);
//! ```

use crate::{AnySetup, TypedGame};
use agon_core::{Flaw, GameInfo, Seat, Seed, Standing};
use agon_referee::Board;
use agon_spec::JsonList;

/// One game without its types, with its bots and generators, but without its dialogues. Every
/// [`AnyGame`](crate::AnyGame) is one, too.
pub trait AnyPlayable: AnySetup {
    /// Returns the facts about the game that need no position: its title, bots, kinds of maps, clocks and more.
    fn info(&self) -> &'static GameInfo;
    /// Returns the names of the rule sets. The default comes first.
    fn rule_sets(&self) -> &'static [&'static str];

    /// Returns the shortest text form of a rule set. Replays have it.
    ///
    /// # Errors
    /// Fails if a set, a point or a value is unknown.
    fn rules(&self, text: &str) -> Result<String, Flaw>;

    /// Generates a map and returns its text.
    ///
    /// # Errors
    /// Fails if the kind is unknown or has no maps for this number of seats.
    fn generate(&self, kind: &str, seed: Seed, seats: usize) -> Result<String, Flaw>;

    /// Returns what a built-in bot decides for `seat` in this position. It is a new bot that has seen no turn before, so the
    /// same arguments give the same orders. The list is empty if the rules do not await the seat.
    ///
    /// # Errors
    /// Fails if the game has no such bot, if the match has no such seat, or if `position` belongs to another game.
    fn decide(&self, position: &Board, seat: Seat, bot: &str, seed: Seed) -> Result<JsonList, Flaw>;

    /// Returns matches that begin at this position. `bots` names the built-in bot of each seat.
    ///
    /// # Errors
    /// Fails if a bot is unknown, if their number is not that of the seats, or if `position` belongs to another game.
    fn rollouts(&self, position: &Board, bots: &[&'static str]) -> Result<Box<dyn AnyRollouts>, Flaw>;
}

/// Matches of built-in bots that all begin at one position.
pub trait AnyRollouts: Send {
    /// Plays one match to its end with new bots. The same seed gives the same match.
    fn play(&mut self, seed: Seed) -> Standing;
}

macro_rules! list {
    ($($name:ident: $game:ident),* $(,)?) => {
        /// Every game, in display order.
        static PLAYABLES: &[&dyn AnyPlayable] = &[$(&TypedGame::<$game::Position>::new()),*];
    };
}

crate::for_each_game!(list);

/// Returns every game, in display order.
#[must_use]
pub fn all() -> &'static [&'static dyn AnyPlayable] {
    PLAYABLES
}

/// Returns the game of this name, or `None` if no game has it.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn AnyPlayable> {
    all().iter().copied().find(|g| g.name() == name)
}

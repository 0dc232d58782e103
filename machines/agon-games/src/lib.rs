//! The only list of games. Typed games go in, trait objects come out; nothing else in Agon names a game.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `games` | [`for_each_game!`]: the list |
//! | [`positions`] | every game as an [`AnySetup`]: its positions, without bots, dialogues and generators |
//! | [`playable`] | every game as an [`AnyPlayable`]: with bots and generators, without dialogues |
//! | `any_game` | [`AnyGame`]: everything else that Agon asks of a game |
//! | `typed_game` | [`TypedGame`]: implements all of them for a typed game |
//! | `rollouts` | [`AnyRollouts`]: matches of built-in bots that begin at one position |
//! | `interview` | [`AnyInterview`]: leads a bot through a recorded match |
//! | `conversation` | [`AnyConversation`]: asks a program about any positions |
//! | `bot` | [`AnyBot`]: a built-in bot that decides from positions |
//! | `wire_bot` | [`AnyWireBot`]: a built-in bot behind its wire protocol |
//! | `simulation` | [`AnySimulation`]: random lawful play at full speed |
//! | `format`, `record` | [`Format`]: recorded matches in formats of other programs |

mod any_game;
mod any_setup;
mod bot;
mod conversation;
mod format;
#[macro_use]
mod games;
mod interview;
pub mod playable;
pub mod positions;
mod record;
mod rollouts;
mod simulation;
mod typed_game;
mod wire_bot;

pub use any_game::{AnyGame, MapReport};
pub use any_setup::AnySetup;
pub use bot::AnyBot;
pub use conversation::AnyConversation;
pub use format::Format;
pub use interview::{AnyInterview, Reply};
pub use playable::{AnyPlayable, AnyRollouts};
pub use simulation::{AnySimulation, Played};
pub use typed_game::TypedGame;
pub use wire_bot::{AnyWireBot, Attending};

macro_rules! list {
    ($($name:ident: $game:ident),* $(,)?) => {
        /// Every game, in display order.
        static GAMES: &[&dyn AnyGame] = &[$(&TypedGame::<$game::Position>::new()),*];
    };
}

for_each_game!(list);

/// Returns every game, in display order.
#[must_use]
pub fn all() -> &'static [&'static dyn AnyGame] {
    GAMES
}

/// Returns the game of this name, or `None` if no game has it.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn AnyGame> {
    all().iter().copied().find(|g| g.name() == name)
}

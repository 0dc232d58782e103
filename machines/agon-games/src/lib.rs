//! The only list of games. Typed games go in, trait objects come out; nothing else in Agon names a game.

mod any_game;
mod format;
mod interview;
mod record;
mod simulation;
mod typed_game;
mod wire_bot;

pub use any_game::{AnyGame, MapReport};
pub use format::Format;
pub use interview::{AnyInterview, Reply};
pub use simulation::{AnySimulation, Played};
pub use typed_game::TypedGame;
pub use wire_bot::{AnyWireBot, Attending};

/// Every game, in the order in which they are shown.
static GAMES: &[&dyn AnyGame] = &[
    &TypedGame::<agon_lighthouses::Position>::new(),
    &TypedGame::<agon_planet_wars::Position>::new(),
    &TypedGame::<agon_triangles::Position>::new(),
    &TypedGame::<agon_grid::Position>::new(),
    &TypedGame::<agon_portals::Position>::new(),
];

/// Every game, in the order in which they are shown.
#[must_use]
pub fn all() -> &'static [&'static dyn AnyGame] {
    GAMES
}

/// The game of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn AnyGame> {
    all().iter().copied().find(|g| g.name() == name)
}

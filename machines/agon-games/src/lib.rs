//! The only list of games. Typed games go in, trait objects come out; nothing else in Agon names a game.

mod any;
mod format;
mod interview;
mod record;
mod simulation;
mod typed;
mod wire_bot;

pub use any::{AnyGame, MapReport};
pub use format::Format;
pub use interview::{Heard, Interview};
pub use simulation::{Played, Simulation};
pub use typed::Typed;
pub use wire_bot::{Attending, WireBot};

/// Every game, in the order in which they are shown.
static GAMES: &[&dyn AnyGame] = &[
    &Typed::<agon_lighthouses::Position>::new(),
    &Typed::<agon_planet_wars::Position>::new(),
    &Typed::<agon_triangles::Position>::new(),
    &Typed::<agon_grid::Position>::new(),
    &Typed::<agon_portals::Position>::new(),
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

//! The built-in bots. Their work is limited, but no clock limits them: the same seed gives the same game.

mod forecast;
mod prospector;
mod rage;
mod random;
mod warlord;

use crate::position::Position;
use agon_core::{Bot, BotKind, Seed};
use alloc::boxed::Box;

/// The built-in bots, weakest first.
pub const KINDS: &[BotKind] = &[
    BotKind { name: "random", about: "sends a random part of some planets anywhere" },
    BotKind { name: "rage", about: "sends every planet's ships to the nearest enemy planet" },
    BotKind { name: "prospector", about: "takes the planets that pay back soonest and keeps what it has" },
    BotKind { name: "warlord", about: "compares combinations of attacks, played out against the enemy's answers" },
];

/// Makes the bot of this name. `None` if [`KINDS`] does not list it.
#[must_use]
pub fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Position>>> {
    match name {
        "random" => Some(Box::new(random::Random::new(seed))),
        "rage" => Some(Box::new(rage::Rage)),
        "prospector" => Some(Box::new(prospector::Prospector::default())),
        "warlord" => Some(Box::new(warlord::Warlord::default())),
        _ => None,
    }
}

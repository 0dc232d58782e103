//! Built-in bots of rising strength. All are limited by work, and deterministic by seed.

mod forecast;
mod prospector;
mod rage;
mod random;
mod warlord;

use crate::position::Position;
use agon_core::{Bot, BotKind, Seed};
use alloc::boxed::Box;

/// The bots, weakest first.
pub const KINDS: &[BotKind] = &[
    BotKind { name: "random", about: "sends a random part of some planets anywhere" },
    BotKind { name: "rage", about: "throws every planet's ships at the nearest enemy planet" },
    BotKind { name: "prospector", about: "takes the planets that pay back soonest and keeps what it has" },
    BotKind { name: "warlord", about: "searches combinations of attacks, with the enemy's answers played out" },
];

/// The bot of this name.
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

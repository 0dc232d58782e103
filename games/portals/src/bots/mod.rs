//! The built-in bots. All are deterministic by their seed and limited by work.

mod random;

use crate::Position;
use agon_core::{Bot, BotKind, Seed};
use alloc::boxed::Box;

/// The built-in bots, weakest first.
pub(crate) const KINDS: &[BotKind] =
    &[BotKind { name: "random", about: "walks to portals and does there what it may" }];

/// The bot of this name.
pub(crate) fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Position>>> {
    match name {
        "random" => Some(Box::new(random::Random::new(seed))),
        _ => None,
    }
}

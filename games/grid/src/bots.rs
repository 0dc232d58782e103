//! The built-in bots, weakest first.

mod random;

use crate::{order::Order, position::GridGame};
use agon_core::{Bot, BotKind, Seed};
use alloc::boxed::Box;

/// What they are called and how they play.
pub(crate) const KINDS: &[BotKind] = &[BotKind { name: "random", about: "captures random tiles that it can reach" }];

/// The bot of this name.
pub(crate) fn named(name: &str, seed: Seed) -> Option<Box<dyn Bot<GridGame>>> {
    Some(match name {
        "random" => Box::new(random::Random::new(seed)),
        _ => return None,
    })
}

/// A tile as bots handle it.
type Tile = (u16, u16);

/// The order that captures a tile.
fn capture((x, y): Tile) -> Order {
    Order::Capture { x, y }
}

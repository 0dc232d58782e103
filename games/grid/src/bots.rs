//! The built-in bots, weakest first.

mod features;
mod frontier;
mod greedy;
mod random;
mod warden;
mod waves;

use crate::{order::Order, position::Position};
use agon_core::{Bot, BotKind, Seed};
use alloc::boxed::Box;

/// The built-in bots, weakest first.
pub(crate) const KINDS: &[BotKind] = &[
    BotKind { name: "random", about: "captures random tiles that it can reach" },
    BotKind { name: "greedy", about: "captures enemy tiles, then empty ones, in random order" },
    BotKind { name: "frontier", about: "captures the tiles nearest to the enemy, enemy tiles first" },
    BotKind { name: "warden", about: "tries many decisions in simulated matches and keeps the best" },
];

/// Makes the bot of this name. `None` if [`KINDS`] does not list it.
pub(crate) fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Position>>> {
    Some(match name {
        "random" => Box::new(random::Random::new(seed)),
        "greedy" => Box::new(greedy::Greedy::new(seed)),
        "frontier" => Box::new(frontier::Frontier::new(seed)),
        "warden" => Box::new(warden::Warden::new(seed)),
        _ => return None,
    })
}

/// A tile as the bots handle it: column and row.
type Tile = (u16, u16);

/// The order that captures a tile.
fn capture((x, y): Tile) -> Order {
    Order::Capture { x, y }
}

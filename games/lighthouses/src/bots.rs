//! The built-in bots, weakest first. Each sees what a program behind a pipe sees. Their work is limited, but no clock
//! limits them.

mod atlas;
mod lamplighter;
mod outlook;
mod planner;
mod wanderer;

use crate::Position;
use agon_core::{Bot, BotKind, Seed};
use alloc::boxed::Box;
use lamplighter::Lamplighter;
use planner::Planner;
use wanderer::Wanderer;

pub(crate) const KINDS: &[BotKind] = &[
    BotKind { name: "random", about: "gives any lawful command" },
    BotKind { name: "lamplighter", about: "lights the nearest lighthouse that it does not own, connects it if it can" },
    BotKind {
        name: "weaver",
        about: "looks two lighthouses ahead, for the points that they and their connections would bring",
    },
    BotKind { name: "strategist", about: "plans tours of four lighthouses and the triangles that they close" },
];

pub(crate) fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Position>>> {
    Some(match name {
        "random" => Box::new(Wanderer::new(seed)),
        "lamplighter" => Box::new(Lamplighter::new()),
        "weaver" => Box::new(Planner::new(&[8, 5])),
        "strategist" => Box::new(Planner::new(&[24, 6, 4, 3])),
        _ => return None,
    })
}

//! The built-in bots, weakest first. All of them are limited by work, never by a clock: the same seed and the same
//! boards give the same segments.

mod board;
mod endgame;
mod greedy;
mod regions;
mod rollout;
mod solver;

use crate::{order::Order, position::Position, view::View};
use agon_core::{Bot, BotKind, Rng, Seed};
use alloc::{boxed::Box, vec::Vec};
use board::Board;

/// By rising strength.
pub(crate) const KINDS: &[BotKind] = &[
    BotKind { name: "random", about: "any segment that may be drawn" },
    BotKind { name: "greedy", about: "the segment that pays most now" },
    BotKind { name: "careful", about: "the segment that pays most, less the opponent's best reply" },
    BotKind { name: "solver", about: "plays games to their end to choose, and solves the late game exactly" },
];

/// The bot of this name.
pub(crate) fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Position>>> {
    let rng = Rng::new(seed);
    Some(match name {
        "random" => Box::new(Random { board: Board::default(), rng }),
        "greedy" => Box::new(greedy::Greedy::new(rng)),
        "careful" => Box::new(greedy::Careful::new(rng)),
        "solver" => Box::new(solver::Solver::new(rng)),
        _ => return None,
    })
}

/// Any segment that may be drawn, each with the same probability.
struct Random {
    board: Board,
    rng: Rng,
}

impl Bot<Position> for Random {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        let position = self.board.follow(view);
        if position.open_count() > 0 {
            let number = position.nth_open(self.rng.index(position.open_count()));
            orders.push(Order::from(position.field.segment(number)));
        }
    }
}

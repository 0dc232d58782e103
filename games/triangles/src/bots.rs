//! The built-in bots. Their work is limited, but no clock limits them: the same seed and the same boards give the same
//! segments.

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

/// The built-in bots, weakest first.
pub(crate) const KINDS: &[BotKind] = &[
    BotKind { name: "random", about: "draws any segment that is allowed" },
    BotKind { name: "greedy", about: "draws the segment that pays most now" },
    BotKind { name: "careful", about: "draws the segment that pays most, minus the opponent's best reply" },
    BotKind { name: "solver", about: "plays games to their end to choose, and solves the late game exactly" },
];

/// Makes the bot of this name. `None` if [`KINDS`] does not list it.
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

/// Draws any segment that is allowed, each with the same probability.
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

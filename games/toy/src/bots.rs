//! The built-in bots: four ways to choose a number.

use crate::{Order, Position, View};
use agon_core::{Bot, BotKind, Rng, Seed};
use alloc::{boxed::Box, vec::Vec};

/// The built-in bots, weakest first.
pub(crate) const KINDS: &[BotKind] = &[
    BotKind { name: "random", about: "takes any number that is allowed" },
    BotKind { name: "greedy", about: "takes as many as it can" },
    BotKind { name: "finisher", about: "takes one, but ends the game when it can" },
    BotKind { name: "perfect", about: "leaves a heap from which the other cannot win" },
];

/// Makes the bot of this name. `None` if [`KINDS`] does not list it.
pub(crate) fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Position>>> {
    Some(match name {
        "random" => Box::new(Random(Rng::new(seed))),
        "greedy" => Box::new(Greedy),
        "finisher" => Box::new(Finisher),
        "perfect" => Box::new(Perfect),
        _ => return None,
    })
}

struct Random(Rng);

impl Bot<Position> for Random {
    fn decide(&mut self, view: View, orders: &mut Vec<Order>) {
        orders.push(Order(1 + self.0.below(view.allowed())));
    }
}

struct Greedy;

impl Bot<Position> for Greedy {
    fn decide(&mut self, view: View, orders: &mut Vec<Order>) {
        orders.push(Order(view.allowed()));
    }
}

struct Finisher;

impl Bot<Position> for Finisher {
    fn decide(&mut self, view: View, orders: &mut Vec<Order>) {
        // The heap to leave behind: empty if the last stone wins, one stone for the other seat if it loses.
        let leave = u32::from(!view.last_wins);
        let ending = view.stones.saturating_sub(leave);
        orders.push(Order(if (1..=view.allowed()).contains(&ending) { ending } else { 1 }));
    }
}

struct Perfect;

impl Bot<Position> for Perfect {
    fn decide(&mut self, view: View, orders: &mut Vec<Order>) {
        // A seat that faces a multiple of most + 1 (plus 1 if the last stone loses) cannot win: whatever it takes, the
        // other seat can take the rest of most + 1.
        let lost = u32::from(!view.last_wins);
        let excess = (view.stones + (view.most + 1) - lost) % (view.most + 1);
        orders.push(Order(excess.clamp(1, view.allowed())));
    }
}

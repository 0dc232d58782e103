//! `random`: plays any lawful turn.

use crate::{Order, Position, View, sample};
use agon_core::{Bot, Rng, Seed};
use alloc::vec::Vec;

pub(crate) struct Random {
    rng: Rng,
}

impl Random {
    pub(crate) fn new(seed: Seed) -> Self {
        Self { rng: Rng::new(seed) }
    }
}

impl Bot<Position> for Random {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        sample::turn(view.position(), view.seat().index(), &mut self.rng, orders);
    }
}

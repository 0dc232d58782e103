//! Sends a random part of some planets anywhere.

use crate::{
    order::Order,
    position::Position,
    view::{Owner, View},
};
use agon_core::{Bot, Rng, Seed};
use alloc::vec::Vec;

pub(super) struct Random {
    rng: Rng,
}

impl Random {
    pub(super) fn new(seed: Seed) -> Self {
        Self { rng: Rng::new(seed.derive("random", 0)) }
    }
}

impl Bot<Position> for Random {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        for source in (0..view.planets()).filter(|p| view.owner(*p) == Owner::Own) {
            let destination = self.rng.index(view.planets());
            let ships = self.rng.below(view.ships(source).unsigned_abs() + 1) as i32;
            if self.rng.one_in(4) && destination != source && ships > 0 {
                orders.push(Order { source: source as i32, destination: destination as i32, ships });
            }
        }
    }
}

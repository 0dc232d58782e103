//! Goes for the enemy by the shortest path.

use super::waves::Waves;
use crate::{order::Order, position::Position, view::View};
use agon_core::{Bot, Rng, Seed};
use alloc::vec::Vec;

/// Captures the tiles nearest to the enemy, enemy tiles first. This is the idea of the bot that won the contest of
/// 2015.
pub(crate) struct Frontier {
    rng: Rng,
    waves: Waves,
}

impl Frontier {
    pub(crate) fn new(seed: Seed) -> Self {
        Self { rng: Rng::new(seed), waves: Waves::default() }
    }
}

impl Bot<Position> for Frontier {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        self.waves.chase(view.board, view.me, view.energy, &mut self.rng, orders);
    }
}

//! Random captures: the simplest lawful play.

use super::{Tile, capture};
use crate::{order::Order, position::Position, view::View};
use agon_core::{Bot, Rng, Seed};
use alloc::vec::Vec;

/// Captures as many different tiles within reach as it has energy for. All are equally likely, its own tiles included.
pub(crate) struct Random {
    rng: Rng,
    tiles: Vec<Tile>,
}

impl Random {
    pub(crate) fn new(seed: Seed) -> Self {
        Self { rng: Rng::new(seed), tiles: Vec::new() }
    }
}

impl Bot<Position> for Random {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        let board = view.board;
        self.tiles.clear();
        for y in 0..board.height() {
            self.tiles.extend((0..board.width()).map(|x| (x, y)).filter(|(x, y)| board.reaches(view.me, *x, *y)));
        }
        for i in 0..self.tiles.len().min(view.energy as usize) {
            let other = i + self.rng.index(self.tiles.len() - i);
            self.tiles.swap(i, other);
            orders.push(capture(self.tiles[i]));
        }
    }
}

//! Captures whatever it does not own yet.

use super::{Tile, capture};
use crate::{order::Order, position::Position, view::View};
use agon_core::{Bot, Rng, Seed};
use alloc::vec::Vec;

/// Captures enemy tiles first and empty ones with the rest of its energy, both in random order. It never orders its
/// own tiles.
pub(crate) struct Greedy {
    rng: Rng,
    tiles: Vec<(bool, Tile)>,
}

impl Greedy {
    pub(crate) fn new(seed: Seed) -> Self {
        Self { rng: Rng::new(seed), tiles: Vec::new() }
    }
}

impl Bot<Position> for Greedy {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        let board = view.board;
        self.tiles.clear();
        for y in 0..board.height() {
            for x in 0..board.width() {
                let owner = board.owner(x, y);
                if owner != Some(view.me) && board.reaches(view.me, x, y) {
                    self.tiles.push((owner.is_none(), (x, y)));
                }
            }
        }
        self.rng.shuffle(&mut self.tiles);
        let held = self.tiles.iter().filter(|(empty, _)| !empty);
        let empty = self.tiles.iter().filter(|(empty, _)| *empty);
        orders.extend(held.chain(empty).take(view.energy as usize).map(|(_, tile)| capture(*tile)));
    }
}

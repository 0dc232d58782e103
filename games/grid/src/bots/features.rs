//! The tiles that a player may order, and the features by which they are compared.

use super::{Tile, capture};
use crate::{board::Board, order::Order};
use agon_core::{Rng, Seat};
use alloc::vec::Vec;

/// A tile and its features.
#[derive(Clone, Copy)]
struct Candidate {
    tile: Tile,
    /// Whether the enemy owns the tile.
    hostile: bool,
    /// Whether the player itself owns the tile. Ordering an own tile keeps the enemy out.
    own: bool,
    /// The number of empty side-neighbours. They may bring energy.
    empty: i32,
    /// The number of side-neighbours that the enemy owns.
    enemies: i32,
    /// The number of side-neighbours that the player owns.
    friends: i32,
}

/// All tiles that are worth an order, with their features.
#[derive(Default)]
pub(super) struct Features {
    candidates: Vec<Candidate>,
    scores: Vec<(i32, u32)>,
}

impl Features {
    pub(super) fn survey(&mut self, board: &Board, seat: Seat) {
        self.candidates.clear();
        for y in 0..board.height() {
            for x in 0..board.width() {
                if !board.reaches(seat, x, y) {
                    continue;
                }
                let owner = board.owner(x, y);
                let (mut empty, mut enemies, mut friends) = (0, 0, 0);
                for (x, y) in [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)] {
                    if x < board.width() && y < board.height() {
                        match board.owner(x, y) {
                            None => empty += 1,
                            Some(other) if other == seat => friends += 1,
                            Some(_) => enemies += 1,
                        }
                    }
                }
                let own = owner == Some(seat);
                // An own tile without an enemy neighbour needs no order.
                if own && enemies == 0 {
                    continue;
                }
                let hostile = owner.is_some() && !own;
                self.candidates.push(Candidate { tile: (x, y), hostile, own, empty, enemies, friends });
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }

    /// Chooses up to `energy` tiles by random weights: each call draws anew how much each feature counts.
    pub(super) fn choose(&mut self, energy: u32, rng: &mut Rng, orders: &mut Vec<Order>) {
        let taste =
            [rng.between(-4, 24), rng.between(-12, 8), rng.between(-1, 6), rng.between(-2, 6), rng.between(-5, 2)];
        let noise = 1 + rng.below(12);
        self.scores.clear();
        for (i, c) in self.candidates.iter().enumerate() {
            let facts = [i32::from(c.hostile), i32::from(c.own), c.empty, c.enemies, c.friends];
            let score: i32 = facts.iter().zip(taste).map(|(fact, weight)| fact * weight).sum();
            self.scores.push((score + rng.below(noise) as i32, i as u32));
        }
        self.scores.sort_unstable_by_key(|(score, _)| core::cmp::Reverse(*score));
        let chosen = self.scores.iter().take(energy as usize);
        orders.extend(chosen.map(|(_, i)| capture(self.candidates[*i as usize].tile)));
    }

    /// Replaces one or two of the orders by others. Adds an order instead while energy is left.
    pub(super) fn change(&self, energy: u32, rng: &mut Rng, orders: &mut Vec<Order>) {
        for _ in 0..=rng.below(2) {
            let Some(candidate) = rng.pick(&self.candidates) else { return };
            let order = capture(candidate.tile);
            if orders.contains(&order) {
                continue;
            }
            if orders.len() < energy as usize {
                orders.push(order);
            } else {
                let i = rng.index(orders.len());
                orders[i] = order;
            }
        }
    }
}

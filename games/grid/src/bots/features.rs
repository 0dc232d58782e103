//! Tiles that a player may order, and what can be said for each.

use super::{Tile, capture};
use crate::{board::Board, order::Order};
use agon_core::{Rng, Seat};
use alloc::vec::Vec;

/// What can be said for a tile.
#[derive(Clone, Copy)]
struct Candidate {
    tile: Tile,
    /// It is the enemy's.
    hostile: bool,
    /// It is the player's own: ordering it keeps the enemy from it.
    own: bool,
    /// Its empty side-neighbours, which make energy.
    empty: i32,
    /// Its side-neighbours of the enemy.
    enemies: i32,
    /// Its side-neighbours of the player.
    friends: i32,
}

/// All tiles that a player may order.
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
                // An own tile that no enemy is near needs no order.
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

    /// Chooses `energy` tiles by a random taste: how much each feature counts is drawn anew.
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

    /// Replaces one or two orders by others, or adds one where energy is left.
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

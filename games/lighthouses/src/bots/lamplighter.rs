//! `lamplighter`: the nearest lighthouse that is not its own gets all its energy.

use super::atlas::{Atlas, open_connections};
use crate::{Order, Position, View, board::members};
use agon_core::Bot;
use alloc::vec::Vec;

/// A lighthouse of its own with less energy than this is worth another visit.
const LOW: i64 = 100;

pub(super) struct Lamplighter {
    atlas: Atlas,
}

impl Lamplighter {
    pub fn new() -> Self {
        Self { atlas: Atlas::default() }
    }

    fn choose(&mut self, view: &View<'_>) -> Order {
        if let Some(light) = view.light_below() {
            if let Some(to) = members(open_connections(view, light)).next() {
                return Order::Connect(view.board.lights()[to]);
            }
            if wanting(view, light) && view.energy > 0 {
                return Order::Attack(view.energy);
            }
        }
        let Some(here) = view.board.cell_at(view.place) else { return Order::Pass };
        let wanted = (0..view.lights()).filter(|&i| wanting(view, i));
        let nearest = wanted.filter_map(|i| Some((self.atlas.distance(here, i).filter(|d| *d > 0)?, i))).min();
        let step = nearest.and_then(|(_, light)| self.atlas.richest_way(view.board, here, light).1);
        step.map_or_else(|| self.atlas.richest_step(view), |(dx, dy)| Order::Move(dx, dy))
    }
}

impl Bot<Position> for Lamplighter {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        self.atlas.update(&view);
        orders.push(self.choose(&view));
    }
}

/// Whether the player can make a lighthouse its own or keep it from going out.
fn wanting(view: &View<'_>, light: usize) -> bool {
    let energy = view.light_energy(light);
    if view.owns(light) { energy < LOW } else { energy < view.energy.max(LOW) }
}

//! `lamplighter`: goes to the nearest lighthouse that it does not own, with enough energy to light it for a while.

use super::atlas::{Atlas, open_connections};
use crate::{Order, Position, View, board::members};
use agon_core::Bot;
use alloc::vec::Vec;

/// The bot visits an own lighthouse again if it has less energy than this.
const LOW: i64 = 100;

/// The energy that the bot collects before it lights a lighthouse.
const SUPPLY: i64 = 120;

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
            if wanting(view, light) {
                let held = if view.owns(light) { 0 } else { view.light_energy(light) };
                return Order::Attack(view.energy.min(held + SUPPLY));
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

/// Whether the player can capture a lighthouse, or has enough energy to keep an own one from going out.
fn wanting(view: &View<'_>, light: usize) -> bool {
    if view.owns(light) {
        view.light_energy(light) < LOW && view.energy >= LOW
    } else {
        view.light_energy(light) < view.energy
    }
}

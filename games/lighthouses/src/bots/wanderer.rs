//! `random`: gives any lawful command.

use super::atlas::open_connections;
use crate::{Order, Position, View, board::STEPS, board::members};
use agon_core::{Bot, Rng, Seed};
use alloc::vec::Vec;

pub(super) struct Wanderer {
    rng: Rng,
}

impl Wanderer {
    pub fn new(seed: Seed) -> Self {
        Self { rng: Rng::new(seed) }
    }
}

impl Bot<Position> for Wanderer {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        let rng = &mut self.rng;
        if let Some(light) = view.light_below().filter(|_| rng.one_in(2)) {
            let open: Vec<usize> = members(open_connections(&view, light)).collect();
            orders.push(match rng.pick(&open) {
                Some(to) if rng.one_in(2) => Order::Connect(view.board.lights()[*to]),
                _ => Order::Attack(i64::from(rng.below(view.energy.clamp(0, 1 << 30) as u32 + 1))),
            });
            return;
        }
        let ways = view.board.cell_at(view.place).map_or(0, |cell| view.board.site(cell).ways);
        let steps: Vec<(i8, i8)> = (0..8).filter(|k| ways >> k & 1 == 1).map(|k| STEPS[k]).collect();
        orders.push(rng.pick(&steps).map_or(Order::Pass, |(dx, dy)| Order::Move(*dx, *dy)));
    }
}

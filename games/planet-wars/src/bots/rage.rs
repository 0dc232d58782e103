//! Sends every planet's ships to the nearest enemy planet, without a defence of its own planets.

use crate::{
    order::Order,
    position::Position,
    view::{Owner, View},
};
use agon_core::Bot;
use alloc::vec::Vec;

/// A planet attacks when it holds this many turns of its growth.
const PATIENCE: i32 = 10;

pub(super) struct Rage;

impl Bot<Position> for Rage {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        let planets = 0..view.planets();
        for source in planets.clone().filter(|p| view.owner(*p) == Owner::Own) {
            let ships = view.ships(source);
            if i64::from(ships) < i64::from(PATIENCE) * i64::from(view.growth(source)) || ships == 0 {
                continue;
            }
            let enemies = planets.clone().filter(|p| view.owner(*p) == Owner::Enemy);
            if let Some(destination) = enemies.min_by_key(|p| view.trip(source, *p)) {
                orders.push(Order { source: source as i32, destination: destination as i32, ships });
            }
        }
    }
}

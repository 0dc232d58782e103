//! `weaver` and `strategist`: the tour of lighthouses that would bring the most points.

use super::{atlas::Atlas, outlook::Outlook};
use crate::{Order, Position, View};
use agon_core::Bot;
use alloc::{vec, vec::Vec};

/// How many lighthouses are tried as the next stop, the nearest ones.
const BREADTH: usize = 8;

pub(super) struct Planner {
    /// Stops of a tour.
    depth: usize,
    atlas: Atlas,
    one_key: bool,
}

/// From one lighthouse to another.
#[derive(Clone, Copy, Default)]
struct Leg {
    to: usize,
    moves: u32,
    energy: u32,
}

/// The best tour so far.
struct Best {
    worth: i64,
    first: Option<(usize, bool)>,
}

impl Planner {
    pub fn new(depth: usize) -> Self {
        Self { depth, atlas: Atlas::default(), one_key: true }
    }

    /// The ways from a cell, nearest first, the lighthouse on it left out.
    fn legs(&mut self, view: &View<'_>, from: usize) -> Vec<Leg> {
        let mut legs: Vec<Leg> = (0..view.lights())
            .filter_map(|to| Some(Leg { to, moves: self.atlas.distance(from, to).filter(|d| *d > 0)?, energy: 0 }))
            .collect();
        legs.sort_by_key(|leg| (leg.moves, leg.to));
        legs.truncate(BREADTH);
        for leg in &mut legs {
            leg.energy = self.atlas.richest_way(view.board, from, leg.to).0;
        }
        legs
    }

    fn choose(&mut self, view: &View<'_>) -> Order {
        let Some(here) = view.board.cell_at(view.place) else { return Order::Pass };
        let below = view.light_below();
        self.one_key &= view.keys.count_ones() < 2;
        let now = Outlook::new(view, self.one_key);
        let mut from_here = self.legs(view, here);
        if let Some(light) = below {
            from_here.insert(0, Leg { to: light, moves: 0, energy: 0 });
        }
        let between: Vec<Vec<Leg>> = if self.depth > 1 {
            (0..now.lights()).map(|light| self.legs(view, view.board.light_cell(light))).collect()
        } else {
            vec![Vec::new(); now.lights()]
        };
        // Others' points count as much as one's own between two players, and less the more there are.
        let denial = 100 / (view.players.max(2) as i64 - 1);
        let mut best = Best { worth: i64::MIN, first: None };
        for leg in &from_here {
            for more in [false, true] {
                let mut next = now.clone();
                next.stop(leg.to, leg.moves, leg.energy, more, denial);
                search(&next, leg.to, self.depth - 1, &between, denial, (leg.to, more), &mut best);
            }
        }
        let Some((light, more)) = best.first else { return self.atlas.richest_step(view) };
        if below != Some(light) {
            let step = self.atlas.richest_way(view.board, here, light).1;
            return step.map_or(Order::Pass, |(dx, dy)| Order::Move(dx, dy));
        }
        if let Some(strength) = now.deposit(light, more) {
            return Order::Attack(strength);
        }
        match now.best_connection(light) {
            Some(to) => Order::Connect(view.board.lights()[to]),
            // Nothing to do here after all.
            None => self.atlas.richest_step(view),
        }
    }
}

fn search(
    now: &Outlook<'_>,
    at: usize,
    depth: usize,
    between: &[Vec<Leg>],
    denial: i64,
    first: (usize, bool),
    best: &mut Best,
) {
    let worth = now.clone().worth();
    if worth > best.worth {
        *best = Best { worth, first: Some(first) };
    }
    if depth == 0 {
        return;
    }
    for leg in &between[at] {
        if now.time + leg.moves >= super::outlook::HORIZON {
            break;
        }
        let mut next = now.clone();
        next.stop(leg.to, leg.moves, leg.energy, depth > 1, denial);
        search(&next, leg.to, depth - 1, between, denial, first, best);
    }
}

impl Bot<Position> for Planner {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        self.atlas.update(&view);
        orders.push(self.choose(&view));
    }
}

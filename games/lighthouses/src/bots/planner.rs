//! `weaver` and `strategist`: find the tour of lighthouses that should bring the most points.

use super::{
    atlas::Atlas,
    outlook::{HORIZON, Outlook},
};
use crate::{Order, Position, View};
use agon_core::Bot;
use alloc::vec::Vec;

pub(super) struct Planner {
    /// The number of lighthouses that are tried as the first stop of a tour, as the second, and so on. The nearest
    /// ones are tried.
    breadth: &'static [usize],
    atlas: Atlas,
    one_key: bool,
}

/// The way from one place to a lighthouse.
#[derive(Clone, Copy, Default)]
struct Leg {
    to: usize,
    moves: u32,
    energy: u32,
}

/// A search of all tours from one place, and the best one so far.
struct Search {
    /// For each lighthouse: the ways on from it, nearest first.
    between: Vec<Vec<Leg>>,
    breadth: &'static [usize],
    denial: i64,
    worth: i64,
    first: Option<usize>,
}

impl Planner {
    pub fn new(breadth: &'static [usize]) -> Self {
        Self { breadth, atlas: Atlas::default(), one_key: true }
    }

    /// The ways from a cell to other lighthouses, nearest first.
    fn legs(&mut self, view: &View<'_>, from: usize, most: usize) -> Vec<Leg> {
        let mut legs: Vec<Leg> = (0..view.lights())
            .filter_map(|to| Some(Leg { to, moves: self.atlas.distance(from, to).filter(|d| *d > 0)?, energy: 0 }))
            .collect();
        legs.sort_unstable_by_key(|leg| (leg.moves, leg.to));
        legs.truncate(most);
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
        let mut from_here = self.legs(view, here, self.breadth[0]);
        if let Some(light) = below {
            from_here.insert(0, Leg { to: light, moves: 0, energy: 0 });
        }
        let most = self.breadth.get(1).copied().unwrap_or(0);
        let between = (0..view.lights()).map(|light| self.legs(view, view.board.light_cell(light), most)).collect();
        // Between two players the others' points count as much as the player's own. With more players they count less.
        let denial = 100 / (view.players.max(2) as i64 - 1);
        let mut search = Search { between, breadth: self.breadth, denial, worth: i64::MIN, first: None };
        for leg in &from_here {
            search.follow(&now, *leg, leg.to, 1);
        }
        let Some(light) = search.first else { return self.atlas.richest_step(view) };
        if below != Some(light) {
            let step = self.atlas.richest_way(view.board, here, light).1;
            return step.map_or(Order::Pass, |(dx, dy)| Order::Move(dx, dy));
        }
        if let Some(strength) = now.deposit(light) {
            return Order::Attack(strength);
        }
        match now.best_connection(light) {
            Some(to) => Order::Connect(view.board.lights()[to]),
            // Nothing useful can be done at this lighthouse.
            None => self.atlas.richest_step(view),
        }
    }
}

impl Search {
    /// Follows one more leg and continues from its end. `first` is the first stop of the tour, `stops` the number of
    /// its stops.
    fn follow(&mut self, now: &Outlook<'_>, leg: Leg, first: usize, stops: usize) {
        let mut then = now.clone();
        then.stop(leg.to, leg.moves, leg.energy, self.denial);
        let worth = then.worth();
        if worth > self.worth {
            (self.worth, self.first) = (worth, Some(first));
        }
        let Some(&breadth) = self.breadth.get(stops) else { return };
        for i in 0..breadth.min(self.between[leg.to].len()) {
            let next = self.between[leg.to][i];
            if then.time + next.moves >= HORIZON {
                break;
            }
            self.follow(&then, next, first, stops + 1);
        }
    }
}

impl Bot<Position> for Planner {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        self.atlas.update(&view);
        orders.push(self.choose(&view));
    }
}

//! Draws up several plans and plays each of them out against an opponent who plans as well; takes the one that ends
//! best.

use super::{
    prospector::{Planner, Style},
    rage::Rage,
};
use crate::{arrivals::Arrivals, chart::Chart, order::Order, planets::Planets, position::Position, view::View};
use agon_core::Bot;
use alloc::vec::Vec;

/// How many turns a plan is played out.
const DEPTH: usize = 24;
/// How many turns of growth the planets count for at the end of that.
const OUTLOOK: i64 = 12;
/// How the two sides go on after the first turn.
const SEQUEL: Style = Style { missions: 6, ..Style::BALANCED };
/// On maps with more planets than this nothing is played out: the work grows with their square.
const MOST_PLANETS: usize = 100;
/// The plans that are compared.
const STYLES: [Style; 7] = [
    Style::BALANCED,
    Style { caution: 50, ..Style::BALANCED },
    Style { caution: 0, ..Style::BALANCED },
    Style { horizon: 20, ..Style::BALANCED },
    Style { horizon: 48, ..Style::BALANCED },
    Style { colonise: false, ..Style::BALANCED },
    Style { missions: 0, march: false, ..Style::BALANCED },
];
/// The most single orders that are tried to be left out of the best plan.
const TRIMS: usize = 8;

#[derive(Debug, Default)]
pub(super) struct Warlord {
    planner: Planner,
    sandbox: Sandbox,
    plan: Vec<Order>,
    sides: [Vec<Order>; 2],
}

/// A position to try things on, as seen by one seat: player 1 is the seat itself.
#[derive(Debug, Default)]
struct Sandbox {
    planets: Planets,
    arrivals: Arrivals,
}

impl Bot<Position> for Warlord {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        if view.planets() > MOST_PLANETS {
            return self.planner.plan(view, Style::BALANCED, orders);
        }
        let mut best = i64::MIN;
        for style in STYLES {
            self.plan.clear();
            let mut plan = core::mem::take(&mut self.plan);
            self.planner.plan(view, style, &mut plan);
            let value = self.play_out(view, &plan);
            if value > best {
                best = value;
                orders.clone_from(&plan);
            }
            self.plan = plan;
        }
        // Then without each of its orders, from the last one, which was the least promising.
        for index in (0..orders.len()).rev().take(TRIMS) {
            let mut plan = core::mem::take(&mut self.plan);
            plan.clone_from(orders);
            plan.remove(index);
            let value = self.play_out(view, &plan);
            if value > best {
                best = value;
                orders.clone_from(&plan);
            }
            self.plan = plan;
        }
    }
}

impl Warlord {
    /// What we are ahead by after some turns at least, if we begin with `plan`: against an opponent who plans as we do
    /// and against one who only attacks.
    fn play_out(&mut self, view: View<'_>, plan: &[Order]) -> i64 {
        let planning = self.play_against(view, plan, |planner, view, orders| planner.plan(view, SEQUEL, orders));
        planning.min(self.play_against(view, plan, |_, view, orders| Rage.decide(view, orders)))
    }

    fn play_against(
        &mut self,
        view: View<'_>,
        plan: &[Order],
        opponent: impl Fn(&mut Planner, View<'_>, &mut Vec<Order>),
    ) -> i64 {
        let chart = view.chart();
        self.sandbox.copy(view);
        let mut sides = core::mem::take(&mut self.sides);
        for turn in 0..DEPTH {
            sides[0].clear();
            sides[1].clear();
            if turn == 0 {
                sides[0].extend_from_slice(plan);
            } else {
                self.planner.plan(self.sandbox.view(chart, 0), SEQUEL, &mut sides[0]);
            }
            opponent(&mut self.planner, self.sandbox.view(chart, 1), &mut sides[1]);
            self.sandbox.turn(chart, &sides);
        }
        self.sides = sides;
        self.sandbox.lead(chart)
    }
}

impl Sandbox {
    fn copy(&mut self, view: View<'_>) {
        let planets = (0..view.planets()).map(|p| (view.owner(p).number(), view.ships(p), view.growth(p)));
        self.planets.fill(planets);
        view.copy_arrivals(&mut self.arrivals);
    }

    fn view<'a>(&'a self, chart: &'a Chart, side: usize) -> View<'a> {
        let planets = chart.len();
        let (owner, ships) = (&self.planets.owner[..planets], &self.planets.ships[..planets]);
        View::of_sandbox(chart, owner, ships, &self.arrivals, side)
    }

    /// One turn by the rules on which all rule sets agree. The orders are the planner's and so lawful.
    fn turn(&mut self, chart: &Chart, sides: &[Vec<Order>; 2]) {
        for (side, orders) in sides.iter().enumerate() {
            for order in orders {
                let (source, destination) = (order.source as usize, order.destination as usize);
                self.planets.ships[source] -= order.ships;
                self.arrivals.add(side, destination, order.ships, chart.trip(source, destination));
            }
        }
        self.planets.grow();
        self.planets.meet(&mut self.arrivals, |_, _, _, _| {});
        self.arrivals.advance();
    }

    /// Our ships, and growth to come, less the opponent's.
    fn lead(&self, chart: &Chart) -> i64 {
        let side = |side: usize| {
            let worth = |p: usize| i64::from(self.planets.ships[p]) + OUTLOOK * i64::from(chart.growth(p));
            self.planets.owned(side).map(worth).sum::<i64>() + i64::from(self.arrivals.in_flight(side).ships)
        };
        side(0) - side(1)
    }
}

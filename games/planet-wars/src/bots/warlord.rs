//! Makes several plans, plays each of them out against an opponent who also plans, and takes the plan with the best
//! end.

use super::{
    prospector::{Planner, Style},
    rage::Rage,
};
use crate::{arrivals::Arrivals, chart::Chart, order::Order, planets::Planets, position::Position, view::View};
use agon_core::Bot;
use alloc::vec::Vec;

/// The number of turns for which a plan is played out.
const DEPTH: usize = 24;
/// The number of turns of growth for which a planet counts at the end of that.
const OUTLOOK: i64 = 12;
/// The style in which both sides go on after the first turn.
const SEQUEL: Style = Style { missions: 6, ..Style::BALANCED };
/// The largest number of planets of a map on which plans are played out. The work grows with the square of that
/// number.
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
/// The largest number of single orders that are left out of the best plan, one after the other, as a trial.
const TRIMS: usize = 8;

#[derive(Debug, Default)]
pub(super) struct Warlord {
    planner: Planner,
    sandbox: Sandbox,
    plan: Vec<Order>,
    sides: [Vec<Order>; 2],
}

/// A position for trials, as seen by one seat. The seat itself is player 1.
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
        // Then each of its orders is left out as a trial, the last and least promising one first.
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
    /// The lowest lead after some turns if the player begins with `plan`: against an opponent who plans in the same
    /// way, and against one who only attacks.
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

    /// Plays one turn by the rules that are the same in all rule sets. The orders come from the planner, so they are
    /// lawful.
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

    /// The own ships and growth to come, minus the opponent's.
    fn lead(&self, chart: &Chart) -> i64 {
        let side = |side: usize| {
            let worth = |p: usize| i64::from(self.planets.ships[p]) + OUTLOOK * i64::from(chart.growth(p));
            self.planets.owned(side).map(worth).sum::<i64>() + i64::from(self.arrivals.in_flight(side).ships)
        };
        side(0) - side(1)
    }
}

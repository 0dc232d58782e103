//! Takes the planets that pay back soonest, defends its own, and moves idle ships to the front.

use super::forecast::{Forecast, planets_of};
use crate::{
    order::Order,
    position::Position,
    view::{Owner, View},
};
use agon_core::Bot;
use alloc::vec::Vec;

/// The largest number of own planets that send ships for one mission.
const MOST_SOURCES: usize = 16;
/// The largest product of missions and planets. It keeps the time of a plan below a second on a map of a thousand
/// planets.
const MISSION_WORK: usize = 1_200;

/// The settings by which a plan is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Style {
    /// The number of turns within which a conquest must pay back.
    pub horizon: usize,
    /// How much of the strongest possible attack from one enemy planet each planet keeps ships against, in percent.
    pub caution: i64,
    /// Whether neutral planets are taken.
    pub colonise: bool,
    /// Whether idle ships move to the front.
    pub march: bool,
    /// The largest number of planets that are attacked or helped in one turn.
    pub missions: usize,
}

impl Style {
    pub const BALANCED: Self = Self { horizon: 32, caution: 100, colonise: true, march: true, missions: 12 };
}

#[derive(Debug, Default)]
pub(super) struct Prospector {
    planner: Planner,
}

impl Bot<Position> for Prospector {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        self.planner.plan(view, Style::BALANCED, orders);
    }
}

/// Makes plans and keeps its working memory between them.
#[derive(Debug, Default)]
pub(super) struct Planner {
    forecast: Forecast,
    spare: Vec<i32>,
    /// For each own planet with ships to spare, the length of the trip to the target, and its ID.
    sources: Vec<(i32, usize)>,
    /// The own planets, each with the length of the trip to the nearest enemy planet.
    fronts: Vec<(usize, i32)>,
}

/// A number of ships for one planet.
struct Mission {
    target: usize,
    ships: i32,
    /// The gain at the horizon for each ship sent. Larger is better.
    rate: i64,
}

impl Planner {
    /// Appends a lawful decision to `orders`.
    pub fn plan(&mut self, view: View<'_>, style: Style, orders: &mut Vec<Order>) {
        self.forecast.look(view, style.horizon);
        self.spare.clear();
        for planet in 0..view.planets() {
            let spare = self.forecast.spare(planet);
            self.spare.push(if spare > 0 { spare.min(keep_back(view, planet, style)) } else { 0 });
        }
        for _ in 0..style.missions.min(1 + MISSION_WORK / view.planets()) {
            let targets = 0..view.planets();
            let missions = targets.filter_map(|target| self.mission(view, target, style));
            // Of equal missions the first one counts, so that only the order of the planets decides.
            let Some(mission) = missions.reduce(|best, m| if m.rate > best.rate { m } else { best }) else { break };
            self.send(view, &mission, orders);
        }
        if style.march {
            self.march(view, orders);
        }
    }

    /// The mission that would make the player own this planet at the horizon. `None` if it will own the planet anyway,
    /// or if the mission is not worth it.
    fn mission(&mut self, view: View<'_>, target: usize, style: Style) -> Option<Mission> {
        let without = self.forecast.last(target);
        let neutral = view.owner(target) == Owner::Neutral;
        if without.is_own() || (neutral && !style.colonise) {
            return None;
        }
        self.nearest_sources(view, target);
        let mut gathered = 0;
        for &(trip, source) in &self.sources {
            let turn = trip.max(1) as usize;
            if turn >= style.horizon {
                return None;
            }
            gathered += self.spare[source];
            let before = self.forecast.at(target, turn);
            let mut ships = if before.is_own() { 1 } else { before.ships.saturating_add(1) };
            // Another enemy fleet may land later: in that case, try again with as many ships more.
            for _ in 0..3 {
                if ships > gathered {
                    break;
                }
                let (with, lost) = self.forecast.with_help(view, target, ships, turn);
                if with.is_own() {
                    let gain = with.worth() - without.worth() - i64::from(ships);
                    let rate = gain * 1024 / i64::from(ships + 8);
                    return (gain > 0).then_some(Mission { target, ships, rate });
                }
                ships = ships.saturating_add(lost.unwrap_or(0)).saturating_add(1);
            }
        }
        None
    }

    /// Finds the own planets with ships to spare, nearest to `target` first.
    fn nearest_sources(&mut self, view: View<'_>, target: usize) {
        self.sources.clear();
        for (planet, spare) in self.spare.iter().enumerate() {
            if *spare > 0 && planet != target {
                self.sources.push((view.trip(planet, target), planet));
            }
        }
        self.sources.sort_unstable();
        self.sources.truncate(MOST_SOURCES);
    }

    fn send(&mut self, view: View<'_>, mission: &Mission, orders: &mut Vec<Order>) {
        self.nearest_sources(view, mission.target);
        let mut missing = mission.ships;
        for index in 0..self.sources.len() {
            let source = self.sources[index].1;
            let ships = missing.min(self.spare[source]);
            self.order(view, source, mission.target, ships, orders);
            missing -= ships;
            if missing == 0 {
                break;
            }
        }
    }

    /// Sends idle ships to the nearest own planet that is closer to the enemy.
    fn march(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        let front = |planet: usize| planets_of(view, Owner::Enemy).map(|e| view.trip(planet, e)).min();
        self.fronts.clear();
        self.fronts.extend(planets_of(view, Owner::Own).filter_map(|p| Some((p, front(p)?))));
        for index in 0..self.fronts.len() {
            let (source, distance) = self.fronts[index];
            if self.spare[source] == 0 {
                continue;
            }
            let on_the_way = |(planet, nearer): &&(usize, i32)| {
                *nearer < distance && view.trip(source, *planet) < distance && self.forecast.last(*planet).is_own()
            };
            let next = self.fronts.iter().filter(on_the_way).min_by_key(|f| view.trip(source, f.0));
            if let Some(&(destination, _)) = next {
                self.order(view, source, destination, self.spare[source], orders);
            }
        }
    }

    fn order(&mut self, view: View<'_>, source: usize, destination: usize, ships: i32, orders: &mut Vec<Order>) {
        self.spare[source] -= ships;
        self.forecast.order(view, source, destination, ships);
        orders.push(Order { source: source as i32, destination: destination as i32, ships });
    }
}

/// The number of ships that may leave a planet if it is to withstand the strongest attack from one enemy planet, as
/// far as `style` demands.
fn keep_back(view: View<'_>, planet: usize, style: Style) -> i32 {
    let attack = |enemy: usize| {
        let grown = i64::from(view.growth(planet)) * i64::from(view.trip(enemy, planet));
        i64::from(view.ships(enemy)) - grown
    };
    let threat = planets_of(view, Owner::Enemy).map(attack).max().unwrap_or(0).max(0);
    (i64::from(view.ships(planet)) - threat * style.caution / 100).max(0) as i32
}

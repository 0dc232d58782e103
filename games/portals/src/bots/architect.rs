//! `architect`: a search over routes.
//!
//! A turn is a route of a few stops; at each the bot takes the portal and links it to its others. The search tries the
//! most promising stops in depth, acting and undoing on one [`Turn`], and judges the end of each route: the points
//! now, and what every field will bring while it stands. How long it stands depends on what it costs the other player
//! to break it.

use super::stops::{Here, approach, fortify, take, weave};
use crate::{
    NEUTRALISATION_COST, NEUTRALISATION_SHIELD_COST, Order, Position, TURBO_COST, Turn, View, chart::PortalId,
    geometry::triangle_score, position::NEUTRAL,
};
use agon_core::Bot;
use alloc::vec::Vec;

/// The number of stops that are tried at each depth.
const WIDTHS: [usize; 5] = [14, 8, 5, 4, 3];
/// The largest number of positions that are judged in one decision.
const WORK: u32 = 5000;
/// The number of rounds that a field is assumed to last if nobody can reach it.
const HORIZON: f32 = 10.0;

#[derive(Default)]
pub(crate) struct Architect {
    turn: Option<Turn>,
}

impl Bot<Position> for Architect {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        let turn = super::open(&mut self.turn, view);
        let mut search =
            Search { work: WORK / (1 + view.portals().len() as u32 / 100), best: f32::MIN, route: Vec::new() };
        search.explore(turn, 0);
        orders.extend_from_slice(&search.route);
    }
}

struct Search {
    work: u32,
    best: f32,
    route: Vec<Order>,
}

impl Search {
    /// Judges the turn as it is, then with one more stop, and so on.
    fn explore(&mut self, turn: &mut Turn, depth: usize) {
        self.settle(turn);
        let Some(width) = WIDTHS.get(depth) else { return };
        for stop in stops(turn, *width) {
            if self.work == 0 {
                return;
            }
            let before = turn.actions().len();
            if take(turn, stop) {
                weave(turn, 3);
                if turn.actions().len() > before {
                    self.explore(turn, depth + 1);
                }
            }
            rewind(turn, before);
        }
    }

    /// Judges the turn as if it ended here: the remaining points go into shields, and the agent starts on its way to
    /// the next portal.
    fn settle(&mut self, turn: &mut Turn) {
        self.work = self.work.saturating_sub(1);
        let before = turn.actions().len();
        fortify(turn, 6);
        if let Some(next) = stops(turn, 1).first() {
            approach(turn, *next);
        }
        let worth = judge(turn);
        if worth > self.best {
            self.best = worth;
            self.route.clear();
            self.route.extend_from_slice(turn.actions());
        }
        rewind(turn, before);
    }
}

fn rewind(turn: &mut Turn, to: usize) {
    while turn.actions().len() > to && turn.undo() {}
}

/// The most promising next stops.
fn stops(turn: &Turn, width: usize) -> Vec<PortalId> {
    let here = Here::of(turn);
    let position = here.position;
    let points = position.points(here.me).0;
    let mut ranked: Vec<(i32, PortalId)> = (0..position.chart.len())
        .filter_map(|p| {
            let cost = here.way(p) + here.price(p);
            let linkable = position.covers[p] == 0;
            if here.steps_to(p) == 0 && here.is_mine(p) || here.is_mine(p) && !linkable {
                return None;
            }
            let prize = match position.owners[p] {
                NEUTRAL => 8,
                _ if here.is_mine(p) => 2,
                // The value of an enemy portal depends on its links.
                _ => 6 + 4 * position.web.degree(p) as i32,
            };
            let far = here.steps_to(p);
            let late = if cost > points { 40 } else { 0 };
            Some((cost + 2 * far + late - prize - if linkable { 4 } else { 0 }, p))
        })
        .collect();
    let width = width.min(ranked.len());
    if width == 0 {
        return Vec::new();
    }
    ranked.select_nth_unstable(width - 1);
    ranked.truncate(width);
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, p)| p).collect()
}

/// The value of the position at the end of the turn for its player.
fn judge(turn: &Turn) -> f32 {
    let here = Here::of(turn);
    let (position, me) = (here.position, here.me);
    let left = (position.rounds - position.round().min(position.rounds)) as f32;
    let reach = left.min(HORIZON);
    let mut worth = (position.agents[me].score - position.agents[1 - me].score) as f32;
    // The player's own fields score once more in any case, the opponent's once more at the end of its turn.
    worth += position.agents[me].income as f32;
    let others_turns = if me == 0 { left + 1.0 } else { left };
    if others_turns >= 1.0 {
        worth -= position.agents[1 - me].income as f32;
    }
    for [a, b, c] in triangles(position) {
        let owner = usize::from(position.owners[a]);
        let score = triangle_score(position.chart.at(a), position.chart.at(b), position.chart.at(c)) as f32;
        let safety = [a, b, c].map(|p| safety(position, p, 1 - owner)).into_iter().fold(1.0, f32::min);
        worth += if owner == me { score * safety * reach } else { -score * safety * (reach - 1.0).max(0.0) };
    }
    for p in 0..position.chart.len() {
        if position.owners[p] != NEUTRAL {
            let value = 6.0 + 1.5 * position.web.degree(p) as f32;
            worth += if here.is_mine(p) { value } else { -value } * (reach / HORIZON);
        }
    }
    worth
}

/// The probability that a portal stands through the attacker's next turns, by the cost of breaking it.
fn safety(position: &Position, portal: PortalId, attacker: usize) -> f32 {
    let (at, p) = (position.agents[attacker].at, position.chart.at(portal));
    let steps = (at.x - p.x).abs() + (at.y - p.y).abs();
    let shields = i32::from(position.shields[portal]);
    let cost = NEUTRALISATION_COST + NEUTRALISATION_SHIELD_COST * shields + (steps - 6).max(0) * TURBO_COST;
    // Breaking it in one turn takes at most 42 points; if it is further away, it takes several turns.
    match cost {
        ..=20 => 0.15,
        21..=30 => 0.25,
        31..=42 => 0.4,
        43..=60 => 0.6,
        61..=90 => 0.8,
        _ => 0.95,
    }
}

/// All fields, in no particular order.
fn triangles(position: &Position) -> impl Iterator<Item = [PortalId; 3]> + '_ {
    let web = &position.web;
    web.links().flat_map(move |[a, b]| web.common(a, b).filter(move |c| *c > b).map(move |c| [a, b, c]))
}

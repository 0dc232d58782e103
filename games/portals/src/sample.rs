//! Random lawful turns, for simulations.

use crate::{
    CAPTURE_COST, LINK_COST, MAX_SHIELDS, NEUTRALISATION_COST, NEUTRALISATION_SHIELD_COST, Order, TURBO_COST,
    chart::PortalId,
    position::{NEUTRAL, Position},
};
use agon_core::{
    Rng,
    geometry::{Point, pt},
};
use alloc::vec::Vec;

/// The number of link ends that are tried.
const LINK_TRIES: usize = 4;

/// The largest number of portals that are visited in one turn.
const STOPS: usize = 3;

/// A random lawful turn: a walk to a portal or towards one, then some actions there, and so on while there are points.
/// Only the first stop makes links.
///
/// Nothing is copied or played. All links of the turn start at one portal, so a look at these few links shows which
/// others they forbid. After a neutralisation, the links that it removes still count as obstacles. That leaves out
/// some lawful turns but allows no unlawful one.
pub(crate) fn turn(position: &Position, player: usize, rng: &mut Rng, out: &mut Vec<Order>) {
    out.clear();
    let (points, steps) = position.points(player);
    let mut plan = Plan { position, player, points, steps, at: position.agents[player].at, out };
    let mut visited = [PortalId::MAX; STOPS];
    for stop in 0..STOPS {
        let mut draw = Draw(rng.bits());
        plan.approach(&mut draw);
        if let Some(here) = position.chart.portal_at(plan.at) {
            // The position does not contain the actions of earlier stops, so no portal is visited twice.
            if visited[..stop].contains(&here) {
                return;
            }
            visited[stop] = here;
            if plan.take(here) {
                if stop == 0 {
                    plan.link(here, rng.bits());
                }
                plan.fortify(here, draw.below(6) as u8);
            }
        }
        if plan.steps == 0 && plan.points < TURBO_COST {
            return;
        }
    }
}

/// Four small random numbers from 64 bits. They are not exactly uniform, which does not matter here.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: i32) -> i32 {
        let bits = self.0 & 0xffff;
        self.0 >>= 16;
        ((bits * bound as u64) >> 16) as i32
    }
}

struct Plan<'a> {
    position: &'a Position,
    player: usize,
    points: i32,
    steps: i32,
    at: Point,
    out: &'a mut Vec<Order>,
}

impl Plan<'_> {
    /// Goes to the nearer of two random portals in the columns within reach, with turbo if there are too few steps.
    /// Otherwise walks towards it.
    fn approach(&mut self, draw: &mut Draw) {
        let chart = &self.position.chart;
        let mut portals = chart.near_columns(self.at.x, self.steps + 1);
        if portals.is_empty() {
            portals = chart.portals();
        }
        if portals.is_empty() {
            return;
        }
        let mut nearer = (i32::MAX, self.at);
        for _ in 0..2 {
            let portal = portals[draw.below(portals.len() as i32) as usize];
            let away = self.away(portal);
            nearer = if away < nearer.0 { (away, portal) } else { nearer };
        }
        let missing = nearer.0 - self.steps;
        if missing * TURBO_COST <= self.points {
            for _ in 0..missing {
                self.points -= TURBO_COST;
                self.steps += 1;
                self.out.push(Order::Turbo);
            }
        }
        let to = self.towards(nearer.1);
        self.walk(to);
    }

    fn away(&self, p: Point) -> i32 {
        (p.x - self.at.x).abs() + (p.y - self.at.y).abs()
    }

    /// The cell nearest to `goal` that the steps can reach.
    fn towards(&self, goal: Point) -> Point {
        let dx = (goal.x - self.at.x).clamp(-self.steps, self.steps);
        let left = self.steps - dx.abs();
        pt(self.at.x + dx, self.at.y + (goal.y - self.at.y).clamp(-left, left))
    }

    fn walk(&mut self, to: Point) {
        if to != self.at {
            self.steps -= self.away(to);
            self.at = to;
            self.out.push(Order::Move(to));
        }
    }

    /// Makes the player the owner of the portal. Returns `false` if the points are not enough.
    fn take(&mut self, here: PortalId) -> bool {
        let owner = self.position.owners[here];
        if usize::from(owner) == self.player {
            return true;
        }
        if owner != NEUTRAL {
            let cost = NEUTRALISATION_COST + NEUTRALISATION_SHIELD_COST * i32::from(self.position.shields[here]);
            if self.points < cost {
                return false;
            }
            self.points -= cost;
            self.out.push(Order::Neutralise);
        }
        if self.points < CAPTURE_COST {
            return false;
        }
        self.points -= CAPTURE_COST;
        self.out.push(Order::Capture);
        true
    }

    /// Makes links to a few of the own portals.
    fn link(&mut self, here: PortalId, random: u64) {
        let Position { chart, web, covers, holdings, .. } = self.position;
        if covers[here] != 0 {
            return;
        }
        let holding = &holdings[self.player];
        let mut made = Made { ends: [0; LINK_TRIES], links: 0, fields: [[0; 2]; 4], filled: 0 };
        for i in 0..LINK_TRIES {
            // The search for an own portal starts at a random bit, in a random word of the set.
            let random = random >> (16 * i);
            let word = ((random >> 6 & 0x3ff) as usize * holding.len()) >> 10;
            let set = holding[word].rotate_right(random as u32 & 63);
            let other = word * 64 + (set.trailing_zeros().wrapping_add(random as u32) & 63) as usize;
            if set == 0 || other == here || self.points < LINK_COST || covers[other] != 0 {
                continue;
            }
            if made.forbids(self.position, here, other) || web.interferes(chart, here, other) {
                continue;
            }
            self.points -= LINK_COST;
            self.out.push(Order::Link(chart.at(other)));
            if !made.add(self.position, here, other) {
                return;
            }
        }
    }

    /// Puts shields on a portal that the player owns by now.
    fn fortify(&mut self, here: PortalId, wanted: u8) {
        let mine = usize::from(self.position.owners[here]) == self.player;
        let present = if mine { self.position.shields[here] } else { 0 };
        for shields in present..MAX_SHIELDS.min(present + wanted) {
            self.points -= self.position.rules.shield.of(shields);
            if self.points < 0 {
                self.points = 0;
                return;
            }
            self.out.push(Order::Shield);
        }
    }
}

/// The links that were made in this turn, all from one portal, and the fields on them.
struct Made {
    ends: [u16; LINK_TRIES],
    links: usize,
    /// The two other corners of each field.
    fields: [[u16; 2]; 4],
    filled: usize,
}

impl Made {
    /// Whether a link to `other` would lie along one of these links, or start inside one of the fields.
    fn forbids(&self, position: &Position, here: PortalId, other: PortalId) -> bool {
        let at = |id: u16| position.chart.at(usize::from(id));
        let (h, p) = (position.chart.at(here), position.chart.at(other));
        self.ends[..self.links].iter().any(|end| {
            let q = at(*end);
            turns(h, p, q) == 0 && (p.x - h.x) * (q.x - h.x) + (p.y - h.y) * (q.y - h.y) > 0
        }) || self.fields[..self.filled].iter().any(|[b, c]| {
            let (b, c) = (at(*b), at(*c));
            let sides = [turns(h, b, p), turns(b, c, p), turns(c, h, p)];
            sides.iter().all(|s| *s > 0) || sides.iter().all(|s| *s < 0)
        })
    }

    /// Adds a link. Returns `false` if there are more fields than the struct can hold.
    fn add(&mut self, position: &Position, here: PortalId, other: PortalId) -> bool {
        let web = &position.web;
        for third in web.neighbours(other) {
            if web.linked(here, third) || self.ends[..self.links].contains(&(third as u16)) {
                if self.filled == self.fields.len() {
                    return false;
                }
                self.fields[self.filled] = [other as u16, third as u16];
                self.filled += 1;
            }
        }
        self.ends[self.links] = other as u16;
        self.links += 1;
        true
    }
}

/// Twice the signed area of a triangle on the map.
fn turns(a: Point, b: Point, c: Point) -> i32 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

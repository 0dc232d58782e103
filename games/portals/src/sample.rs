//! Random lawful turns, for simulations.

use crate::{
    Action, CAPTURE_COST, LINK_COST, MAX_SHIELDS, NEUTRALISATION_COST, NEUTRALISATION_SHIELD_COST, TURBO_COST,
    chart::PortalId,
    geometry::inside_triangle,
    position::{NEUTRAL, Position},
};
use agon_core::{
    Rng,
    geometry::{Point, cross, pt},
};
use alloc::vec::Vec;

/// How many portals are tried as ends of links.
const LINK_TRIES: usize = 6;

/// A random lawful turn: a walk to a portal or towards one, then what can be done there, and at times a last walk.
///
/// Nothing is copied and nothing is played: all links of the turn start at one portal, so what they forbid each other is
/// seen from the few of them. After a neutralisation the links that it removes still count as obstacles, which leaves
/// out some lawful turns and lets no unlawful one in.
pub(crate) fn turn(position: &Position, player: usize, rng: &mut Rng, out: &mut Vec<Action>) {
    out.clear();
    let (points, steps) = position.points(player);
    let mut plan = Plan { position, player, points, steps, at: position.agents[player].at, out };
    plan.approach(rng);
    if let Some(here) = position.chart.portal_at(plan.at)
        && plan.take(here)
    {
        plan.link(here, rng);
        plan.fortify(here, rng);
    }
    if plan.steps > 0 && rng.one_in(4) {
        let to = plan.towards(pt(rng.between(0, position.chart.side() - 1), rng.between(0, position.chart.side() - 1)));
        plan.walk(to);
    }
}

struct Plan<'a> {
    position: &'a Position,
    player: usize,
    points: i32,
    steps: i32,
    at: Point,
    out: &'a mut Vec<Action>,
}

impl Plan<'_> {
    /// Goes to one of a few random portals if one is near enough, else towards the last of them.
    fn approach(&mut self, rng: &mut Rng) {
        let portals = self.position.chart.portals();
        let mut goal = self.at;
        for _ in 0..4 {
            let Some(portal) = rng.pick(portals) else { break };
            goal = *portal;
            let missing = self.away(goal) - self.steps;
            if missing <= 0 {
                break;
            }
            if missing <= 2 && self.points >= missing * TURBO_COST {
                for _ in 0..missing {
                    self.points -= TURBO_COST;
                    self.steps += 1;
                    self.out.push(Action::Turbo);
                }
                break;
            }
        }
        let to = self.towards(goal);
        self.walk(to);
    }

    fn away(&self, p: Point) -> i32 {
        (p.x - self.at.x).abs() + (p.y - self.at.y).abs()
    }

    /// The cell nearest to `goal` that the steps reach.
    fn towards(&self, goal: Point) -> Point {
        let dx = (goal.x - self.at.x).clamp(-self.steps, self.steps);
        let left = self.steps - dx.abs();
        pt(self.at.x + dx, self.at.y + (goal.y - self.at.y).clamp(-left, left))
    }

    fn walk(&mut self, to: Point) {
        if to != self.at {
            self.steps -= self.away(to);
            self.at = to;
            self.out.push(Action::Move(to));
        }
    }

    /// Makes the portal the player's own if it is not; `false` if the points do not reach.
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
            self.out.push(Action::Neutralise);
        }
        if self.points < CAPTURE_COST {
            return false;
        }
        self.points -= CAPTURE_COST;
        self.out.push(Action::Capture);
        true
    }

    fn link(&mut self, here: PortalId, rng: &mut Rng) {
        let Position { chart, web, covers, owners, .. } = self.position;
        if covers[here] != 0 {
            return;
        }
        let mut made = Made { ends: [0; LINK_TRIES], links: 0, fields: [[0; 2]; 8], filled: 0 };
        for _ in 0..LINK_TRIES {
            let other = rng.index(chart.len());
            if usize::from(owners[other]) != self.player || other == here || self.points < LINK_COST {
                continue;
            }
            if covers[other] != 0 || made.forbids(self.position, here, other) || web.interferes(chart, here, other) {
                continue;
            }
            self.points -= LINK_COST;
            self.out.push(Action::Link(chart.at(other)));
            if !made.add(self.position, here, other) {
                return;
            }
        }
    }

    fn fortify(&mut self, here: PortalId, rng: &mut Rng) {
        let mine = usize::from(self.position.owners[here]) == self.player;
        let present = if mine { self.position.shields[here] } else { 0 };
        for shields in present..MAX_SHIELDS.min(present + rng.below(4) as u8) {
            let cost = self.position.rules.shield.of(shields);
            if self.points < cost {
                return;
            }
            self.points -= cost;
            self.out.push(Action::Shield);
        }
    }
}

/// The links that were made in this turn, all from one portal, and the fields on them.
struct Made {
    ends: [PortalId; LINK_TRIES],
    links: usize,
    /// The two other corners of each field.
    fields: [[PortalId; 2]; 8],
    filled: usize,
}

impl Made {
    /// Whether a link to `other` would lie along one of the links, or start inside one of the fields.
    fn forbids(&self, position: &Position, here: PortalId, other: PortalId) -> bool {
        let (h, p) = (position.chart.at(here), position.chart.at(other));
        self.ends[..self.links].iter().any(|end| {
            let q = position.chart.at(*end);
            cross(h, p, q) == 0 && (p.x - h.x) * (q.x - h.x) + (p.y - h.y) * (q.y - h.y) > 0
        }) || self.fields[..self.filled]
            .iter()
            .any(|[b, c]| inside_triangle(p, h, position.chart.at(*b), position.chart.at(*c)))
    }

    /// Adds a link; `false` if there are more fields than can be kept.
    fn add(&mut self, position: &Position, here: PortalId, other: PortalId) -> bool {
        for third in position.web.neighbours(other) {
            if position.web.linked(here, third) || self.ends[..self.links].contains(&third) {
                if self.filled == self.fields.len() {
                    return false;
                }
                self.fields[self.filled] = [other, third];
                self.filled += 1;
            }
        }
        self.ends[self.links] = other;
        self.links += 1;
        true
    }
}

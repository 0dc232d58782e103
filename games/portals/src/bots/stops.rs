//! What several bots do at a stop: go to a portal, take it, link it, shield it.

use crate::{
    CAPTURE_COST, LINK_COST, NEUTRALISATION_COST, NEUTRALISATION_SHIELD_COST, Order, Position, TURBO_COST, Turn,
    chart::PortalId, position::NEUTRAL, web::bits,
};
use agon_core::sort_few_by_key;
use alloc::vec::Vec;

/// The largest number of links from one stop. It is enough for all the points of a turn.
const MOST_LINKS: usize = 21;

/// The state of a turn in progress, for its own player.
pub(super) struct Here<'t> {
    pub position: &'t Position,
    pub me: usize,
}

impl<'t> Here<'t> {
    pub(super) fn of(turn: &'t Turn) -> Self {
        Self { position: turn.view().position(), me: turn.view().seat().index() }
    }

    pub(super) fn steps_to(&self, portal: PortalId) -> i32 {
        let (at, p) = (self.position.agents[self.me].at, self.position.chart.at(portal));
        (at.x - p.x).abs() + (at.y - p.y).abs()
    }

    /// The number of action points that the way to a portal costs.
    pub(super) fn way(&self, portal: PortalId) -> i32 {
        let steps = self.position.points(self.me).1;
        (self.steps_to(portal) - steps).max(0) * TURBO_COST
    }

    /// The number of action points that it costs to become the owner of a portal, when the agent stands on it.
    pub(super) fn price(&self, portal: PortalId) -> i32 {
        let shields = i32::from(self.position.shields[portal]);
        match self.position.owners[portal] {
            NEUTRAL => CAPTURE_COST,
            owner if usize::from(owner) == self.me => 0,
            _ => CAPTURE_COST + NEUTRALISATION_COST + NEUTRALISATION_SHIELD_COST * shields,
        }
    }

    pub(super) fn is_mine(&self, portal: PortalId) -> bool {
        usize::from(self.position.owners[portal]) == self.me
    }

    fn points(&self) -> i32 {
        self.position.points(self.me).0
    }
}

/// Does an action that should be lawful. Returns whether it was.
pub(super) fn act(turn: &mut Turn, action: Order) -> bool {
    turn.act(action).is_ok()
}

/// Goes to a portal and becomes its owner, if the points are enough. A portal with all its shields is only made
/// neutral, because that takes a whole turn. If the points are not enough, the turn stays as it was.
pub(super) fn take(turn: &mut Turn, portal: PortalId) -> bool {
    let here = Here::of(turn);
    let (way, price) = (here.way(portal), here.price(portal));
    let left = here.points() - way - price;
    let enemy = price > CAPTURE_COST;
    if left < 0 && !(enemy && left + CAPTURE_COST >= 0) {
        return false;
    }
    let to = here.position.chart.at(portal);
    let stays = here.steps_to(portal) == 0;
    for _ in 0..way / TURBO_COST {
        act(turn, Order::Turbo);
    }
    if !stays {
        act(turn, Order::Move(to));
    }
    if enemy {
        act(turn, Order::Neutralise);
    }
    if price > 0 && left >= 0 {
        act(turn, Order::Capture);
    }
    true
}

/// Links the portal under the agent to every own portal with which a linked third portal makes a field. Inner fields
/// come first, so that outer ones can enclose them. Then links it to `spare` more portals that make no field yet, the
/// nearest first.
pub(super) fn weave(turn: &mut Turn, spare: usize) {
    let here = Here::of(turn);
    let Position { chart, web, holdings, covers, .. } = here.position;
    let Some(centre) = chart.portal_at(here.position.agents[here.me].at) else { return };
    if !here.is_mine(centre) || covers[centre] != 0 {
        return;
    }
    let free = |p: &PortalId| *p != centre && covers[*p] == 0 && !web.interferes(chart, centre, *p);
    let candidates: Vec<PortalId> = bits(holdings[here.me].iter().copied()).filter(free).collect();
    let mut reachable = alloc::vec![0u64; holdings[here.me].len()];
    for p in candidates.iter().copied().chain(web.neighbours(centre)) {
        reachable[p / 64] |= 1 << (p % 64);
    }
    let area = |p: PortalId, q: PortalId| crate::geometry::triangle_score(chart.at(centre), chart.at(p), chart.at(q));
    let worth = |p: PortalId| -> i64 {
        let thirds = web.neighbours(p).filter(|q| reachable[q / 64] >> (q % 64) & 1 == 1);
        thirds.map(|q| area(p, q)).sum()
    };
    let mut ends: Vec<(i64, i32, PortalId)> = candidates.into_iter().map(|p| (worth(p), here.steps_to(p), p)).collect();
    ends.sort_unstable_by_key(|(worth, steps, p)| (-worth, *steps, *p));
    let useful = ends.iter().filter(|(worth, ..)| *worth > 0).count();
    let most = (here.points() / LINK_COST).max(0) as usize;
    ends.truncate((useful + spare).min(most).min(MOST_LINKS));
    let split = useful.min(ends.len());
    sort_few_by_key(&mut ends[..split], |(_, steps, p)| (*steps, *p));
    let goals: Vec<_> = ends.iter().map(|(.., p)| chart.at(*p)).collect();
    for goal in goals {
        act(turn, Order::Link(goal));
    }
}

/// Puts as many shields on the portal under the agent as `most` and the points allow.
pub(super) fn fortify(turn: &mut Turn, most: u8) {
    for _ in 0..most {
        if !act(turn, Order::Shield) {
            return;
        }
    }
}

/// Walks towards a portal with the steps that are left.
pub(super) fn approach(turn: &mut Turn, portal: PortalId) {
    let here = Here::of(turn);
    let (at, goal) = (here.position.agents[here.me].at, here.position.chart.at(portal));
    let steps = here.position.points(here.me).1;
    let dx = (goal.x - at.x).clamp(-steps, steps);
    let left = steps - dx.abs();
    let to = agon_core::geometry::pt(at.x + dx, at.y + (goal.y - at.y).clamp(-left, left));
    if to != at {
        act(turn, Order::Move(to));
    }
}

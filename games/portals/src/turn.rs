//! The stages of a turn, in the order of the specification ("Déroulement d'un tour", "Score"): the player receives its
//! points, the agent acts, the fields score. Each action makes its checks in the order of the original. A refused
//! action changes nothing.

use crate::{
    ACTION_POINTS, CAPTURE_COST, CAPTURE_SCORE, Event, LINK_COST, MAX_ACTIONS, MAX_SHIELDS, MOVE_POINTS,
    NEUTRALISATION_COST, NEUTRALISATION_SHIELD_COST, Order, Refusal, TURBO_COST,
    chart::PortalId,
    geometry::distance,
    position::{NEUTRAL, Position},
};
use agon_core::{Failure, Game, Joint, Seat, Sink, geometry::Point};
use alloc::vec::Vec;

/// Plays one whole turn of the player to act. A player that failed does nothing in this turn, and its champion is
/// dead; its fields keep scoring to the last round.
pub(crate) fn play(position: &mut Position, joint: Joint<'_, Order>, out: &mut impl Sink<Event>) {
    play_in_steps(position, joint, out, |_, _| {});
}

/// Plays the same turn in parts: each action is one, and so is the score at its end.
#[inline]
pub(crate) fn play_in_steps<S: Sink<Event>>(
    position: &mut Position,
    joint: Joint<'_, Order>,
    out: &mut S,
    mut after: impl FnMut(&Position, &mut S),
) {
    if position.over() {
        return;
    }
    let seat = Seat::new(position.mover());
    begin(position);
    if joint.failure(seat).is_some_and(dies) {
        position.agents[seat.index()].alive = false;
        out.put(Event::Died { seat });
        after(position, out);
    } else if position.agents[seat.index()].alive {
        for action in joint.orders(seat).iter().take(MAX_ACTIONS) {
            if act(position, *action, &mut ()).is_ok() {
                out.put(Event::Acted { seat, action: *action });
                after(position, out);
            }
        }
    }
    score(position, out);
    after(position, out);
}

/// Whether a failure ends the champion. Every failure voids the turn and does so: late, gone, nonsense, and orders
/// that the champion's half of the protocol could not have sent.
fn dies(failure: Failure) -> bool {
    match failure {
        Failure::Late | Failure::Gone | Failure::Nonsense | Failure::Unlawful(_) => true,
    }
}

/// Specification "Déroulement d'un tour": the points are set at the start of the turn. No points are carried over.
pub(crate) fn begin(position: &mut Position) {
    if position.begun {
        return;
    }
    let player = position.mover();
    position.begun = true;
    position.agents[player].action_points = ACTION_POINTS;
    position.agents[player].move_points = MOVE_POINTS;
    position.histories[player].clear();
}

/// Specification "Score": at the end of a turn each field of its player brings 2 points for each unit of area.
fn score(position: &mut Position, out: &mut impl Sink<Event>) {
    let player = position.mover();
    position.histories[player].close();
    let agent = &mut position.agents[player];
    agent.score += agent.income;
    out.put(Event::Scored { seat: Seat::new(player), gained: agent.income, score: agent.score });
    position.ply += 1;
    position.begun = false;
}

/// The change that an action made, with enough to undo it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    Moved { from: Point, cost: i32 },
    Turbo,
    Captured(u16),
    Linked(u16, u16),
    Neutralised { portal: u16, shields: u8, links: u16 },
    Shielded { portal: u16, cost: i32 },
}

/// A place where changes are noted.
pub(crate) trait Journal {
    fn change(&mut self, change: Change);
    /// Notes a link that the neutralisation noted next removes.
    fn severed(&mut self, other: PortalId);
}

/// Notes nothing, for turns that are never undone.
impl Journal for () {
    fn change(&mut self, _: Change) {}
    fn severed(&mut self, _: PortalId) {}
}

/// The changes of a turn, which can be undone from the end.
#[derive(Clone, Default)]
pub(crate) struct Log {
    changes: Vec<Change>,
    severed: Vec<u16>,
}

impl Log {
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.changes.clear();
        self.severed.clear();
    }
}

impl Journal for Log {
    fn change(&mut self, change: Change) {
        self.changes.push(change);
    }

    fn severed(&mut self, other: PortalId) {
        self.severed.push(other as u16);
    }
}

/// Executes an action of the player whose turn has begun.
#[inline]
pub(crate) fn act(position: &mut Position, action: Order, journal: &mut impl Journal) -> Result<(), Refusal> {
    match action {
        Order::Move(to) => walk(position, to, journal),
        Order::Turbo => turbo(position, journal),
        Order::Capture => capture(position, journal),
        Order::Link(to) => link(position, to, journal),
        Order::Neutralise => neutralise(position, journal),
        Order::Shield => shield(position, journal),
    }
}

/// Specification "Déplacement". A move to the agent's own cell costs nothing but is still an action.
fn walk(position: &mut Position, to: Point, journal: &mut impl Journal) -> Result<(), Refusal> {
    if !position.chart.holds(to) {
        return Err(Refusal::OffMap(to));
    }
    let agent = &mut position.agents[(position.ply % 2) as usize];
    let far = distance(agent.at, to);
    if far > i64::from(agent.move_points) {
        return Err(Refusal::TooFar { distance: far, left: agent.move_points });
    }
    let cost = far as i32;
    journal.change(Change::Moved { from: agent.at, cost });
    agent.move_points -= cost;
    agent.at = to;
    Ok(())
}

/// Specification "Turbo": allowed anywhere, as often as the points last.
fn turbo(position: &mut Position, journal: &mut impl Journal) -> Result<(), Refusal> {
    pay(position, TURBO_COST)?;
    let player = position.mover();
    position.agents[player].move_points += 1;
    journal.change(Change::Turbo);
    Ok(())
}

/// Specification "Capturer un portail". The points are added to the score immediately.
fn capture(position: &mut Position, journal: &mut impl Journal) -> Result<(), Refusal> {
    afford(position, CAPTURE_COST)?;
    let here = portal_here(position)?;
    let player = position.mover();
    match ownership(position, here) {
        Ownership::Own => return Err(Refusal::Own(position.chart.at(here))),
        Ownership::Enemy => return Err(Refusal::Enemy(position.chart.at(here))),
        Ownership::Neutral => {}
    }
    pay(position, CAPTURE_COST)?;
    position.agents[player].score += CAPTURE_SCORE;
    position.set_owner(here, player as u8);
    position.shields[here] = 0;
    position.histories[player].captured.push(here as u16);
    journal.change(Change::Captured(here as u16));
    Ok(())
}

/// Specification "Relier deux portails": the agent must stand on one portal, its player must own both, nothing may
/// interfere, and neither portal may lie inside a field.
fn link(position: &mut Position, to: Point, journal: &mut impl Journal) -> Result<(), Refusal> {
    afford(position, LINK_COST)?;
    if !position.chart.holds(to) {
        return Err(Refusal::OffMap(to));
    }
    let other = position.chart.portal_at(to).ok_or(Refusal::NoPortal(to))?;
    let here = portal_here(position)?;
    if here == other {
        return Err(Refusal::Degenerate(to));
    }
    for portal in [here, other] {
        match ownership(position, portal) {
            Ownership::Neutral => return Err(Refusal::Neutral(position.chart.at(portal))),
            Ownership::Enemy => return Err(Refusal::Enemy(position.chart.at(portal))),
            Ownership::Own => {}
        }
    }
    if position.web.interferes(&position.chart, here, other) {
        return Err(Refusal::Interference(to));
    }
    if position.covers[here] != 0 || position.covers[other] != 0 {
        return Err(Refusal::InField(to));
    }
    pay(position, LINK_COST)?;
    position.insert_link(here, other);
    let player = position.mover();
    position.histories[player].link(here, other);
    journal.change(Change::Linked(here as u16, other as u16));
    Ok(())
}

/// Specification "Neutraliser un portail": shields raise the price. The portal loses its shields, all its links and
/// the fields on them. The price is checked before the owner (A6).
fn neutralise(position: &mut Position, journal: &mut impl Journal) -> Result<(), Refusal> {
    let here = portal_here(position)?;
    let shields = position.shields[here];
    let cost = NEUTRALISATION_COST + NEUTRALISATION_SHIELD_COST * i32::from(shields);
    afford(position, cost)?;
    match ownership(position, here) {
        Ownership::Own => return Err(Refusal::Own(position.chart.at(here))),
        Ownership::Neutral => return Err(Refusal::Neutral(position.chart.at(here))),
        Ownership::Enemy => {}
    }
    pay(position, cost)?;
    let mut links = 0;
    for word in 0..position.web.row(here).len() {
        let mut row = position.web.row(here)[word];
        while row != 0 {
            let other = word * 64 + row.trailing_zeros() as usize;
            row &= row - 1;
            position.remove_link(here, other);
            journal.severed(other);
            links += 1;
        }
    }
    position.set_owner(here, NEUTRAL);
    position.shields[here] = 0;
    let player = position.mover();
    position.histories[player].neutralise(here, shields);
    journal.change(Change::Neutralised { portal: here as u16, shields, links });
    Ok(())
}

/// Specification "Ajouter un bouclier". Its price is the only point in which the rule sets differ. The price is
/// checked last.
fn shield(position: &mut Position, journal: &mut impl Journal) -> Result<(), Refusal> {
    let here = portal_here(position)?;
    match ownership(position, here) {
        Ownership::Neutral => return Err(Refusal::Neutral(position.chart.at(here))),
        Ownership::Enemy => return Err(Refusal::Enemy(position.chart.at(here))),
        Ownership::Own => {}
    }
    let present = position.shields[here];
    if present >= MAX_SHIELDS {
        return Err(Refusal::ShieldLimit(position.chart.at(here)));
    }
    let cost = position.rules.shield.of(present);
    pay(position, cost)?;
    position.shields[here] += 1;
    let player = position.mover();
    position.histories[player].shielded.push(here as u16);
    journal.change(Change::Shielded { portal: here as u16, cost });
    Ok(())
}

/// Undoes the last change of the log, with all its consequences. Returns `false` if there is none.
pub(crate) fn take_back(position: &mut Position, log: &mut Log) -> bool {
    let Some(change) = log.changes.pop() else { return false };
    let player = position.mover();
    let (mut points, mut steps) = (0, 0);
    match change {
        Change::Moved { from, cost } => {
            position.agents[player].at = from;
            steps = cost;
        }
        Change::Turbo => (points, steps) = (TURBO_COST, -1),
        Change::Captured(portal) => {
            position.set_owner(usize::from(portal), NEUTRAL);
            position.agents[player].score -= CAPTURE_SCORE;
            position.histories[player].captured.pop();
            points = CAPTURE_COST;
        }
        Change::Linked(a, b) => {
            position.remove_link(usize::from(a), usize::from(b));
            position.histories[player].linked.pop();
            points = LINK_COST;
        }
        Change::Neutralised { portal, shields, links } => {
            let portal = usize::from(portal);
            position.set_owner(portal, 1 - player as u8);
            position.shields[portal] = shields;
            for _ in 0..links {
                if let Some(other) = log.severed.pop() {
                    position.insert_link(portal, usize::from(other));
                }
            }
            position.histories[player].take_back_neutralise();
            points = NEUTRALISATION_COST + NEUTRALISATION_SHIELD_COST * i32::from(shields);
        }
        Change::Shielded { portal, cost } => {
            position.shields[usize::from(portal)] -= 1;
            position.histories[player].shielded.pop();
            points = cost;
        }
    }
    position.agents[player].action_points += points;
    position.agents[player].move_points += steps;
    true
}

enum Ownership {
    Own,
    Neutral,
    Enemy,
}

#[inline]
fn ownership(position: &Position, portal: PortalId) -> Ownership {
    match usize::from(position.owners[portal]) {
        owner if owner == position.mover() => Ownership::Own,
        owner if owner == usize::from(NEUTRAL) => Ownership::Neutral,
        _ => Ownership::Enemy,
    }
}

/// The portal under the agent (specification "Actions sur des portails": "votre agent doit se trouver sur la case du
/// portail").
#[inline]
fn portal_here(position: &Position) -> Result<PortalId, Refusal> {
    let at = position.agents[position.mover()].at;
    position.chart.portal_at(at).ok_or(Refusal::NoPortal(at))
}

#[inline]
fn afford(position: &Position, cost: i32) -> Result<(), Refusal> {
    let left = position.agents[position.mover()].action_points;
    if left < cost { Err(Refusal::ActionPoints { cost, left }) } else { Ok(()) }
}

#[inline]
fn pay(position: &mut Position, cost: i32) -> Result<(), Refusal> {
    afford(position, cost)?;
    let player = position.mover();
    position.agents[player].action_points -= cost;
    Ok(())
}

//! What one seat may know: everything, in the form of the questions of the original API.
//!
//! Lists have the original's orders: portals by x, then y; links by the numbers of their ends; fields as the
//! original's search for triangles finds them (`listing.rs`). Questions may be about any cell, even outside the map.

use crate::{
    Position, Rules,
    chart::PortalId,
    geometry::{inside_triangle, segments_interfere},
    history::History,
    listing::triangles,
    position::NEUTRAL,
    turn::{Log, take_back},
};
use agon_core::{Seat, geometry::Point, sort_few};
use alloc::vec::Vec;
use core::fmt;

/// A link: `lien`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Link {
    /// Its two ends, in the order of portals.
    pub ends: [Point; 2],
    /// The owner: player 0 or 1.
    pub owner: i32,
}

/// A field: `champ`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Field {
    /// Its three corners in the order of portals.
    pub corners: [Point; 3],
    /// The owner: player 0 or 1, or -1 for a field that [`View::fields_on`] imagines on neutral portals.
    pub owner: i32,
}

/// The view of one seat on a position.
#[derive(Clone, Copy)]
pub struct View<'a> {
    position: &'a Position,
    seat: Seat,
    /// The changes since the turn began, if they are known.
    log: Option<&'a Log>,
}

impl<'a> View<'a> {
    pub(crate) fn new(position: &'a Position, seat: Seat) -> Self {
        Self { position, seat, log: None }
    }

    pub(crate) fn within_turn(position: &'a Position, seat: Seat, log: &'a Log) -> Self {
        Self { position, seat, log: Some(log) }
    }

    /// The position of this view. No part of it is hidden from either seat.
    #[must_use]
    pub fn position(&self) -> &'a Position {
        self.position
    }

    /// The seat whose view this is.
    #[must_use]
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// The rule set of the match.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.position.rules
    }

    /// `TAILLE_TERRAIN`: the number of cells on a side.
    #[must_use]
    pub fn side(&self) -> i32 {
        self.position.chart.side()
    }

    /// `NB_TOURS`: the number of rounds of the match.
    #[must_use]
    pub fn rounds(&self) -> u32 {
        self.position.rounds
    }

    /// The cells where the two agents started.
    #[must_use]
    pub fn starts(&self) -> [Point; 2] {
        self.position.chart.starts()
    }

    /// `moi`: the player's own id, 0 or 1.
    #[must_use]
    pub fn me(&self) -> i32 {
        i32::from(self.seat.number()) - 1
    }

    /// `adversaire`: the other player's id.
    #[must_use]
    pub fn opponent(&self) -> i32 {
        1 - self.me()
    }

    /// `tour_actuel`: the round, counted from 1. After the end it is one more than the number of rounds.
    #[must_use]
    pub fn round(&self) -> u32 {
        self.position.round()
    }

    /// `position_agent`: the cell of a player's agent. `None` for an unknown id (which kills the original's champion).
    #[must_use]
    pub fn agent(&self, player: i32) -> Option<Point> {
        self.position.agents.get(usize::try_from(player).ok()?).map(|a| a.at)
    }

    /// `score`: the points of a player so far. `None` for an unknown id.
    #[must_use]
    pub fn score(&self, player: i32) -> Option<i64> {
        self.position.agents.get(usize::try_from(player).ok()?).map(|a| a.score)
    }

    /// The points that a player's fields will bring at the end of its turn if they stay as they are now. `None` for an
    /// unknown id. The original API does not have this; a champion has to add it up.
    #[must_use]
    pub fn income(&self, player: i32) -> Option<i64> {
        self.position.agents.get(usize::try_from(player).ok()?).map(|a| a.income)
    }

    /// `points_action`: the player's own action points.
    #[must_use]
    pub fn action_points(&self) -> i32 {
        self.points_of(self.seat.index()).0
    }

    /// `points_deplacement`: the player's own movement points.
    #[must_use]
    pub fn move_points(&self) -> i32 {
        self.points_of(self.seat.index()).1
    }

    /// The action and movement points that a player had left at the end of its last turn, or all of them before its
    /// first. `None` for an unknown id. The original API does not have this.
    #[must_use]
    pub fn left_over(&self, player: i32) -> Option<(i32, i32)> {
        let agent = self.position.agents.get(usize::try_from(player).ok()?)?;
        Some((agent.action_points, agent.move_points))
    }

    pub(crate) fn points_of(&self, player: usize) -> (i32, i32) {
        self.position.points(player & 1)
    }

    /// `liste_portails`: the cells of the portals.
    #[must_use]
    pub fn portals(&self) -> &'a [Point] {
        self.position.chart.portals()
    }

    /// `portail_joueur`: the owner of the portal, 0 or 1. It is -1 if the portal is neutral, and -2 if there is none.
    #[must_use]
    pub fn owner(&self, portal: Point) -> i32 {
        self.id(portal).map_or(-2, |id| self.owner_of(id))
    }

    /// `portail_boucliers`: the number of shields of the portal. It is -2 if there is no portal.
    #[must_use]
    pub fn shields(&self, portal: Point) -> i32 {
        self.id(portal).map_or(-2, |id| i32::from(self.position.shields[id]))
    }

    /// `liste_liens`: all links.
    #[must_use]
    pub fn links(&self) -> Vec<Link> {
        self.position.web.links().map(|ends| self.link(ends)).collect()
    }

    /// `lien_existe`: whether two portals are linked. `false` if one is not a portal, or both are the same.
    #[must_use]
    pub fn linked(&self, a: Point, b: Point) -> bool {
        match (self.id(a), self.id(b)) {
            (Some(a), Some(b)) => self.position.web.linked(a, b),
            _ => false,
        }
    }

    /// `liens_bloquants`: the links that interfere with a segment between any two points. If the points are equal,
    /// there are none.
    #[must_use]
    pub fn blocking_links(&self, a: Point, b: Point) -> Vec<Link> {
        if a == b {
            return Vec::new();
        }
        let at = |id| self.position.chart.at(id);
        let blocks = |[c, d]: &[PortalId; 2]| segments_interfere(a, b, at(*c), at(*d));
        self.position.web.links().filter(blocks).map(|ends| self.link(ends)).collect()
    }

    /// `liens_incidents_portail`: the links of a portal. If there is no portal, there are none.
    #[must_use]
    pub fn links_of(&self, portal: Point) -> Vec<Link> {
        let Some(id) = self.id(portal) else { return Vec::new() };
        self.position.web.neighbours(id).map(|other| self.link([id.min(other), id.max(other)])).collect()
    }

    /// `liste_champs`: all fields.
    #[must_use]
    pub fn fields(&self) -> Vec<Field> {
        self.triangles().into_iter().map(|t| self.field(t)).collect()
    }

    /// `champ_existe`: whether three portals are all linked.
    #[must_use]
    pub fn field_exists(&self, a: Point, b: Point, c: Point) -> bool {
        self.linked(a, b) && self.linked(b, c) && self.linked(a, c)
    }

    /// `case_dans_champ`: whether a cell lies strictly inside a field, whoever owns it.
    #[must_use]
    pub fn in_field(&self, cell: Point) -> bool {
        match self.id(cell) {
            Some(id) => self.position.covers[id] > 0,
            None => self.triangles().iter().any(|t| self.covers(*t, cell)),
        }
    }

    /// `case_champs`: the fields that have a cell strictly inside.
    #[must_use]
    pub fn fields_over(&self, cell: Point) -> Vec<Field> {
        self.triangles().into_iter().filter(|t| self.covers(*t, cell)).map(|t| self.field(t)).collect()
    }

    /// `champs_incidents_portail`: the fields with this corner. If there is no portal, there are none.
    #[must_use]
    pub fn fields_of(&self, portal: Point) -> Vec<Field> {
        let Some(id) = self.id(portal) else { return Vec::new() };
        let web = &self.position.web;
        let pairs = web.neighbours(id).flat_map(|u| web.common(id, u).filter(move |w| *w > u).map(move |w| (u, w)));
        pairs.map(|(u, w)| self.field(ascending([id, u, w]))).collect()
    }

    /// `champs_incidents_segment`: the fields that are, or would be, on the segment between two portals: one for each
    /// portal that is linked to both. It does not matter whether the two are linked, could be linked, or belong to the
    /// same player.
    #[must_use]
    pub fn fields_on(&self, a: Point, b: Point) -> Vec<Field> {
        let (Some(a), Some(b)) = (self.id(a), self.id(b)) else { return Vec::new() };
        if a == b {
            return Vec::new();
        }
        self.position.web.common(a, b).map(|c| self.field(ascending([a, b, c]))).collect()
    }

    /// `hist_portails_captures`: the portals that the opponent owns since its last turn.
    ///
    /// After the end, this and the other lists of changes are about the last turn of the match, which was player 1's.
    #[must_use]
    pub fn captured(&self) -> Vec<Point> {
        self.points(&self.history().captured)
    }

    /// `hist_portails_neutralises`: the portals that the player owned before the opponent's last turn and did not own
    /// after it.
    #[must_use]
    pub fn neutralised(&self) -> Vec<Point> {
        self.points(&self.history().neutralised)
    }

    /// `hist_liens_crees`: the links of the opponent's last turn, as they were at its end.
    #[must_use]
    pub fn new_links(&self) -> Vec<Link> {
        let owner = self.chronicled() as i32;
        let point = |id: u16| self.position.chart.at(usize::from(id));
        self.history().linked.iter().map(|ends| Link { ends: ends.map(point), owner }).collect()
    }

    /// `hist_champs_crees`: the fields with a new link at the end of the opponent's last turn.
    #[must_use]
    pub fn new_fields(&self) -> Vec<Field> {
        let new = &self.history().linked;
        if new.is_empty() {
            return Vec::new();
        }
        // Later actions may have removed some fields, and have changed the order of the search.
        let mut before = None;
        if let Some(log) = self.log.filter(|log| !log.is_empty()) {
            let (mut position, mut log) = (self.position.clone(), log.clone());
            while take_back(&mut position, &mut log) {}
            before = Some(position);
        }
        let then = View { position: before.as_ref().unwrap_or(self.position), seat: self.seat, log: None };
        let is_new = |a: PortalId, b: PortalId| new.binary_search(&[a as u16, b as u16]).is_ok();
        let made = |t: &[PortalId; 3]| is_new(t[0], t[1]) || is_new(t[1], t[2]) || is_new(t[0], t[2]);
        then.triangles().into_iter().filter(made).map(|t| then.field(t)).collect()
    }

    /// `hist_boucliers_ajoutes`: each portal, once for each shield that it has more than before the opponent's last
    /// turn.
    #[must_use]
    pub fn new_shields(&self) -> Vec<Point> {
        self.points(&self.history().shielded)
    }

    pub(crate) fn history(&self) -> &'a History {
        &self.position.histories[self.chronicled()]
    }

    /// The player of whose last turn the history is.
    fn chronicled(&self) -> usize {
        self.position.chronicled_for(self.seat.index() & 1)
    }

    pub(crate) fn owner_of(&self, id: PortalId) -> i32 {
        match self.position.owners[id] {
            NEUTRAL => -1,
            owner => i32::from(owner),
        }
    }

    fn id(&self, portal: Point) -> Option<PortalId> {
        self.position.chart.portal_at(portal)
    }

    fn triangles(&self) -> Vec<[PortalId; 3]> {
        if self.position.fields == 0 {
            return Vec::new();
        }
        triangles(&self.position.web, self.position.chart.len())
    }

    fn covers(&self, t: [PortalId; 3], cell: Point) -> bool {
        let [a, b, c] = t.map(|id| self.position.chart.at(id));
        inside_triangle(cell, a, b, c)
    }

    fn link(&self, ends: [PortalId; 2]) -> Link {
        Link { ends: ends.map(|id| self.position.chart.at(id)), owner: self.owner_of(ends[0]) }
    }

    fn field(&self, corners: [PortalId; 3]) -> Field {
        Field { corners: corners.map(|id| self.position.chart.at(id)), owner: self.owner_of(corners[0]) }
    }

    fn points(&self, ids: &[u16]) -> Vec<Point> {
        ids.iter().map(|id| self.position.chart.at(usize::from(*id))).collect()
    }
}

fn ascending(mut corners: [PortalId; 3]) -> [PortalId; 3] {
    sort_few(&mut corners);
    corners
}

impl PartialEq for View<'_> {
    /// Compares the answers to every question. Whether a champion is alive concerns only the referee.
    fn eq(&self, other: &Self) -> bool {
        let (p, q) = (self.position, other.position);
        self.seat == other.seat
            && p.rules == q.rules
            && p.rounds == q.rounds
            && p.ply == q.ply
            && p.chart == q.chart
            && (0..2).all(|i| p.points(i) == q.points(i))
            && p.agents.iter().zip(&q.agents).all(|(a, b)| (a.at, a.score, a.income) == (b.at, b.score, b.income))
            && p.owners == q.owners
            && p.shields == q.shields
            && p.web == q.web
            && self.history() == other.history()
    }
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = self.position;
        f.debug_struct("View")
            .field("seat", &self.seat)
            .field("rules", &p.rules)
            .field("ply", &p.ply)
            .field("agents", &p.agents)
            .field("points", &[p.points(0), p.points(1)])
            .field("owners", &p.owners)
            .field("shields", &p.shields)
            .field("links", &p.web.links().collect::<Vec<_>>())
            .field("new_links", &self.history().linked)
            .finish_non_exhaustive()
    }
}

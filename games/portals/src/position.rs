//! A position: the state of a match.

use crate::{
    ACTION_POINTS, Event, MOVE_POINTS, Order, Refusal, Rules, Turn, View,
    chart::{Chart, PortalId},
    history::History,
    turn,
    web::{Web, refill},
};
use agon_core::{Ending, Fingerprint, Game, Joint, Penalty, Seat, Seats, Sink, Standing, geometry::Point};
use alloc::{sync::Arc, vec, vec::Vec};

/// The owner of a neutral portal.
pub(crate) const NEUTRAL: u8 = 2;

/// A position of Portals: the map, the owners of the portals, and the player to act.
///
/// Fields are never stored. With every link, two numbers that follow from them are updated: the points that each
/// player's fields bring in a turn, and the number of fields that cover each portal.
pub struct Position {
    pub(crate) chart: Arc<Chart>,
    pub(crate) rules: Rules,
    /// The number of rounds of the match.
    pub(crate) rounds: u32,
    /// The number of turns that are over, two for each round.
    pub(crate) ply: u32,
    /// Whether the current turn has begun, so that its player has received its points.
    pub(crate) begun: bool,
    pub(crate) agents: [Agent; 2],
    pub(crate) owners: Vec<u8>,
    /// The portals of each player, as sets. They say the same as `owners`.
    pub(crate) holdings: [Vec<u64>; 2],
    pub(crate) shields: Vec<u8>,
    /// For each portal, the number of fields that have it strictly inside, whoever owns them.
    pub(crate) covers: Vec<u16>,
    pub(crate) web: Web,
    /// The number of fields.
    pub(crate) fields: u32,
    /// What each player did in its last turn.
    pub(crate) histories: [History; 2],
}

/// One player's agent, and what belongs to the player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Agent {
    pub at: Point,
    pub action_points: i32,
    pub move_points: i32,
    pub score: i64,
    /// The points that all its fields together bring in a turn.
    pub income: i64,
    pub alive: bool,
}

/// Working memory: a turn in which orders are tried.
#[derive(Default)]
pub struct Scratch {
    turn: Option<Turn>,
}

impl Scratch {
    pub(crate) fn turn(&mut self, position: &Position, seat: Seat) -> &mut Turn {
        match &mut self.turn {
            Some(turn) => turn.reopen(position, seat),
            None => self.turn = Some(Turn::open(position, seat)),
        }
        self.turn.as_mut().expect("it was just opened")
    }
}

impl Position {
    pub(crate) fn new(chart: Chart, rules: Rules, rounds: u32) -> Self {
        let portals = chart.len();
        let agent =
            |at| Agent { at, action_points: ACTION_POINTS, move_points: MOVE_POINTS, score: 0, income: 0, alive: true };
        Self {
            agents: chart.starts().map(agent),
            chart: Arc::new(chart),
            rules,
            rounds,
            ply: 0,
            begun: false,
            owners: vec![NEUTRAL; portals],
            holdings: [vec![0; portals.div_ceil(64)], vec![0; portals.div_ceil(64)]],
            shields: vec![0; portals],
            covers: vec![0; portals],
            web: Web::new(portals),
            fields: 0,
            histories: [History::new(), History::new()],
        }
    }

    /// The index of the player to act. After the end it is 0 again.
    #[inline]
    pub(crate) fn mover(&self) -> usize {
        (self.ply % 2) as usize
    }

    /// The round, counted from 1. After the end it is one more than the number of rounds.
    pub(crate) fn round(&self) -> u32 {
        self.ply / 2 + 1
    }

    /// The player whose last turn is told to `player`: its opponent, and after the end the one that played last (A14).
    pub(crate) fn chronicled_for(&self, player: usize) -> usize {
        if self.over() { 1 } else { 1 - player }
    }

    /// The action and movement points of a player: all of them when its turn comes, otherwise those that it left.
    pub(crate) fn points(&self, player: usize) -> (i32, i32) {
        if player == self.mover() && !self.begun && !self.over() {
            (ACTION_POINTS, MOVE_POINTS)
        } else {
            (self.agents[player].action_points, self.agents[player].move_points)
        }
    }

    pub(crate) fn seat_of(owner: u8) -> Option<Seat> {
        (owner != NEUTRAL).then(|| Seat::new(usize::from(owner)))
    }

    /// Gives a portal to a player, or makes it neutral with [`NEUTRAL`].
    #[inline]
    pub(crate) fn set_owner(&mut self, portal: PortalId, owner: u8) {
        let former = core::mem::replace(&mut self.owners[portal], owner);
        let bit = 1 << (portal % 64);
        if let Some(holding) = self.holdings.get_mut(usize::from(former)) {
            holding[portal / 64] &= !bit;
        }
        if let Some(holding) = self.holdings.get_mut(usize::from(owner)) {
            holding[portal / 64] |= bit;
        }
    }

    /// Makes a link between two portals of one owner, with all its consequences.
    pub(crate) fn insert_link(&mut self, a: PortalId, b: PortalId) {
        self.change_fields(a, b, true);
        self.web.insert(&self.chart, a, b);
    }

    /// Removes a link, with all its consequences. The owners must still be those of the link.
    pub(crate) fn remove_link(&mut self, a: PortalId, b: PortalId) {
        self.web.remove(&self.chart, a, b);
        self.change_fields(a, b, false);
    }

    /// Adds or removes the fields on the segment `ab`: one for each portal that is linked to both ends.
    #[inline]
    fn change_fields(&mut self, a: PortalId, b: PortalId, come: bool) {
        let words = self.web.row(a).len();
        for word in 0..words {
            let mut common = self.web.row(a)[word] & self.web.row(b)[word];
            while common != 0 {
                let c = word * 64 + common.trailing_zeros() as usize;
                common &= common - 1;
                self.change_field(a, b, c, come);
            }
        }
    }

    fn change_field(&mut self, a: PortalId, b: PortalId, c: PortalId, come: bool) {
        let ((ax, ay), (bx, by), (cx, cy)) = (self.chart.narrow(a), self.chart.narrow(b), self.chart.narrow(c));
        let twice = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
        let income = i64::from(twice.unsigned_abs());
        let owner = usize::from(self.owners[a] & 1);
        if come {
            self.agents[owner].income += income;
            self.fields += 1;
        } else {
            self.agents[owner].income -= income;
            self.fields -= 1;
        }
        // By Pick's theorem, a lattice triangle of area 1 or less has no lattice point inside.
        if twice.unsigned_abs() < 3 {
            return;
        }
        let ((bx, by), (cx, cy)) = if twice > 0 { ((bx, by), (cx, cy)) } else { ((cx, cy), (bx, by)) };
        let edge = |(px, py): (i16, i16), (qx, qy): (i16, i16)| {
            let (ux, uy) = (qx - px, qy - py);
            (ux, uy, ux * py - uy * px)
        };
        let (e, f, g) = (edge((ax, ay), (bx, by)), edge((bx, by), (cx, cy)), edge((cx, cy), (ax, ay)));
        let left = |(ux, uy, k): (i16, i16, i16), x: i16, y: i16| {
            ux.wrapping_mul(y).wrapping_sub(uy.wrapping_mul(x)).wrapping_sub(k) > 0
        };
        let step = if come { 1 } else { u16::MAX };
        let (ids, xs, ys) = self.chart.between_columns(ax.min(bx).min(cx), ax.max(bx).max(cx));
        for ((cover, x), y) in self.covers[ids].iter_mut().zip(xs).zip(ys) {
            let inside = left(e, *x, *y) & left(f, *x, *y) & left(g, *x, *y);
            *cover = cover.wrapping_add(if inside { step } else { 0 });
        }
    }
}

impl Game for Position {
    const NAME: &'static str = "portals";

    type Order = Order;
    type Event = Event;
    type Refusal = Refusal;
    type Scratch = Scratch;
    type View<'a> = View<'a>;

    fn seats(&self) -> usize {
        2
    }

    /// The player to act. If its champion is dead, no seat is awaited, and an empty turn is resolved.
    fn awaiting(&self) -> Seats {
        let player = self.mover();
        if self.over() || !self.agents[player].alive { Seats::NONE } else { Seats::one(Seat::new(player)) }
    }

    fn over(&self) -> bool {
        self.ply >= 2 * self.rounds
    }

    fn check(&self, seat: Seat, orders: &[Order], tmp: &mut Scratch) -> Result<(), (usize, Refusal)> {
        let turn = tmp.turn(self, seat);
        orders.iter().enumerate().try_for_each(|(i, action)| turn.act(*action).map_err(|why| (i, why)))
    }

    /// The referee's half of the protocol sends only lawful actions. An unlawful one comes from a broken champion.
    fn penalty(&self, _why: &Refusal) -> Penalty {
        Penalty::Fail
    }

    fn resolve(&mut self, joint: Joint<'_, Order>, _tmp: &mut Scratch, out: &mut impl Sink<Event>) {
        turn::play(self, joint, out);
    }

    fn resolve_in_steps(
        &mut self,
        joint: Joint<'_, Order>,
        _tmp: &mut Scratch,
        after: &mut impl FnMut(&Self, &[Event]),
    ) {
        turn::play_in_steps(self, joint, &mut Vec::new(), |position, events| {
            after(position, events);
            events.clear();
        });
    }

    /// Each player has one turn in a round.
    fn round(&self) -> Option<u32> {
        Some((self.ply / 2 + 1).min(self.rounds))
    }

    fn view(&self, seat: Seat) -> View<'_> {
        View::new(self, seat)
    }

    fn standing(&self) -> Standing {
        let ending = if self.over() { Ending::Limit } else { Ending::Unfinished };
        Standing::by_score(self.agents.iter().map(|a| a.score).collect(), ending)
    }

    fn fingerprint(&self) -> u64 {
        let mut f = Fingerprint::new();
        f.u32(self.chart.side() as u32).len(self.chart.len());
        for p in self.chart.portals() {
            f.u32((p.x << 8 | p.y) as u32);
        }
        f.u32(self.rules.shield as u32).u32(self.rounds).u32(self.ply).u32(u32::from(self.begun));
        for (player, agent) in self.agents.iter().enumerate() {
            let (action_points, move_points) = self.points(player);
            f.i64(i64::from(agent.at.x)).i64(i64::from(agent.at.y)).i64(i64::from(action_points));
            f.i64(i64::from(move_points)).i64(agent.score).u32(u32::from(agent.alive));
        }
        f.bytes(&self.owners).bytes(&self.shields);
        for [a, b] in self.web.links() {
            f.u32((a << 16 | b) as u32);
        }
        self.histories.iter().for_each(|h| h.mix(&mut f));
        f.finish()
    }
}

impl Clone for Position {
    fn clone(&self) -> Self {
        let mut copy = Self {
            chart: Arc::clone(&self.chart),
            rules: self.rules,
            rounds: self.rounds,
            ply: self.ply,
            begun: self.begun,
            agents: self.agents,
            owners: Vec::new(),
            holdings: [Vec::new(), Vec::new()],
            shields: Vec::new(),
            covers: Vec::new(),
            web: self.web.clone(),
            fields: self.fields,
            histories: self.histories.clone(),
        };
        refill(&mut copy.owners, &self.owners);
        refill(&mut copy.holdings[0], &self.holdings[0]);
        refill(&mut copy.holdings[1], &self.holdings[1]);
        refill(&mut copy.shields, &self.shields);
        refill(&mut copy.covers, &self.covers);
        copy
    }

    fn clone_from(&mut self, source: &Self) {
        if !Arc::ptr_eq(&self.chart, &source.chart) {
            self.chart = Arc::clone(&source.chart);
        }
        self.rules = source.rules;
        self.rounds = source.rounds;
        self.ply = source.ply;
        self.begun = source.begun;
        self.agents = source.agents;
        refill(&mut self.owners, &source.owners);
        refill(&mut self.holdings[0], &source.holdings[0]);
        refill(&mut self.holdings[1], &source.holdings[1]);
        refill(&mut self.shields, &source.shields);
        refill(&mut self.covers, &source.covers);
        self.web.clone_from(&source.web);
        self.fields = source.fields;
        for (history, from) in self.histories.iter_mut().zip(&source.histories) {
            history.clone_from(from);
        }
    }
}

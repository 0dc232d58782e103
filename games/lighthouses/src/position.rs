//! A position: what changes in a match.
//!
//! Two amounts grow or fade at a fixed rate, and neither is updated until it is needed. The energy of a cell follows
//! from its growth and the last round in which a player stood there. The energy of a lighthouse follows from its level
//! and the number of the round. A round therefore costs the same on a small and on a large map.

use crate::{
    board::{Board, CELL_CAP, LightSet, triangles},
    map::Map,
    order::{Event, Order, Refusal},
    rules::{DECAY, Rules},
    turn,
    view::View,
};
use agon_core::{Ending, Fingerprint, Game, Joint, Penalty, Seat, Seats, Sink, Standing, geometry::Point};
use alloc::{borrow::Cow, sync::Arc, vec::Vec};

/// The owner of a neutral lighthouse.
pub(crate) const NOBODY: u8 = u8::MAX;

/// The round in which a lighthouse goes out, if none can.
pub(crate) const NEVER: u32 = u32::MAX;

/// The stored facts of one lighthouse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Light {
    /// The energy plus [`DECAY`] × round: the energy that it would have if none had faded since round 0. Meaningless
    /// if neutral.
    pub level: i64,
    /// The lighthouses that it is connected to.
    pub links: LightSet,
    /// The index of the owner's seat, or [`NOBODY`].
    pub owner: u8,
}

impl Light {
    pub const NEUTRAL: Self = Self { level: 0, links: 0, owner: NOBODY };

    /// The energy in this round.
    pub fn energy(&self, round: u32) -> i64 {
        if self.owner == NOBODY { 0 } else { self.level - DECAY * i64::from(round) }
    }

    /// The first round at whose start no energy is left.
    pub fn falls(&self) -> u32 {
        ((self.level + DECAY - 1) / DECAY) as u32
    }
}

/// The stored facts of one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Player {
    pub keys: LightSet,
    pub energy: i64,
    pub score: i64,
    /// The points that it gets at the end of each round while the lighthouses stay as they are.
    pub rate: i64,
    pub cell: u32,
}

/// A match of lighthouses between two turns. The start of the round (growth, keys, collecting, decay) has been played,
/// and the awaited player is about to act.
#[derive(Debug)]
pub struct Position {
    pub(crate) board: Arc<Board>,
    pub(crate) map: Arc<Map>,
    pub(crate) rules: Rules,
    /// The part of the fingerprint that never changes: the board, the rule set and the limit.
    pub(crate) origin: u64,
    pub(crate) limit: u32,
    /// The number of the round, counted from 0.
    pub(crate) round: u32,
    /// The index of the seat to act. It is the number of players if none is left to act.
    pub(crate) turn: u8,
    pub(crate) gone: Seats,
    /// No lighthouse goes out before the start of this round.
    pub(crate) next_fall: u32,
    pub(crate) players: Vec<Player>,
    pub(crate) lights: Vec<Light>,
    /// For each cell: the number of growths up to the last visit, which is the number of that round plus one. In a position
    /// that was set up it may be before the start, as a negative number that wraps around.
    pub(crate) visited: Vec<u32>,
}

impl Clone for Position {
    fn clone(&self) -> Self {
        Self {
            board: Arc::clone(&self.board),
            map: Arc::clone(&self.map),
            players: self.players.clone(),
            lights: self.lights.clone(),
            visited: self.visited.clone(),
            ..*self
        }
    }

    /// Reuses the buffers, so going back to a kept position allocates nothing.
    fn clone_from(&mut self, other: &Self) {
        let Self { board, map, players, lights, visited, .. } = other;
        self.board.clone_from(board);
        self.map.clone_from(map);
        self.players.clone_from(players);
        self.lights.clone_from(lights);
        self.visited.clone_from(visited);
        (self.rules, self.origin, self.limit, self.round) = (other.rules, other.origin, other.limit, other.round);
        (self.turn, self.gone, self.next_fall) = (other.turn, other.gone, other.next_fall);
    }
}

impl Position {
    /// The island and its tables.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The rule set of the match.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The number of the round, counted from 0. It is [`Position::limit`] when the match is over.
    #[must_use]
    pub fn round(&self) -> u32 {
        self.round
    }

    /// The number of rounds of the match.
    #[must_use]
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// Ends the match after this round. The position then shows the state after the points of the round and before the
    /// next start.
    pub fn end_after_this_round(&mut self) {
        self.limit = self.limit.min(self.round + 1);
    }

    /// The seats whose bots are out.
    #[must_use]
    pub fn gone(&self) -> Seats {
        self.gone
    }

    /// The cell where a player stands.
    #[must_use]
    pub fn place(&self, seat: Seat) -> Point {
        self.board.point(self.players[seat.index()].cell as usize)
    }

    /// A player's energy.
    #[must_use]
    pub fn energy(&self, seat: Seat) -> i64 {
        self.players[seat.index()].energy
    }

    /// A player's points.
    #[must_use]
    pub fn score(&self, seat: Seat) -> i64 {
        self.players[seat.index()].score
    }

    /// The points that a player gets at the end of each round while the lighthouses stay as they are.
    #[must_use]
    pub fn rate(&self, seat: Seat) -> i64 {
        self.players[seat.index()].rate
    }

    /// The keys that a player holds.
    #[must_use]
    pub fn keys(&self, seat: Seat) -> LightSet {
        self.players[seat.index()].keys
    }

    /// The owner of the lighthouse with this index. `None` if it is neutral.
    #[must_use]
    pub fn owner(&self, light: usize) -> Option<Seat> {
        owner(&self.lights[light])
    }

    /// The energy of the lighthouse with this index. It is 0 if the lighthouse is neutral.
    #[must_use]
    pub fn light_energy(&self, light: usize) -> i64 {
        self.lights[light].energy(self.round_of_decay())
    }

    /// The lighthouses that the lighthouse with this index is connected to.
    #[must_use]
    pub fn links(&self, light: usize) -> LightSet {
        self.lights[light].links
    }

    /// All triangles, each once with its corners in ascending order, and the number of cells that each lights.
    pub fn triangles(&self) -> impl Iterator<Item = ([usize; 3], u32)> {
        let triangles = triangles(self.lights.len(), |light| self.lights[light].links);
        triangles.map(|corners @ [a, b, c]| (corners, self.board.area(a, b, c)))
    }

    /// The free energy of a cell. It is 0 outside the island.
    #[must_use]
    pub fn cell_energy(&self, p: Point) -> u32 {
        self.board.cell_at(p).map_or(0, |cell| self.free_energy(cell))
    }

    /// The free energy of a cell by its number. The growth is constant, and a visit takes everything.
    #[inline]
    pub(crate) fn free_energy(&self, cell: usize) -> u32 {
        let rounds = self.growths().wrapping_sub(self.visited[cell]);
        (u32::from(self.board.site(cell).growth) * rounds).min(CELL_CAP)
    }

    /// The number of times that the cells have grown: once at the start of each round that has begun.
    #[inline]
    pub(crate) fn growths(&self) -> u32 {
        (self.round + 1).min(self.limit)
    }

    /// The last round at whose start the lighthouses lost energy.
    pub(crate) fn round_of_decay(&self) -> u32 {
        self.round.min(self.limit - 1)
    }

    pub(crate) fn look(&self, seat: Seat) -> View<'_> {
        let player = &self.players[seat.index()];
        View {
            seat,
            players: self.players.len(),
            place: self.board.point(player.cell as usize),
            score: player.score,
            energy: player.energy,
            near: crate::view::near(self, player.cell as usize),
            keys: player.keys,
            board: &self.board,
            lights: &self.lights,
            round: self.round_of_decay(),
        }
    }
}

impl Game for Position {
    const NAME: &'static str = "lighthouses";
    type Order = Order;
    type Event = Event;
    type Refusal = Refusal;
    type Scratch = ();
    type View<'a> = View<'a>;

    fn seats(&self) -> usize {
        self.players.len()
    }

    fn awaiting(&self) -> Seats {
        let turn = usize::from(self.turn);
        if turn < self.players.len() { Seats::one(Seat::new(turn)) } else { Seats::NONE }
    }

    fn over(&self) -> bool {
        self.round >= self.limit
    }

    fn check(&self, seat: Seat, orders: &[Order], (): &mut ()) -> Result<(), (usize, Refusal)> {
        match orders {
            [] => Err((0, Refusal::NoOrder)),
            [order] => turn::examine(self, seat, *order).map(|_| ()).map_err(|why| (0, why)),
            [order, ..] => {
                Err(turn::examine(self, seat, *order).map_or_else(|why| (0, why), |_| (1, Refusal::SecondOrder)))
            }
        }
    }

    /// Specification "Turno": "En caso de error, el resultado es el mismo que si el jugador hubiera pasado el turno".
    fn penalty(&self, _why: &Refusal) -> Penalty {
        Penalty::Pass
    }

    fn mistake(why: &Refusal) -> Cow<'static, str> {
        Cow::Borrowed(why.mistake())
    }

    #[inline]
    fn resolve(&mut self, joint: Joint<'_, Order>, (): &mut (), out: &mut impl Sink<Event>) {
        turn::play(self, joint, out, |_, _| {});
    }

    fn resolve_in_steps(&mut self, joint: Joint<'_, Order>, (): &mut (), after: &mut impl FnMut(&Self, &[Event])) {
        turn::play(self, joint, &mut Vec::new(), |position, events| {
            after(position, events);
            events.clear();
        });
    }

    fn round(&self) -> Option<u32> {
        Some((self.round + 1).min(self.limit))
    }

    fn view(&self, seat: Seat) -> View<'_> {
        self.look(seat)
    }

    fn standing(&self) -> Standing {
        let ending = if self.over() { Ending::Limit } else { Ending::Unfinished };
        Standing::by_score(self.players.iter().map(|p| p.score).collect(), ending)
    }

    fn fingerprint(&self) -> u64 {
        let mut f = Fingerprint::new();
        f.u64(self.origin).u32(self.round).u32(u32::from(self.turn)).u32(self.gone.bits());
        let set = |f: &mut Fingerprint, s: LightSet| {
            f.u64(s as u64).u64((s >> 64) as u64);
        };
        for p in &self.players {
            f.u32(p.cell).i64(p.energy).i64(p.score);
            set(&mut f, p.keys);
        }
        for light in &self.lights {
            f.u32(u32::from(light.owner)).i64(light.energy(self.round_of_decay()));
            set(&mut f, light.links);
        }
        // The energy counts, not the last visit: full cells are equal, whenever they became full.
        let (mut word, mut count) = (0, 0);
        for (cell, site) in self.board.sites().iter().enumerate() {
            if site.growth > 0 {
                word = word << 8 | u64::from(self.free_energy(cell));
                count += 1;
                if count % 8 == 0 {
                    f.u64(word);
                }
            }
        }
        f.u64(word).finish()
    }
}

pub(crate) fn owner(light: &Light) -> Option<Seat> {
    (light.owner != NOBODY).then(|| Seat::new(usize::from(light.owner)))
}

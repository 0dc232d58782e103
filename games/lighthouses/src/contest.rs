//! The rules and the match set-up, tied to the contract of `agon-core`.

use crate::{
    board::{CELL_CAP, members},
    bots,
    client::BotClient,
    dialogue::RefereeDialogue,
    map::{MAX_PLAYERS, Map},
    mapgen,
    order::{Event, Order, Refusal},
    position::{Light, NEVER, Player, Position},
    rules::{NEUTRAL, Neutral, Rules},
    turn::{self, Deed},
    view::View,
};
use agon_core::{
    Bot, BotKind, Client, ClockPolicy, Contest, DialectOption, Dialogue, Ending, Fingerprint, Flaw, Flawed, Frame,
    Game, Joint, MapKind, Penalty, Rng, Seat, Seats, Seed, Setup, Sink, Standing, Terms,
};
use alloc::{boxed::Box, format, string::String, sync::Arc, vec, vec::Vec};
use core::{ops::RangeInclusive, time::Duration};

/// The default number of rounds: that of the later editions, the specification names none (L29).
pub const ROUNDS: u32 = 1200;

/// The most rounds of a match: far below where a score or an energy could overflow.
pub const MAX_ROUNDS: u32 = 1_000_000;

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

    #[inline]
    fn resolve(&mut self, joint: Joint<'_, Order>, (): &mut (), out: &mut impl Sink<Event>) {
        if self.over() {
            return;
        }
        let players = self.players.len() as u8;
        if self.turn < players {
            let seat = Seat::new(usize::from(self.turn));
            if let Some(entry) = joint.of(seat) {
                match (entry.failure, entry.orders) {
                    (Some(failure), _) if failure.is_breakdown() => {
                        self.gone = self.gone.with(seat);
                        out.put(Event::Out { seat });
                    }
                    (_, [order]) => {
                        let deed = turn::examine(self, seat, *order).unwrap_or(Deed::Stay);
                        turn::act(self, seat, deed, out);
                    }
                    _ => {}
                }
            }
            self.turn = turn::next_to_act(self, self.turn + 1);
        }
        if self.turn >= players {
            turn::end_round(self, out);
        }
    }

    fn view(&self, seat: Seat) -> View<'_> {
        self.look(seat)
    }

    fn standing(&self) -> Standing {
        let ending = if self.over() { Ending::Limit } else { Ending::Unfinished };
        Standing::by_score(self.players.iter().map(|p| p.score).collect(), ending)
    }

    fn fingerprint(&self) -> u64 {
        self.number()
    }
}

impl Setup for Position {
    type Rules = Rules;
    type Map = Map;

    /// The map as it was loaded: the file format has no way to say who stands where or owns what.
    fn to_map(&self) -> Map {
        (*self.map).clone()
    }

    fn from_map(map: Map, terms: &Terms<Rules>) -> Result<Self, Flawed<Map>> {
        let limit = terms.limit.unwrap_or(ROUNDS);
        let flaw = if !(1..=MAX_PLAYERS).contains(&terms.seats) {
            Some(Flaw::new(format!("{} players, 1 to {MAX_PLAYERS} are allowed", terms.seats)))
        } else if !(1..=MAX_ROUNDS).contains(&limit) {
            Some(Flaw::new(format!("{limit} rounds, 1 to {MAX_ROUNDS} are allowed")))
        } else {
            map.check(terms.seats).err()
        };
        match flaw {
            Some(flaw) => Err(Flawed { map, flaw }),
            None => Ok(start(map, terms.rules, terms.seats, limit)),
        }
    }
}

/// The start of a match on a map that was checked.
fn start(map: Map, rules: Rules, seats: usize, limit: u32) -> Position {
    let board = map.board();
    let starts = map.starts();
    let places = starts.iter().take(seats).map(|p| board.cell(p.x as usize, p.y as usize) as u32);
    let players = places.map(|cell| Player { keys: 0, energy: 0, score: 0, rate: 0, cell }).collect();
    let mut origin = Fingerprint::new();
    origin.bytes(map.print().as_bytes()).bytes(agon_core::rules::print(&rules).as_bytes()).u32(limit);
    let mut position = Position {
        players,
        lights: vec![Light::NEUTRAL; board.lights().len()],
        visited: vec![0; board.cells()],
        board: Arc::new(board),
        map: Arc::new(map),
        rules,
        origin: origin.finish(),
        limit,
        round: 0,
        turn: 0,
        gone: Seats::NONE,
        next_fall: NEVER,
    };
    turn::begin_round(&mut position, &mut ());
    position
}

impl Contest for Position {
    const TITLE: &'static str = "Lighthouses";
    const ABOUT: &'static str =
        "Walk an island, collect energy, capture lighthouses and connect them into triangles of light.";
    const SEATS: RangeInclusive<usize> = 1..=MAX_PLAYERS;
    const LIMIT: Option<(u32, &'static str)> = Some((ROUNDS, "rounds"));
    const MAP_KINDS: &'static [MapKind] = mapgen::KINDS;
    const BOTS: &'static [BotKind] = bots::KINDS;
    const DIALECT: &'static [DialectOption] = &[DialectOption {
        name: "neutral",
        about: "how the owner of a neutral lighthouse is written; the rule set's way if not given",
        values: NEUTRAL,
    }];
    const LINE_LIMIT: usize = crate::dialogue::LINE_LIMIT;

    fn clock() -> ClockPolicy {
        clock_of(2_000, 100, 500)
    }

    fn clocks() -> Vec<(&'static str, ClockPolicy)> {
        // The later editions, with their slower machines and heavier bots.
        vec![("ee31", clock_of(15_000, 200, 1_000))]
    }

    fn parse_map(text: &[u8]) -> Result<Map, Flaw> {
        let map = Map::read(text)?;
        map.check(1)?;
        Ok(map)
    }

    fn print_map(map: &Map) -> String {
        map.print()
    }

    fn generate(kind: &str, seed: Seed, seats: usize) -> Result<Map, Flaw> {
        mapgen::generate(kind, seed, seats)
    }

    /// Never listed: an attack may be made with any energy.
    fn options(&self, _seat: Seat, (): &mut (), _out: &mut Vec<Order>) -> bool {
        false
    }

    #[inline]
    fn sample(&self, seat: Seat, rng: &mut Rng, (): &mut (), out: &mut Vec<Order>) {
        out.clear();
        out.push(self.random_order(seat, rng));
    }

    fn dialogue(&self, _seat: Seat, dialect: &[(String, String)]) -> Box<dyn Dialogue<Self>> {
        let asked = dialect.iter().rev().find(|(name, _)| name == "neutral");
        let neutral = asked.and_then(|(_, value)| Neutral::named(value)).unwrap_or(self.rules.neutral);
        Box::new(RefereeDialogue::new(neutral))
    }

    fn client(name: &str) -> Box<dyn Client<Self>> {
        Box::new(BotClient::new(name))
    }

    fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Self>>> {
        bots::named(name, seed)
    }

    fn frame(&self) -> Frame {
        crate::frame::draw(self)
    }

    /// Another player's place, energy, score and keys, and the energy of a cell out of sight.
    fn with_hidden_change(&self, seat: Seat, rng: &mut Rng) -> Option<Self> {
        let mut other = self.clone();
        let here = other.place(seat);
        for i in (0..other.players.len()).filter(|i| *i != seat.index()) {
            let player = &mut other.players[i];
            player.energy += i64::from(rng.below(50)) + 1;
            player.score += i64::from(rng.below(50));
            player.keys ^= crate::board::LightSet::from(rng.bits()) & ((1 << self.lights.len()) - 1);
            let steps: Vec<_> = turn::steps(&other, Seat::new(i)).collect();
            if let Some(step) = rng.pick(&steps) {
                other.players[i].cell = other.board.stepped(other.players[i].cell as usize, *step) as u32;
            }
        }
        let unseen: Vec<usize> = (0..other.board.cells())
            .filter(|&cell| other.free_energy(cell) > 0)
            .filter(|&cell| {
                let p = other.board.point(cell);
                (p.x - here.x).pow(2) + (p.y - here.y).pow(2) > 9
            })
            .collect();
        let cell = rng.pick(&unseen).copied();
        if let Some(cell) = cell {
            other.visited[cell] = other.growths();
        }
        (cell.is_some() || other.players.len() > 1).then_some(other)
    }
}

fn clock_of(greeting: u64, soft: u64, hard: u64) -> ClockPolicy {
    ClockPolicy {
        greeting: Some(Duration::from_millis(greeting)),
        soft: Some(Duration::from_millis(soft)),
        hard: Some(Duration::from_millis(hard)),
        ..ClockPolicy::OFF
    }
}

impl Position {
    /// A random lawful order: a step in most cases, and on a lighthouse as often an attack or a connection.
    #[inline]
    pub(crate) fn random_order(&self, seat: Seat, rng: &mut Rng) -> Order {
        let player = &self.players[seat.index()];
        let site = self.board.site(player.cell as usize);
        let bits = rng.bits();
        // The low half chooses what to do, the high half where to.
        let (kind, choice) = (bits as u32, (bits >> 32) as u32);
        if site.light != crate::board::NO_LIGHT && kind & 1 == 1 {
            return self.random_work(seat, usize::from(site.light), kind >> 1, choice);
        }
        if site.ways == 0 || kind >> 27 == 0 {
            return Order::Pass;
        }
        let nth = (u64::from(choice) * u64::from(site.ways.count_ones())) >> 32;
        let (dx, dy) = crate::board::STEPS[usize::from(NTH_BIT[usize::from(site.ways)][nth as usize])];
        Order::Move(dx, dy)
    }

    fn random_work(&self, seat: Seat, light: usize, kind: u32, choice: u32) -> Order {
        let player = &self.players[seat.index()];
        let me = seat.index() as u8;
        let here = &self.lights[light];
        if kind & 1 == 1 && here.owner == me {
            let candidates = player.keys & !here.links & !(1 << light);
            let open = members(candidates).filter(|&to| turn::connectable(self, seat, light, to).is_ok());
            if let Some(to) = nth_of(open, choice) {
                return Order::Connect(self.board.lights()[to]);
            }
        }
        // All, or a part: up to what a cell holds at most, so that captures and partial attacks both happen.
        let part = (u64::from(choice) * u64::from(CELL_CAP)) >> 32;
        Order::Attack(if kind & 2 == 2 { player.energy } else { player.energy.min(part as i64) })
    }
}

/// One of the items, evenly, by a random number; the first few if there are many.
fn nth_of(items: impl Iterator<Item = usize>, choice: u32) -> Option<usize> {
    let mut found = [0; 16];
    let mut count = 0;
    for (slot, item) in found.iter_mut().zip(items) {
        *slot = item;
        count += 1;
    }
    if count == 0 { None } else { Some(found[((u64::from(choice) * count) >> 32) as usize]) }
}

/// By mask and n: the position of the n-th set bit.
const NTH_BIT: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut bit, mut n) = (0, 0);
        while bit < 8 {
            if mask >> bit & 1 == 1 {
                table[mask][n] = bit;
                n += 1;
            }
            bit += 1;
        }
        mask += 1;
    }
    table
};

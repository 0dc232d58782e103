//! Lighthouses as one of Agon's games: everything except its rules.

use crate::{
    bots,
    client::BotClient,
    dialogue::{LINE_LIMIT, RefereeDialogue},
    frame,
    map::{MAX_PLAYERS, Map},
    mapgen,
    order::Order,
    position::{Light, NEVER, Player, Position},
    rules::{Neutral, Rules},
    state, turn,
};
use agon_core::{
    Bot, Client, ClockPolicy, Contest, DialectOption, Dialogue, Fingerprint, Flaw, Flawed, Frame, GameInfo, Incident,
    Rng, RuleValue, Seat, Seats, Seed, Setup, State, Terms, TurnLimit,
};
use alloc::{boxed::Box, format, string::String, sync::Arc, vec, vec::Vec};
use core::time::Duration;

/// The default number of rounds. It is that of the later editions; the specification names none (L29).
pub const ROUNDS: u32 = 1200;

/// The largest number of rounds of a match. It is far below the number at which a score or an energy could overflow.
pub const MAX_ROUNDS: u32 = 1_000_000;

impl Setup for Position {
    type Rules = Rules;
    type Map = Map;

    /// The map as it was loaded. The file format cannot say where players stand or what they own.
    fn to_map(&self) -> Map {
        (*self.map).clone()
    }

    fn from_map(map: Map, terms: &Terms<Rules>) -> Result<Self, Flawed<Map>> {
        let limit = terms.limit.unwrap_or(ROUNDS);
        let flaw = if !(1..=MAX_PLAYERS).contains(&terms.seats) {
            Some(Flaw::new(format!("{} players, but a match has 1 to {MAX_PLAYERS}", terms.seats)))
        } else if !(1..=MAX_ROUNDS).contains(&limit) {
            Some(Flaw::new(format!("{limit} rounds, but a match has 1 to {MAX_ROUNDS}")))
        } else {
            map.check(terms.seats).err()
        };
        match flaw {
            Some(flaw) => Err(Flawed { map, flaw }),
            None => Ok(start(map, terms.rules, terms.seats, limit)),
        }
    }

    fn state(&self) -> State {
        state::of(self)
    }

    fn from_state(map: Map, terms: &Terms<Rules>, state: &State) -> Result<Self, Flaw> {
        state::begin(map, terms, state)
    }
}

/// The start of a match on a map that [`Map::check`] accepts.
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
    const SERIES: &'static [&'static str] = frame::SERIES;
    const INFO: &'static GameInfo = &GameInfo {
        title: "Lighthouses",
        about: "Walk an island, collect energy, capture lighthouses and connect them into triangles of light.",
        seats: 1..=MAX_PLAYERS,
        limit: Some(TurnLimit { default: ROUNDS, unit: "rounds" }),
        map_kinds: mapgen::KINDS,
        bots: bots::KINDS,
        dialect: &[DialectOption {
            name: "neutral",
            about: "how the owner of a neutral lighthouse is written; by default the rule set decides",
            values: Neutral::NAMES,
        }],
        clock: clock(2_000, 100, 500),
        // The later editions had slower machines and heavier bots.
        clocks: &[("ee31", clock(15_000, 200, 1_000))],
        line_limit: LINE_LIMIT,
        ..GameInfo::DEFAULT
    };

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

    /// Always `false`: orders are not listed, because an attack may use any energy.
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
        let neutral = asked.and_then(|(_, value)| Neutral::from_name(value)).unwrap_or(self.rules.neutral);
        Box::new(RefereeDialogue::new(neutral))
    }

    fn client(name: &str) -> Box<dyn Client<Self>> {
        Box::new(BotClient::new(name))
    }

    fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Self>>> {
        bots::bot(name, seed)
    }

    fn frame(&self) -> Frame {
        frame::frame(self)
    }

    fn frame_of(&self, seat: Seat) -> Frame {
        frame::seen(self.look(seat), (self.round(), self.limit()))
    }

    fn measure(&self, seat: Seat, out: &mut Vec<f64>) {
        frame::measure(self, seat, out);
    }

    fn measure_known(&self, watcher: Seat, seat: Seat, out: &mut Vec<f64>) {
        if watcher == seat {
            frame::measure(self, seat, out);
        } else {
            frame::measure_known(self, seat, out);
        }
    }

    fn tell(&self, event: &Self::Event) -> Option<Incident> {
        frame::tell(self, event)
    }
}

const fn clock(greeting: u64, soft: u64, hard: u64) -> ClockPolicy {
    ClockPolicy {
        greeting: Some(Duration::from_millis(greeting)),
        soft: Some(Duration::from_millis(soft)),
        hard: Some(Duration::from_millis(hard)),
        ..ClockPolicy::OFF
    }
}

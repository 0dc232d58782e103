//! Portals as one of Agon's games: everything except its rules.

use crate::{
    BotClient, MAX_ACTIONS, MAX_SIDE, Map, Order, Position, ROUNDS, RefereeDialogue, Rules, bots,
    dialogue::LONGEST_LINE, frame, map, mapgen, position::Scratch, sample, state,
};
use agon_core::{
    Bot, Client, ClockPolicy, Contest, Dialogue, Flaw, Flawed, Frame, GameInfo, Incident, Rng, Seat, Seed, Setup,
    State, Terms, TurnLimit, geometry::pt,
};
use alloc::{boxed::Box, string::String, vec::Vec};
use core::time::Duration;

impl Setup for Position {
    type Rules = Rules;
    type Map = Map;

    /// The map, with the agents where they are now.
    fn to_map(&self) -> Map {
        Map {
            side: self.chart.side(),
            starts: [self.agents[0].at, self.agents[1].at],
            portals: self.chart.portals().to_vec(),
        }
    }

    fn from_map(map: Map, terms: &Terms<Rules>) -> Result<Self, Flawed<Map>> {
        map::build(map, terms).map_err(|flawed| *flawed)
    }

    fn state(&self) -> State {
        state::of(self)
    }

    fn from_state(map: Map, terms: &Terms<Rules>, state: &State) -> Result<Self, Flaw> {
        state::begin(map, terms, state)
    }
}

/// The time limit for one call of a champion.
const CALL: Option<Duration> = Some(Duration::from_millis(1500));

impl Contest for Position {
    const SERIES: &'static [&'static str] = frame::SERIES;
    const INFO: &'static GameInfo = &GameInfo {
        title: "Portals",
        about: "Capture portals, link them, and own the largest triangles (Prologin 2015).",
        limit: Some(TurnLimit { default: ROUNDS, unit: "rounds" }),
        map_kinds: mapgen::KINDS,
        bots: bots::KINDS,
        // 1500 ms for each call, including `partie_init` (the greeting), as in the final.
        clock: ClockPolicy { greeting: CALL, hard: CALL, ..ClockPolicy::OFF },
        line_limit: LONGEST_LINE,
        champions: true,
        decision_end: "the line `end`",
        protocol_words: &[
            "agon",
            "me",
            "rules",
            "rounds",
            "side",
            "start",
            "turn",
            "agent",
            "portal",
            "link",
            "captured",
            "neutralised",
            "newlink",
            "newfield",
            "newshield",
            "init",
            "go",
            "result",
            "undone",
            "=",
            "over",
        ],
        ..GameInfo::DEFAULT
    };

    fn parse_map(text: &[u8]) -> Result<Map, Flaw> {
        map::parse(text)
    }

    fn print_map(map: &Map) -> String {
        map::print(map)
    }

    fn generate(kind: &str, seed: Seed, seats: usize) -> Result<Map, Flaw> {
        mapgen::generate(kind, seed, seats)
    }

    fn options(&self, seat: Seat, tmp: &mut Scratch, out: &mut Vec<Order>) -> bool {
        let turn = tmp.turn(self, seat);
        let mut offer = |action| {
            if turn.act(action).is_ok() {
                turn.undo();
                out.push(action);
            }
        };
        offer(Order::Turbo);
        offer(Order::Capture);
        offer(Order::Neutralise);
        offer(Order::Shield);
        let (at, reach) = (self.agents[seat.index() & 1].at, self.points(seat.index() & 1).1.min(MAX_SIDE));
        for dx in -reach..=reach {
            for dy in dx.abs() - reach..=reach - dx.abs() {
                offer(Order::Move(pt(at.x + dx, at.y + dy)));
            }
        }
        self.chart.portals().iter().for_each(|p| offer(Order::Link(*p)));
        true
    }

    fn sample(&self, seat: Seat, rng: &mut Rng, _tmp: &mut Scratch, out: &mut Vec<Order>) {
        sample::turn(self, seat.index() & 1, rng, out);
    }

    fn dialogue(&self, _seat: Seat, _dialect: &[(String, String)]) -> Box<dyn Dialogue<Self>> {
        Box::new(RefereeDialogue::default())
    }

    fn client(_name: &str) -> Box<dyn Client<Self>> {
        Box::new(BotClient::default())
    }

    fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Self>>> {
        bots::bot(name, seed)
    }

    fn frame(&self) -> Frame {
        frame::frame(self)
    }

    fn measure(&self, seat: Seat, out: &mut Vec<f64>) {
        frame::measure(self, seat, out);
    }

    fn tell(&self, event: &Self::Event) -> Option<Incident> {
        Some(frame::tell(self, event))
    }
}

const _: () = assert!(MAX_ACTIONS <= u32::MAX as usize, "an index of an order fits in a failure");

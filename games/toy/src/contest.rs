//! The toy as one of Agon's games: everything except its rules.

use crate::{
    BotClient, Map, Order, Position, RefereeDialogue, Refusal, Rules, Unlawful, bots, dialogue, frame, map,
    map::{MOST_STONES, MOST_TAKEN},
    mapgen,
};
use agon_core::{
    Bot, Client, ClockPolicy, Contest, Dialogue, Flaw, Flawed, Frame, GameInfo, Incident, IntoStep, Rng, Seat, Seats,
    Seed, Setup, State, Terms, TurnLimit,
};
use alloc::{boxed::Box, string::String, vec::Vec};
use core::time::Duration;

/// The limit of turns for a match that sets none.
const DEFAULT_LIMIT: u32 = 10_000;

/// The time limit for the answer to the greeting and for each decision.
const SECOND: Option<Duration> = Some(Duration::from_secs(1));

impl Setup for Position {
    type Rules = Rules;
    type Map = Map;

    fn to_map(&self) -> Map {
        Map { stones: self.stones, most: self.most }
    }

    fn from_map(map: Map, terms: &Terms<Rules>) -> Result<Self, Flawed<Map>> {
        let flaw = if terms.seats != 2 {
            Some(Flaw::new("the toy game is played by exactly two seats"))
        } else if map.stones > MOST_STONES || !(1..=MOST_TAKEN).contains(&map.most) {
            Some(Flaw::new("`heap` must be at most 9999999, and `most` from 1 to 99"))
        } else {
            None
        };
        if let Some(flaw) = flaw {
            return Err(Flawed { map, flaw });
        }
        Ok(Self {
            rules: terms.rules,
            stones: map.stones,
            most: map.most,
            limit: terms.limit.unwrap_or(DEFAULT_LIMIT),
            turns: 0,
            mover: Seat::new(0),
            last: None,
            failed: Seats::NONE,
        })
    }

    fn state(&self) -> State {
        let mut state = State::default();
        state.push("turn", self.turns + 1);
        state.push("to_move", self.mover);
        if let Some(last) = self.last {
            state.push("last", last);
        }
        state.push("out", State::list(self.failed.iter()));
        state
    }

    fn from_state(map: Map, terms: &Terms<Rules>, state: &State) -> Result<Self, Flaw> {
        let mut position = Self::from_map(map, terms).map_err(|flawed| flawed.flaw)?;
        let items = state.read();
        items.only(&["turn", "to_move", "last", "out"])?;
        if let Some(turn) = items.field("turn") {
            position.turns = turn.number(1..=i64::from(position.limit) + 1)? as u32 - 1;
        }
        if let Some(mover) = items.field("to_move") {
            position.mover = mover.seat(2)?;
        }
        if let Some(last) = items.field("last") {
            position.last = Some(last.seat(2)?);
            if position.stones > 0 {
                return Err(last.flaw("stones are left, so nobody took the last one"));
            }
        }
        position.failed = items.seats("out", 2)?;
        Ok(position)
    }
}

impl Contest for Position {
    const SERIES: &'static [&'static str] = &["score"];
    const INFO: &'static GameInfo = &GameInfo {
        title: "Toy",
        about: "Take stones from a heap; whoever takes the last one wins.",
        limit: Some(TurnLimit { default: DEFAULT_LIMIT, unit: "turns" }),
        map_kinds: mapgen::KINDS,
        bots: bots::KINDS,
        dialect: dialogue::DIALECT,
        clock: ClockPolicy { greeting: SECOND, hard: SECOND, ..ClockPolicy::OFF },
        line_limit: 16,
        into_step: IntoStep::Stateless,
        protocol_words: &["toy", "heap", "yes", "no", "end"],
        ..GameInfo::DEFAULT
    };

    fn parse_map(text: &[u8]) -> Result<Map, Flaw> {
        map::parse(text)
    }

    fn print_map(map: &Map) -> String {
        map::print(map)
    }

    fn generate(kind: &str, seed: Seed, _seats: usize) -> Result<Map, Flaw> {
        mapgen::generate(kind, seed)
    }

    fn options(&self, _seat: Seat, _tmp: &mut (), out: &mut Vec<Order>) -> bool {
        out.extend((1..=self.allowed()).map(Order));
        true
    }

    fn sample(&self, _seat: Seat, rng: &mut Rng, _tmp: &mut (), out: &mut Vec<Order>) {
        out.clear();
        out.push(Order(1 + rng.below(self.allowed())));
    }

    fn dialogue(&self, _seat: Seat, dialect: &[(String, String)]) -> Box<dyn Dialogue<Self>> {
        Box::new(RefereeDialogue::new(dialect))
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
        Some(frame::tell(event))
    }

    fn tolerates(rules: &Rules, _why: &Refusal) -> bool {
        rules.unlawful == Unlawful::Pass
    }
}

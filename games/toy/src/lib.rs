//! A toy game: a heap of stones, and who takes the last one.
//!
//! It is in no list of games. It is the worked example of the recipe "add a game" (every file that a game has, each as
//! short as it can be), the game of the referee's tests, and what the exchange bench plays: no line of its protocol is
//! longer than 16 bytes.
//!
//! # The rules
//!
//! A heap has some stones. In each turn the seat whose turn it is names how many it takes: at least 1, at most the
//! number given by the map, never more than there are. **Who takes the last stone wins** (`last=wins`) or loses
//! (`last=loses`).
//!
//! With `turns=together` both seats name their numbers at once and both are taken away, as far as there are stones.
//! The last stone is then that of the seat that named the smaller number; with equal numbers nobody took it, a draw.
//!
//! A seat that does not answer or does not speak the protocol has lost; if both do so in one turn, nobody wins. A
//! number that is not allowed loses too (`unlawful=forfeit`), or only costs the turn (`unlawful=pass`). After the limit
//! of turns the match is drawn.
//!
//! # The protocol
//!
//! ```text
//! referee  toy wins          the greeting: what the last stone does
//! bot      ok
//! referee  heap 21 3         21 stones are left, at most 3 may be taken
//! bot      take 2
//! referee  yes | no          only with the seat's option confirm=yes: whether that was lawful
//! referee  end               the match is over
//! ```
//!
//! | file | what it holds |
//! | --- | --- |
//! | `map` | the map file: parse, print |
//! | `mapgen` | generated maps |
//! | `rules` | the points in which rule sets differ |
//! | `position` | [`Position`], a position |
//! | `turn` | the stages of a turn |
//! | `view` | what a seat knows |
//! | `dialogue`, `client` | the two halves of the protocol |
//! | `frame` | what a viewer draws |
//! | `bots` | the built-in bots |
#![no_std]

extern crate alloc;

mod bots;
mod client;
mod dialogue;
mod frame;
mod map;
mod mapgen;
mod position;
mod rules;
mod turn;
mod view;

pub use client::BotClient;
pub use dialogue::RefereeDialogue;
pub use map::Map;
pub use position::{Event, Order, Position, Refusal};
pub use rules::{LastStone, Rules, Turns, Unlawful};
pub use view::View;

use agon_core::{
    Bot, BotKind, Client, ClockPolicy, Contest, DialectOption, Dialogue, Flaw, Frame, MapKind, Rng, Seat, Seed,
};
use alloc::{boxed::Box, string::String, vec::Vec};
use core::{ops::RangeInclusive, time::Duration};

impl Contest for Position {
    const TITLE: &'static str = "Position";
    const ABOUT: &'static str = "Order stones from a heap; who takes the last one wins.";
    const SEATS: RangeInclusive<usize> = 2..=2;
    const LIMIT: Option<(u32, &'static str)> = Some((10_000, "turns"));
    const MAP_KINDS: &'static [MapKind] = mapgen::KINDS;
    const BOTS: &'static [BotKind] = bots::BOTS;
    const DIALECT: &'static [DialectOption] = dialogue::DIALECT;
    const LINE_LIMIT: usize = 16;

    fn clock() -> ClockPolicy {
        let second = Some(Duration::from_secs(1));
        ClockPolicy { greeting: second, hard: second, ..ClockPolicy::OFF }
    }

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

    fn with_seats_exchanged(&self) -> Option<Self> {
        Some(self.exchanged())
    }

    fn forgives(rules: &Rules, _why: &Refusal) -> bool {
        rules.unlawful == Unlawful::Pass
    }
}

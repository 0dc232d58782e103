//! Planet Wars as Agon sees it: everything beside the rules.

use crate::{
    bots,
    client::BotClient,
    dialogue::RefereeDialogue,
    frame,
    map::{self, Map},
    mapgen,
    order::{Order, Refusal},
    position::{DEFAULT_LIMIT, Position, Scratch},
    rules::{Rules, SelfOrder},
};
use agon_core::{Bot, BotKind, Client, ClockPolicy, Contest, Dialogue, Flaw, Frame, MapKind, Rng, Seat, Seed};
use alloc::{boxed::Box, string::String, vec::Vec};
use core::{ops::RangeInclusive, time::Duration};

impl Contest for Position {
    const TITLE: &'static str = "Planet Wars";
    const ABOUT: &'static str = "Send fleets between planets that grow ships, and outlast the other player.";
    const SEATS: RangeInclusive<usize> = 2..=2;
    const LIMIT: Option<(u32, &'static str)> = Some((DEFAULT_LIMIT, "turns"));
    const MAP_KINDS: &'static [MapKind] = mapgen::KINDS;
    const BOTS: &'static [BotKind] = bots::KINDS;

    /// Specification "Bot I/O": 1 second a turn; its two seconds before the first turn are given with the first turn.
    fn clock() -> ClockPolicy {
        ClockPolicy { hard: Some(Duration::from_secs(1)), first: Duration::from_secs(2), ..ClockPolicy::OFF }
    }

    fn parse_map(text: &[u8]) -> Result<Map, Flaw> {
        map::parse(text)
    }

    fn print_map(map: &Map) -> String {
        map::print(map)
    }

    fn generate(kind: &str, seed: Seed, seats: usize) -> Result<Map, Flaw> {
        mapgen::generate(kind, seed, seats)
    }

    /// Every number of ships is an order of its own: too many to list.
    fn options(&self, _: Seat, _: &mut Scratch, _: &mut Vec<Order>) -> bool {
        false
    }

    /// None, one (mostly) or two orders from random planets of the seat, of any number of ships.
    fn sample(&self, seat: Seat, rng: &mut Rng, _: &mut Scratch, out: &mut Vec<Order>) {
        out.clear();
        let planets = self.planet_count() as u64;
        // One draw for each order, cut in pieces: 3 bits for the number of orders, 14 for the source, 15 for the
        // destination, 32 for the ships. What a piece is short of uniform does not matter here.
        let mut bits = rng.bits();
        let count = [0, 1, 1, 1, 1, 1, 1, 2][(bits >> 61) as usize];
        for index in 0..count {
            if index > 0 {
                bits = rng.bits();
            }
            let start = ((((bits >> 47) & 0x3fff) * planets) >> 14) as usize;
            let destination = ((((bits >> 32) & 0x7fff) * planets) >> 15) as i32;
            let Some(source) = self.planets.next_owned(seat.index(), start) else { return };
            let earlier = out.iter().filter(|o| o.source == source as i32);
            let left = self.planets.ships[source] - earlier.map(|o| o.ships).sum::<i32>();
            if destination != source as i32 {
                let ships = (((bits & 0xffff_ffff) * (left as u64 + 1)) >> 32) as i32;
                out.push(Order { source: source as i32, destination, ships });
            }
        }
    }

    fn dialogue(&self, _: Seat, _: &[(String, String)]) -> Box<dyn Dialogue<Self>> {
        Box::new(RefereeDialogue::new(self.rules()))
    }

    fn client(_: &str) -> Box<dyn Client<Self>> {
        Box::new(BotClient::default())
    }

    fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Self>>> {
        bots::bot(name, seed)
    }

    fn frame(&self) -> Frame {
        frame::frame(self)
    }

    fn with_seats_exchanged(&self) -> Option<Self> {
        let mut other = self.clone();
        other.planets.exchange();
        other.arrivals.exchange();
        other.fleets.iter_mut().flatten().for_each(|f| f.owner = 3 - f.owner);
        other.forfeited.swap(0, 1);
        Some(other)
    }

    /// Without the list of single fleets.
    fn for_simulation(self) -> Self {
        self.without_fleets()
    }

    fn forgives(rules: &Rules, why: &Refusal) -> bool {
        matches!(why, Refusal::SamePlanet { .. }) && rules.self_order == SelfOrder::Harmless
    }
}

//! Planet Wars as Agon sees it: everything beside the rules.

use crate::{
    bots,
    client::Player,
    dialogue::Referee,
    frame,
    map::{self, Drawing},
    mapgen,
    order::{Order, Refusal},
    position::{DEFAULT_LIMIT, PlanetWars, Scratch},
    reading::{Rules, SelfOrder},
};
use agon_core::{Bot, BotKind, Client, ClockPolicy, Contest, Dialogue, Flaw, Frame, MapKind, Rng, Seat, Seed};
use alloc::{boxed::Box, string::String, vec::Vec};
use core::{ops::RangeInclusive, time::Duration};

impl Contest for PlanetWars {
    const TITLE: &'static str = "Planet Wars";
    const ABOUT: &'static str = "Send fleets between planets that grow ships, and outlast the other player.";
    const SEATS: RangeInclusive<usize> = 2..=2;
    const LIMIT: Option<(u32, &'static str)> = Some((DEFAULT_LIMIT, "turns"));
    const MAP_KINDS: &'static [MapKind] = mapgen::KINDS;
    const BOTS: &'static [BotKind] = bots::KINDS;

    /// Seed "Bot I/O": 1 second a turn; its two seconds before the first turn are given with the first turn.
    fn clock() -> ClockPolicy {
        ClockPolicy { hard: Some(Duration::from_secs(1)), first: Duration::from_secs(2), ..ClockPolicy::OFF }
    }

    fn parse_map(text: &[u8]) -> Result<Drawing, Flaw> {
        map::parse(text)
    }

    fn print_map(drawing: &Drawing) -> String {
        map::print(drawing)
    }

    fn generate(kind: &str, seed: Seed, seats: usize) -> Result<Drawing, Flaw> {
        mapgen::generate(kind, seed, seats)
    }

    /// Every number of ships is an order of its own: too many to list.
    fn options(&self, _: Seat, _: &mut Scratch, _: &mut Vec<Order>) -> bool {
        false
    }

    /// Up to three orders from random planets of the seat; half of the decisions have none.
    fn sample(&self, seat: Seat, rng: &mut Rng, _: &mut Scratch, out: &mut Vec<Order>) {
        out.clear();
        let planets = self.planet_count();
        // One draw of 64 bits decides how many orders there are and where the search for planets begins.
        let bits = rng.bits();
        let count = [0, 0, 1, 1, 1, 1, 2, 3][(bits & 7) as usize];
        for _ in 0..count {
            let Some(source) = self.next_owned(seat, rng.index(planets)) else { return };
            let spent: i32 = out.iter().filter(|o| o.source == source as i32).map(|o| o.ships).sum();
            let left = (self.ships(source) - spent).unsigned_abs();
            let destination = rng.index(planets);
            if destination != source {
                let ships = rng.below(left + 1) as i32;
                out.push(Order { source: source as i32, destination: destination as i32, ships });
            }
        }
    }

    fn dialogue(&self, _: Seat, _: &[(String, String)]) -> Box<dyn Dialogue<Self>> {
        Box::new(Referee::new(self.rules()))
    }

    fn client(_: &str) -> Box<dyn Client<Self>> {
        Box::new(Player::default())
    }

    fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Self>>> {
        bots::bot(name, seed)
    }

    fn frame(&self) -> Frame {
        frame::frame(self)
    }

    fn with_seats_exchanged(&self) -> Option<Self> {
        let mut other = self.clone();
        for owner in &mut other.planets.owner {
            *owner = [0, 2, 1][*owner as usize];
        }
        other.arrivals.exchange();
        other.fleets.iter_mut().flatten().for_each(|f| f.owner = 3 - f.owner);
        other.forfeited.swap(0, 1);
        Some(other)
    }

    fn forgives(rules: &Rules, why: &Refusal) -> bool {
        matches!(why, Refusal::SamePlanet { .. }) && rules.self_order == SelfOrder::Harmless
    }
}

impl PlanetWars {
    /// The first planet of `seat` from `start` on, round and round.
    #[inline]
    fn next_owned(&self, seat: Seat, start: usize) -> Option<usize> {
        let owner = i32::from(seat.number());
        let planets = &self.planets.owner[..self.planet_count()];
        let (before, after) = planets.split_at(start.min(planets.len()));
        after.iter().position(|o| *o == owner).map(|i| start + i).or_else(|| before.iter().position(|o| *o == owner))
    }
}

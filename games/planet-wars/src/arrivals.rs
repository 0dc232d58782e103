//! The calendar of arrivals: which player's ships arrive at which planet in which turn.
//!
//! Fleets cannot be redirected (specification "Overview"), so a fleet in flight is fully described by its arrival
//! turn, destination, owner and ships. A ring has one *slot* for each turn. A slot holds a row of ship counts for each
//! player and one bit for each planet at which ships arrive. A departure is one addition, and a turn looks only at
//! planets with arrivals. The ring is as long as the longest trip of the map, but at most [`MAX_SLOTS`]; later
//! arrivals wait in a sorted list.

use crate::map::Fleet;
use agon_core::Fingerprint;
use alloc::{vec, vec::Vec};

/// The longest ring, in turns. Official maps need at most 34.
pub const MAX_SLOTS: usize = 256;

/// Rows are padded to a multiple of this number of planets, for vector instructions.
pub(crate) const LANES: usize = 8;

/// All ships in flight.
#[derive(Debug, Default)]
pub struct Arrivals {
    width: usize,
    slots: usize,
    /// The index of the slot for fleets with one turn remaining.
    head: usize,
    /// For each slot, a row for player 1 and a row for player 2, with one entry for each planet.
    rows: Vec<i32>,
    /// For each slot, one bit for each planet: whether any fleet was sent there for that turn.
    touched: Vec<u64>,
    /// The number of words that a slot has in `touched`.
    words: usize,
    /// For each slot, the totals that arrive there for each player.
    totals: Vec<[Tally; 2]>,
    /// The arrivals after the end of the ring, sorted by the first three fields.
    far: Vec<Far>,
    in_flight: [Tally; 2],
}

/// The number of ships and of fleets of one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tally {
    pub ships: i32,
    /// The number of departures. Fleets of 0 ships count too, and equal orders of a turn count separately.
    pub fleets: u32,
}

/// Where a departure is counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum CountedAt {
    /// In this slot, among those of the player with this index.
    Slot(usize, u8),
    /// At this index of the arrivals after the end of the ring.
    Far(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Far {
    /// The number of turns to the arrival. It is larger than the number of slots.
    remaining: i32,
    planet: u16,
    side: u8,
    tally: Tally,
}

impl Clone for Arrivals {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        self.width = other.width;
        self.slots = other.slots;
        self.head = other.head;
        self.in_flight = other.in_flight;
        self.rows.clone_from(&other.rows);
        self.totals.clone_from(&other.totals);
        self.touched.clone_from(&other.touched);
        self.words = other.words;
        self.far.clone_from(&other.far);
    }
}

impl Arrivals {
    /// Makes an empty calendar for trips of up to `longest` turns between `planets` planets.
    pub(crate) fn new(planets: usize, longest: i32) -> Self {
        let width = planets.next_multiple_of(LANES);
        let slots = usize::try_from(longest).unwrap_or(0).clamp(1, MAX_SLOTS);
        let words = planets.div_ceil(64);
        Self {
            width,
            slots,
            head: 0,
            rows: vec![0; slots * 2 * width],
            touched: vec![0; slots * words],
            words,
            totals: vec![[Tally::default(); 2]; slots],
            far: Vec::new(),
            in_flight: [Tally::default(); 2],
        }
    }

    /// The number of turns ahead that [`Arrivals::ships`] can answer for.
    #[must_use]
    #[inline]
    pub fn horizon(&self) -> usize {
        self.slots
    }

    /// The number of ships of the player with this index that arrive at `planet` at the end of the turn that is
    /// `turns` ahead. The current turn is 1. The result is 0 outside `1..=horizon`.
    #[must_use]
    #[inline]
    pub fn ships(&self, side: usize, planet: usize, turns: usize) -> i32 {
        if turns == 0 || turns > self.slots { 0 } else { self.rows[self.row(turns - 1, side) + planet] }
    }

    /// The number of ships and fleets of one player in flight.
    #[inline]
    pub(crate) fn in_flight(&self, side: usize) -> Tally {
        self.in_flight[side]
    }

    /// The ships of one player in flight as (planet, turns remaining, ships). The next arrival comes first.
    pub(crate) fn list(&self, side: usize) -> Vec<(usize, i32, i32)> {
        let mut list = Vec::new();
        for turns in 1..=self.slots {
            let row = self.row(turns - 1, side);
            let ships = self.rows[row..row + self.width].iter().enumerate();
            list.extend(ships.filter(|(_, n)| **n > 0).map(|(planet, n)| (planet, turns as i32, *n)));
        }
        let far = self.far.iter().filter(|f| usize::from(f.side) == side && f.tally.ships > 0);
        list.extend(far.map(|f| (usize::from(f.planet), f.remaining, f.tally.ships)));
        list
    }

    /// Removes all fleets.
    pub(crate) fn clear(&mut self) {
        self.head = 0;
        self.rows.fill(0);
        self.totals.fill([Tally::default(); 2]);
        self.touched.fill(0);
        self.far.clear();
        self.in_flight = [Tally::default(); 2];
    }

    /// Adds a fleet that arrives `remaining` turns ahead. A value of 0 counts as 1, because such a trip also ends in
    /// this turn.
    #[inline]
    pub(crate) fn add(&mut self, side: usize, planet: usize, ships: i32, remaining: i32) {
        self.in_flight[side].put(ships);
        let offset = remaining.max(1) as usize - 1;
        if offset < self.slots {
            let row = self.row(offset, side);
            // A position keeps sums within 32 bits, but a text that a client reads may not.
            let cell = &mut self.rows[row + planet];
            *cell = cell.saturating_add(ships);
            let slot = self.slot(offset);
            self.touch(slot, planet);
            self.totals[slot][side].put(ships);
        } else {
            self.add_far(side, planet, ships, remaining);
        }
    }

    #[cold]
    fn add_far(&mut self, side: usize, planet: usize, ships: i32, remaining: i32) {
        let mut far = Far { remaining, planet: planet as u16, side: side as u8, tally: Tally::default() };
        far.tally.put(ships);
        match self.far.binary_search_by_key(&far.key(), Far::key) {
            Ok(at) => self.far[at].tally.put(ships),
            Err(at) => self.far.insert(at, far),
        }
    }

    /// Removes all fleets of one player, after a forfeit.
    pub(crate) fn remove(&mut self, side: usize) {
        for offset in 0..self.slots {
            let row = self.row(offset, side);
            self.rows[row..row + self.width].fill(0);
            self.totals[offset][side] = Tally::default();
        }
        self.far.retain(|f| usize::from(f.side) != side);
        self.in_flight[side] = Tally::default();
    }

    /// Takes the fleets that arrive in this turn. Calls `each` with a planet and the ships of both players, in the
    /// order of the planets' IDs.
    #[inline]
    pub(crate) fn take_due(&mut self, mut each: impl FnMut(usize, i32, i32)) {
        let (first, second) = (self.row(0, 0), self.row(0, 1));
        for word in 0..self.words {
            let mut bits = core::mem::take(&mut self.touched[self.head * self.words + word]);
            while bits != 0 {
                let planet = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let ships = [first, second].map(|row| core::mem::take(&mut self.rows[row + planet]));
                each(planet, ships[0], ships[1]);
            }
        }
    }

    /// Moves on by one turn. The fleets that were due must have been taken.
    #[inline]
    pub(crate) fn advance(&mut self) {
        for side in 0..2 {
            let due = core::mem::take(&mut self.totals[self.head][side]);
            let all = &mut self.in_flight[side];
            all.ships = all.ships.saturating_sub(due.ships);
            all.fleets = all.fleets.saturating_sub(due.fleets);
        }
        self.head = self.slot(1);
        if !self.far.is_empty() {
            self.advance_far();
        }
    }

    /// Moves the arrivals that were one turn beyond the ring into its last slot.
    #[cold]
    fn advance_far(&mut self) {
        let slots = self.slots as i32;
        let mut entering = 0;
        for far in &mut self.far {
            far.remaining -= 1;
            entering += usize::from(far.remaining <= slots);
        }
        for at in 0..entering {
            let Far { remaining, planet, side, tally } = self.far[at];
            let (offset, side) = (remaining.max(1) as usize - 1, usize::from(side));
            let row = self.row(offset, side);
            self.rows[row + usize::from(planet)] += tally.ships;
            let slot = self.slot(offset);
            self.touch(slot, planet.into());
            let total = &mut self.totals[slot][side];
            total.ships += tally.ships;
            total.fleets = total.fleets.saturating_add(tally.fleets);
        }
        self.far.drain(..entering);
    }

    /// Exchanges the players.
    pub(crate) fn exchange(&mut self) {
        for pair in self.rows.chunks_exact_mut(2 * self.width) {
            let (a, b) = pair.split_at_mut(self.width);
            a.swap_with_slice(b);
        }
        self.totals.iter_mut().for_each(|t| t.swap(0, 1));
        self.far.iter_mut().for_each(|f| f.side ^= 1);
        // Both players' arrivals at one place in one turn stand side by side.
        for both in self.far.chunk_by_mut(|one, next| (one.remaining, one.planet) == (next.remaining, next.planet)) {
            both.reverse();
        }
        self.in_flight.swap(0, 1);
    }

    /// Returns where the departure of a fleet is counted. `None` if it is not in flight. Fleets that count together have the same
    /// place: they belong to one player and arrive in the same turn. Beyond the ring they also arrive at the same planet.
    pub(crate) fn counted_at(&self, fleet: &Fleet) -> Option<CountedAt> {
        let (side, remaining) = (fleet.owner - 1, fleet.remaining.max(1));
        if remaining as usize <= self.slots {
            return Some(CountedAt::Slot(self.slot(remaining as usize - 1), side));
        }
        let found = self.far.binary_search_by_key(&(remaining, fleet.destination, side), Far::key);
        found.ok().map(CountedAt::Far)
    }

    /// The number of departures that are counted at a place.
    pub(crate) fn departures(&self, at: CountedAt) -> u32 {
        match at {
            CountedAt::Slot(slot, side) => self.totals[slot][usize::from(side)].fleets,
            CountedAt::Far(far) => self.far[far].tally.fleets,
        }
    }

    /// Counts further departures at a place, which were merged into fleets that are there.
    pub(crate) fn count_further(&mut self, at: CountedAt, departures: u32) {
        let (side, tally) = match at {
            CountedAt::Slot(slot, side) => (side, &mut self.totals[slot][usize::from(side)]),
            CountedAt::Far(far) => (self.far[far].side, &mut self.far[far].tally),
        };
        tally.fleets = tally.fleets.saturating_add(departures);
        let all = &mut self.in_flight[usize::from(side)];
        all.fleets = all.fleets.saturating_add(departures);
    }

    /// Mixes all arrivals into a fingerprint by their remaining turns, so that the position of the ring does not
    /// matter. The numbers of fleets are included only if the rules depend on them.
    pub(crate) fn mix(&self, f: &mut Fingerprint, with_fleets: bool) {
        for offset in 0..self.slots {
            for side in 0..2 {
                let total = self.totals[self.slot(offset)][side];
                if with_fleets {
                    f.u32(total.fleets);
                }
                if total.ships != 0 {
                    f.len(offset * 2 + side);
                    let row = self.row(offset, side);
                    for pair in self.rows[row..row + self.width].chunks_exact(2) {
                        f.u64(u64::from(pair[0] as u32) | u64::from(pair[1] as u32) << 32);
                    }
                }
            }
        }
        for far in &self.far {
            if with_fleets || far.tally.ships != 0 {
                f.u64(far.remaining as u64).u32(far.planet.into()).u32(far.side.into()).u32(far.tally.ships as u32);
                f.u32(if with_fleets { far.tally.fleets } else { 0 });
            }
        }
    }

    /// Whether `self`, with `mine` as the first player, shows the same as `other` with `theirs`.
    pub(crate) fn looks_like(&self, mine: usize, other: &Self, theirs: usize) -> bool {
        self.width == other.width
            && self.slots == other.slots
            && (0..self.slots).all(|offset| {
                (0..2).all(|side| {
                    let (a, b) = (self.row(offset, side ^ mine), other.row(offset, side ^ theirs));
                    self.rows[a..a + self.width] == other.rows[b..b + self.width]
                })
            })
    }

    #[inline]
    fn touch(&mut self, slot: usize, planet: usize) {
        self.touched[slot * self.words + planet / 64] |= 1 << (planet % 64);
    }

    #[inline]
    fn slot(&self, offset: usize) -> usize {
        let slot = self.head + offset;
        if slot >= self.slots { slot - self.slots } else { slot }
    }

    #[inline]
    fn row(&self, offset: usize, side: usize) -> usize {
        (self.slot(offset) * 2 + side) * self.width
    }
}

impl Tally {
    #[inline]
    fn put(&mut self, ships: i32) {
        self.ships = self.ships.saturating_add(ships);
        self.fleets = self.fleets.saturating_add(1);
    }
}

impl Far {
    fn key(&self) -> (i32, u16, u8) {
        (self.remaining, self.planet, self.side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fleet_is_seen_coming_and_then_due() {
        let mut arrivals = Arrivals::new(3, 4);
        arrivals.add(1, 2, 7, 4);
        arrivals.add(1, 2, 5, 4);
        for turns in (1..=4).rev() {
            assert_eq!((arrivals.ships(1, 2, turns), arrivals.ships(0, 2, turns)), (12, 0));
            let mut due = Vec::new();
            arrivals.take_due(|planet, first, second| due.push((planet, first, second)));
            arrivals.advance();
            assert_eq!(due, if turns == 1 { vec![(2, 0, 12)] } else { vec![] });
        }
        assert_eq!(arrivals.in_flight(1), Tally::default());
    }

    #[test]
    fn fleets_behind_the_end_of_the_ring_enter_it_in_time() {
        let mut arrivals = Arrivals::new(3, 2);
        arrivals.add(0, 1, 5, 1_000);
        arrivals.add(0, 1, 6, 1_000);
        for remaining in (3..=1_000).rev() {
            assert_eq!(arrivals.list(0), [(1, remaining, 11)]);
            assert_eq!(arrivals.ships(0, 1, 2), 0);
            arrivals.advance();
        }
        assert_eq!(arrivals.ships(0, 1, 2), 11);
        assert_eq!(arrivals.in_flight(0), Tally { ships: 11, fleets: 2 });
    }

    #[test]
    fn where_the_ring_stands_is_no_part_of_the_position() {
        let number = |arrivals: &Arrivals| {
            let mut f = Fingerprint::new();
            arrivals.mix(&mut f, true);
            f.finish()
        };
        let mut turned = Arrivals::new(3, 5);
        turned.advance();
        turned.advance();
        turned.add(0, 2, 9, 4);
        let mut fresh = Arrivals::new(3, 5);
        fresh.add(0, 2, 9, 4);
        assert_eq!(number(&turned), number(&fresh));
        assert!(turned.looks_like(0, &fresh, 0) && !turned.looks_like(0, &fresh, 1));
        fresh.exchange();
        assert!(turned.looks_like(0, &fresh, 1));
        assert_ne!(number(&turned), number(&fresh));
    }
}

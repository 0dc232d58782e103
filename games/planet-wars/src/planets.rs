//! The planets of a position, laid out for speed: rows of owners, ships and growth, and one bit for each planet and
//! player.

use crate::{
    arrivals::{Arrivals, LANES},
    turn::battle,
};
use alloc::vec::Vec;

/// The planets. The rows are padded with neutral planets without ships.
#[derive(Debug, Default)]
pub(crate) struct Planets {
    /// The owner of each planet: 0 for neutral, 1 and 2 for the players.
    pub owner: Vec<i32>,
    pub ships: Vec<i32>,
    growth: Vec<i32>,
    /// For each player, one bit for each planet that it owns.
    owned: [Vec<u64>; 2],
}

impl Clone for Planets {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        self.owner.clone_from(&other.owner);
        self.ships.clone_from(&other.ships);
        self.growth.clone_from(&other.growth);
        self.owned[0].clone_from(&other.owned[0]);
        self.owned[1].clone_from(&other.owned[1]);
    }
}

impl Planets {
    /// Makes the planets with these values (owner, ships, growth).
    pub fn new(planets: impl ExactSizeIterator<Item = (u8, i32, i32)>) -> Self {
        let mut all = Self::default();
        all.fill(planets);
        all
    }

    /// Replaces the planets by those with these values (owner, ships, growth).
    pub fn fill(&mut self, planets: impl ExactSizeIterator<Item = (u8, i32, i32)>) {
        let width = planets.len().next_multiple_of(LANES);
        for row in [&mut self.owner, &mut self.ships, &mut self.growth] {
            row.clear();
            row.resize(width, 0);
        }
        for bits in &mut self.owned {
            bits.clear();
            bits.resize(planets.len().div_ceil(64), 0);
        }
        for (id, (owner, ships, growth)) in planets.enumerate() {
            self.ships[id] = ships;
            self.growth[id] = growth;
            self.give(id, owner.into());
        }
    }

    /// Gives a planet to an owner.
    #[inline]
    pub fn give(&mut self, planet: usize, owner: i32) {
        let (word, bit) = (planet / 64, planet % 64);
        for (side, bits) in self.owned.iter_mut().enumerate() {
            bits[word] = bits[word] & !(1 << bit) | u64::from(owner == side as i32 + 1) << bit;
        }
        self.owner[planet] = owner;
    }

    /// The IDs of the planets of the player with this index.
    #[inline]
    pub fn owned(&self, side: usize) -> impl Iterator<Item = usize> + use<'_> {
        self.owned[side].iter().enumerate().flat_map(|(word, bits)| {
            let mut left = *bits;
            core::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(word * 64 + bit)
            })
        })
    }

    /// The first planet of a player from `start` on. The search goes on from the first planet after the last.
    #[inline]
    pub fn next_owned(&self, side: usize, start: usize) -> Option<usize> {
        let bits = &self.owned[side][..];
        if let [bits] = bits {
            let turned = bits.rotate_right(start as u32).trailing_zeros() as usize;
            return (*bits != 0).then_some((start + turned) % 64);
        }
        self.owned(side).find(|p| *p >= start).or_else(|| self.owned(side).next())
    }

    /// Specification "Advancement": each planet that a player owns gains its growth rate in ships.
    #[inline]
    pub fn grow(&mut self) {
        for ((ships, owner), growth) in self.ships.iter_mut().zip(&self.owner).zip(&self.growth) {
            // A position keeps sums within 32 bits; the look-ahead of a bot need not.
            *ships = ships.wrapping_add(growth & -i32::from(*owner != 0));
        }
    }

    /// Specification "Arrival": fights a battle at each planet where ships arrive. Calls `each` with the planet, its
    /// owner and ships before, the arriving ships, and its owner and ships after.
    #[inline]
    pub fn meet(&mut self, arrivals: &mut Arrivals, mut each: impl FnMut(usize, (i32, i32), [i32; 2], (i32, i32))) {
        arrivals.take_due(|planet, first, second| {
            let before = (self.owner[planet], self.ships[planet]);
            let after = battle(before.0, before.1, first, second);
            each(planet, before, [first, second], after);
            self.ships[planet] = after.1;
            if after.0 != before.0 {
                self.give(planet, after.0);
            }
        });
    }

    /// Exchanges the players.
    pub fn exchange(&mut self) {
        for owner in &mut self.owner {
            *owner = [0, 2, 1][*owner as usize];
        }
        self.owned.swap(0, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owned_planets_are_found_round_and_round() {
        for count in [5, 64, 65, 200] {
            let owner = |id: usize| if id % 7 == 3 { 2u8 } else { u8::from(id == count - 1) };
            let planets = Planets::new((0..count).map(|id| (owner(id), 1, 1)));
            for (side, player) in [(0, 1), (1, 2)] {
                let expected: Vec<_> = (0..count).filter(|id| owner(*id) == player).collect();
                assert_eq!(planets.owned(side).collect::<Vec<_>>(), expected);
                for start in 0..count {
                    let next = expected.iter().copied().find(|p| *p >= start).or(expected.first().copied());
                    assert_eq!(planets.next_owned(side, start), next, "{count} planets from {start}");
                }
            }
        }
    }
}

//! Seeds and the only random number generator. Every random choice in Agon comes from a seed, and Agon prints that
//! seed.

use crate::{Fingerprint, Seat};
use core::fmt;
use rand_core::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// The source of every random choice in a match. A seed is printed in decimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(pub u64);

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Seed {
    /// Returns an independent seed for one purpose, for example `seed.derive("map", 0)`.
    #[must_use]
    pub fn derive(self, purpose: &str, number: u64) -> Self {
        Self(Fingerprint::new().u64(self.0).bytes(purpose.as_bytes()).u64(number).finish())
    }

    /// Returns the seed of the built-in bot in `seat`. It is the same in the process and over the wire.
    #[must_use]
    pub fn for_bot(self, seat: Seat) -> Self {
        self.derive("bot", seat.index() as u64)
    }
}

/// A random number generator. It gives the same numbers on every platform and in every version of Agon.
///
/// The generator is xoshiro256++. Bounded draws use our own method, because those of the `rand` crate may change
/// between versions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// Creates a generator from `seed`.
    #[must_use]
    pub fn new(seed: Seed) -> Self {
        let mut state = [0; 32];
        for (i, word) in state.chunks_mut(8).enumerate() {
            word.copy_from_slice(&seed.derive("rng", i as u64).0.to_le_bytes());
        }
        Self(Xoshiro256PlusPlus::from_seed(state))
    }

    /// Draws 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws a uniform number in `0..bound`. Returns 0 if `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        // Lemire's multiplication with rejection: exact, and nearly always a single multiplication.
        let bound = u64::from(bound);
        loop {
            let wide = (self.bits() >> 32) * bound;
            let low = wide & 0xffff_ffff;
            if low >= bound || low >= (0x1_0000_0000 - bound) % bound.max(1) {
                return (wide >> 32) as u32;
            }
        }
    }

    /// Draws a uniform index below `len`. Returns 0 if `len` is 0.
    #[inline]
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u32) as usize
    }

    /// Draws a uniform number in `low..=high`.
    ///
    /// # Panics
    /// Panics if `low > high`.
    #[inline]
    pub fn between(&mut self, low: i32, high: i32) -> i32 {
        assert!(low <= high, "the range is empty");
        let span = (i64::from(high) - i64::from(low) + 1) as u64;
        let offset = if span > u64::from(u32::MAX) { self.bits() % span } else { u64::from(self.below(span as u32)) };
        (i64::from(low) + offset as i64) as i32
    }

    /// Returns `true` once in `n` draws on average.
    #[inline]
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// Draws a uniform number in `[0, 1)` with 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Shuffles `items`. Every order is equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.index(i + 1);
            items.swap(i, j);
        }
    }

    /// Picks one of the items uniformly. Returns `None` if there are no items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { Some(&items[self.index(items.len())]) }
    }
}

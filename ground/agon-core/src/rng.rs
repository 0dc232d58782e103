//! Seeds and the one generator of random numbers. Nothing in Agon is random but by a seed that is printed.

use crate::{Fingerprint, Seat};
use core::fmt;
use rand_core::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// What every random choice of a match comes from. Printed in decimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(pub u64);

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Seed {
    /// An independent seed for one purpose, as `seed.derive("map", 0)`.
    #[must_use]
    pub fn derive(self, purpose: &str, number: u64) -> Self {
        Self(Fingerprint::new().u64(self.0).bytes(purpose.as_bytes()).u64(number).finish())
    }

    /// The seed of the built-in bot in `seat`: the same in the process and over the wire.
    #[must_use]
    pub fn for_bot(self, seat: Seat) -> Self {
        self.derive("bot", seat.index() as u64)
    }
}

/// A generator whose numbers are the same on every platform and in every version: xoshiro256++, and bounded draws by
/// our own method (those of the `rand` crate may change between versions).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// The generator of this seed.
    #[must_use]
    pub fn new(seed: Seed) -> Self {
        let mut state = [0; 32];
        for (i, word) in state.chunks_mut(8).enumerate() {
            word.copy_from_slice(&seed.derive("rng", i as u64).0.to_le_bytes());
        }
        Self(Xoshiro256PlusPlus::from_seed(state))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in `0..bound`; 0 if `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        // Lemire's multiplication with rejection: exact, and one multiplication nearly always.
        let bound = u64::from(bound);
        loop {
            let wide = (self.bits() >> 32) * bound;
            let low = wide & 0xffff_ffff;
            if low >= bound || low >= (0x1_0000_0000 - bound) % bound.max(1) {
                return (wide >> 32) as u32;
            }
        }
    }

    /// Uniform index below `len`; 0 if `len` is 0.
    #[inline]
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u32) as usize
    }

    /// Uniform in `low..=high`.
    ///
    /// # Panics
    /// If `low > high`.
    #[inline]
    pub fn between(&mut self, low: i32, high: i32) -> i32 {
        assert!(low <= high, "an empty range");
        let span = (i64::from(high) - i64::from(low) + 1) as u64;
        let offset = if span > u64::from(u32::MAX) { self.bits() % span } else { u64::from(self.below(span as u32)) };
        (i64::from(low) + offset as i64) as i32
    }

    /// True once in `n` draws on average.
    #[inline]
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// Uniform in `[0, 1)`, 53 bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A uniform order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.index(i + 1);
            items.swap(i, j);
        }
    }

    /// One of the items, or `None` of none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { Some(&items[self.index(items.len())]) }
    }
}

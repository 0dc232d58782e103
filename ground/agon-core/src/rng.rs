//! Seeds and the only random number generator. Every random choice in Agon comes from a seed, and Agon prints that
//! seed.

use crate::{Fingerprint, Seat};
use core::fmt;
use hmac::{Hmac, Mac as _};
use rand_core::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

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
    /// Returns a seed for one purpose by a fast hash, for example `seed.derive("random-replays", 0)`. Who sees what the
    /// result makes can compute the seed back, so use [`Seed::keyed`] where somebody may gain by that.
    #[must_use]
    pub fn derive(self, purpose: &str, number: u64) -> Self {
        Self(Fingerprint::new().u64(self.0).bytes(purpose.as_bytes()).u64(number).finish())
    }

    /// Returns a seed for one purpose that reveals nothing of this one, nor of the seeds for other purposes.
    #[must_use]
    pub fn keyed(self, purpose: &str, number: u64) -> Self {
        SeedKey::from(self).seed(purpose, number)
    }

    /// Returns the seed of the built-in bot in `seat` of a match that begins now. It is the same in the process and over the
    /// wire.
    #[must_use]
    pub fn for_bot(self, seat: Seat) -> Self {
        Derivation::Keyed.bot(self, seat)
    }
}

/// A key from which seeds are derived, so that none of them reveals another one, or the key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SeedKey(pub [u8; 32]);

impl SeedKey {
    /// Returns the seed for one purpose: the first 64 bits, the lowest byte first, of HMAC-SHA-256 with this key over the
    /// purpose, a zero byte and the 64 bits of the number, the lowest byte first.
    #[must_use]
    pub fn seed(&self, purpose: &str, number: u64) -> Seed {
        let mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key may have any length");
        let mac = mac.chain_update(purpose).chain_update([0]).chain_update(number.to_le_bytes());
        let bytes: [u8; 32] = mac.finalize().into_bytes().into();
        Seed(bytes[..8].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }
}

impl From<Seed> for SeedKey {
    /// The 64 bits of the seed, the lowest byte first, and then zeros.
    fn from(seed: Seed) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.0.to_le_bytes());
        Self(key)
    }
}

impl fmt::Debug for SeedKey {
    /// Keeps the key out of messages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SeedKey(..)")
    }
}

/// How the seeds of a map, of a built-in bot and of the next block follow from the seed of a match or a series.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Derivation {
    /// By [`Seed::derive`], and the map has the seed of its match. What began before seeds were keyed goes on so.
    Fast,
    /// By [`Seed::keyed`].
    #[default]
    Keyed,
}

impl Derivation {
    /// Returns the seed for one purpose.
    #[must_use]
    pub fn seed(self, from: Seed, purpose: &str, number: u64) -> Seed {
        match self {
            Self::Fast => from.derive(purpose, number),
            Self::Keyed => from.keyed(purpose, number),
        }
    }

    /// Returns the seed of the built-in bot in `seat` of a match.
    #[must_use]
    pub fn bot(self, of_match: Seed, seat: Seat) -> Seed {
        self.seed(of_match, "bot", seat.index() as u64)
    }

    /// Returns the seed of the map of a match, if the map is generated and has none of its own.
    #[must_use]
    pub fn map(self, of_match: Seed) -> Seed {
        match self {
            Self::Fast => of_match,
            Self::Keyed => of_match.keyed("map", 0),
        }
    }

    /// Returns whether seeds follow by a fast hash.
    #[must_use]
    pub fn is_fast(&self) -> bool {
        *self == Self::Fast
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

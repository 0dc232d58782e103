//! The random numbers of a bot. They are the same in every match with the same seed.

use sha2::{Digest, Sha256};
use std::fmt;

/// A stream of random bytes. It does not reveal the seed of the match, from which maps and the referee's own random
/// numbers come, too.
#[derive(Clone)]
pub struct Random {
    key: [u8; 32],
    blocks: u64,
}

impl fmt::Debug for Random {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Random")
    }
}

impl Random {
    /// Returns the stream for a seat, by its index from 0, in a match with this seed.
    #[must_use]
    pub fn new(seed: u64, seat: usize) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"agon random numbers of a wasm bot");
        hash.update(seed.to_le_bytes());
        hash.update((seat as u64).to_le_bytes());
        Self::of_key(hash.finalize().into())
    }

    pub(crate) fn of_key(key: [u8; 32]) -> Self {
        Self { key, blocks: 0 }
    }

    /// Returns the key of the stream, from which [`Random::of_key`] restores it at its start.
    pub(crate) fn key(&self) -> [u8; 32] {
        self.key
    }

    /// Fills `bytes` with the next random bytes. Discards the rest of the last block of 32 bytes.
    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        for part in bytes.chunks_mut(32) {
            let mut hash = Sha256::new();
            hash.update(self.key);
            hash.update(self.blocks.to_le_bytes());
            self.blocks += 1;
            part.copy_from_slice(&hash.finalize()[..part.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_and_seats_have_streams_of_their_own() {
        let draw = |seed, seat| {
            let mut bytes = [0; 40];
            let mut random = Random::new(seed, seat);
            random.fill(&mut bytes[..33]);
            random.fill(&mut bytes[33..]);
            bytes
        };
        assert_eq!(draw(1, 0), draw(1, 0));
        for (seed, seat) in [(1, 1), (2, 0), (0, 0)] {
            assert_ne!(draw(1, 0), draw(seed, seat));
        }
        assert_ne!(draw(1, 0)[..7], draw(1, 0)[33..]);
    }
}

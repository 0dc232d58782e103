//! The tokens of claims as workers see them.

use sha2::{Digest as _, Sha256};

/// Turns tokens of the store, which follow each other, into words that nobody can guess, and back. A worker that makes a token up
/// cannot hit that of another one.
///
/// It is a permutation of 64 bits: a Feistel network of four rounds, whose function is SHA-256 with the key before it.
#[derive(Clone, Copy)]
pub(super) struct Seal([u8; 32]);

/// The number of rounds.
const ROUNDS: u8 = 4;

impl Seal {
    pub(super) fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// Returns the token as a worker sees it.
    pub(super) fn close(self, token: u64) -> u64 {
        let (mut left, mut right) = halves(token);
        for round in 0..ROUNDS {
            (left, right) = (right, left ^ self.round(round, right));
        }
        whole(left, right)
    }

    /// Returns the token of the store. What was never closed becomes any token.
    pub(super) fn open(self, sealed: u64) -> u64 {
        let (mut left, mut right) = halves(sealed);
        for round in (0..ROUNDS).rev() {
            (left, right) = (right ^ self.round(round, left), left);
        }
        whole(left, right)
    }

    fn round(self, round: u8, half: u32) -> u32 {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(b"lease");
        hash.update([round]);
        hash.update(half.to_le_bytes());
        let digest = hash.finalize();
        u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]])
    }
}

fn halves(word: u64) -> (u32, u32) {
    let [a, b, c, d, e, f, g, h] = word.to_be_bytes();
    (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]))
}

fn whole(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_token_comes_back_and_looks_like_none() {
        let (one, other) = (Seal::new([1; 32]), Seal::new([2; 32]));
        let tokens: Vec<u64> = (0..2_000).chain([1 << 32, u64::MAX, 3 << 32 | 5]).collect();
        let sealed: BTreeSet<u64> = tokens.iter().map(|token| one.close(*token)).collect();
        assert_eq!(sealed.len(), tokens.len());
        for token in tokens {
            assert_eq!(one.open(one.close(token)), token);
            assert_ne!(other.open(one.close(token)), token);
        }
        // A guess hits no small token.
        assert!((0..10_000).filter(|guess| one.open(*guess) < 1 << 40).count() < 3);
    }
}

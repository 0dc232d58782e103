//! The seed of a match that was given none.

use agon_core::Seed;
use std::hash::{BuildHasher, RandomState};

/// A fresh seed, short enough to be typed again. It is printed wherever it is used.
pub fn fresh() -> Seed {
    // The keys of a hash map are the only random numbers of the system that std gives out.
    Seed(RandomState::new().hash_one(std::process::id()) % 1_000_000_000)
}

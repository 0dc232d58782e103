//! The seed of a match for which the user gave none.

use agon_core::Seed;
use std::hash::{BuildHasher, RandomState};

/// Returns a fresh seed that is short enough to type. Every command that uses one prints it.
pub fn fresh() -> Seed {
    // The keys of a hash map are the only random numbers that `std` takes from the system.
    Seed(RandomState::new().hash_one(std::process::id()) % 1_000_000_000)
}

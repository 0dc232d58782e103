//! The seed of a match for which the user gave none.

use agon_core::Seed;

/// Returns a fresh seed. Nobody can try all of them. Every command that uses one prints it.
pub fn fresh() -> Seed {
    Seed(getrandom::u64().expect("the system gives random numbers"))
}

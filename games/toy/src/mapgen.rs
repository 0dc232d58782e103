//! Generated maps.

use crate::Map;
use agon_core::{Flaw, MapKind, Rng, Seed};
use alloc::{format, vec::Vec};

/// The kinds of generated maps. The first is the default.
pub(crate) const KINDS: &[MapKind] = &[
    MapKind { name: "small", about: "a heap of 15 to 40 stones, at most 3 to 5 in one turn" },
    MapKind { name: "large", about: "a heap of 1000 to 9999 stones, at most 2 to 9 in one turn" },
];

/// Generates a map of this kind. The same seed gives the same map.
pub(crate) fn generate(kind: &str, seed: Seed) -> Result<Map, Flaw> {
    let mut rng = Rng::new(seed.derive("toy", 0));
    let mut number = |low, high| rng.between(low, high).unsigned_abs();
    match kind {
        "small" => Ok(Map { stones: number(15, 40), most: number(3, 5) }),
        "large" => Ok(Map { stones: number(1000, 9999), most: number(2, 9) }),
        _ => {
            let known: Vec<_> = KINDS.iter().map(|kind| kind.name).collect();
            Err(Flaw::new(format!("unknown kind of map `{kind}`")).hint(known.join(", ")))
        }
    }
}

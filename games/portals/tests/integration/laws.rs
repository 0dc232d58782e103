//! The laws that every game keeps.

use agon_core::laws::{self, Case, CountingAllocator, Map};
use agon_portals::Position;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const CASES: &[Case<'_>] = &[
    Case { map: Map::Generated("queens", 1), rules: "spec", seats: 2, limit: Some(12), seed: 1 },
    Case { map: Map::Generated("lattice", 2), rules: "original", seats: 2, limit: Some(10), seed: 2 },
    Case { map: Map::Generated("islands", 3), rules: "spec,shield=rising", seats: 2, limit: Some(10), seed: 3 },
    Case { map: Map::Text("0 0 1 1 X. .X"), rules: "spec", seats: 2, limit: Some(15), seed: 4 },
    Case { map: Map::Text("1 1 1 1 XXX XXX XXX"), rules: "original", seats: 2, limit: Some(15), seed: 5 },
    Case { map: Map::Text("0 0 0 0 ."), rules: "original", seats: 2, limit: Some(3), seed: 6 },
];

#[test]
fn every_law_holds() {
    for case in CASES {
        laws::all::<Position>(case);
    }
}

#[test]
fn a_crowded_map_keeps_the_laws_of_the_wire() {
    let case = Case { map: Map::Generated("crowded", 7), rules: "original", seats: 2, limit: Some(6), seed: 7 };
    laws::wire_is_the_identity::<Position>(&case);
    laws::clones_are_equal_and_independent::<Position>(&case);
}

#[test]
fn nothing_is_allocated_once_the_buffers_are_there() {
    for case in CASES {
        laws::allocates_nothing::<Position>(&Case { limit: None, ..*case });
    }
}

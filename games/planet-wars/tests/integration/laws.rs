//! The laws of every game, on Planet Wars.

use agon_core::laws::{self, Case, CountingAllocator, Map};
use agon_planet_wars::Position;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Several rare cases on one map: fleets at the start, distances of two scales, and an arrival far beyond the
/// calendar's end.
const ODD_MAP: &str = "\
P 0 0 1 40 2
P 0.25 0 0 3 0
P 9 12 2 40 2
P -3.5 1e1 0 0 5
P 700 -0.125 0 10 1
F 1 15 0 2 12 2
F 2 28 2 1 400 300
F 1 5 4 0 900 257
";

fn case<'a>(map: Map<'a>, rules: &'a str, limit: Option<u32>, seed: u64) -> Case<'a> {
    Case { map, rules, seats: 2, limit, seed }
}

/// The laws that need no bot, over whole games. `all` plays only their beginnings, because the strongest bot is slow
/// without optimisation.
fn laws_of_positions(case: &Case<'_>) {
    laws::checks_agree_with_samples_and_options::<Position>(case);
    laws::clones_are_equal_and_independent::<Position>(case);
    laws::the_same_orders_give_the_same_fingerprints::<Position>(case);
    laws::exchanged_seats_play_the_exchanged_game::<Position>(case);
    laws::failures_never_break_a_position::<Position>(case);
    laws::wire_is_the_identity::<Position>(case);
}

#[test]
fn laws_of_every_kind_of_map_and_rule_set() {
    for (seed, (kind, rules)) in [("small", "spec"), ("final", "original"), ("first", "playgame")].iter().enumerate() {
        let seed = seed as u64;
        laws::all::<Position>(&case(Map::Generated(kind, seed), rules, Some(12), seed));
        laws_of_positions(&case(Map::Generated(kind, seed), rules, None, seed));
    }
}

#[test]
fn laws_of_an_odd_map() {
    for rules in ["spec", "original", "playgame", "spec,zero-ships=fleet,out=planets,same-pair=merged"] {
        laws::all::<Position>(&case(Map::Text(ODD_MAP), rules, Some(60), 4));
        laws_of_positions(&case(Map::Text(ODD_MAP), rules, Some(390), 4));
    }
}

#[test]
fn a_turn_allocates_nothing() {
    for (kind, rules) in [("final", "spec"), ("first", "original"), ("small", "playgame")] {
        laws::allocates_nothing::<Position>(&case(Map::Generated(kind, 5), rules, None, 5));
    }
}

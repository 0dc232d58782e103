//! The laws of every game, on Planet Wars.

use agon_core::laws::{self, Case, Map};
use agon_planet_wars::PlanetWars;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: forwards every call to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Everything odd at once: fleets at the start, planets of two scales, an arrival far behind the calendar's end.
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

#[test]
fn laws_of_a_small_map_by_the_seed() {
    laws::all::<PlanetWars>(&case(Map::Generated("small", 1), "spec", None, 1));
}

#[test]
fn laws_of_a_map_of_the_finals_by_the_official_server() {
    laws::all::<PlanetWars>(&case(Map::Generated("final", 2), "original", Some(120), 2));
}

#[test]
fn laws_of_a_first_map_by_playgame() {
    laws::all::<PlanetWars>(&case(Map::Generated("first", 3), "playgame", Some(120), 3));
}

#[test]
fn laws_of_an_odd_map() {
    for rules in ["spec", "original", "playgame", "spec,zero-ships=fleet,out=planets,same-pair=merged"] {
        laws::all::<PlanetWars>(&case(Map::Text(ODD_MAP), rules, Some(390), 4));
    }
}

#[test]
fn a_turn_allocates_nothing() {
    for (kind, rules) in [("final", "spec"), ("first", "original"), ("small", "playgame")] {
        laws::allocates_nothing::<PlanetWars>(&case(Map::Generated(kind, 5), rules, None, 5), || ALLOCATIONS.get());
    }
}

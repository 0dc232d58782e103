//! The laws that every game of Agon keeps, on maps and rule sets of Grid.

use agon_core::laws::{self, Case, Map};
use agon_grid::GridGame;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// Counts the allocations of each thread, so that tests beside this one do not disturb it.
struct Counting;

// SAFETY: every call is forwarded to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` above, which is the system's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the pointer came from `alloc` above, which is the system's.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn case(map: Map<'static>, rules: &'static str) -> Case<'static> {
    Case { map, rules, seats: 2, limit: Some(20), seed: 7 }
}

#[test]
fn the_contests_map_by_the_words_of_the_seed() {
    laws::all::<GridGame>(&case(Map::Generated("10x10", 0), "spec"));
}

#[test]
fn the_contests_map_as_the_judge_played_it() {
    laws::all::<GridGame>(&case(Map::Generated("10x10", 0), "original"));
}

#[test]
fn generated_maps() {
    laws::all::<GridGame>(&case(Map::Generated("scatter", 3), "spec,chat=yes"));
    laws::all::<GridGame>(&case(Map::Generated("clusters-9x7", 4), "original,energy=ceil"));
    laws::all::<GridGame>(&case(Map::Generated("mingled-70x12", 5), "spec,elimination=after-exchange"));
}

#[test]
fn the_smallest_map_and_one_of_a_single_row() {
    laws::all::<GridGame>(&case(Map::Text("12"), "spec"));
    laws::all::<GridGame>(&case(Map::Text("1----2"), "original"));
}

#[test]
fn nothing_is_allocated() {
    for kind in ["10x10", "40x40", "65x3"] {
        let case = Case { limit: None, ..case(Map::Generated(kind, 0), "spec") };
        laws::allocates_nothing::<GridGame>(&case, || COUNT.with(Cell::get));
    }
}

//! The laws that every game of Agon keeps, on maps and rule sets of Grid.

use agon_core::laws::{self, Case, CountingAllocator, Map};
use agon_grid::Position;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn case(map: Map<'static>, rules: &'static str) -> Case<'static> {
    Case { map, rules, seats: 2, limit: Some(20), seed: 7 }
}

#[test]
fn the_contests_map_by_the_words_of_the_specification() {
    laws::all::<Position>(&case(Map::Generated("10x10", 0), "spec"));
}

#[test]
fn the_contests_map_as_the_judge_played_it() {
    laws::all::<Position>(&case(Map::Generated("10x10", 0), "original"));
}

#[test]
fn generated_maps() {
    laws::all::<Position>(&case(Map::Generated("scatter", 3), "spec,chat=yes"));
    laws::all::<Position>(&case(Map::Generated("clusters-9x7", 4), "original,energy=ceil"));
    laws::all::<Position>(&case(Map::Generated("mingled-70x12", 5), "spec,elimination=after-exchange"));
}

#[test]
fn the_smallest_map_and_one_of_a_single_row() {
    laws::all::<Position>(&case(Map::Text("12"), "spec"));
    laws::all::<Position>(&case(Map::Text("1----2"), "original"));
}

#[test]
fn nothing_is_allocated() {
    for kind in ["10x10", "40x40", "65x3"] {
        let case = Case { limit: None, ..case(Map::Generated(kind, 0), "spec") };
        laws::allocates_nothing::<Position>(&case);
    }
}

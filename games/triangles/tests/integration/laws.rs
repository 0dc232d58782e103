//! The laws that every game of Agon keeps, on several boards and rule sets.

use agon_core::laws::{self, Case, CountingAllocator, Map};
use agon_triangles::Position;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const IN_PROGRESS: &str = "point 1 1\npoint 40 3\npoint 37 44\npoint 5 41\npoint 20 20\npoint 60 22\npoint 22 70\n\
                           segment 1 3\nsegment 5 2\nsegment 4 3 by 1 for 0\nscores 3 1\nturn 2\n";

fn case<'a>(map: Map<'a>, rules: &'a str, seed: u64) -> Case<'a> {
    Case { map, rules, seats: 2, limit: None, seed }
}

#[test]
fn small_boards() {
    for map in ["point 5 5", "point 1 1\npoint 100 100", "point 1 1\npoint 2 2\npoint 4 4\npoint 3 3", IN_PROGRESS] {
        laws::all::<Position>(&case(Map::Text(map), "spec", 1));
    }
}

#[test]
fn generated_boards() {
    for (k, kind) in ["uniform-20", "convex-11", "lattice-16", "clustered-23"].into_iter().enumerate() {
        laws::all::<Position>(&case(Map::Generated(kind, k as u64), "spec", 2));
    }
}

#[test]
fn other_rules() {
    laws::all::<Position>(&case(Map::Generated("uniform-12", 5), "spec,bad=forfeit", 3));
    laws::all::<Position>(&case(Map::Generated("uniform-12", 6), "spec,refused-play=fault", 4));
}

#[test]
fn a_match_allocates_nothing_once_the_board_stands() {
    for kind in ["uniform-20", "lattice-49"] {
        laws::allocates_nothing::<Position>(&case(Map::Generated(kind, 1), "spec", 1));
    }
}

//! The laws that every game of Agon keeps, on maps and rule sets of Lighthouses.

use agon_core::laws::{self, Case, CountingAllocator, Map};
use agon_lighthouses::Position;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Two islands that were made for these tests, with a strait, diagonal paths and lighthouses in one line.
const STRAIT: &str = "\
##############
#! 0 ##  !  1#
#  ####!     #
#!  ##    ! ##
#  2 #  # # ##
##  !  ##  3 #
##!   # ! ####
##############
";

fn case(map: Map<'static>, rules: &'static str, seats: usize) -> Case<'static> {
    Case { map, rules, seats, limit: Some(120), seed: 7 }
}

#[test]
fn by_the_words_of_the_specification() {
    laws::all::<Position>(&case(Map::Generated("island", 3), "spec", 2));
    laws::all::<Position>(&case(Map::Text(STRAIT), "spec", 4));
}

#[test]
fn as_the_contests_engine_played() {
    laws::all::<Position>(&case(Map::Generated("lakes", 4), "original", 3));
    laws::all::<Position>(&case(Map::Text(STRAIT), "original", 2));
}

#[test]
fn mixed_rules_and_other_maps() {
    laws::all::<Position>(&case(Map::Generated("grid", 5), "original,keys=one", 5));
    laws::all::<Position>(&case(Map::Generated("square", 6), "spec,neutral=null", 1));
}

#[test]
fn the_most_players_and_the_smallest_map() {
    laws::all::<Position>(&Case { limit: Some(12), ..case(Map::Generated("square", 1), "spec", 24) });
    laws::all::<Position>(&case(Map::Text("###\n#0#\n###\n"), "original", 1));
}

#[test]
fn nothing_is_allocated() {
    for (kind, seats) in [("island", 2), ("grid", 4), ("square", 24)] {
        let case = Case { limit: None, ..case(Map::Generated(kind, 2), "original", seats) };
        laws::allocates_nothing::<Position>(&case);
    }
}

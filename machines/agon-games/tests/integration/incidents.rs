//! Tests what viewers with the eyes of a seat are told.

use agon_core::{Failure, Incident, Seat};
use agon_referee::{Branch, Decision};
use agon_spec::{MatchSpec, SeatSpec};
use serde_json::{Value, json};

/// Three lighthouses. Each player stands alone, out of sight of the other.
const ISLAND: &str = "\
##########
#!0      #
#        #
#       1#
#!      !#
##########
";

fn lighthouses() -> Branch {
    let seats = ["a", "b"].map(SeatSpec::of_words);
    let spec = MatchSpec { limit: Some(10), ..MatchSpec::new("lighthouses", "spec", ISLAND, seats) };
    agon_games::find("lighthouses").unwrap().position(&spec).unwrap()
}

/// Plays the turn of seat 1. Returns what viewers are told who have all eyes, those of seat 1, of seat 2, and of a seat that
/// the match does not have.
fn incidents(position: &mut Branch, orders: &[Value], failure: Option<Failure>) -> [Vec<Incident>; 4] {
    let mut incidents = [const { Vec::new() }; 4];
    let decision = Decision { seat: Seat::new(0), orders: orders.iter().collect(), failure };
    position
        .apply_in_steps(&[decision], &mut |step| {
            for (seen, eyes) in incidents.iter_mut().zip([None, Some(0), Some(1), Some(2)]) {
                seen.extend(step.incidents(eyes.map(Seat::new)));
            }
        })
        .unwrap();
    incidents
}

fn kinds(incidents: &[Incident]) -> Vec<&str> {
    incidents.iter().map(|incident| incident.kind).collect()
}

#[test]
fn only_the_player_learns_that_it_moved() {
    let [all, own, others, nobody] = incidents(&mut lighthouses(), &[json!({ "move": [1, 0] })], None);
    assert_eq!(kinds(&all), ["moved"]);
    assert_eq!(own, all);
    assert_eq!((others, nobody), (Vec::new(), Vec::new()));
}

#[test]
fn only_the_player_learns_that_its_bot_is_out() {
    let [all, own, others, _] = incidents(&mut lighthouses(), &[], Some(Failure::Gone));
    assert_eq!(kinds(&all), ["out"]);
    assert_eq!((own, others), (all, Vec::new()));
}

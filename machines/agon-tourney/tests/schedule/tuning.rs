//! Tuning where the host spoils games.

use agon_core::{Derivation, Seed};
use agon_tourney::{LEFT_OUT, Parameter, Tuning, TuningTerms};

fn tuning(iterations: u32) -> Tuning {
    let name = "x".to_owned();
    let parameter = Parameter { name, low: 0.0, high: 10.0, start: 5.0, step: None, whole: false };
    Tuning::new(TuningTerms { parameters: vec![parameter], iterations, seed: Seed(3), seeds: Derivation::Keyed })
        .expect("the terms are good")
}

/// Settles all iterations that are handed out: as a win of the plus version, or left out.
fn play_iterations(tuning: &mut Tuning, is_left_out: impl Fn(u32) -> bool) {
    while let Some(probe) = tuning.next() {
        match is_left_out(probe.iteration) {
            true => tuning.leave_out(probe.iteration),
            false => tuning.record(probe.iteration, 1.0),
        }
    }
}

#[test]
fn an_iteration_that_is_left_out_moves_nothing() {
    let (mut without, mut drawn) = (tuning(8), tuning(8));
    play_iterations(&mut without, |iteration| iteration == 2);
    while let Some(probe) = drawn.next() {
        drawn.record(probe.iteration, if probe.iteration == 2 { 0.0 } else { 1.0 });
    }
    assert_eq!(without.values(), drawn.values(), "a result of 0 moves nothing either");
    assert_eq!((without.played(), without.left_out(), without.is_over()), (7, 1, true));
    assert_eq!((drawn.played(), drawn.left_out()), (8, 0), "but it is a result");
}

#[test]
fn a_host_that_spoils_everything_stops_the_run() {
    let mut stuck = tuning(400);
    // From the end of one batch into the next one.
    play_iterations(&mut stuck, |iteration| (14..14 + LEFT_OUT).contains(&iteration));
    assert!(stuck.is_stuck() && !stuck.is_over() && stuck.next().is_none());
    assert_eq!((stuck.first_open(), stuck.left_out()), (16, LEFT_OUT), "what was left out last is open");
    let mut lucky = tuning(400);
    play_iterations(&mut lucky, |iteration| iteration % LEFT_OUT != 0);
    assert!(lucky.is_over() && !lucky.is_stuck(), "never so many in a row");
    assert_eq!((lucky.played(), lucky.left_out()), (80, 320));
}

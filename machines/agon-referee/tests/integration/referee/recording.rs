//! What is recorded at each level, and that nothing of it changes the match.

use super::desk::{Desk, spec};
use agon_core::Seat;
use agon_referee::{AnyReferee, Do, In, MatchEvent, Recording, SeatKind, Settings};
use agon_spec::MatchSpec;

const CLOCK: &str = "greeting=500ms,move=100ms";

/// Returns the events of a match that `play` plays.
fn events(recording: Recording, play: &dyn Fn(&mut Desk)) -> (Desk, Vec<MatchEvent>) {
    let settings = Settings { recording, undo: true, ..Settings::default() };
    let mut desk = Desk::of(&spec("spec", 9, CLOCK), [SeatKind::Process; 2], settings);
    desk.says(1, "ok\n").at(3).says(0, "ok\n");
    play(&mut desk);
    let event = |order: &Do| match order {
        Do::Record(event) => Some(event.as_ref().clone()),
        _ => None,
    };
    let events = desk.done.iter().filter_map(event).collect();
    (desk, events)
}

fn turns(events: &[MatchEvent]) -> usize {
    events.iter().filter(|event| matches!(event, MatchEvent::Ply(_))).count()
}

/// Two turns without a fault.
fn two_turns(desk: &mut Desk) {
    desk.at(10).says(0, "take 1\n").at(30).says(1, "take 2\n");
}

#[test]
fn the_turns_of_a_match_with_a_fault_are_recorded_whenever_it_comes() {
    let late = |desk: &mut Desk| {
        two_turns(desk);
        desk.at(130).tick();
    };
    let unlawful = |desk: &mut Desk| {
        two_turns(desk);
        desk.at(60).says(0, "take 9\n");
    };
    let gone_between_turns = |desk: &mut Desk| {
        two_turns(desk);
        desk.at(50).exits(1, 3);
        desk.at(60).says(0, "take 1\n");
    };
    let at_once = |desk: &mut Desk| {
        desk.at(20).says(0, "what?\n");
    };
    for play in [&late as &dyn Fn(&mut Desk), &unlawful, &gone_between_turns, &at_once] {
        let (_, eager) = events(Recording::Orders, play);
        let (desk, kept) = events(Recording::Faults, play);
        assert!(turns(&eager) > 0 && desk.referee.over());
        assert_eq!(kept, eager);
    }
}

#[test]
fn a_match_without_a_fault_is_not_recorded() {
    let play = |desk: &mut Desk| {
        two_turns(desk);
        for (ms, seat) in [(40, 0), (50, 1)] {
            desk.at(ms).says(seat, "take 3\n");
        }
    };
    let (eager, all) = events(Recording::Orders, &play);
    assert!(eager.referee.over() && turns(&all) == 4);
    for recording in [Recording::Faults, Recording::Result] {
        let (desk, events) = events(recording, &play);
        let others: Vec<_> = all.iter().filter(|event| !matches!(event, MatchEvent::Ply(_))).cloned().collect();
        assert_eq!(events, others);
        assert_eq!(desk.referee.fingerprint(), eager.referee.fingerprint());
    }
}

#[test]
fn turns_that_are_taken_back_stay_in_the_record() {
    let play = |desk: &mut Desk| {
        two_turns(desk);
        desk.says(0, "take 1\n").says(1, "take 1\n");
        desk.feed(In::Undo { plies: 2 });
        desk.says(0, "take 2\n").at(131).tick();
    };
    let (_, eager) = events(Recording::Orders, &play);
    let (_, kept) = events(Recording::Faults, &play);
    assert!(eager.iter().any(|event| matches!(event, MatchEvent::Rewound { .. })));
    assert_eq!(kept, eager);
}

#[test]
fn the_time_of_each_seat_is_known_at_every_level() {
    let play = |desk: &mut Desk| {
        two_turns(desk);
        desk.at(130).tick();
    };
    for recording in [Recording::Result, Recording::Faults, Recording::Orders, Recording::Full] {
        let (desk, events) = events(recording, &play);
        let used = [0, 1].map(|seat| desk.referee.time_used(Seat::new(seat)));
        assert_eq!(used.map(|used| used.decisions), [2, 1], "{recording:?}: the late answer is one");
        assert_eq!(used.map(|used| used.total_us), [7_000 + 100_000, 20_000], "{recording:?}");
        assert_eq!(used.map(|used| used.max_us), [100_000, 20_000], "{recording:?}");
        assert_eq!(turns(&events) > 0, recording > Recording::Result, "{recording:?}");
    }
}

#[test]
fn a_match_without_end_is_recorded_before_it_fills_the_memory() {
    let settings = Settings { recording: Recording::Faults, ..Settings::default() };
    let long = MatchSpec { limit: Some(1_000_000), ..spec("spec", 400_000, "off") };
    let desk = Desk::of(&long, [SeatKind::Builtin("random"); 2], settings);
    assert!(desk.referee.over());
    let plies = desk.plies();
    assert_eq!(plies.len(), desk.referee.plies() as usize);
    assert_eq!(plies.last().map(|last| last.fingerprint.0), Some(desk.referee.fingerprint()));
}

//! Tests how counters influence decisions, faults and records in a match.

use super::desk::{Desk, spec};
use agon_core::Seat;
use agon_referee::{AnyReferee, Do, Fault, In, MatchEvent, SeatKind, Settings, SpoiltRecord, TreeUsage, Usage};
use std::time::Duration;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Reports the usage of one thread of seat 1, in milliseconds.
fn counts(desk: &mut Desk, cpu: u64, waited: u64, lag: u64) {
    let (cpu, waited) = (ms(cpu), ms(waited));
    let tree = TreeUsage { cpu, busy: cpu, waited, by_others: waited, cores: 2, ..TreeUsage::default() };
    desk.feed(In::Usage { seat: Seat::new(0), usage: Usage { tree: Some(tree), lag: ms(lag), ..Usage::default() } });
}

#[test]
fn a_bot_without_a_core_has_that_time_back_and_the_record_says_so() {
    let mut desk = Desk::greeted("spec", 9, "move=100ms");
    counts(desk.at(100), 10, 85, 5);
    desk.tick();
    assert_eq!((desk.fault(0), desk.deadline_ms()), (None, Some(190)));
    counts(desk.at(150), 12, 130, 5);
    desk.says(0, "take 1\n");
    let entry = &desk.plies()[0].entries[0];
    assert_eq!((entry.wall_us, entry.cpu_us, entry.busy_us), (150_000, Some(12_000), None));
    assert_eq!((entry.runnable_us, entry.lag_us, entry.given_us), (Some(130_000), Some(5_000), Some(100_000)));
}

#[test]
fn a_bot_that_the_system_blocked_is_waited_for_and_the_record_says_so() {
    let mut desk = Desk::greeted("spec", 9, "move=100ms");
    for (at, blocked, is_blocked, deadline) in [(100, 90, true, 190), (900, 890, true, 990), (950, 930, false, 1030)] {
        let tree =
            TreeUsage { cpu: ms(1), busy: ms(1), blocked: ms(blocked), is_blocked, cores: 2, ..Default::default() };
        desk.at(at).feed(In::Usage { seat: Seat::new(0), usage: Usage { tree: Some(tree), ..Usage::default() } });
        desk.tick();
        assert_eq!((desk.fault(0), desk.deadline_ms()), (None, Some(deadline)), "{at}");
    }
    desk.at(960).says(0, "take 1\n");
    let entry = &desk.plies()[0].entries[0];
    assert_eq!((entry.wall_us, entry.blocked_us, entry.given_us), (960_000, Some(930_000), Some(930_000)));
    assert_eq!((entry.failure, entry.time().idle_us()), (None, Some(29_000)));
}

#[test]
fn an_answer_that_comes_at_once_needs_no_counters() {
    let mut desk = Desk::greeted("spec", 9, "move=100ms");
    desk.at(1).says(0, "take 1\n");
    let entry = &desk.plies()[0].entries[0];
    assert_eq!((entry.time().is_measured(), entry.given_us), (false, None));
}

#[test]
fn a_bot_that_is_late_all_the_same_is_told_where_its_time_went() {
    let mut desk = Desk::greeted("spec", 9, "move=100ms");
    counts(desk.at(100), 80, 15, 0);
    desk.tick();
    counts(desk.at(115), 94, 15, 0);
    desk.tick();
    desk.assert_late(0, 100_000, 0, false);
    let fault = desk.fault(0).unwrap();
    assert_eq!(
        fault.to_string(),
        "late: no complete answer within 100ms, nothing arrived; it computed for 94.0ms, waited 15.0ms for a core, and \
         it slept or blocked for 6.00ms"
    );
    let Fault::Late { time: Some(time), .. } = fault else { panic!("{fault}") };
    assert_eq!((time.wall_us, time.given_us), (115_000, Some(15_000)));
}

#[test]
fn a_decision_that_took_more_cpu_time_than_there_was_is_late() {
    for (cpu, late) in [(100, false), (101, true)] {
        let mut desk = Desk::greeted("spec", 9, "move=100ms,policy=cpu");
        counts(desk.at(60), cpu, 0, 0);
        desk.says(0, "take 1\n");
        assert_eq!(matches!(desk.fault(0), Some(Fault::Late { limit_us: 100_000, .. })), late, "{cpu}");
        assert_eq!(desk.plies()[0].entries[0].cpu_us, Some(cpu * 1000));
    }
}

#[test]
fn only_an_awaited_process_has_a_question() {
    let seat = Seat::new(0);
    let mut desk = Desk::begun(&spec("spec", 9, "greeting=50ms,move=100ms,policy=cpu"));
    let greeting = desk.referee.question(seat).unwrap();
    assert_eq!((greeting.limit, greeting.deadline), (Some(ms(50)), Some(ms(50))));
    desk.at(10).says(0, "ok\n").says(1, "ok\n");
    let first = desk.referee.question(seat).unwrap();
    assert_eq!((first.since, first.limit), (ms(10), Some(ms(100))));
    assert_ne!(first.number, greeting.number);
    desk.says(0, "take 1\n");
    assert_eq!(desk.referee.question(seat), None);
    assert!(desk.referee.question(Seat::new(1)).is_some());
    let kinds = [SeatKind::Human, SeatKind::Process];
    let desk = Desk::of(&spec("spec", 9, "move=100ms"), kinds, Settings::default());
    assert_eq!(desk.referee.question(seat), None, "people are not counted");
}

#[test]
fn built_in_bots_and_people_play_by_the_wall() {
    let mut timed = spec("spec", 9, "off");
    timed.seats[0].clock = Some("move=100ms,policy=cpu".parse().unwrap());
    let mut desk = Desk::of(&timed, [SeatKind::Human, SeatKind::Builtin("finisher")], Settings::default());
    counts(desk.at(100), 0, 90, 0);
    desk.tick();
    desk.assert_late(0, 100_000, 0, false);
}

#[test]
fn cpu_time_out_of_turn_is_told_with_the_next_decision() {
    let mut desk = Desk::greeted("spec", 9, "move=100ms");
    let off_turn = |desk: &mut Desk| {
        desk.feed(In::OffTurn { seat: Seat::new(0), cpu: ms(3) });
    };
    off_turn(&mut desk);
    off_turn(&mut desk);
    desk.says(0, "take 1\n").says(1, "take 1\n").says(0, "take 1\n");
    let off_turn: Vec<_> = desk.plies().iter().map(|ply| ply.entries[0].off_turn_us).collect();
    assert_eq!(off_turn, [Some(6_000), None, None]);
}

fn spoilt(desk: &Desk) -> Option<SpoiltRecord> {
    desk.done.iter().find_map(|order| match order {
        Do::Record(event) => match event.as_ref() {
            MatchEvent::Aborted { spoilt, .. } => *spoilt,
            _ => None,
        },
        _ => None,
    })
}

#[test]
fn a_bot_that_had_no_core_for_its_whole_limit_has_not_lost() {
    let mut desk = Desk::greeted("spec", 9, "move=100ms");
    counts(desk.at(100), 10, 90, 0);
    desk.tick();
    assert_eq!(desk.fault(0), None, "time that the host took is given back first");
    counts(desk.at(205), 60, 140, 3);
    desk.tick();
    assert!(desk.referee.over() && desk.fault(0).is_none());
    let expected = SpoiltRecord {
        seat: Seat::new(0),
        ply: 1,
        limit_us: 100_000,
        wall_us: 205_000,
        busy_us: 60_000,
        runnable_us: 140_000,
        lag_us: 3_000,
    };
    assert_eq!(spoilt(&desk), Some(expected));
}

#[test]
fn a_host_that_stops_the_referee_too_has_spoilt_the_match() {
    let mut desk = Desk::greeted("spec", 9, "move=80ms");
    counts(desk.at(960), 3, 4, 800);
    desk.tick();
    let spoilt = spoilt(&desk).expect("nobody has lost");
    assert_eq!((desk.fault(0), spoilt.busy_us, spoilt.runnable_us, spoilt.lag_us), (None, 3_000, 4_000, 800_000));
}

#[test]
fn a_bot_with_work_of_its_own_beyond_its_limit_spoils_nothing() {
    for (policy, at, cpu, waited) in [
        ("fair", 220, 101, 119), // it computed for longer than its limit
        ("fair", 205, 60, 99),   // it had a core soon enough
        ("fair", 205, 110, 140), // more was counted than time has passed
        ("wall", 100, 1, 99),
        ("cpu", 5000, 101, 4800),
    ] {
        let mut desk = Desk::greeted("spec", 9, &format!("move=100ms,policy={policy}"));
        counts(desk.at(at), cpu, waited, 0);
        desk.tick();
        assert!(matches!(desk.fault(0), Some(Fault::Late { .. })), "{policy} {cpu} {waited}");
        assert_eq!(spoilt(&desk), None);
    }
}

#[test]
fn a_bot_that_waits_behind_its_own_threads_spoils_nothing() {
    let mut desk = Desk::greeted("spec", 9, "move=100ms");
    let tree =
        TreeUsage { cpu: ms(60), busy: ms(60), waited: ms(140), by_others: ms(90), cores: 1, ..TreeUsage::default() };
    let usage = Usage { tree: Some(tree), ..Usage::default() };
    desk.at(205).feed(In::Usage { seat: Seat::new(0), usage });
    desk.tick();
    assert!(matches!(desk.fault(0), Some(Fault::Late { .. })));
    assert_eq!(spoilt(&desk), None);
}

#[test]
fn also_by_the_wall_nobody_loses_who_never_had_a_core() {
    let mut desk = Desk::greeted("spec", 9, "move=100ms,policy=wall");
    counts(desk.at(100), 0, 100, 0);
    desk.tick();
    assert_eq!(spoilt(&desk).map(|spoilt| spoilt.runnable_us), Some(100_000));
}

#[test]
fn a_greeting_can_be_spoilt_too() {
    let mut desk = Desk::begun(&spec("spec", 9, "greeting=100ms,move=1s"));
    desk.says(1, "ok\n");
    counts(desk.at(250), 5, 240, 0);
    desk.tick();
    assert_eq!(spoilt(&desk).map(|spoilt| spoilt.ply), Some(0));
}

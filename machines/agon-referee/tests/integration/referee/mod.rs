//! Tests the referee as tables of events and instructions. No test sleeps, because time is data.

mod clocks;
mod desk;
mod garbage;
mod recording;

use agon_core::{Ending, Failure, Seat};
use agon_referee::{AnyReferee, Do, Exit, Fault, In, MatchEvent, Recording, SeatKind, Settings};
use desk::{Desk, spec};

const CLOCK: &str = "greeting=500ms,move=100ms";

#[test]
fn seats_are_greeted_side_by_side_and_then_asked() {
    let mut desk = Desk::begun(&spec("spec", 4, CLOCK));
    assert_eq!(desk.told, ["toy wins\n", "toy wins\n"]);
    assert_eq!(desk.referee.awaited().len(), 2);
    assert_eq!(desk.deadline_ms(), Some(500));
    desk.at(20).says(1, "ok\n");
    assert_eq!(desk.referee.plies(), 0);
    assert_eq!(desk.told[0], "toy wins\n", "seat 1 is not asked before all are greeted");
    desk.at(30).says(0, "ok\n");
    assert_eq!(desk.told[0], "toy wins\nheap 4 3\n");
    assert_eq!(desk.deadline_ms(), Some(130));
    desk.at(40).says(0, "take 1\n");
    assert_eq!(desk.told[1], "toy wins\nheap 3 3\n");
    desk.at(50).says(1, "take 3\n");
    assert_eq!(desk.places(), [2, 1]);
    assert!(desk.told.iter().all(|told| told.ends_with("end\n")));
    assert!(matches!(desk.done.last(), Some(Do::Over)));
    let plies = desk.plies();
    assert_eq!(plies.len(), 2);
    assert_eq!(plies[0].entries[0].wall_us, 10_000);
    assert_eq!(desk.referee.times(Seat::new(0)).count(), 1);
}

#[test]
fn the_end_of_the_conversation_stays_for_who_failed() {
    let last = |desk: &Desk, seat: usize| desk.referee.last_words(Seat::new(seat)).cloned();
    // In silence, that is the answer before.
    let mut desk = Desk::greeted("spec", 4, CLOCK);
    desk.at(100).tick();
    let words = last(&desk, 0).expect("it failed");
    assert_eq!((&words.told[..], &words.heard[..], words.is_answer), (&b"heap 4 3"[..], &b"ok\n"[..], false));
    assert_eq!(last(&desk, 1), None);
    let mut desk = Desk::greeted("spec", 4, CLOCK);
    desk.at(40).says(0, "ta").says(0, "ke").at(100).tick();
    desk.assert_late(0, 100_000, 4, false);
    let words = last(&desk, 0).expect("it failed");
    assert_eq!((&words.heard[..], words.is_answer, words.is_whole), (&b"take"[..], true, true));
    // What came before the question is a part of the answer to it.
    let mut desk = Desk::greeted("spec", 4, CLOCK);
    desk.at(10).says(0, "take 1\nta").says(1, "take 1\n").at(20).says(0, "lk\n");
    assert!(matches!(desk.fault(0), Some(Fault::Nonsense { .. })));
    let words = last(&desk, 0).expect("it failed");
    assert_eq!((&words.heard[..], words.is_answer), (&b"talk\n"[..], true));
}

#[test]
fn silence_is_late_exactly_at_the_limit() {
    let mut desk = Desk::greeted("spec", 4, CLOCK);
    desk.at(99).tick();
    assert!(!desk.referee.over());
    desk.at(100).tick();
    desk.assert_late(0, 100_000, 0, false);
    assert_eq!(desk.places(), [2, 1]);
    assert!(desk.done.contains(&Do::Kill { seat: Seat::new(0) }));
    assert_eq!(desk.fault(0).unwrap().to_string(), "late: no complete answer within 100ms, nothing arrived");
}

#[test]
fn a_limit_that_is_no_round_number_is_told_rounded() {
    let told = |limit_us| Fault::Late { limit_us, heard: 0, unread: false, time: None }.to_string();
    assert_eq!(told(1_868_268), "late: no complete answer within 1.87s, nothing arrived");
    assert_eq!(told(1_868_000), "late: no complete answer within 1868ms, nothing arrived");
}

#[test]
fn dripping_output_extends_nothing() {
    let mut desk = Desk::greeted("spec", 4, CLOCK);
    for (ms, byte) in [(10, "t"), (30, "a"), (60, "k"), (90, "e"), (99, " ")] {
        desk.at(ms).says(0, byte);
        assert_eq!(desk.deadline_ms(), Some(100));
    }
    desk.at(100).tick();
    desk.assert_late(0, 100_000, 5, false);
}

#[test]
fn one_more_byte_after_the_limit_is_no_way_out() {
    let mut desk = Desk::greeted("spec", 4, CLOCK);
    desk.at(50).says(0, "take");
    desk.at(101).says(0, " ");
    desk.assert_late(0, 100_000, 5, false);
}

#[test]
fn a_referee_that_looks_late_takes_what_had_arrived_and_says_so() {
    // The runner feeds every byte that has arrived before it reports that time has passed.
    let mut desk = Desk::greeted("spec", 4, CLOCK);
    desk.at(140).says(0, "take 1\n").tick();
    assert_eq!(desk.fault(0), None);
    let entry = &desk.plies()[0].entries[0];
    assert_eq!((entry.wall_us, entry.lag_us), (140_000, Some(40_000)));
}

#[test]
fn the_clock_starts_when_the_whole_prompt_is_written() {
    let mut desk = Desk::begun(&spec("spec", 9, CLOCK));
    desk.stuck = vec![0];
    desk.at(10).says(0, "ok\n").says(1, "ok\n");
    let prompt = desk.referee.outbox(Seat::new(0)).to_vec();
    assert_eq!(prompt, b"heap 9 3\n");
    assert_eq!(desk.deadline_ms(), Some(110), "a bot that does not read is bounded all the same");
    desk.at(60).feed(In::Written { seat: Seat::new(0), bytes: 4 });
    assert_eq!(desk.deadline_ms(), Some(110), "half a prompt cannot be answered");
    desk.at(70).feed(In::Written { seat: Seat::new(0), bytes: 5 });
    assert_eq!(desk.deadline_ms(), Some(170), "the clock starts with the last byte of the prompt");
}

#[test]
fn time_is_up_as_of_the_look_and_not_of_what_was_read_after_it() {
    let mut desk = Desk::begun(&spec("together", 9, CLOCK));
    desk.stuck = vec![0];
    desk.says(0, "ok\n").says(1, "ok\n");
    desk.at(50).feed(In::Written { seat: Seat::new(0), bytes: 9 });
    // The runner looked at 101. It read seat 1 first, and reading all bytes of seat 2 took until 160.
    desk.at(160).says(1, "ta").at(101).tick();
    assert!(matches!(desk.fault(1), Some(Fault::Late { .. })));
    assert_eq!(desk.fault(0), None, "its deadline of 150 was not looked at yet");
    desk.at(160).says(0, "take 1\n").tick();
    assert_eq!((desk.fault(0), desk.places()), (None, vec![1, 2]));
}

#[test]
fn a_bot_that_never_reads_is_late_and_the_fault_says_why() {
    let mut desk = Desk::begun(&spec("spec", 9, CLOCK));
    desk.stuck = vec![0];
    desk.says(0, "ok\n").says(1, "ok\n");
    desk.says(0, "take 1\n");
    assert_eq!(desk.referee.plies(), 0, "an answer counts when the question was taken");
    desk.at(100).tick();
    desk.assert_late(0, 100_000, 0, true);
}

#[test]
fn the_outbox_of_a_failed_bot_shrinks_as_it_is_written() {
    let mut confirmed = spec("spec", 9, CLOCK);
    confirmed.seats[0].dialect = vec![("confirm".into(), "yes".into())];
    let mut desk = Desk::begun(&confirmed);
    desk.says(0, "ok\n").says(1, "ok\n").says(0, "take 4\n");
    assert!(matches!(desk.fault(0), Some(Fault::Unlawful { .. })));
    assert_eq!(desk.told[0], "toy wins\nheap 9 3\nno\n", "the verdict is told once");
    assert!(desk.referee.outbox(Seat::new(0)).is_empty(), "else a runner would write it for ever");
}

#[test]
fn bytes_beyond_a_decision_are_the_next_one() {
    let mut desk = Desk::greeted("spec", 9, CLOCK);
    desk.says(0, "take 1\ntake 2\nta");
    desk.says(1, "take 1\n");
    assert_eq!(desk.referee.plies(), 3, "seat 1 had answered its second turn before it was asked");
    desk.says(1, "take 1\n");
    desk.says(0, "ke 3\n");
    let taken: Vec<_> =
        desk.plies().iter().map(|ply| ply.entries[0].orders.read::<u32>().next().unwrap().unwrap()).collect();
    assert_eq!(taken, [1, 1, 2, 1, 3]);
}

#[test]
fn a_bot_may_answer_the_whole_match_ahead_and_end() {
    let mut desk = Desk::begun(&spec("spec", 6, CLOCK));
    desk.says(0, "ok\ntake 1\ntake 1\ntake 1\n").exits(0, 0);
    desk.says(1, "ok\ntake 1\ntake 1\n");
    assert_eq!(desk.fault(0), None);
    assert_eq!(desk.referee.plies(), 5);
    desk.says(1, "take 1\n");
    assert_eq!(desk.places(), [2, 1]);
}

#[test]
fn the_end_of_the_output_in_the_middle_of_a_line_is_no_decision() {
    for (text, ending) in [("", "e"), ("take 1", "t")] {
        let mut desk = Desk::greeted("spec", 9, CLOCK);
        desk.says(0, text).feed(In::ClosedOutput { seat: Seat::new(0) });
        assert_eq!(desk.fault(0), Some(&Fault::ClosedOutput), "{ending}");
        assert_eq!(desk.plies()[0].entries[0].failure, Some(Failure::Gone));
    }
}

#[test]
fn a_crash_is_told_with_its_code_and_last_words() {
    let mut desk = Desk::greeted("spec", 9, CLOCK);
    desk.says(0, "ta").exits(0, 3);
    assert_eq!(
        desk.fault(0),
        Some(&Fault::Crashed { exit: Exit::Code(3), stderr: "last words".into(), memory_mib: None })
    );
    assert_eq!(desk.referee.fault(Seat::new(0)).unwrap().to_string(), "seat 1 in turn 1: crashed: exit code 3");
    let mut desk = Desk::greeted("spec", 9, CLOCK);
    desk.feed(In::Exited { seat: Seat::new(0), exit: &Exit::Signal("SIGSEGV".into()), stderr: "" });
    assert_eq!(desk.fault(0).unwrap().to_string(), "crashed: SIGSEGV");
}

#[test]
fn a_death_out_of_turn_counts_at_the_next_turn() {
    let mut desk = Desk::greeted("spec", 9, CLOCK);
    desk.exits(1, 0);
    assert!(!desk.referee.over());
    assert_eq!(desk.fault(1), None);
    desk.at(70).says(0, "take 1\n");
    assert_eq!((desk.fault_ply(1), desk.places()), (Some(2), vec![1, 2]));
}

#[test]
fn a_bot_that_closes_its_input_cannot_be_asked() {
    let mut desk = Desk::greeted("spec", 9, CLOCK);
    desk.feed(In::ClosedInput { seat: Seat::new(0) });
    assert_eq!(desk.fault(0), Some(&Fault::ClosedInput));
    // The bytes that it wrote before still count.
    let mut desk = Desk::begun(&spec("spec", 9, CLOCK));
    desk.stuck = vec![0];
    desk.says(0, "ok\ntake 1\n").says(1, "ok\n").feed(In::ClosedInput { seat: Seat::new(0) });
    assert_eq!((desk.fault(0), desk.referee.plies()), (None, 1));
    desk.says(1, "take 1\n");
    assert_eq!((desk.fault(0), desk.fault_ply(0)), (Some(&Fault::ClosedInput), Some(3)));
}

#[test]
fn nonsense_quotes_the_line() {
    let mut desk = Desk::greeted("spec", 9, CLOCK);
    desk.says(0, "hello world\n");
    assert_eq!(desk.fault(0).unwrap().to_string(), "nonsense: `hello world`: not `take` and a number");
    assert_eq!(desk.plies()[0].entries[0].failure, Some(Failure::Nonsense));
}

#[test]
fn an_unlawful_order_is_told_and_costs_what_the_rules_say() {
    let mut desk = Desk::greeted("spec", 9, CLOCK);
    desk.says(0, "take 4\n");
    assert_eq!(desk.fault(0).unwrap().to_string(), "unlawful: 4: at most 3 may be taken");
    let entry = desk.plies()[0].entries[0].clone();
    assert_eq!((entry.failure, entry.orders), (Some(Failure::Unlawful(0)), [4].into_iter().collect()));

    let mut confirmed = spec("spec,unlawful=pass", 9, CLOCK);
    confirmed.seats[0].dialect = vec![("confirm".into(), "yes".into())];
    let mut desk = Desk::begun(&confirmed);
    desk.says(0, "ok\n").says(1, "ok\n").says(0, "take 4\n");
    assert_eq!((desk.fault(0), desk.told[0].as_str()), (None, "toy wins\nheap 9 3\nno\n"));
    assert_eq!(desk.told[1], "toy wins\nheap 9 3\n", "the turn was spent");
    assert_eq!(desk.plies()[0].entries[0].refusal.as_deref(), Some("at most 3 may be taken"));
    assert_eq!(desk.plies()[0].entries[0].failure, None);
}

#[test]
fn output_since_the_last_answer_is_read_first() {
    let mut confirmed = spec("spec", 9, CLOCK);
    confirmed.seats[0].dialect = vec![("confirm".into(), "yes".into())];
    let mut desk = Desk::begun(&confirmed);
    desk.says(0, "ok\n").says(1, "ok\n").at(20).says(0, "take 1\n").at(30).says(1, "take 1\n");
    let drains = |seat: usize| -> Vec<bool> {
        let say = |order: &Do| match order {
            Do::Say { seat: s, drain } if s.index() == seat => Some(drain.is_some()),
            _ => None,
        };
        desk.done.iter().filter_map(say).collect()
    };
    assert_eq!(drains(0), [false, false, false, true], "greeting, prompt, verdict, prompt");
    assert_eq!(drains(1), [false, false]);
}

#[test]
fn both_failing_in_one_turn_lose_both_in_whatever_order() {
    let die = |desk: &mut Desk, seat: usize| {
        desk.exits(seat, 1);
    };
    for order in [[0, 1], [1, 0]] {
        let mut desk = Desk::greeted("together", 9, CLOCK);
        die(&mut desk, order[0]);
        assert!(!desk.referee.over(), "the other one is waited for");
        die(&mut desk, order[1]);
        assert_eq!(desk.places(), [2, 2]);
    }
    let mut desk = Desk::greeted("together", 9, CLOCK);
    desk.at(100).tick();
    assert_eq!(desk.places(), [2, 2], "two silent bots have no winner");
}

#[test]
fn a_failed_greeting_counts_in_the_first_turn() {
    for (text, name) in [("hello\n", "nonsense"), ("", "late")] {
        let mut desk = Desk::begun(&spec("spec", 9, CLOCK));
        desk.says(0, text).says(1, "ok\n").at(500).tick();
        assert_eq!(desk.fault(0).unwrap().name(), name);
        assert_eq!((desk.fault_ply(0), desk.places()), (Some(0), vec![2, 1]));
        assert_eq!(desk.referee.standing().ending, Ending::Forfeit);
    }
}

#[test]
fn floods_and_endless_lines_are_faults_and_bounded() {
    let mut limited = spec("spec", 9, CLOCK);
    limited.limits.inbox = 64;
    let mut desk = Desk::begun(&limited);
    desk.says(0, "ok\n").says(1, "ok\n");
    desk.says(1, &"take 1\n".repeat(20));
    assert_eq!(desk.fault(1), Some(&Fault::Flood { limit: 64 }));
    assert!(!desk.referee.over(), "it counts at its next turn");
    desk.says(0, "take 1\n");
    assert_eq!(desk.places(), [1, 2]);
    let mut desk = Desk::greeted("spec", 9, CLOCK);
    desk.says(0, &"9".repeat(17));
    assert_eq!(desk.fault(0), Some(&Fault::LongLine { limit: 16 }));
}

#[test]
fn a_soft_limit_is_counted_and_a_bank_runs_down() {
    let mut desk = Desk::greeted("spec", 40, "move=100ms,soft=10ms,bank=120ms,increment=5ms");
    desk.at(60).says(0, "take 1\n").at(65).says(1, "take 1\n");
    assert!(desk.plies()[0].entries[0].soft_late);
    assert!(!desk.plies()[1].entries[0].soft_late);
    assert_eq!(desk.deadline_ms(), Some(65 + 65), "120 - 60 + 5 are left");
    desk.at(130).tick();
    desk.assert_late(0, 65_000, 0, false);
}

#[test]
fn a_program_that_never_starts_is_no_result() {
    let mut desk = Desk::begun(&spec("spec", 9, CLOCK));
    desk.feed(In::NeverStarted { seat: Seat::new(1), reason: "no such file" });
    assert!(desk.referee.over());
    assert_eq!(desk.referee.standing().ending, Ending::Unfinished);
    let aborted = desk.done.iter().any(|order| {
        matches!(order, Do::Record(event) if matches!(event.as_ref(), MatchEvent::Aborted { fault: Some(_), .. }))
    });
    assert!(aborted && desk.done.contains(&Do::Kill { seat: Seat::new(0) }));
}

#[test]
fn people_are_asked_again_and_only_their_own_clock_limits_them() {
    let kinds = [SeatKind::Human, SeatKind::Builtin("finisher")];
    let mut desk = Desk::of(&spec("spec", 8, CLOCK), kinds, Settings { undo: true, ..Settings::default() });
    assert_eq!((desk.deadline_ms(), desk.done.last()), (None, Some(&Do::Ask { seat: Seat::new(0) })));
    let seat = Seat::new(0);
    for (orders, why) in [("[4]", "at most 3"), ("[]", "exactly one"), ("nonsense", "cannot be read")] {
        desk.feed(In::Human { seat, orders });
        assert!(matches!(desk.done.last(), Some(Do::Deny { why: w, .. }) if w.to_string().contains(why)), "{orders}");
    }
    desk.feed(In::Human { seat, orders: "[3]" });
    assert_eq!(desk.referee.plies(), 2, "the built-in bot has answered");
    assert_eq!(desk.referee.map(), "heap 4\nmost 3\n");
    desk.feed(In::Undo { plies: 2 });
    assert_eq!((desk.referee.plies(), desk.referee.map().as_str()), (0, "heap 8\nmost 3\n"));
    assert_eq!(desk.done.last(), Some(&Do::Ask { seat }));
    desk.feed(In::Edit { map: b"heap 3\nmost 3\n" });
    desk.feed(In::Edit { map: b"heap 0\nmost 3\n" });
    assert!(desk.done.iter().any(|order| matches!(order, Do::Deny { seat: None, .. })));
    desk.feed(In::Human { seat, orders: "[3]" });
    assert_eq!(desk.places(), [1, 2]);
}

#[test]
fn an_undo_waits_for_the_answer_of_a_thinking_process() {
    let settings = Settings { undo: true, recording: Recording::Full, ..Settings::default() };
    let mut desk = Desk::of(&spec("spec", 9, CLOCK), [SeatKind::Process; 2], settings);
    desk.says(0, "ok\n").says(1, "ok\n").says(0, "take 1\n");
    desk.feed(In::Undo { plies: 1 });
    assert_eq!(desk.referee.plies(), 1, "seat 2 has been asked");
    desk.says(1, "take 2\n");
    assert_eq!(desk.referee.plies(), 0);
    assert_eq!(desk.told[0], "toy wins\nheap 9 3\nheap 9 3\n", "the answer was not counted");
}

#[test]
fn freezing_lets_a_bot_run_in_its_own_turn_alone() {
    let settings = Settings { freeze: true, ..Settings::default() };
    let mut desk = Desk::of(&spec("spec", 9, CLOCK), [SeatKind::Process; 2], settings);
    desk.says(0, "ok\n").says(1, "ok\n").says(0, "take 1\n");
    let (a, b) = (Seat::new(0), Seat::new(1));
    let seen: Vec<_> = desk.done.iter().filter(|d| matches!(d, Do::Freeze { .. } | Do::Thaw { .. })).cloned().collect();
    let expected = [Do::Freeze { seat: a }, Do::Freeze { seat: b }, Do::Thaw { seat: a }, Do::Freeze { seat: a }];
    assert_eq!(seen[..4], expected);
    assert_eq!(seen[4], Do::Thaw { seat: b });
}

#[test]
fn bots_that_share_a_core_are_greeted_and_asked_one_after_the_other() {
    let settings = Settings { freeze: true, in_turn: true, ..Settings::default() };
    let mut desk = Desk::of(&spec("spec", 9, CLOCK), [SeatKind::Process; 2], settings);
    assert_eq!(desk.told, ["toy wins\n", ""], "seat 2 waits for its greeting");
    desk.says(0, "ok\n");
    assert_eq!(desk.told[1], "toy wins\n");
    desk.says(1, "ok\n").says(0, "take 1\n");
    let (a, b) = (Seat::new(0), Seat::new(1));
    let seen: Vec<_> = desk.done.iter().filter(|d| matches!(d, Do::Freeze { .. } | Do::Thaw { .. })).cloned().collect();
    let (stop, go) = (|seat| Do::Freeze { seat }, |seat| Do::Thaw { seat });
    let greetings = [stop(a), stop(b), go(a), stop(a), go(b), stop(b)];
    assert_eq!(seen[..6], greetings);
    assert_eq!(seen[6..9], [go(a), stop(a), go(b)]);
}

#[test]
fn an_abort_kills_and_has_no_result() {
    let mut desk = Desk::greeted("spec", 9, CLOCK);
    desk.feed(In::Abort);
    assert!(desk.referee.over());
    assert_eq!(desk.done.iter().filter(|order| matches!(order, Do::Kill { .. })).count(), 2);
    assert_eq!(desk.referee.standing().ending, Ending::Unfinished);
}

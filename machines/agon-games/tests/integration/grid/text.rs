//! Tests that the replay text has a record for every turn that was played, and for no other turn.

use super::{grid, open};
use agon_core::Seat;
use agon_referee::{Do, In};
use agon_replay::{Replay, Writer};
use std::time::Duration;

/// Plays a match of two bots that write these lines.
fn played(rules: &str, said: [&[u8]; 2]) -> Replay {
    let mut machine = open(rules);
    let mut writer = Writer::new(Vec::new(), "test");
    machine.feed(Duration::ZERO, In::Begin);
    for (i, bytes) in said.into_iter().enumerate() {
        machine.feed(Duration::ZERO, In::Bytes { seat: Seat::new(i), bytes });
    }
    // More rounds than turns, so a match that makes no progress fails when its replay is checked.
    for _ in 0..20 {
        while let Some(done) = machine.next() {
            if let Do::Record(event) = done {
                writer.write(&event).expect("a vector takes everything");
            }
        }
        for seat in [Seat::new(0), Seat::new(1)] {
            let bytes = machine.outbox(seat).len();
            machine.feed(Duration::ZERO, In::Written { seat, bytes });
        }
    }
    assert!(machine.over(), "it stands still");
    Replay::read(&*writer.finish().expect("a vector takes everything")).expect("it is a replay")
}

fn text_of(replay: &Replay) -> String {
    String::from_utf8((grid().formats()[0].export)(replay).expect("it is exported")).expect("it is text")
}

fn read(text: &str, rules: Option<&str>) -> Result<Replay, agon_core::Flaw> {
    let import = grid().formats()[0].import.expect("it is imported");
    import(text.as_bytes(), rules)
}

#[test]
fn a_turn_that_ends_in_a_forfeit_has_no_record() {
    for rules in ["spec", "original"] {
        let text = text_of(&played(rules, [b".\n.\nnonsense\n", b".\n.\n.\n"]));
        // Three records: the map before the first turn, and two turns.
        assert_eq!(text.lines().filter(|line| *line == "W").count(), 3, "{rules}:\n{text}");
        let again = read(&text, Some(rules)).unwrap_or_else(|flaw| panic!("{rules}: {flaw}"));
        assert_eq!(text_of(&again), text, "{rules}");
    }
}

#[test]
fn rules_that_refuse_a_recorded_order_do_not_explain_a_record() {
    let text = text_of(&played("original", [b"S hi\n.\n.\n.\n.\n.\n", b".\n.\n.\n.\n.\n"]));
    assert!(text.contains("S hi"), "{text}");
    let flaw = read(&text, Some("spec")).expect_err("by the specification there is no such order");
    assert!(flaw.to_string().contains("turn 1"), "{flaw}");
    let explained = read(&text, None).expect("the judge knew it");
    assert_eq!(explained.header.spec.rules, "original");
}

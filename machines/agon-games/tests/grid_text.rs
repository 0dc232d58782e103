//! The replay text of Grid has a record for every turn that was played, and for no other.

use agon_core::{ClockPolicy, Limits, MatchSpec, Seat, SeatSpec, Seed};
use agon_referee::{Do, In, SeatKind, Settings};
use agon_replay::{Replay, Writer};
use std::time::Duration;

/// A match of two bots that say this.
fn played(rules: &str, said: [&[u8]; 2]) -> Replay {
    let game = agon_games::find("grid").expect("it is there");
    let seat = |name: &str| SeatSpec { name: name.into(), bot: name.into(), ..SeatSpec::default() };
    let spec = MatchSpec {
        game: "grid".into(),
        rules: game.rules(rules).expect("a rule set"),
        map_name: "generated".into(),
        map: game.generate("10x10", Seed(1), 2).expect("a map"),
        seed: Seed(1),
        limit: Some(5),
        seats: vec![seat("one"), seat("two")],
        clock: ClockPolicy::OFF,
        limits: Limits::default(),
    };
    let mut machine = game.open(&spec, &[SeatKind::Process; 2], Settings::default()).expect("it can be opened");
    let mut writer = Writer::new(Vec::new(), "test");
    machine.feed(Duration::ZERO, In::Begin);
    for (i, bytes) in said.into_iter().enumerate() {
        machine.feed(Duration::ZERO, In::Bytes { seat: Seat::new(i), bytes });
    }
    // More rounds than turns: a match that stands still fails by its replay.
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
    let game = agon_games::find("grid").expect("it is there");
    String::from_utf8((game.formats()[0].export)(replay).expect("it is exported")).expect("it is text")
}

fn read(text: &str, rules: Option<&str>) -> Result<Replay, agon_core::Flaw> {
    let import = agon_games::find("grid").expect("it is there").formats()[0].import.expect("it is imported");
    import(text.as_bytes(), rules)
}

#[test]
fn a_turn_that_ends_in_a_forfeit_has_no_record() {
    for rules in ["spec", "original"] {
        let text = text_of(&played(rules, [b".\n.\nnonsense\n", b".\n.\n.\n"]));
        // The map before the first turn, and two turns.
        assert_eq!(text.lines().filter(|line| *line == "W").count(), 3, "{rules}:\n{text}");
        let again = read(&text, Some(rules)).unwrap_or_else(|flaw| panic!("{rules}: {flaw}"));
        assert_eq!(text_of(&again), text, "{rules}");
    }
}

#[test]
fn rules_that_refuse_a_recorded_order_do_not_explain_a_record() {
    let text = text_of(&played("original", [b"S hi\n.\n.\n.\n.\n.\n", b".\n.\n.\n.\n.\n"]));
    assert!(text.contains("S hi"), "{text}");
    let flaw = read(&text, Some("spec")).expect_err("by the seed there is no such order");
    assert!(flaw.to_string().contains("turn 1"), "{flaw}");
    let explained = read(&text, None).expect("the judge knew it");
    assert_eq!(explained.header.spec.rules, "original");
}

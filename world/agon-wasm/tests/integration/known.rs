//! What one seat knew of a match has nothing in it that the seat did not know.

use agon_core::Seat;
use agon_wasm::{Encoder, Engine};
use std::{fs, path::PathBuf};

fn replay(name: &str) -> String {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/replays/v2"));
    fs::read_to_string(folder.join(name)).expect("the fixture is there")
}

fn known(text: &str, seat: usize) -> Vec<u8> {
    let mut engine = Engine::open(text.as_bytes()).expect("it opens");
    let mut out = Encoder::default();
    engine.write_known(Seat::new(seat), &mut out).expect("the rules accept every turn");
    out.bytes().to_vec()
}

fn has(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|part| part == word.as_bytes())
}

#[test]
fn an_unseen_deed_of_another_seat_changes_nothing() {
    let whole = replay("lighthouses-spec.jsonl");
    let mut lines = whole.lines();
    let (header, turn) = (lines.next().expect("a header"), lines.next().expect("a turn"));
    // The first turn is of seat 1. Seat 2 sees it neither move nor stand.
    let played = format!("{header}\n{turn}\n");
    let moved = played.replacen("{\"move\":[-1,-1]}],\"wall_us\":49", "{\"move\":[0,-1]}],\"wall_us\":7", 1);
    let stood = played.replacen("#####    0 ###", "#####   0  ###", 1);
    for other in [&moved, &stood] {
        assert_ne!(*other, played);
        assert_eq!(known(other, 1), known(&played, 1), "seat 2 knows nothing of it");
        assert_ne!(known(other, 0), known(&played, 0), "seat 1 does");
    }
}

#[test]
fn there_is_no_map_no_fingerprint_and_no_order_of_another_seat() {
    for name in ["lighthouses-spec.jsonl", "grid-spec.jsonl", "planet-wars-spec.jsonl", "portals-spec.jsonl"] {
        let text = replay(name);
        let header = text.lines().next().expect("a header");
        let marks = text.lines().filter_map(|line| line.rsplit_once("\"fingerprint\":\"")).map(|(_, rest)| &rest[..16]);
        let marks: Vec<&str> = marks.collect();
        let map_name =
            header.split_once("\"map_name\":\"").and_then(|(_, rest)| rest.split_once('"')).expect("a name").0;
        for seat in 0..2 {
            let known = known(&text, seat);
            assert!(known.len() > 1000, "{name}");
            assert!(!has(&known, map_name), "{name}: the map can be generated from its name");
            assert!(!marks.iter().any(|mark| has(&known, mark)), "{name}: a fingerprint is there");
            let bots = header.split("\"bot\":\"").skip(1).filter_map(|rest| rest.split_once('"'));
            assert!(
                bots.clone().count() == 2 && !bots.clone().any(|(bot, _)| has(&known, bot)),
                "{name}: a bot is there"
            );
        }
    }
    // In Lighthouses a decision is one order, so the orders in the record can be counted.
    let text = replay("lighthouses-spec.jsonl");
    for seat in 0..2 {
        let known = known(&text, seat);
        let orders = known.windows(8).filter(|part| part == b"{\"move\":").count();
        let own = format!("\"seat\":{},\"orders\":[{{\"move\":", seat + 1);
        assert_eq!(orders, text.matches(&own).count(), "seat {}", seat + 1);
    }
}

#[test]
fn a_seat_that_is_not_there_knows_nothing() {
    let mut engine = Engine::open(replay("grid-spec.jsonl").as_bytes()).expect("it opens");
    let why = engine.write_known(Seat::new(2), &mut Encoder::default()).expect_err("there are two seats");
    assert_eq!(why.why, "there is no seat 3: the match has 2");
}

//! Every recorded replay opens, shows the positions that the referee played, and verifies.

use agon_core::{Key, Seat};
use agon_wasm::{Encoder, Engine, Verdict};
use std::{fs, path::PathBuf};

/// The plain replays of the fixtures: their names, and their bytes.
fn replays() -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/replays/v2"));
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the fixtures are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            found.push((name, fs::read(&path).expect("a file")));
        }
    }
    assert!(found.len() >= 12, "{} replays", found.len());
    found
}

fn replay(name: &str) -> Vec<u8> {
    replays().into_iter().find(|(other, _)| other == name).expect("the fixture is there").1
}

/// The fingerprints of a replay: of the start, and after each turn.
fn fingerprints(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let marks = text.lines().filter(|line| line.starts_with("{\"agon\":") || line.starts_with("{\"ply\":"));
    marks.filter_map(|line| line.rsplit_once("\"fingerprint\":\"").map(|(_, rest)| rest[..16].to_owned())).collect()
}

#[test]
fn every_position_has_the_recorded_fingerprint_however_it_is_reached() {
    for (name, text) in replays() {
        let header = String::from_utf8_lossy(&text);
        let start = header.split_once("\"fingerprint\":\"").map(|(_, rest)| rest[..16].to_owned()).expect("a header");
        let mut marks = fingerprints(&text);
        marks[0] = start;
        let mut engine = Engine::open(&text).unwrap_or_else(|why| panic!("{name}: {why:?}"));
        let plies = engine.plies();
        for ply in (0..=plies).chain((0..=plies).rev()).chain((0..=plies).step_by(7)) {
            engine.seek(ply).unwrap_or_else(|why| panic!("{name}: {why:?}"));
            assert_eq!(engine.fingerprint(), marks[ply as usize], "{name}: turn {ply}");
        }
        let here = engine.fingerprint();
        assert!(engine.seek(plies + 1).is_err(), "{name}");
        assert_eq!(engine.fingerprint(), here, "{name}: a place that is not there changes nothing");
    }
}

#[test]
fn every_replay_verifies_in_portions() {
    for (name, text) in replays() {
        let mut engine = Engine::open(&text).expect("it opens");
        let mut portions = 0;
        let verdict = loop {
            portions += 1;
            match engine.verify(7) {
                Verdict::Pending { .. } => {}
                verdict => break verdict.clone(),
            }
        };
        assert_eq!(verdict, Verdict::Reproduces { ply: engine.plies() }, "{name}");
        assert!(portions > 1, "{name}");
    }
}

#[test]
fn everything_can_be_written_of_every_turn() {
    for (name, text) in replays() {
        let mut engine = Engine::open(&text).expect("it opens");
        let mut out = Encoder::default();
        engine.write_match(&mut out);
        engine.write_scene(&mut out);
        assert!(out.bytes().len() > 50, "{name}");
        let mut told = 0;
        for ply in 1..=engine.plies() {
            for eyes in [None, Some(Seat::new(1)), Some(Seat::new(31))] {
                engine.seek(ply).expect("a turn");
                out.clear();
                engine.write_frame(eyes, &mut out);
                engine.write_facts(Key::cell(3), eyes, &mut out);
                let before = out.bytes().len();
                engine.write_events(ply, eyes, &mut out).expect("events");
                told += out.bytes().len() - before - 4;
            }
            engine.write_turn(ply, &mut out).expect("a turn");
            let parts = engine.parts(ply).expect("parts");
            for part in 0..=parts + 1 {
                engine.seek_part(ply, part).expect("a part");
                engine.write_frame(None, &mut out);
            }
            assert_eq!(engine.ply(), ply);
        }
        assert!(told > 0, "{name}: nothing is told");
        for eyes in [None, Some(Seat::new(0))] {
            out.clear();
            while engine.survey(eyes, 7).expect("it opened before") {}
            engine.write_series(&mut out);
            assert!(out.bytes().len() > 8 * engine.plies() as usize, "{name}");
        }
    }
}

#[test]
fn a_fingerprint_that_lies_is_found_and_the_match_goes_on() {
    let text = replay("grid-spec.jsonl");
    let marks = fingerprints(&text);
    let lied = String::from_utf8(text).expect("text").replace(&marks[5], "0123456789abcdef");
    let mut engine = Engine::open(lied.as_bytes()).expect("it opens");
    let last = engine.plies();
    engine.seek(last).expect("orders are the truth");
    assert_eq!(engine.fingerprint(), marks[last as usize]);
    engine.seek(5).expect("a turn");
    assert_eq!(engine.fingerprint(), marks[5]);
    let Verdict::Differs { ply, fingerprints, .. } = engine.verify(1000).clone() else { panic!("it lies") };
    assert_eq!((ply, fingerprints), (5, Some(["0123456789abcdef".to_owned(), marks[5].clone()])));
}

#[test]
fn a_match_can_be_followed_while_it_is_played() {
    let text = replay("portals-spec.jsonl");
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let mut engine = Engine::open(lines[0]).expect("a header is enough");
    assert_eq!(engine.plies(), 0);
    for line in &lines[1..] {
        engine.append(line).expect("a line");
    }
    let whole = Engine::open(&text).expect("it opens");
    assert_eq!(engine.plies(), whole.plies());
    let (mut one, mut other) = (Encoder::default(), Encoder::default());
    engine.write_match(&mut one);
    whole.write_match(&mut other);
    assert_eq!(one.bytes(), other.bytes());
    assert_eq!(engine.verify(u32::MAX), &Verdict::Reproduces { ply: whole.plies() });
    let turn = lines[lines.len() - 2];
    let Err(failed) = engine.append(turn) else { panic!("nothing follows the footer") };
    assert_eq!((failed.line, failed.why.as_str()), (Some(lines.len() as u32 + 1), "a line follows the footer"));
    assert_eq!(engine.plies(), whole.plies());
    assert_eq!(engine.verify(u32::MAX), &Verdict::Reproduces { ply: whole.plies() });
}

#[test]
fn verified_turns_are_not_played_again_when_lines_follow() {
    let text = replay("portals-spec.jsonl");
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let mut engine = Engine::open(&lines[..21].concat()).expect("a header and turns");
    assert_eq!(engine.verify(u32::MAX), &Verdict::Reproduces { ply: 20 });
    for (ply, line) in (21..).zip(&lines[21..30]) {
        engine.append(line).expect("a turn");
        assert_eq!(engine.verify(1), &Verdict::Pending { ply }, "one line is enough");
        assert_eq!(engine.verify(1), &Verdict::Reproduces { ply });
    }
    // A line that differs is named with its place in the whole text.
    engine.append(lines[31]).expect("it is a turn");
    assert!(matches!(engine.verify(9), Verdict::Differs { ply: 30, .. }), "{:?}", engine.verify(9));
    engine.append(lines[32]).expect("it is a turn");
    assert!(matches!(engine.verify(9), Verdict::Differs { ply: 30, .. }), "a difference stays");
}

#[test]
fn lines_before_one_that_cannot_follow_are_verified_too() {
    let text = replay("portals-spec.jsonl");
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let mut engine = Engine::open(lines[0]).expect("a header");
    let Err(failed) = engine.append(&[lines[1], lines[2], b"{}\n", lines[3]].concat()) else { panic!("it is no line") };
    assert_eq!((failed.line, engine.plies()), (Some(4), 2));
    engine.append(lines[3]).expect("the next turn");
    assert_eq!(engine.verify(u32::MAX), &Verdict::Reproduces { ply: 3 });
}

/// The lines of a match in which three turns were taken back and then the position was edited, without its footer. The turns
/// that count are those of the fixture.
fn changed() -> Vec<String> {
    let text = String::from_utf8(replay("grid-spec.jsonl")).expect("text");
    let marks = fingerprints(text.as_bytes());
    let lines: Vec<&str> = text.lines().collect();
    let (header, turns) = (lines[0], &lines[1..lines.len() - 1]);
    let map = header.split_once("\"map\":\"").and_then(|(_, rest)| rest.split_once('"')).expect("a map").0;
    let start = header.split_once("\"fingerprint\":\"").map(|(_, rest)| &rest[..16]).expect("a header");
    let edited = format!("{{\"event\":\"edited\",\"map\":\"{map}\",\"fingerprint\":\"{start}\"}}");
    let back = format!("{{\"event\":\"rewound\",\"ply\":3,\"fingerprint\":\"{}\"}}", marks[3]);
    let played = |from: usize, to: usize| turns[from..to].iter().map(|line| (*line).to_owned());
    let mut all = vec![header.to_owned()];
    all.extend(played(0, 2).chain([edited]).chain(played(0, 6)).chain([back]).chain(played(3, turns.len())));
    all
}

#[test]
fn turns_that_were_taken_back_are_not_shown_but_named() {
    let text = changed().join("\n") + "\n";
    let plain = replay("grid-spec.jsonl");
    let marks = fingerprints(&plain);
    let mut engine = Engine::open(text.as_bytes()).expect("it opens");
    let plies = engine.plies();
    assert_eq!(plies as usize + 1, marks.len(), "every turn of the fixture counts once");
    for ply in (1..=plies).rev().chain(1..=plies) {
        engine.seek(ply).expect("a turn");
        assert_eq!(engine.fingerprint(), marks[ply as usize]);
    }
    let mut said = |ply: u32| {
        let mut out = Encoder::default();
        engine.write_events(ply, None, &mut out).expect("a turn");
        String::from_utf8_lossy(out.bytes()).into_owned()
    };
    assert!(said(1).contains("the position after turn 2 was edited"));
    assert!(said(4).contains("turns 4 to 6 were taken back"));
    assert!(!said(5).contains("taken back"));
    assert_eq!(engine.verify(u32::MAX), &Verdict::Reproduces { ply: plies });
    while engine.survey(None, 3).expect("it opened") {}
    let mut out = Encoder::default();
    engine.write_series(&mut out);
    assert!(String::from_utf8_lossy(out.bytes()).contains("turns 4 to 6 were taken back"), "there is a mark");
}

#[test]
fn faults_of_turns_that_do_not_count_are_not_shown_at_turns_that_do() {
    let fault = |seat: u32, ply: u32, line: &str| {
        format!(r#"{{"seat":{seat},"ply":{ply},"fault":{{"kind":"nonsense","line":"{line}","why":"no order"}}}}"#)
    };
    let event = |fault: &str| fault.replacen('{', r#"{"event":"fault","#, 1);
    let (edited, back) = (fault(1, 2, "before the edit"), fault(2, 5, "taken back"));
    let lines = changed();
    let is = |kind: &str| lines.iter().position(|line| line.contains(kind)).expect("it is there");
    let mut all = lines.clone();
    all.insert(is("\"rewound\""), event(&back));
    all.insert(is("\"edited\""), event(&edited));
    let footer = format!(r#"{{"end":"aborted","plies":{},"faults":[{edited},{back}],"times":[]}}"#, lines.len() - 10);
    for text in [all.join("\n") + "\n", [all.clone(), vec![footer]].concat().join("\n") + "\n"] {
        let mut engine = Engine::open(text.as_bytes()).expect("it opens");
        let mut out = Encoder::default();
        for ply in 1..=engine.plies() {
            engine.write_events(ply, None, &mut out).expect("a turn");
            engine.write_turn(ply, &mut out).expect("a turn");
        }
        let said = String::from_utf8_lossy(out.bytes()).into_owned();
        assert!(!said.contains("`before the edit`") && !said.contains("`taken back`"), "{said}");
        assert!(!said.contains("seat 2: "), "{said}");
    }
}

#[test]
fn turns_are_taken_back_while_a_match_is_watched() {
    let lines = changed();
    let whole = Engine::open((lines.join("\n") + "\n").as_bytes()).expect("it opens");
    let (mut expected, mut found) = (Encoder::default(), Encoder::default());
    for portion in [1, 4, 7, 100] {
        let mut engine = Engine::open(format!("{}\n", lines[0]).as_bytes()).expect("a header is enough");
        for lines in lines[1..].chunks(portion) {
            engine.append((lines.join("\n") + "\n").as_bytes()).expect("they follow");
            engine.seek(engine.plies()).expect("the last turn");
            engine.survey(None, 1000).expect("it opened");
        }
        let mut again = Engine::open((lines.join("\n") + "\n").as_bytes()).expect("it opens");
        again.survey(None, 1000).expect("it opened");
        for engine in [&mut engine, &mut again] {
            engine.seek(whole.plies()).expect("the last turn");
        }
        assert_eq!(engine.fingerprint(), again.fingerprint());
        expected.clear();
        found.clear();
        again.write_series(&mut expected);
        engine.write_series(&mut found);
        assert_eq!(found.bytes(), expected.bytes(), "in portions of {portion} lines");
        assert_eq!(engine.verify(u32::MAX), &Verdict::Reproduces { ply: whole.plies() });
    }
}

#[test]
fn a_branch_leaves_the_record_alone() {
    let text = replay("triangles-spec.jsonl");
    let mut engine = Engine::open(&text).expect("it opens");
    let mut out = Encoder::default();
    assert!(engine.write_applied(b"[]", None, &mut out).is_err(), "no branch was begun");
    engine.seek(4).expect("a turn");
    let recorded = engine.fingerprint();
    engine.branch();
    out.clear();
    engine.write_awaited(&mut out);
    let seat = out.bytes()[4];
    out.clear();
    engine.write_legal(Seat::from_number(seat).expect("a seat"), &mut out);
    let legal = String::from_utf8_lossy(out.bytes()).into_owned();
    let first = legal.split_once('[').and_then(|(_, rest)| rest.split_once(']')).expect("an order").0;
    let decision = format!("[{{\"seat\":{seat},\"orders\":[[{first}]]}}]");
    engine.write_applied(decision.as_bytes(), None, &mut out).expect("a lawful order");
    assert_ne!(engine.fingerprint(), recorded);
    assert_eq!(engine.ply(), 5);
    for bad in ["", "{}", "[{\"seat\":9,\"orders\":[]}]", "[{\"seat\":1,\"orders\":7}]", "[[[["] {
        assert!(engine.write_applied(bad.as_bytes(), None, &mut out).is_err(), "{bad}");
    }
    assert!(engine.undo() && !engine.undo());
    assert_eq!(engine.fingerprint(), recorded);
    engine.leave();
    engine.seek(5).expect("the recorded turn");
    let plies = engine.plies();
    assert_eq!(engine.verify(u32::MAX), &Verdict::Reproduces { ply: plies });
}

#[test]
fn a_branch_tells_a_seat_only_what_it_learns() {
    let text = replay("lighthouses-spec.jsonl");
    let mut engine = Engine::open(&text).expect("it opens");
    let mut told = |eyes: Option<u8>| {
        engine.seek(0).expect("the start");
        engine.branch();
        let mut out = Encoder::default();
        engine.write_awaited(&mut out);
        let seat = out.bytes()[4];
        let decision = format!(r#"[{{"seat":{seat},"orders":[{{"move":[5,5]}}]}}]"#);
        out.clear();
        let eyes = eyes.map(|step| Seat::from_number(seat + step).expect("a seat"));
        engine.write_applied(decision.as_bytes(), eyes, &mut out).expect("a refused order is played as a pass");
        String::from_utf8_lossy(out.bytes()).into_owned()
    };
    assert!(told(None).contains("seat 1: "), "{}", told(None));
    assert!(told(Some(0)).contains("seat 1: "), "{}", told(Some(0)));
    assert!(!told(Some(1)).contains("seat 1: "), "the next seat does not learn it");
}

#[test]
fn a_newer_format_is_named() {
    let text = String::from_utf8(replay("grid-spec.jsonl")).expect("text").replacen("{\"agon\":2", "{\"agon\":3", 1);
    let Err(failed) = Engine::open(text.as_bytes()) else { panic!("it is newer") };
    assert_eq!(failed.line, Some(1));
    assert!(failed.why.contains("format version 3") && failed.why.contains("newer version of Agon"), "{}", failed.why);
}

//! Tests with replays of the toy game: they are written, read, cut off, damaged, and played again.

mod cut;
mod rework;
mod state;

use agon_core::Seed;
use agon_referee::{AnyReferee, Do, Fault, In, MatchEvent, Recording, Rerun, SeatKind, Settings};
use agon_replay::{
    End, FORMAT_VERSION, Line, ReadError, Reader, Replay, Verified, VerifyError, Writer, verify, write_replay,
};
use agon_spec::{MatchSpec, SeatSpec};
use agon_toy::Position as Toy;
use proptest::prelude::*;
use std::time::Duration;

fn spec(seed: u64) -> MatchSpec {
    let seat = |name: &str| SeatSpec { name: name.into(), bot: format!("@{name}"), ..SeatSpec::default() };
    let seats = [seat("random"), seat("perfect")];
    MatchSpec { seed: Seed(seed), ..MatchSpec::new("toy", "spec", "heap 21\nmost 3\n", seats) }
}

/// Plays a match of built-in bots and returns every event.
fn events(seed: u64, abort_after: Option<u32>) -> Vec<MatchEvent> {
    let kinds = [SeatKind::Builtin("random"), SeatKind::Builtin("perfect")];
    let settings = Settings { recording: Recording::Full, ..Settings::default() };
    let mut machine = agon_referee::open::<Toy>(&spec(seed), &kinds, settings).expect("the match can be opened");
    let mut now = Duration::ZERO;
    let mut events = Vec::new();
    machine.feed(now, In::Begin);
    loop {
        match machine.next() {
            Some(Do::Think { seat }) => {
                machine.feed(now, In::Think { seat });
                now += Duration::from_micros(10);
                machine.feed(now, In::Thought { seat });
            }
            Some(Do::Record(event)) => {
                let ply = if let MatchEvent::Ply(record) = &*event { Some(record.ply) } else { None };
                events.push(*event);
                if ply.is_some() && ply == abort_after {
                    machine.feed(now, In::Abort);
                }
            }
            Some(Do::Over) | None => return events,
            Some(_) => {}
        }
    }
}

fn written(events: &[MatchEvent]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), "test");
    for event in events {
        writer.write(event).expect("a vector takes everything");
    }
    writer.finish().expect("a vector takes everything")
}

fn open(spec: &MatchSpec) -> Result<Rerun, agon_core::Flaw> {
    Rerun::new::<Toy>(spec)
}

fn verified(bytes: &[u8]) -> Result<Verified, VerifyError> {
    verify(bytes, open)
}

#[test]
fn a_match_reproduces_and_its_replay_is_read_back() {
    let bytes = written(&events(1, None));
    let replay = Replay::read(&*bytes).expect("it is a replay");
    let verified = verified(&bytes).expect("it reproduces");
    let footer = replay.footer.clone().expect("it has a footer");
    assert_eq!(footer.end, End::Finished);
    assert_eq!(footer.standing, Some(verified.standing));
    assert_eq!((footer.plies, verified.plies), (verified.plies, replay.plies().count() as u32));
    assert!(!verified.cut_off && !verified.aborted && verified.plies > 4);
    assert_eq!(replay.header.spec, spec(1));
    assert!(bytes.starts_with(format!("{{\"agon\":{FORMAT_VERSION},").as_bytes()));
    let mut again = Vec::new();
    write_replay(&replay, &mut again).expect("a vector takes everything");
    assert_eq!(String::from_utf8(again), String::from_utf8(bytes));
}

#[test]
fn fields_that_follow_from_the_orders_are_left_out() {
    let bytes = written(&events(1, None));
    let text = String::from_utf8(bytes).expect("JSON is UTF-8");
    let ply = text.lines().nth(1).expect("there is a turn");
    assert!(ply.starts_with("{\"ply\":1,\"entries\":[{\"seat\":1,"), "{ply}");
    assert!(!ply.contains("standing") && !ply.contains("events"), "{ply}");
}

#[test]
fn the_footer_sums_up_the_times() {
    let replay = Replay::read(&*written(&events(1, None))).expect("it is a replay");
    let footer = replay.footer.expect("it has a footer");
    let decisions: u64 = footer.times.iter().map(|t| t.count).sum();
    assert_eq!(decisions, u64::from(footer.plies), "one seat decides in each turn");
    assert!(footer.times.iter().all(|t| t.p50_us == 10 && t.max_us == 10 && t.total_us == 10 * t.count));
}

#[test]
fn a_match_that_was_broken_off_verifies_as_far_as_it_goes() {
    let bytes = written(&events(1, Some(2)));
    let verified = verified(&bytes).expect("it reproduces");
    assert!(verified.aborted && !verified.cut_off);
    assert_eq!(verified.plies, 2);
}

#[test]
fn a_replay_that_is_cut_off_anywhere_is_read_as_far_as_it_goes() {
    let bytes = written(&events(2, None));
    let header = bytes.iter().position(|b| *b == b'\n').expect("there is a header") + 1;
    let whole = Replay::read(&*bytes).expect("it is a replay");
    for cut in 0..bytes.len() {
        let part = &bytes[..cut];
        if cut < header {
            assert!(matches!(Replay::read(part), Err(ReadError::Line { line: 1, .. })), "cut at {cut}");
            continue;
        }
        let replay = Replay::read(part).expect("it is a replay");
        let lines = part.iter().filter(|b| **b == b'\n').count() - 1;
        // The last line may be complete except for its line feed.
        assert!(replay.lines.len() + usize::from(replay.footer.is_some()) >= lines, "cut at {cut}");
        assert_eq!(replay.lines[..], whole.lines[..replay.lines.len()], "cut at {cut}");
        assert_eq!(verified(part).expect("it reproduces").cut_off, replay.footer.is_none(), "cut at {cut}");
    }
}

#[test]
fn the_first_turn_that_differs_is_named() {
    let text = String::from_utf8(written(&events(3, None))).expect("JSON is UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    let spoilt = |line: usize, from: &str, to: &str| {
        let mut lines: Vec<String> = lines.iter().map(|l| (*l).to_owned()).collect();
        assert!(lines[line].contains(from), "{}", lines[line]);
        lines[line] = lines[line].replacen(from, to, 1);
        match verified((lines.join("\n") + "\n").as_bytes()) {
            Err(VerifyError::Differs(difference)) => difference.ply(),
            other => panic!("{other:?}"),
        }
    };
    let mark = |line: usize| {
        let at = lines[line].find("\"fingerprint\":\"").expect("there is one") + 15;
        &lines[line][at..at + 16]
    };
    assert_eq!(spoilt(0, mark(0), "0123456789abcdef"), 0);
    assert_eq!(spoilt(2, mark(2), "0123456789abcdef"), 2);
    assert_eq!(spoilt(3, "\"ply\":3", "\"ply\":4"), 3);
    assert_eq!(spoilt(1, "\"seat\":1", "\"seat\":2"), 1);
    let last = lines.len() - 1;
    let plies = last as u32 - 1;
    assert_eq!(spoilt(last, "\"ending\":\"complete\"", "\"ending\":\"limit\""), plies);
    assert_eq!(spoilt(last, &format!("\"plies\":{plies}"), "\"plies\":1"), plies);
}

/// Returns the replay of a match in which seat 1 is late in its second turn.
fn late() -> Vec<u8> {
    let mut spec = spec(5);
    spec.clock = "move=1s".parse().expect("a clock");
    let kinds = [SeatKind::Process, SeatKind::Builtin("perfect")];
    let mut machine = agon_referee::open::<Toy>(&spec, &kinds, Settings::default()).expect("the match can be opened");
    let seat = agon_core::Seat::new(0);
    let mut writer = Writer::new(Vec::new(), "test");
    let feeds = [In::Begin, In::Bytes { seat, bytes: b"ok\ntake 1\n" }, In::Tick];
    for (second, feed) in feeds.into_iter().enumerate() {
        let now = Duration::from_secs(2 * second as u64);
        machine.feed(now, feed);
        while let Some(order) = machine.next() {
            match order {
                Do::Say { seat, .. } => {
                    let bytes = machine.outbox(seat).len();
                    machine.feed(now, In::Written { seat, bytes });
                }
                Do::Think { seat } => {
                    machine.feed(now, In::Think { seat });
                    machine.feed(now, In::Thought { seat });
                }
                Do::Record(event) => writer.write(&event).expect("a vector takes everything"),
                _ => {}
            }
        }
    }
    assert!(machine.over());
    writer.finish().expect("a vector takes everything")
}

#[test]
fn a_replay_of_version_1_reproduces_and_was_timed_by_the_wall() {
    let bytes = include_bytes!("version1.jsonl");
    let replay = Replay::read(&bytes[..]).expect("it is a replay");
    assert_eq!(replay.header.agon, 1);
    assert_eq!(replay.header.spec.clock.to_string(), "off,move=1s,policy=wall");
    let footer = replay.footer.as_ref().expect("it has a footer");
    assert!(footer.times.iter().all(|time| time.certificate.is_none()));
    assert!(matches!(footer.faults[0].fault, Fault::Late { limit_us: 1_000_000, time: None, .. }));
    assert_eq!(verified(bytes).expect("it reproduces").plies, 3);
}

#[test]
fn faults_and_times_must_go_with_the_turns() {
    let text = String::from_utf8(late()).expect("JSON is UTF-8");
    assert_eq!(verified(text.as_bytes()).expect("it reproduces").plies, 3, "{text}");
    let fault = text.lines().find(|line| line.starts_with("{\"event\":\"fault\"")).expect("there is a fault");
    let twice = text.replacen(fault, &format!("{fault}\n{fault}"), 1);
    let late = &fault[fault.find("\"kind\"").expect("a kind")..];
    let late = late.strip_suffix("}}").expect("the ends of the fault and of its line");
    assert!(late.ends_with("\"time\":{\"wall_us\":2000000,\"lag_us\":1000000}"), "{late}");
    let aborted = text.replace("\"end\":\"finished\"", "\"end\":\"aborted\"");
    let spoilt = [
        ("another fault everywhere", text.replace(late, "\"kind\":\"closed_output\"")),
        ("another fault in the footer", {
            let at = text.rfind("\"kind\":\"late\"").expect("the footer has it");
            format!("{}{}", &text[..at], text[at..].replacen("\"limit_us\":1000000", "\"limit_us\":2000000", 1))
        }),
        ("another seat's", text.replace("\"event\":\"fault\",\"seat\":1", "\"event\":\"fault\",\"seat\":2")),
        ("a seat that there is not", text.replace("\"event\":\"fault\",\"seat\":1", "\"event\":\"fault\",\"seat\":3")),
        ("left out", text.replacen(&format!("{fault}\n"), "", 1)),
        ("twice", twice),
        ("another time in a turn", text.replacen("\"wall_us\":0", "\"wall_us\":7", 2)),
        ("another sum of times", text.replacen("\"count\":2", "\"count\":1", 1)),
        ("another certificate", text.replacen("\"lag_us\":1000000,\"given", "\"lag_us\":5,\"given", 1)),
        ("a result without one", aborted),
    ];
    for (what, spoilt) in spoilt {
        assert_ne!(spoilt, text, "{what}");
        assert!(matches!(verified(spoilt.as_bytes()), Err(VerifyError::Differs(_))), "{what}: {spoilt}");
    }
}

#[test]
fn a_small_file_does_not_take_all_the_memory() {
    use std::io::{BufReader, Read};
    let text = String::from_utf8(written(&events(1, None))).expect("JSON is UTF-8");
    let header = format!("{}\n", text.lines().next().expect("there is a header"));
    // Many records that take far more memory than text. A compressed file may contain them.
    let entries = vec!["{\"seat\":1,\"orders\":[],\"wall_us\":0}"; 100_000].join(",");
    let line = format!("{{\"ply\":1,\"entries\":[{entries}],\"fingerprint\":\"0123456789abcdef\"}}\n");
    let mut input: Box<dyn Read> = Box::new(std::io::Cursor::new(header.into_bytes()));
    for _ in 0..40 {
        input = Box::new(input.chain(std::io::Cursor::new(line.clone().into_bytes())));
    }
    match Replay::read(BufReader::new(input)) {
        Err(ReadError::Line { line, why }) => {
            assert!(line < 40 && why.contains("memory"), "line {line}: {why}");
        }
        other => panic!("{:?}", other.map(|replay| replay.lines.len())),
    }
}

#[test]
fn a_turn_after_the_end_differs() {
    let text = String::from_utf8(written(&events(3, None))).expect("JSON is UTF-8");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.pop();
    let plies = lines.len() as u32 - 1;
    let more = lines[1].replace("\"ply\":1", &format!("\"ply\":{}", plies + 1));
    lines.push(&more);
    let Err(VerifyError::Differs(difference)) = verified(lines.join("\n").as_bytes()) else { panic!("it differs") };
    assert_eq!(difference.ply(), plies + 1);
}

#[test]
fn lines_of_a_later_minor_kind_are_skipped_and_newer_formats_refused() {
    let text = String::from_utf8(written(&events(1, None))).expect("JSON is UTF-8");
    let (header, rest) = text.split_once('\n').expect("there is a header");
    let with_event = format!("{header}\n{{\"event\":\"sneezed\",\"seat\":1}}\n{rest}");
    assert!(verified(with_event.as_bytes()).is_ok());
    let with_key = text.replace("\"ply\":1,", "\"ply\":1,\"mood\":[1,2],");
    assert!(verified(with_key.as_bytes()).is_ok());
    let newer = text.replacen("{\"agon\":2,", "{\"agon\":3,", 1);
    let Err(VerifyError::Read(why)) = verified(newer.as_bytes()) else { panic!("a newer format") };
    assert!(why.to_string().contains("format version 3"), "{why}");
}

#[test]
fn a_flaw_of_a_replay_has_its_line() {
    let text = String::from_utf8(written(&events(1, None))).expect("JSON is UTF-8");
    let (header, _) = text.split_once('\n').expect("there is a header");
    for (bytes, line) in [
        (String::new(), 1),
        ("W\n1---\n".into(), 1),
        ("{\"agon\":1}\n".into(), 1),
        (format!("{header}\nnonsense\n"), 2),
        (format!("{header}\n{{}}\n"), 2),
        (format!("{header}\n\n"), 2),
        (format!("{text}{text}"), text.lines().count() as u32 + 1),
    ] {
        match Replay::read(bytes.as_bytes()) {
            Err(ReadError::Line { line: found, .. }) => assert_eq!(found, line, "{bytes:.40}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_line_without_an_end_is_not_read_for_ever() {
    let endless = std::io::BufReader::new(std::io::repeat(b' '));
    assert!(matches!(Reader::new(endless), Err(ReadError::Line { line: 1, .. })));
}

#[test]
fn turns_that_were_taken_back_are_forgotten() {
    let events = events(4, None);
    let start = match &events[0] {
        MatchEvent::Started { fingerprint, .. } => *fingerprint,
        other => panic!("{other:?}"),
    };
    let first: Vec<MatchEvent> =
        events.iter().take_while(|e| !matches!(e, MatchEvent::Ply(r) if r.ply == 3)).cloned().collect();
    let back = MatchEvent::Rewound { ply: 0, fingerprint: start };
    let all: Vec<MatchEvent> = first
        .iter()
        .cloned()
        .chain([back])
        .chain(events[1..].iter().filter(|e| !matches!(e, MatchEvent::Greeted { .. })).cloned())
        .collect();
    assert!(verified(&written(&all)).is_ok());
    let wrong = MatchEvent::Rewound { ply: 1, fingerprint: start };
    let all: Vec<MatchEvent> = first.into_iter().chain([wrong]).collect();
    assert!(matches!(verified(&written(&all)), Err(VerifyError::Differs(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let _ = verified(&bytes);
    }

    #[test]
    fn a_spoilt_replay_is_an_error_or_reproduces(
        seed in 0u64..4,
        at in any::<prop::sample::Index>(),
        with in proptest::collection::vec(any::<u8>(), 0..12),
        drop in 0usize..12,
    ) {
        let mut bytes = written(&events(seed, None));
        let at = at.index(bytes.len());
        let end = (at + drop).min(bytes.len());
        bytes.splice(at..end, with);
        if let Ok(verified) = verified(&bytes) {
            // Every replay that reproduces can be read.
            let replay = Replay::read(&*bytes).expect("it was verified");
            prop_assert_eq!(replay.plies().count() as u32, verified.plies);
        }
    }

    #[test]
    fn any_lines_after_a_header_are_read_without_a_panic(lines in proptest::collection::vec("[ -~]{0,40}", 0..8)) {
        let header = written(&events(0, None)).split(|b| *b == b'\n').next().expect("there is a header").to_vec();
        let bytes = [header, b"\n".to_vec(), lines.join("\n").into_bytes()].concat();
        let (_, mut reader) = Reader::new(&*bytes).expect("it has a header");
        while let Ok(Some(line)) = reader.next_line() {
            prop_assert!(matches!(line, Line::Ply(_) | Line::Event(_) | Line::Cut(_) | Line::Footer(_)));
        }
    }
}

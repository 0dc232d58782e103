//! Tests of replays that would become too large.

use crate::{events, verified, written};
use agon_referee::MatchEvent;
use agon_replay::{LINE_LIMIT, Line, Replay, VerifyError, Writer, write_replay};

#[test]
fn a_replay_that_would_become_too_large_says_what_it_leaves_out() {
    let events = events(1, None);
    let whole = written(&events);
    let last = whole.len() - whole.iter().rev().skip(1).position(|b| *b == b'\n').expect("there is a footer") - 1;
    for limit in (0..last as u64).step_by(37).chain([last as u64 - 1, last as u64]) {
        let mut writer = Writer::new(Vec::new(), "test").limited(limit);
        for event in &events {
            writer.write(event).expect("a vector takes everything");
        }
        let cut = writer.cut();
        let bytes = writer.finish().expect("a vector takes everything");
        if limit == last as u64 {
            assert!(cut.is_none() && bytes == whole, "there is room for all of it");
            continue;
        }
        let cut = cut.expect("not all of it has room");
        let replay = Replay::read(&*bytes).expect("it is a replay");
        assert_eq!(replay.lines.last(), Some(&Line::Cut(cut)));
        assert_eq!(replay.footer, Replay::read(&*whole).expect("it is one").footer, "the footer keeps the result");
        assert_eq!(replay.plies().count() as u32, cut.plies);
        assert!(cut.bytes <= limit.max(whole.iter().position(|b| *b == b'\n').expect("a header") as u64 + 1));
        assert_eq!(bytes[..cut.bytes as usize], whole[..cut.bytes as usize]);
        let verified = verified(&bytes).expect("it reproduces as far as it goes");
        assert!(verified.left_out && !verified.cut_off && verified.plies == cut.plies, "{verified:?}");
        let mut again = Vec::new();
        write_replay(&replay, &mut again).expect("a vector takes everything");
        assert_eq!(again, bytes);
    }
}

#[test]
fn a_line_too_long_to_be_read_is_left_out() {
    let mut events = events(1, None);
    let Some(MatchEvent::Ply(record)) = events.get_mut(2) else { panic!("a turn") };
    record.entries[0].refusal = Some("x".repeat(LINE_LIMIT));
    let replay = Replay::read(&*written(&events)).expect("it is read again");
    assert!(matches!(replay.lines.last(), Some(Line::Cut(cut)) if cut.plies == 1), "{:?}", replay.lines.last());
    assert!(replay.footer.is_some());
}

#[test]
fn whoever_leaves_out_turns_says_how_many_there_are_and_nothing_but_the_footer_follows() {
    let text = String::from_utf8(written(&events(1, None))).expect("JSON is UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    let cut = |plies: u32| format!("{{\"event\":\"cut\",\"plies\":{plies},\"bytes\":1}}");
    let with = |plies: u32, rest: &[&str]| [&lines[..3], &[&*cut(plies)], rest].concat().join("\n") + "\n";
    let footer = lines[lines.len() - 1];
    assert!(verified(with(2, &[footer]).as_bytes()).expect("it reproduces").left_out);
    assert!(verified(with(2, &[]).as_bytes()).expect("it reproduces").cut_off);
    assert!(matches!(verified(with(3, &[footer]).as_bytes()), Err(VerifyError::Differs(_))));
    assert!(matches!(verified(with(2, &[lines[3], footer]).as_bytes()), Err(VerifyError::Read(_))));
    assert!(matches!(verified(with(2, &[&*cut(2), footer]).as_bytes()), Err(VerifyError::Read(_))));
}

//! Replays that ask for more than turns: undos and edits without end.

use super::{events, open, spec, verified, written};
use agon_core::State;
use agon_referee::MatchEvent;
use agon_replay::VerifyError;

#[test]
fn taking_turns_back_without_end_is_refused() {
    let mut all = events(4, None);
    let MatchEvent::Started { spec, fingerprint } = &mut all[0] else { panic!("the first event") };
    // A map that takes long to read, and undos that cost nothing in the file.
    spec.map.push_str(&"#\n".repeat(1 << 20));
    let back = MatchEvent::Rewound { ply: 0, fingerprint: *fingerprint };
    let header = all[0].clone();
    let many: Vec<MatchEvent> = std::iter::once(header).chain(std::iter::repeat_n(back, 100)).collect();
    let bytes = written(&many);
    assert!(matches!(verified(&bytes), Err(VerifyError::Open(why)) if why.to_string().contains("too often")));
}

/// Returns a replay without turns and with these events after its header.
fn without_turns(after: impl IntoIterator<Item = MatchEvent>) -> Vec<u8> {
    let first = events(4, None).swap_remove(0);
    written(&std::iter::once(first).chain(after).collect::<Vec<_>>())
}

#[test]
fn editing_without_end_is_refused() {
    let map = format!("{}{}\n", spec(4).map, "#".repeat(4 << 20));
    let fingerprint = open(&spec(4)).expect("the match can be opened").board().fingerprint();
    let edited = MatchEvent::Edited { map, state: State::default(), fingerprint };
    let back = MatchEvent::Rewound { ply: 0, fingerprint };
    // Each of them costs 65,537 of 2,000,000, so that another undo or edit is too much.
    let all = |last| std::iter::once(edited.clone()).chain(std::iter::repeat_n(back.clone(), 29)).chain(last);
    verified(&without_turns(all(None))).expect("it reproduces");
    for (last, why) in [(&edited, "the position is edited too often"), (&back, "turns are taken back too often")] {
        let refused = verified(&without_turns(all(Some(last.clone()))));
        assert!(matches!(&refused, Err(VerifyError::Open(flaw)) if flaw.what.starts_with(why)), "{refused:?}");
    }
}

#[test]
fn every_change_costs_more_after_many_lines() {
    let fingerprint = open(&spec(4)).expect("the match can be opened").board().fingerprint();
    let back = MatchEvent::Rewound { ply: 0, fingerprint };
    // Without the lines, 2,000,000 of them would be too many.
    let refused = verified(&without_turns(std::iter::repeat_n(back, 70_000)));
    assert!(matches!(&refused, Err(VerifyError::Open(why)) if why.what.contains("too often")), "{refused:?}");
}

//! What positions have beyond their maps: in headers and in edits, and in replays that do not have it.

use super::{open, spec, verified};
use agon_core::State;
use agon_referee::{Mark, MatchEvent};
use agon_replay::{Replay, VerifyError, Writer};
use agon_spec::MatchSpec;

fn state(turn: i64, to_move: i64) -> State {
    let mut state = State::default();
    state.name("turn", turn);
    state.name("to_move", to_move);
    state
}

fn mark(spec: &MatchSpec) -> Mark {
    open(spec).expect("a match").board().fingerprint()
}

/// Writes a replay that begins with one state, and is edited to another one.
fn written(header: &State, edited: &State) -> Vec<u8> {
    let first = MatchSpec { state: header.clone(), ..spec(1) };
    let next = MatchSpec { map: "heap 9\nmost 2\n".into(), state: edited.clone(), ..spec(1) };
    let events = [
        MatchEvent::Started { spec: Box::new(first.clone()), fingerprint: mark(&first) },
        MatchEvent::Edited { map: next.map.clone(), state: next.state.clone(), fingerprint: mark(&next) },
        MatchEvent::Aborted { fault: None, spoilt: None, plies: 0 },
    ];
    let mut writer = Writer::new(Vec::new(), "test");
    events.iter().for_each(|event| writer.write(event).expect("a vector takes everything"));
    writer.finish().expect("a vector takes everything")
}

#[test]
fn a_match_begins_and_goes_on_from_a_state() {
    let bytes = written(&state(5, 2), &state(3, 2));
    let text = String::from_utf8(bytes.clone()).expect("JSON is UTF-8");
    assert!(text.contains(r#""state":{"turn":5,"to_move":2}"#), "{text}");
    let end = verified(&bytes).expect("it reproduces");
    assert_eq!(end.fingerprint, mark(&MatchSpec { map: "heap 9\nmost 2\n".into(), state: state(3, 2), ..spec(1) }));
    assert_eq!(Replay::read(&*bytes).expect("it is a replay").header.spec.state, state(5, 2));
}

#[test]
fn a_map_that_is_everything_has_no_state() {
    let bytes = written(&State::default(), &State::default());
    assert!(!String::from_utf8_lossy(&bytes).contains("state"));
    assert!(verified(&bytes).is_ok());
}

#[test]
fn a_state_that_does_not_fit_is_no_replay() {
    let text = String::from_utf8(written(&state(5, 2), &state(3, 2))).expect("JSON is UTF-8");
    for (old, new, why) in [
        (r#""turn":5"#, r#""turns":5"#, "`turns`: unknown item"),
        (r#""to_move":2}"#, r#""to_move":3}"#, "`to_move`: `3` is not one of the seats 1 to 2"),
    ] {
        match verified(text.replacen(old, new, 1).as_bytes()) {
            Err(VerifyError::Open(flaw)) => assert_eq!(flaw.what, why),
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(verified(text.replacen("\"turn\":3", "\"turn\":4", 1).as_bytes()), Err(VerifyError::Differs(_))));
    assert!(matches!(verified(text.replacen("\"turn\":3", "\"turn\":3.5", 1).as_bytes()), Err(VerifyError::Read(_))));
}

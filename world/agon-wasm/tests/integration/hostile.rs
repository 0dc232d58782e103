//! Whatever the bytes of a replay are, the engine answers or refuses. It never panics: in a page a panic would end it.

use agon_core::{Key, Seat};
use agon_wasm::{Encoder, Engine, Verdict};
use proptest::prelude::*;

const REPLAYS: &[&str] = &[
    include_str!("../../../../fixtures/replays/v2/grid-spec.jsonl"),
    include_str!("../../../../fixtures/replays/v2/faults.jsonl"),
    include_str!("../../../../fixtures/replays/v2/portals-spec.jsonl"),
    include_str!("../../../../fixtures/replays/v2/lighthouses-spec.jsonl"),
    include_str!("../../../../fixtures/replays/v2/planet-wars-spec.jsonl"),
    include_str!("../../../../fixtures/replays/v2/triangles-spec.jsonl"),
];

/// A change of a replay: at a place, so many bytes are replaced by others.
type Change = (usize, usize, Vec<u8>);

fn changed(text: &str, changes: &[Change]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for (place, count, put) in changes {
        let from = place % bytes.len().max(1);
        let to = (from + count).min(bytes.len());
        bytes.splice(from..to, put.iter().copied());
    }
    bytes
}

/// Asks an engine for everything at a few places.
fn ask(text: &[u8], places: &[u32]) {
    let Ok(mut engine) = Engine::open(text) else { return };
    let mut out = Encoder::default();
    engine.write_match(&mut out);
    engine.write_scene(&mut out);
    for place in places {
        let ply = place % (engine.plies() + 2);
        let eyes = Seat::from_number((place % 5) as u8);
        let _ = engine.seek(ply);
        engine.write_frame(eyes, &mut out);
        engine.write_facts(Key::from_value(u64::from(*place) << 20), eyes, &mut out);
        let _ = engine.write_events(ply, eyes, &mut out);
        let _ = engine.write_turn(ply, &mut out);
        let _ = engine.parts(ply);
        let _ = engine.seek_part(ply, place % 7);
        engine.write_frame(None, &mut out);
        engine.branch();
        engine.write_legal(Seat::new(0), &mut out);
        let _ = engine.write_applied(&text[..text.len().min(200)], eyes, &mut out);
        engine.leave();
    }
    while matches!(engine.verify(50), Verdict::Pending { .. }) {}
    while engine.survey(Seat::from_number(1), 50).expect("it opened before") {}
    engine.write_series(&mut out);
    let _ = engine.append(&text[text.len() / 2..]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn changed_replays_are_shown_or_refused(
        which in 0..REPLAYS.len(),
        changes in prop::collection::vec(
            (any::<usize>(), 0..6usize, prop::collection::vec(prop_oneof![Just(b'9'), Just(b'-'), Just(b'"'), Just(b'}'), any::<u8>()], 0..4)),
            1..4,
        ),
        places in prop::collection::vec(any::<u32>(), 1..4),
    ) {
        ask(&changed(REPLAYS[which], &changes), &places);
    }

    #[test]
    fn replays_with_lines_in_another_order_are_shown_or_refused(
        which in 0..REPLAYS.len(),
        swaps in prop::collection::vec((any::<usize>(), any::<usize>()), 1..4),
        places in prop::collection::vec(any::<u32>(), 1..3),
    ) {
        let mut lines: Vec<&str> = REPLAYS[which].split_inclusive('\n').collect();
        for (one, other) in swaps {
            let (one, other) = (one % lines.len(), other % lines.len());
            lines.swap(one, other);
        }
        ask(lines.concat().as_bytes(), &places);
    }

    #[test]
    fn other_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(Engine::open(&bytes).is_err());
    }
}

//! Feeds arbitrary events in arbitrary order. The referee must not panic or loop forever, its memory must stay bounded,
//! and the match must end at most once.

use super::desk::spec;
use agon_core::{Seat, TimePolicy};
use agon_referee::{AnyReferee, Do, Exit, In, MatchEvent, Rerun, SeatKind, Settings, TreeUsage, Usage, open};
use agon_toy::Position as Toy;
use proptest::prelude::*;
use std::time::Duration;

/// An event that owns its data.
#[derive(Clone, Debug)]
enum Feed {
    Begin,
    NeverStarted(usize),
    Written(usize, usize),
    ClosedInput(usize),
    Bytes(usize, Vec<u8>),
    ClosedOutput(usize),
    Exited(usize),
    Tick,
    Think(usize),
    Thought(usize),
    Human(usize, String),
    Undo(usize),
    Edit(Vec<u8>),
    Abort,
    Usage(usize, [u64; 4], bool),
    OffTurn(usize),
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        6 => Just(b"take 1\n".to_vec()),
        4 => Just(b"ok\n".to_vec()),
        1 => Just(b"take 2\ntake 3\n".to_vec()),
        1 => Just(b"take 9\n".to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..12),
        1 => prop::collection::vec(prop::sample::select(&b"take 12\n\r"[..]), 0..200),
    ]
}

fn feed() -> impl Strategy<Value = Feed> {
    // Seat 3 does not exist.
    let seat = 0..3usize;
    prop_oneof![
        2 => Just(Feed::Begin),
        1 => seat.clone().prop_filter("rarely", |seat| *seat == 2).prop_map(Feed::NeverStarted),
        12 => (seat.clone(), 0..40usize).prop_map(|(seat, n)| Feed::Written(seat, n)),
        1 => seat.clone().prop_map(Feed::ClosedInput),
        24 => (seat.clone(), bytes()).prop_map(|(seat, bytes)| Feed::Bytes(seat, bytes)),
        1 => seat.clone().prop_map(Feed::ClosedOutput),
        1 => seat.clone().prop_map(Feed::Exited),
        4 => Just(Feed::Tick),
        3 => seat.clone().prop_map(Feed::Think),
        3 => seat.clone().prop_map(Feed::Thought),
        2 => (seat.clone(), prop::sample::select(&["[1]", "[9]", "x", "[]"][..])).prop_map(|(s, o)| Feed::Human(s, o.into())),
        1 => (0..4usize).prop_map(Feed::Undo),
        1 => prop::sample::select(&["heap 5\nmost 2\n", "heap"][..]).prop_map(|map| Feed::Edit(map.as_bytes().to_vec())),
        1 => Just(Feed::Abort),
        4 => (seat.clone(), prop::array::uniform4(0..300u64), any::<bool>()).prop_map(|(s, n, w)| Feed::Usage(s, n, w)),
        1 => seat.prop_map(Feed::OffTurn),
    ]
}

fn kind() -> impl Strategy<Value = SeatKind> {
    prop_oneof![4 => Just(SeatKind::Process), 1 => Just(SeatKind::Builtin("random")), 1 => Just(SeatKind::Human)]
}

fn give(machine: &mut dyn AnyReferee, at: Duration, what: &Feed) {
    let exit = Exit::Code(1);
    let what = match what {
        Feed::Begin => In::Begin,
        Feed::NeverStarted(seat) => In::NeverStarted { seat: Seat::new(*seat), reason: "none" },
        Feed::Written(seat, bytes) => In::Written { seat: Seat::new(*seat), bytes: *bytes },
        Feed::ClosedInput(seat) => In::ClosedInput { seat: Seat::new(*seat) },
        Feed::Bytes(seat, bytes) => In::Bytes { seat: Seat::new(*seat), bytes },
        Feed::ClosedOutput(seat) => In::ClosedOutput { seat: Seat::new(*seat) },
        Feed::Exited(seat) => In::Exited { seat: Seat::new(*seat), exit: &exit, stderr: "" },
        Feed::Tick => In::Tick,
        Feed::Think(seat) => In::Think { seat: Seat::new(*seat) },
        Feed::Thought(seat) => In::Thought { seat: Seat::new(*seat) },
        Feed::Human(seat, orders) => In::Human { seat: Seat::new(*seat), orders },
        Feed::Undo(plies) => In::Undo { plies: *plies },
        Feed::Edit(map) => In::Edit { map },
        Feed::Abort => In::Abort,
        Feed::Usage(seat, times, waiting) => {
            let [cpu, waited, blocked, lag] = times.map(Duration::from_millis);
            let (busy, by_others, is_blocked) = (cpu / 2, waited / 2, blocked > lag);
            let tree = TreeUsage { cpu, busy, waited, by_others, blocked, is_blocked, waiting: *waiting, cores: 2 };
            In::Usage { seat: Seat::new(*seat), usage: Usage { tree: Some(tree), lag, ..Usage::default() } }
        }
        Feed::OffTurn(seat) => In::OffTurn { seat: Seat::new(*seat), cpu: Duration::from_millis(2) },
    };
    machine.feed(at, what);
}

#[test]
fn a_bot_that_fails_while_a_built_in_one_thinks_is_not_asked() {
    let kinds = [SeatKind::Builtin("random"), SeatKind::Process];
    let mut limited = spec("together", 30, "move=200ms");
    limited.limits.inbox = 64;
    let mut machine = open::<Toy>(&limited, &kinds, Settings::default()).unwrap();
    let flood = vec![b't'; 100];
    for what in [Feed::Begin, Feed::Bytes(1, b"ok\n".to_vec()), Feed::Bytes(1, flood), Feed::Think(0), Feed::Thought(0)]
    {
        give(&mut machine, Duration::ZERO, &what);
        while machine.next().is_some() {}
    }
    assert_eq!((machine.plies(), machine.deadline()), (1, None), "the turn is played without it");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_inputs_is_taken(
        together: bool,
        kinds in [kind(), kind()],
        undo: bool,
        freeze: bool,
        policy in prop::sample::select(&TimePolicy::ALL[..]),
        feeds in prop::collection::vec((0..40u64, feed()), 0..120),
    ) {
        let clock = format!("greeting=500ms,move=200ms,bank=3s,policy={policy}");
        let mut spec = spec(if together { "together,unlawful=pass" } else { "spec" }, 30, &clock);
        spec.limits.inbox = 256;
        let mut machine = open::<Toy>(&spec, &kinds, Settings { undo, freeze, ..Settings::default() }).unwrap();
        let mut rerun = Rerun::new::<Toy>(&spec).unwrap();
        let (mut now, mut ends, mut changed) = (0, 0, false);
        for (later, what) in &feeds {
            now += later;
            give(&mut machine, Duration::from_millis(now), what);
            let mut steps = 0;
            while let Some(order) = machine.next() {
                steps += 1;
                prop_assert!(steps < 200, "one input makes only so much to do");
                match order {
                    Do::Over => ends += 1,
                    Do::Record(event) => match *event {
                        MatchEvent::Rewound { .. } | MatchEvent::Edited { .. } => changed = true,
                        // Whatever was fed, the record leads to the same position.
                        MatchEvent::Ply(record) if !changed => {
                            let played = rerun.step(&record);
                            prop_assert!(played.is_ok(), "{:?}", played);
                        }
                        _ => {}
                    },
                    _ => {}
                }
            }
            prop_assert_eq!(machine.over(), ends == 1);
            for seat in [0, 1, 2].map(Seat::new) {
                prop_assert!(machine.outbox(seat).len() < 64, "what is not read does not pile up");
            }
            // A clock that has run out takes effect at the next tick.
            if matches!(what, Feed::Tick) {
                prop_assert!(machine.deadline().is_none_or(|at| at > Duration::from_millis(now)));
            }
        }
    }
}

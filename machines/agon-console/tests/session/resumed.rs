//! A session that begins with a replay has its positions, its branches and its turns.

use crate::desk::{Desk, binding};
use agon_console::Console;
use agon_core::State;
use agon_referee::{Mark, MatchEvent};
use agon_replay::{Footer, Line, Replay};
use agon_spec::MatchSpec;

impl Desk {
    /// Saves the session and returns its replay.
    fn saved(&mut self) -> Replay {
        self.done("save replay s.jsonl");
        Replay::read(&*self.files["s.jsonl"]).expect("a replay")
    }

    /// Returns another desk, whose session begins with a replay.
    fn resumed(&self, replay: Replay, ply: Option<u32>) -> Result<Self, agon_core::Flaw> {
        let words: Vec<&str> = self.bots.iter().map(String::as_str).collect();
        let mut desk = Self::open(self.game.name(), 1, &words);
        desk.spec = MatchSpec { seats: desk.spec.seats, ..replay.header.spec.clone() };
        let bots = words.iter().map(|word| binding(self.game, word)).collect();
        desk.console = Console::new(self.game, desk.spec.clone(), bots, None)?.resume(replay, ply)?;
        Ok(desk)
    }

    /// Compares this session with another one that begins with its replay.
    pub fn check_resumed(&mut self) {
        let replay = self.saved();
        let mut other = self.resumed(replay, None).expect("it begins");
        let (mine, its) = (self.done("status"), other.done("status"));
        assert_eq!((mine.fingerprint, mine.ply, mine.awaiting), (its.fingerprint, its.ply, its.awaiting));
        assert_eq!(turns(other.saved()), turns(self.saved()), "the other session has the same replay");
        let faults = |event: &&MatchEvent| !matches!(event, MatchEvent::Fault(_));
        assert!(
            other.events.iter().eq(self.events.iter().filter(faults)),
            "the other session has told the same events"
        );
        other.check();
    }
}

/// Returns the lines of a replay without faults, which a session that begins with it does not take over.
fn turns(replay: Replay) -> Vec<Line> {
    let kept = |line: Line| match line {
        Line::Event(MatchEvent::Fault(_)) => None,
        Line::Footer(footer) => Some(Line::Footer(Footer { faults: Vec::new(), ..footer })),
        line => Some(line),
    };
    replay.lines.into_iter().filter_map(kept).collect()
}

/// A session with a branch and an edit, which stands somewhere in the middle.
fn session(name: &str) -> Desk {
    let mut desk = Desk::open(name, 1, &["@random", "@random"]);
    desk.done("go 6");
    desk.done("undo 3");
    desk.done("bot 1 human");
    desk.done("bot 2 human");
    let seat = desk.console.position().awaiting().iter().next().expect("somebody decides");
    for choice in 0.. {
        let orders = desk.decision(seat, choice);
        desk.done(&format!("play {seat} {orders}"));
        if desk.done("status").ply == 4 || desk.console.position().awaiting().len() > 1 {
            break;
        }
    }
    desk.done("bot 1 @random");
    desk.done("bot 2 @random");
    desk.done("go 3");
    // A map from which no turns counted before.
    let other = desk.game.generate(desk.game.info().map_kinds[0].name, agon_core::Seed(5), 2).expect("a map");
    let map = if other == desk.spec.map { desk.console.position().map() } else { other };
    assert_ne!(map, desk.spec.map);
    desk.files.insert("m".into(), map.into_bytes());
    desk.done("load m");
    desk.done("go 5");
    desk.done("undo 2");
    desk
}

#[test]
fn a_session_goes_on_where_it_was_saved() {
    for game in agon_games::all() {
        let mut desk = session(game.name());
        let branches = desk.done("branch").branches;
        let replay = desk.saved();
        let mut other = desk.resumed(replay, None).expect("it begins");
        assert_eq!(other.done("branch").branches, branches, "{}", game.name());
        assert_eq!(other.done("status").ply, 3);
        desk.done("redo 2");
        assert_eq!(other.done("redo 9").fingerprint, desk.console.position().fingerprint());
        // Everything before it is still there, also across the edit.
        let all = desk.done("undo 1000").fingerprint;
        assert_eq!(other.done("undo 1000").fingerprint, all);
        other.check();
        desk.check_resumed();
    }
}

#[test]
fn a_session_stands_after_the_turn_that_was_asked_for() {
    let mut desk = Desk::open("lighthouses", 1, &["@random", "@random"]);
    let turns = desk.done("go 9").turns;
    let replay = desk.saved();
    for ply in [9, 4, 0] {
        let mut other = desk.resumed(replay.clone(), Some(ply)).expect("it begins");
        let mark = if ply == 0 { replay.header.fingerprint } else { turns[ply as usize - 1].fingerprint };
        assert_eq!((other.done("status").ply, other.console.position().fingerprint()), (ply, mark));
        other.check();
        if ply < 9 {
            assert_eq!(other.done("redo 100").fingerprint, turns[8].fingerprint);
        }
    }
    let why = desk.resumed(replay, Some(10)).err().expect("there are nine turns");
    assert_eq!(
        (why.what.as_str(), why.hint.as_deref()),
        ("there is no turn 10", Some("the turns since the start or the last edit are 1 to 9"),)
    );
}

#[test]
fn programs_are_brought_into_step_with_a_replay() {
    for (name, start) in [("lighthouses", 7), ("triangles", 5), ("grid", 4)] {
        let mut played = Desk::open(name, 1, &["@random", "@random"]);
        played.done(&format!("go {start}"));
        let replay = played.saved();
        played.bots = vec!["random".into(), "human".into()];
        let mut desk = played.resumed(replay, None).expect("it begins");
        assert!(!desk.done("status").seats[0].in_step || name == "grid", "{name}");
        for _ in 0..2 {
            if desk.console.position().awaiting().iter().any(|seat| seat.index() == 1) {
                let seat = agon_core::Seat::new(1);
                let orders = desk.decision(seat, 0);
                desk.done(&format!("play {seat} {orders}"));
            } else {
                desk.done("go");
            }
        }
        assert!(desk.done("status").ply > start, "{name}");
        assert!(desk.done("status").seats[0].in_step, "{name}");
        desk.check();
    }
}

#[test]
fn matches_in_which_bots_failed_are_played_and_nobody_is_out() {
    let faults = include_bytes!("../../../../fixtures/replays/v2/faults.jsonl").as_slice();
    let unlawful = include_bytes!("../../../../fixtures/replays/v2/faults-unlawful.jsonl").as_slice();
    for bytes in [faults, unlawful] {
        let replay = Replay::read(bytes).expect("a replay");
        let failed = replay.plies().filter(|record| record.entries.iter().any(|entry| entry.failure.is_some()));
        let first = failed.map(|record| record.ply).min().expect("somebody fails");
        let last = replay.plies().last().expect("a turn").clone();
        let words = vec!["@random"; replay.header.spec.seats.len()];
        let desk = Desk::open(&replay.header.spec.game, 1, &words);
        let mut desk = desk.resumed(replay, None).expect("it begins");
        assert_eq!((desk.done("status").ply, desk.console.position().fingerprint()), (last.ply, last.fingerprint));
        desk.check();
        desk.done(&format!("undo {}", last.ply + 1 - first));
        desk.done("go 8");
        assert_eq!(desk.done("status").ply, first + 7);
        desk.check();
    }
}

#[test]
fn editing_without_end_is_refused() {
    let mut desk = Desk::open("grid", 1, &["@random", "@random"]);
    let whole = desk.saved();
    let fingerprint = whole.header.fingerprint;
    let map = format!("{}{}\n", whole.header.spec.map, "#".repeat(4 << 20));
    let edited = Line::Event(MatchEvent::Edited { map, state: State::default(), fingerprint });
    let back = Line::Event(MatchEvent::Rewound { ply: 0, fingerprint });
    // Each of them costs 65,537 of 2,000,000, so that another edit is too much.
    let mut lines = vec![edited.clone()];
    lines.extend(std::iter::repeat_n(back, 29));
    let begin = |lines: &[Line]| desk.resumed(Replay { lines: lines.to_vec(), ..whole.clone() }, None);
    assert!(begin(&lines).is_ok());
    lines.push(edited);
    assert_eq!(
        begin(&lines).err().expect("it is refused").what,
        "the position is edited too often to read it each time"
    );
}

#[test]
fn contradictions_to_the_rules_are_refused() {
    let mut desk = Desk::open("grid", 1, &["@random", "@random"]);
    desk.done("go 3");
    let whole = desk.saved();
    let begin = |replay: Replay| desk.resumed(replay, None).err().expect("it is refused").what;
    let with = |lines: &[Line]| Replay { lines: lines.to_vec(), ..whole.clone() };

    let mut wrong = whole.clone();
    wrong.header.fingerprint = Mark(1);
    assert!(begin(wrong).starts_with("the match begins with the position 0000000000000001 in the replay"));
    assert!(begin(with(&whole.lines[1..])).contains("turn 2"));
    let far = Line::Event(MatchEvent::Rewound { ply: 9, fingerprint: Mark(1) });
    assert_eq!(begin(with(&[&whole.lines[..], &[far]].concat())), "there is no turn 9");
    let other = Line::Event(MatchEvent::Rewound { ply: 1, fingerprint: Mark(1) });
    assert!(begin(with(&[&whole.lines[..], &[other]].concat())).starts_with("turns are taken back with the position"));
    let Some(Line::Ply(first)) = whole.lines.first() else { panic!("a turn") };
    let back = Line::Event(MatchEvent::Rewound { ply: 1, fingerprint: first.fingerprint });
    let endless: Vec<Line> = whole.lines.iter().cloned().chain(std::iter::repeat_n(back, 70_000)).collect();
    assert_eq!(begin(with(&endless)), "turns are taken back too often to play them all again");
}

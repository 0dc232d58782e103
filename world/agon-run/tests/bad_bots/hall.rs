//! Plays a match of real processes, and checks what is left of it.

use agon_core::Seed;
use agon_referee::{AnyReferee, EntryRecord, MatchEvent, SeatKind, Settings, open};
use agon_run::{CancelFlag, Launch, Options, Outcome, Program, play};
use agon_spec::{MatchSpec, SeatSpec};
use agon_toy::Position as Toy;
use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

/// The program that misbehaves on demand.
pub const BADBOT: &str = env!("CARGO_BIN_EXE_agon-badbot");

/// A match that was played.
pub struct Hall {
    pub outcome: Outcome,
    pub events: Vec<MatchEvent>,
    marker: String,
}

impl Hall {
    /// Plays a bot with this mode in seat 1 against an honest one in seat 2.
    pub fn play(mode: &str, clock: &str) -> Self {
        Self::play_program(|marker| Program::new([BADBOT, mode, marker]), clock)
    }

    /// Plays any program in seat 1 against an honest bot in seat 2.
    pub fn play_program(program: impl Fn(&str) -> Program, clock: &str) -> Self {
        Self::play_spec(program, &spec(clock))
    }

    /// Plays any program in seat 1 against an honest bot in seat 2, in any match of the toy game.
    pub fn play_spec(program: impl Fn(&str) -> Program, spec: &MatchSpec) -> Self {
        Self::play_settings(program, "honest", spec, Settings::default())
    }

    /// Plays any program in seat 1 against a bot with any mode in seat 2.
    pub fn play_settings(
        program: impl Fn(&str) -> Program,
        opponent: &str,
        spec: &MatchSpec,
        settings: Settings,
    ) -> Self {
        let marker = marker();
        let launches = [Launch::Program(program(&marker)), bot(opponent, &marker)];
        let mut events = Vec::new();
        let mut observer = |event: &MatchEvent| events.push(event.clone());
        let cancel = CancelFlag::new().unwrap();
        let mut machine = open::<Toy>(spec, &[SeatKind::Process; 2], settings).unwrap();
        let outcome = play(&mut machine, &launches, &mut observer, &cancel, Options::default()).unwrap();
        Self { outcome, events, marker }
    }

    /// The records of seat 1, one for each of its turns.
    pub fn entries(&self) -> impl Iterator<Item = &EntryRecord> {
        let plies = self.events.iter().filter_map(|event| match event {
            MatchEvent::Ply(record) => Some(&record.entries),
            _ => None,
        });
        plies.flatten().filter(|entry| entry.seat.index() == 0)
    }

    /// Asserts that no process of this match is left.
    pub fn assert_nobody_is_left(&self) {
        assert_nobody_is_left(&self.marker);
    }
}

/// Asserts that no process with this marker is left. A killed child of a bot may still be ending, because the system's
/// first process waits for it, so this asks again for up to 5 s.
pub fn assert_nobody_is_left(marker: &str) {
    let start = Instant::now();
    let mut left = processes_of(marker);
    while !left.is_empty() && start.elapsed() < Duration::from_secs(5) {
        std::thread::yield_now();
        left = processes_of(marker);
    }
    assert_eq!(left, Vec::<String>::new());
}

/// Makes an argument that no other process has.
pub fn marker() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("agon-marker-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

pub fn bot(mode: &str, marker: &str) -> Launch {
    Launch::Program(Program::new([BADBOT, mode, marker]))
}

/// A match of the toy game with 30 stones.
pub fn spec(clock: &str) -> MatchSpec {
    let seat = |name: &str| SeatSpec { name: name.into(), bot: name.into(), ..SeatSpec::default() };
    MatchSpec {
        game: "toy".into(),
        rules: "spec".into(),
        map_name: "test".into(),
        map: "heap 30\nmost 3\n".into(),
        state: agon_core::State::default(),
        seed: Seed(1),
        seeds: agon_core::Derivation::Keyed,
        limit: None,
        seats: vec![seat("bad"), seat("honest")],
        clock: clock.parse().unwrap(),
        limits: Default::default(),
    }
}

/// The referee of a match between two processes.
pub fn machine(spec: &MatchSpec) -> Box<dyn AnyReferee> {
    Box::new(open::<Toy>(spec, &[SeatKind::Process; 2], Settings::default()).unwrap())
}

/// The IDs of the processes whose command line contains the marker. Empty if there is no `/proc`.
pub fn numbers_of(marker: &str) -> Vec<i32> {
    let Ok(folder) = std::fs::read_dir("/proc") else { return Vec::new() };
    let number = |entry: std::fs::DirEntry| {
        let bytes = std::fs::read(entry.path().join("cmdline")).ok()?;
        let found = String::from_utf8_lossy(&bytes).contains(marker);
        entry.file_name().to_str()?.parse().ok().filter(|_| found)
    };
    folder.flatten().filter_map(number).collect()
}

/// The command lines that contain the marker. Empty if there is no `/proc`.
fn processes_of(marker: &str) -> Vec<String> {
    let Ok(folder) = std::fs::read_dir("/proc") else { return Vec::new() };
    let line = |entry: std::fs::DirEntry| {
        let bytes = std::fs::read(entry.path().join("cmdline")).ok()?;
        let text = String::from_utf8_lossy(&bytes).replace('\0', " ");
        text.contains(marker).then_some(text)
    };
    folder.flatten().filter_map(line).collect()
}

//! Random edits, moves, undos and redos end where a straight replay of the branch ends.

use crate::desk::Desk;
use agon_core::{Seed, State};
use agon_spec::ConsoleClock;
use proptest::{
    collection::vec,
    prelude::*,
    test_runner::{Config, TestRunner},
};
use std::time::Duration;

/// What somebody does.
#[derive(Clone, Copy, Debug)]
enum Act {
    Go(u32),
    Play(usize),
    Undo(u32),
    Redo(u32),
    Branch(usize),
    Load(u64),
    /// Replaces the map by itself.
    Retype,
    /// Changes or leaves out an item of what the position has beyond its map.
    Put(usize, i64),
    Drop(usize),
    Swap(usize, usize),
    Ask,
    Raw,
    /// Lets seconds pass.
    Pass(u64),
    Clock(bool),
}

/// A clock in whose sessions seats are late now and then.
const CLOCK: &str = "move=10s,bank=40s,increment=1s,policy=wall";

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (1..6_u32).prop_map(Act::Go),
        6 => any::<usize>().prop_map(Act::Play),
        3 => (1..9_u32).prop_map(Act::Undo),
        3 => (1..9_u32).prop_map(Act::Redo),
        1 => any::<usize>().prop_map(Act::Branch),
        1 => (0..4_u64).prop_map(Act::Load),
        1 => Just(Act::Retype),
        4 => (any::<usize>(), -4..40_i64).prop_map(|(item, number)| Act::Put(item, number)),
        2 => any::<usize>().prop_map(Act::Drop),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(seat, bot)| Act::Swap(seat, bot)),
        1 => Just(Act::Ask),
        1 => Just(Act::Raw),
        3 => (0..9_u64).prop_map(Act::Pass),
        1 => any::<bool>().prop_map(Act::Clock),
    ]
}

/// The number of acts for each game.
const ACTS: usize = 10_000;

/// Edits an item. Either the position has it then, or nothing changes and the error has an item.
fn try_edit(desk: &mut Desk, edit: &str) {
    let before = desk.console.position().fingerprint();
    let answer = desk.say(&format!("edit {edit}"));
    match answer.error {
        None => assert_eq!(answer.ply, 0, "{edit}"),
        Some(error) => {
            assert!(error.item.is_some(), "{edit}: {error:?}");
            assert_eq!(desk.console.position().fingerprint(), before, "{edit}");
        }
    }
}

/// Returns the paths and values of all items below a state.
fn items(state: &State) -> Vec<(String, State)> {
    fn walk(path: &str, state: &State, found: &mut Vec<(String, State)>) {
        let mut go = |step: String, value: &State| {
            let path = format!("{path}{step}");
            found.push((path.clone(), value.clone()));
            walk(&path, value, found);
        };
        match state {
            State::Items(items) => items.iter().for_each(|(name, value)| {
                let step = match name.starts_with(|c: char| c.is_ascii_lowercase()) {
                    true if path.is_empty() => name.clone(),
                    true => format!(".{name}"),
                    false => format!("[{name}]"),
                };
                go(step, value);
            }),
            State::List(list) => list.iter().zip(1..).for_each(|(value, number)| go(format!("[{number}]"), value)),
            State::Number(_) | State::Text(_) => {}
        }
    }
    let mut found = Vec::new();
    walk("", state, &mut found);
    found
}

fn play(name: &str, clock: &str, acts: &[Act]) {
    let mut desk = Desk::timed(name, &["random", "human"], clock);
    let full = clocks(&desk);
    for act in acts {
        match *act {
            Act::Go(turns) => drop(desk.say(&format!("go {turns}"))),
            Act::Play(choice) => {
                let awaiting = desk.console.position().awaiting();
                if let Some(seat) = awaiting.iter().nth(choice % awaiting.len().max(1))
                    && !desk.console.position().over()
                {
                    let orders = desk.decision(seat, choice);
                    let answer = desk.say(&format!("play {seat} {orders}"));
                    let is_late = answer.error.as_ref().is_some_and(|error| error.text.contains("is up"));
                    assert!(answer.ok || is_late && clock == CLOCK, "{:?}", answer.error);
                }
            }
            Act::Undo(steps) => drop(desk.say(&format!("undo {steps}"))),
            Act::Redo(steps) => drop(desk.say(&format!("redo {steps}"))),
            Act::Branch(choice) => {
                let branches = desk.done("branch").branches;
                let branch = &branches[choice % branches.len()];
                let chosen = desk.done(&format!("branch {}", branch.branch));
                assert_eq!((chosen.fingerprint, chosen.ply), (branch.fingerprint, branch.ply));
            }
            Act::Load(seed) => {
                let map = desk.game.generate(desk.game.info().map_kinds[0].name, Seed(seed), 2).expect("a map");
                desk.files.insert("m".into(), map.into_bytes());
                desk.done("load m");
            }
            Act::Retype => {
                let map = desk.done("show map").map.expect("a map");
                let before = desk.console.position().fingerprint();
                let edited = desk.done(&format!("edit map {}", serde_json::to_string(&map).expect("JSON")));
                assert_eq!((edited.fingerprint, edited.ply), (before, 0), "{name}: {:?}", edited.begun_anew);
            }
            Act::Put(choice, number) => {
                let items = items(&desk.done("show state").state.expect("a state"));
                if let Some((path, value)) = items.get(choice % items.len().max(1)) {
                    let other = &items[number.unsigned_abs() as usize % items.len()].1;
                    let value =
                        if let State::Number(now) = value { State::Number(now + number) } else { other.clone() };
                    try_edit(&mut desk, &format!("put {path} {}", serde_json::to_string(&value).expect("JSON")));
                }
            }
            Act::Drop(choice) => {
                let items = items(&desk.done("show state").state.expect("a state"));
                if let Some((path, _)) = items.get(choice % items.len().max(1)) {
                    try_edit(&mut desk, &format!("drop {path}"));
                }
            }
            Act::Swap(seat, bot) => {
                let bot = ["random", "@random", "human", "random"][bot % 4];
                desk.done(&format!("bot {} {bot}", seat % 2 + 1));
            }
            Act::Ask => {
                let before = desk.console.position().fingerprint();
                desk.say("ask 1");
                assert_eq!(desk.console.position().fingerprint(), before);
            }
            Act::Raw => drop(desk.say("raw 1 name --wait 1ms")),
            Act::Pass(seconds) => desk.pass(Duration::from_secs(seconds)),
            Act::Clock(run) => drop(desk.say(if run { "clock start" } else { "clock stop" })),
        }
    }
    desk.check();
    desk.check_resumed();
    // Everything can be taken back.
    desk.say("undo 1000000");
    assert_eq!(
        desk.console.position().fingerprint(),
        desk.game.position(&desk.spec).expect("the start").board().fingerprint()
    );
    assert_eq!(clocks(&desk), full);
    desk.say("redo 1000000");
    desk.check();
}

/// Returns the clocks of the current position.
fn clocks(desk: &Desk) -> Vec<Option<ConsoleClock>> {
    desk.console.status().seats.iter().map(|seat| seat.clock).collect()
}

#[test]
fn random_sessions_end_where_a_straight_replay_ends() {
    const LENGTH: usize = 40;
    for game in agon_games::all() {
        let cases = (ACTS / LENGTH).max(1) as u32;
        let config = Config { cases, failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(
            config,
            proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
        );
        let sessions = vec(act(), LENGTH);
        runner
            .run(&(sessions, any::<bool>()), |(acts, is_timed)| {
                play(game.name(), if is_timed { CLOCK } else { "off" }, &acts);
                Ok(())
            })
            .unwrap_or_else(|why| panic!("{}: {why}", game.name()));
    }
}

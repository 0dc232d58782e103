//! Random edits, moves, undos and redos end where a straight replay of the branch ends.

use crate::desk::Desk;
use agon_core::Seed;
use proptest::{
    collection::vec,
    prelude::*,
    test_runner::{Config, TestRunner},
};

/// What somebody does.
#[derive(Clone, Copy, Debug)]
enum Act {
    Go(u32),
    Play(usize),
    Undo(u32),
    Redo(u32),
    Branch(usize),
    Load(u64),
    Swap(usize, usize),
    Ask,
    Raw,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (1..6_u32).prop_map(Act::Go),
        6 => any::<usize>().prop_map(Act::Play),
        3 => (1..9_u32).prop_map(Act::Undo),
        3 => (1..9_u32).prop_map(Act::Redo),
        1 => any::<usize>().prop_map(Act::Branch),
        1 => (0..4_u64).prop_map(Act::Load),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(seat, bot)| Act::Swap(seat, bot)),
        1 => Just(Act::Ask),
        1 => Just(Act::Raw),
    ]
}

/// The number of acts in all. `AGON_CONSOLE_ACTS` asks for more.
fn acts() -> usize {
    option_env!("AGON_CONSOLE_ACTS").and_then(|text| text.parse().ok()).unwrap_or(240)
}

fn play(name: &str, acts: &[Act]) {
    let mut desk = Desk::open(name, 1, &["random", "human"]);
    for act in acts {
        match *act {
            Act::Go(turns) => drop(desk.say(&format!("go {turns}"))),
            Act::Play(choice) => {
                let awaiting = desk.console.position().awaiting();
                if let Some(seat) = awaiting.iter().nth(choice % awaiting.len().max(1))
                    && !desk.console.position().over()
                {
                    let orders = desk.decision(seat, choice);
                    desk.done(&format!("play {seat} {orders}"));
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
        }
    }
    desk.check();
    desk.check_resumed();
    // Everything can be taken back.
    desk.say("undo 1000000");
    assert_eq!(desk.console.position().fingerprint(), desk.game.position(&desk.spec).expect("the start").fingerprint());
    desk.say("redo 1000000");
    desk.check();
}

#[test]
fn random_sessions_end_where_a_straight_replay_ends() {
    const LENGTH: usize = 40;
    for game in agon_games::all() {
        let cases = (acts() / LENGTH).max(1) as u32;
        let config = Config { cases, failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(
            config,
            proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
        );
        let sessions = vec(act(), LENGTH);
        runner
            .run(&sessions, |acts| {
                play(game.name(), &acts);
                Ok(())
            })
            .unwrap_or_else(|why| panic!("{}: {why}", game.name()));
    }
}

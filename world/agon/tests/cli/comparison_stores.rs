//! Tests `agon test --store`: the same command continues a test, whatever ended it.

use crate::{
    agon::{Done, Place},
    comparisons::IDLE,
};
use agon_store::{Records, SqliteReader};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    process::{Child, Stdio},
    time::Duration,
};

#[test]
fn a_store_continues_with_the_same_environment_only() {
    let place = Place::new();
    place.write("bot.sh", "while read -r line; do case $line in go) echo go;; esac; done\n");
    let test = |more: &[&str]| {
        let args = ["test", "planet-wars", "old=sh bot.sh", "new=sh bot.sh", "--sandbox", "none", "--rounds", "2"];
        place.run(&[&args[..], &["--seed", "4", "--store", "t.agon", "--max-matches"], more].concat())
    };
    let begun = test(&["2", "--env", "DEPTH_OF=1"]);
    assert_eq!(begun.code, 11, "{begun:?}");
    for more in [&["4"][..], &["4", "--env", "DEPTH_OF=2"], &["4", "--env", "DEPTH_OF=1", "--seat", "2:env=DEPTH_OF=2"]]
    {
        let other = test(more);
        assert!(other.code == 1 && other.err.contains("env: "), "{more:?}: {other:?}");
    }
    assert_eq!(test(&["4", "--env", "DEPTH_OF=1"]).code, 11);

    // The bots of a run of tuning change seats.
    let command = ["tune", "planet-wars", "sh bot.sh {depth}", "--param", "depth=0..10@5", "--games", "2"];
    place.fails(1, &[&command[..], &["--seat", "1:env=DEPTH_OF=1"]].concat(), &["no environment of its own", "--env"]);
}

#[test]
fn a_store_continues_its_own_test_only() {
    let place = Place::new();
    let base = ["grid", "@greedy", "@frontier", "--max-matches", "60"];
    let kept =
        |more: &[&str]| place.run(&[&["test"], &base[..], &["--store", "t.agon", "--format", "json"], more].concat());
    let first = kept(&["--seed", "9"]);
    assert!([0, 10, 11].contains(&first.code), "{first:?}");
    // The store knows the seed, and that everything was played.
    let again = kept(&[]);
    assert_eq!((again.code, &again.out), (first.code, &first.out), "{again:?}");
    assert!(again.err.contains("continues after"), "{again:?}");
    for (args, words) in [
        (&["grid", "@greedy", "@warden", "--store", "t.agon"][..], "new: `@frontier`"),
        (&["grid", "@random", "@frontier", "--store", "t.agon"], "old: `@greedy`"),
        (&["grid", "@greedy", "@frontier", "--store", "t.agon", "--rules", "original"], "rules: "),
        (
            &["grid", "@greedy", "@frontier", "--store", "t.agon", "--bounds", "0,5"],
            "bounds: [0.0,10.0] before, now [0.0,5.0]",
        ),
        (
            &["grid", "@greedy", "@frontier", "--store", "t.agon", "--empty", "fastchess"],
            "empty: `fishtest` before, now `fastchess`",
        ),
        (&["grid", "@greedy", "@frontier", "--store", "t.agon", "--seed", "8"], "seed: 9 before, now 8"),
        (&["grid", "@greedy", "@frontier", "--store", "t.agon", "--map", "gen:8x8"], "map: "),
        (&["grid", "@greedy", "@frontier", "--store", "t.agon", "--time", "move=2s"], "time: "),
        (&["planet-wars", "@rage", "@prospector", "--store", "t.agon"], "game: "),
    ] {
        place.fails(1, &[&["test"], args].concat(), &["is of another test", words]);
    }
    place.write("text.agon", "not a store, and precious");
    place.fails(1, &["test", "grid", "@random", "@greedy", "--store", "text.agon"], &["not a store"]);
    assert_eq!(place.read("text.agon"), "not a store, and precious");
    let cup = "game = \"grid\"\nrounds = 1\n[[bot]]\nname = \"a\"\nrun = \"@random\"\n[[bot]]\nname = \"b\"\nrun = \"@random\"\n";
    place.write("cup.toml", cup);
    assert_eq!(place.run(&["tournament", "run", "cup.toml"]).code, 0);
    place.fails(1, &["test", "grid", "@random", "@greedy", "--store", "cup.agon"], &["not the store of a test"]);
    place.write("bot.sh", IDLE);
    let seen = ["test", "planet-wars", "sh bot.sh", "@random", "--store", "seen.agon"];
    place.fails(1, &seen, &["--store", "could read it while it plays"]);
}

/// Starts a command that keeps its matches in `t.agon`, and returns when it has some.
pub fn begun(place: &Place, args: &[&str]) -> Child {
    let mut command = place.command(args);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("agon can be started");
    let finished = || {
        let store = SqliteReader::open(&place.path("t.agon")).and_then(|store| store.progress());
        store.map_or(0, |progress| progress.finished)
    };
    while finished() < 8 {
        assert_eq!(child.try_wait().expect("it is ours"), None, "it plays on");
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

#[test]
fn a_test_that_was_killed_equals_one_that_was_not() {
    let place = Place::new();
    // So strict a test plays all of its matches.
    let base = ["test", "grid", "@greedy", "@frontier", "--seed", "6", "--max-matches", "1000"];
    let long = [&base[..], &["--alpha", "1e-9", "--beta", "1e-9", "--format", "json"]].concat();
    let whole = place.run(&long);
    let kept = [&long[..], &["--store", "t.agon"]].concat();
    let mut child = begun(&place, &kept);
    child.kill().expect("it lives");
    child.wait().expect("it has ended");
    let resumed = place.run(&kept);
    assert_eq!((resumed.code, &resumed.out), (whole.code, &whole.out), "{resumed:?}");
    assert!(resumed.err.contains("continues after"), "it had played some: {resumed:?}");
}

#[test]
fn an_interrupt_prints_what_is_known_and_how_to_continue() {
    let place = Place::new();
    fs::create_dir(place.path("bots")).expect("a folder");
    place.write("bots/bot.sh", IDLE);
    let bots = ["a=sh bots/bot.sh", "b=sh bots/bot.sh"];
    let base = [&["test", "planet-wars"], &bots[..], &["--seed", "6", "--rounds", "20", "--store", "t.agon"]].concat();
    let child = begun(&place, &base);
    kill_process(Pid::from_child(&child), Signal::INT).expect("it lives");
    let done = Done::from(child.wait_with_output().expect("it ends"));
    assert_eq!(done.code, 130, "{done:?}");
    assert!(done.err.contains("interrupted after") && done.err.contains("the same command continues"), "{done:?}");
    assert!(done.out.contains("undecided after"), "{done:?}");
}

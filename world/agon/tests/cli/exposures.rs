//! Tests that no bot can read what is written while it plays.

use crate::agon::{Done, Place};
use std::{fs::File, os::unix::fs::symlink, path::Path, process::Command};

/// A bot that looks for the seed and for answers in each of its turns, and then passes. It looks in the folders around its
/// own and in the one that it is told.
const SPY: &str = r#"look() {
    for found in "$1"/*; do
        if [ -d "$found" ]; then
            look "$found"
        elif [ -r "$found" ]; then
            while IFS= read -r line; do
                case $line in *'"seed":4242''42'* | *'"stream":"''in"'*) echo "FOUND $found" >&2 ;; esac
            done < "$found"
        fi
    done
}
while read -r prompt; do
    if [ "$prompt" = . ]; then
        look ..
        look "$1"
        echo .
    fi
done
"#;

/// A folder with the spy, and an empty one beside it.
struct Ground(Place);

impl Ground {
    fn new() -> Self {
        let place = Place::new();
        for folder in ["bots", "out"] {
            std::fs::create_dir(place.path(folder)).expect("a folder");
        }
        place.write("bots/spy.sh", SPY);
        Self(place)
    }

    /// Returns the command of a match between the spy and another bot, run in the folder that they see.
    fn command(&self, more: &[&str]) -> Command {
        let spy = format!("sh spy.sh {}", self.0.path("out").display());
        let named = format!("me={spy}");
        let args = ["match", "grid", &named, "@random", "--seed", "424242", "--rounds", "3", "--time", "move=30s"];
        let mut command = self.0.command(&[&args[..], more].concat());
        command.current_dir(self.0.path("bots"));
        command
    }

    fn run(&self, more: &[&str]) -> Done {
        Done::from(self.command(more).output().expect("agon can be started"))
    }
}

/// Returns the levels of isolation that work here.
fn levels() -> Vec<&'static str> {
    let place = Place::new();
    let works = |level: &&str| place.run(&["match", "grid", "true", "@random", "--sandbox", level]).code != 40;
    ["full", "restricted"].into_iter().filter(works).collect()
}

#[test]
fn a_file_that_a_bot_could_read_is_refused_before_the_match() {
    let ground = Ground::new();
    let (bots, out) = (ground.0.path("bots"), ground.0.path("out"));
    symlink(bots.join("new.jsonl"), out.join("link.jsonl")).expect("a link");
    ground.0.write("out/two.jsonl", "{\"ply\":1,\"seat\":1,\"stream\":\"in\"}");
    std::fs::hard_link(out.join("two.jsonl"), bots.join("names.jsonl")).expect("a name");
    for level in levels() {
        for (option, path) in [
            ("--replay", "r.jsonl"),
            ("--replay", "../out/../bots/r.jsonl.zst"),
            ("--replay", "../out/link.jsonl"),
            ("--transcript", "t"),
            ("--transcript", "../out/two.jsonl"),
        ] {
            let done = ground.run(&[option, path, "--sandbox", level]);
            assert_eq!((done.code, done.out.as_str()), (1, ""), "{level}: {done:?}");
            let seen = bots.canonicalize().expect("it is there");
            let said =
                format!("{option} `{path}`: me could read it while it plays, because it sees `{}`", seen.display());
            assert!(done.err.contains(&said), "{said}: {done:?}");
            assert!(
                done.err
                    .contains(&format!("hint: write it where no bot of the match can read it, as with `{option} /")),
                "{done:?}"
            );
        }
        let read = ["--replay", "../out/r.jsonl", "--read", "../out", "--sandbox", level];
        assert_eq!(ground.run(&read).code, 1, "a folder that every bot may read");
    }
    assert_eq!(ground.0.read("out/two.jsonl"), "{\"ply\":1,\"seat\":1,\"stream\":\"in\"}");
    assert!(!bots.join("new.jsonl").exists() && !bots.join("r.jsonl").exists() && !bots.join("t").exists());
}

#[test]
fn a_hint_names_a_place_that_works() {
    let ground = Ground::new();
    let Some(level) = levels().pop() else { return };
    let done = ground.run(&["--replay", "r.jsonl", "--sandbox", level]);
    let hint = done.err.split("--replay ").last().and_then(|rest| rest.split('`').next()).expect("it ends the hint");
    let done = ground.run(&["--replay", hint, "--sandbox", level]);
    assert_eq!(done.code, 0, "{hint}: {done:?}");
    assert!(Path::new(hint).starts_with(ground.0.path("").canonicalize().expect("it is there")), "{hint}");
}

#[test]
fn a_bot_finds_nothing_of_a_match_in_all_that_it_can_read() {
    let ground = Ground::new();
    for level in levels() {
        let (replay, transcript) = (format!("../out/{level}.jsonl"), format!("../out/{level}.txt"));
        let done = ground.run(&["--replay", &replay, "--transcript", &transcript, "--stderr", "--sandbox", level]);
        assert_eq!(done.code, 0, "{level}: {done:?}");
        assert!(!done.err.contains("FOUND") && done.out.contains("limit reached"), "{level}: {done:?}");
    }
    let files = ["--replay", "../out/r.jsonl", "--transcript", "../out/t", "--stderr", "--sandbox", "none"];
    let done = ground.run(&files);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.err.contains("warning: bots without a sandbox can read this while they play: replay, transcript"));
    assert!(done.err.contains("FOUND"), "it looks in the right places: {done:?}");
}

#[test]
fn a_document_in_a_file_that_a_bot_sees_is_refused() {
    let ground = Ground::new();
    let Some(level) = levels().pop() else { return };
    let run = |folder: &str, more: &[&str]| {
        let path = ground.0.path(folder).join("result.json");
        let mut command = ground.command(&[&["--sandbox", level], more].concat());
        command.stdout(File::create(path).expect("a file"));
        Done::from(command.output().expect("agon can be started"))
    };
    let done = run("bots", &["--format", "json"]);
    assert!(done.code == 1 && done.err.contains("error: stdout `") && done.err.contains("as with `> /"), "{done:?}");
    assert_eq!(run("out", &["--format", "json"]).code, 0);
    assert!(ground.0.read("out/result.json").contains("\"schema\": 1"));
    assert_eq!(run("bots", &[]).code, 0, "text comes after the match");
}

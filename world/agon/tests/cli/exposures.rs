//! Tests that no bot can read what is written while it plays.

use crate::agon::{Done, Place};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs::File,
    os::unix::fs::symlink,
    path::PathBuf,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// A bot that looks for the seed and for answers in each of its turns, and then passes. It looks in the folders around its
/// own and in the one that it is told. That is no word of its command, so that it is not shown.
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
        look .
        look "${1#--in=}"
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
        let spy = format!("sh spy.sh --in={}", self.0.path("out").display());
        let named = format!("me={spy}");
        let args = ["match", "grid", &named, "@random", "--seed", "424242", "--rounds", "3", "--time", "move=30s"];
        let mut command = self.0.command(&[&args[..], more].concat());
        command.current_dir(self.0.path("bots")).env("XDG_STATE_HOME", self.0.path("state"));
        command
    }

    /// Returns the number of files that are withheld.
    fn left(&self) -> usize {
        let folder = self.0.path("state/agon/unfinished");
        std::fs::read_dir(folder).map_or(0, Iterator::count)
    }

    /// Returns the replay that is withheld.
    fn growing(&self) -> Option<PathBuf> {
        let folder = std::fs::read_dir(self.0.path("state/agon/unfinished")).ok()?.next()?.ok()?.path();
        let files = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
        files.into_iter().find(|file| file.extension().is_some_and(|end| end == "jsonl"))
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
fn files_that_a_bot_could_read_are_written_after_its_match() {
    let ground = Ground::new();
    let (bots, out) = (ground.0.path("bots"), ground.0.path("out"));
    symlink(bots.join("new.jsonl"), out.join("link.jsonl")).expect("a link");
    for level in levels() {
        ground.0.write("out/two.jsonl", "{\"ply\":1,\"seat\":1,\"stream\":\"in\"}");
        std::fs::hard_link(out.join("two.jsonl"), bots.join("names.jsonl")).expect("a name");
        for (option, path, there) in [
            ("--replay", "r.jsonl", "bots/r.jsonl"),
            ("--replay", "../out/../bots/z.jsonl.zst", "bots/z.jsonl.zst"),
            ("--replay", "../out/link.jsonl", "bots/new.jsonl"),
            ("--transcript", "t", "bots/t"),
            ("--transcript", "../out/two.jsonl", "out/two.jsonl"),
        ] {
            // The one that is there has other seeds, or would be found by its bytes.
            let done = ground.run(&[option, path, "--stderr", "--sandbox", level]);
            assert_eq!(done.code, 0, "{level}: {done:?}");
            let expected: &[u8] = if path.ends_with("zst") { &[0x28, 0xb5, 0x2f, 0xfd] } else { b"{" };
            let bytes = std::fs::read(ground.0.path(there)).expect("it is there");
            assert!(bytes.starts_with(expected) && bytes.len() > 100, "{level}: {path}");
            // A later match finds it: that is the proof that the bot looks in the right places.
            let again = ground.run(&["--stderr", "--sandbox", level]);
            let name = there.split('/').next_back().expect("a name");
            let found = again.err.contains("FOUND") || path.ends_with("zst") || there.starts_with("out");
            assert!(found && !done.err.contains("FOUND"), "{level}: {name}: {done:?} {again:?}");
            std::fs::remove_file(ground.0.path(there)).expect("it can be removed");
        }
        std::fs::remove_file(bots.join("names.jsonl")).expect("it can be removed");
        let read = ["--replay", "../out/r.jsonl", "--read", "../out", "--sandbox", level];
        assert_eq!(ground.run(&read).code, 0, "a folder that every bot may read");
    }
    assert_eq!(ground.left(), 0, "nothing is left where it grew");
}

#[test]
fn the_replays_of_many_games_are_written_when_the_last_one_is_over() {
    let ground = Ground::new();
    let Some(level) = levels().pop() else { return };
    let done = ground.run(&["--games", "4", "--at-once", "1", "--replays", "all", "--sandbox", level]);
    assert_eq!(done.code, 0, "{done:?}");
    let mut names: Vec<_> = std::fs::read_dir(ground.0.path("bots/all"))
        .expect("a folder")
        .map(|entry| entry.expect("a file").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    assert_eq!(names, ["1.jsonl.zst", "2.jsonl.zst", "3.jsonl.zst", "4.jsonl.zst"]);
    assert_eq!(ground.left(), 0, "nothing is left where they grew");
}

#[test]
fn withheld_files_survive_an_interrupt_and_are_named_after_a_kill() {
    let ground = Ground::new();
    let Some(level) = levels().pop() else { return };
    // It takes a while without a second process, which `restricted` does not allow.
    let slow = "wait() { i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; }\n\
                while read -r line; do [ \"$line\" = . ] && wait && echo .; done";
    ground.0.write("bots/slow.sh", slow);
    let start = |replay: &str| {
        let args = ["match", "grid", "sh slow.sh", "@random", "--rounds", "3000", "--time", "move=30s"];
        let mut command = ground.0.command(&[&args[..], &["--replay", replay, "--sandbox", level]].concat());
        command.current_dir(ground.0.path("bots")).env("XDG_STATE_HOME", ground.0.path("state"));
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("agon can be started");
        let begun = Instant::now();
        let grows = || ground.growing().is_some_and(|file| file.metadata().is_ok_and(|about| about.len() > 2000));
        while !grows() {
            assert!(begun.elapsed() < Duration::from_secs(60), "it is written");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(!ground.0.path("bots").join(replay).exists(), "no bot sees it");
        child
    };
    for (signal, replay) in [(Signal::INT, "int.jsonl"), (Signal::TERM, "term.jsonl"), (Signal::HUP, "hup.jsonl")] {
        let child = start(replay);
        kill_process(Pid::from_child(&child), signal).expect("it lives");
        let done = Done::from(child.wait_with_output().expect("it ends"));
        assert_eq!(done.code, 130, "{done:?}");
        assert!(ground.0.read(&format!("bots/{replay}")).lines().count() > 2, "{replay}");
        assert_eq!(ground.left(), 0, "{replay}");
    }
    let mut child = start("kill.jsonl");
    child.kill().expect("it lives");
    child.wait().expect("it ends");
    let here = ground.growing().expect("it is kept");
    let done = ground.run(&["--sandbox", level]);
    assert_eq!(done.code, 0, "{done:?}");
    let there = ground.0.path("bots").canonicalize().expect("a folder").join("kill.jsonl");
    let move_it = format!("mv {} {}", here.display(), there.display());
    assert!(done.err.contains("was killed before it wrote") && done.err.contains(&move_it), "{done:?}");
    let moved = Command::new("sh").arg("-c").arg(&move_it).status().expect("a shell");
    assert!(moved.success() && there.exists());
    assert!(!ground.run(&["--sandbox", level]).err.contains("killed"), "that was all");
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
fn output_into_a_file_that_a_bot_sees_comes_after_its_match() {
    let ground = Ground::new();
    ground.0.write(
        "bots/loud.sh",
        "echo '\"seed\":4242''42' >&2\nwhile read -r line; do [ \"$line\" = . ] && echo .; done\n",
    );
    for level in levels() {
        let run = |name: &str, more: &[&str], to_stdout: bool| {
            let file = File::create(ground.0.path("bots").join(name)).expect("a file");
            let spy = format!("me=sh spy.sh --in={}", ground.0.path("out").display());
            let args = ["match", "grid", &spy, "sh loud.sh", "--rounds", "3", "--time", "move=30s", "--sandbox", level];
            let mut command = ground.0.command(&[&args[..], &["--seed", "424242"], more].concat());
            command.current_dir(ground.0.path("bots"));
            if to_stdout {
                command.stdout(file)
            } else {
                command.stderr(file)
            };
            let done = Done::from(command.output().expect("agon can be started"));
            assert_eq!(done.code, 0, "{level}: {done:?}");
            let text = ground.0.read(&format!("bots/{name}"));
            std::fs::remove_file(ground.0.path("bots").join(name)).expect("it can be removed");
            text
        };
        assert!(run("o.json", &["--format", "json"], true).contains("\"schema\": 1"), "{level}");
        assert!(run("o.txt", &[], true).contains("limit reached"), "{level}");
        let said = run("e.txt", &["--stderr"], false);
        assert!(said.contains("| \"seed\":424242") && !said.contains("FOUND"), "{level}: {said}");
    }
    let Some(level) = levels().pop() else { return };
    let mut watch = ground.command(&["--watch", "--sandbox", level]);
    watch.stderr(File::create(ground.0.path("bots/boards")).expect("a file"));
    assert_eq!(watch.status().expect("agon can be started").code(), Some(1));
    assert!(ground.0.read("bots/boards").contains("as with `2> /"), "boards are refused");
}

//! Tests Ctrl-C in commands that take long: the exit code, and that no process or file is left.

use crate::agon::{Done, Place};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use std::{
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// Waits until a condition is true. On a quiet machine it is true immediately.
fn until(what: &str, mut is_there: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_there() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn start(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("agon can be started")
}

/// Sends a signal to a command, checks that it ends as interrupted, and returns its output.
fn interrupted(child: Child, signal: Signal) -> Done {
    kill_process(Pid::from_child(&child), signal).expect("it lives");
    let done = Done::from(child.wait_with_output().expect("it ends"));
    assert_eq!((done.code, done.out.as_str()), (130, ""), "{done:?}");
    assert!(done.err.contains("interrupted"), "{done:?}");
    done
}

#[test]
fn a_bot_that_is_asked_about_a_replay_ends_with_the_command() {
    let place = Place::new();
    let played = place.run(&["match", "planet-wars", "@random", "@random", "--replay", "r.jsonl"]);
    assert_eq!(played.code, 0, "{played:?}");
    place.write("bot.sh", "echo $$ > pid.part\nmv pid.part pid\nexec sleep 555\n");
    let ask = ["replay", "ask", "r.jsonl", "--ply", "1", "--seat", "1", "sh bot.sh", "--wait", "555s"];
    let child = start(&mut place.command(&[&ask[..], &["--sandbox", "none"]].concat()));
    until("the bot starts", || place.path("pid").exists());
    interrupted(child, Signal::TERM);
    let bot = place.read("pid").trim().parse().ok().and_then(Pid::from_raw).expect("a number");
    until("the bot ends", || test_kill_process(bot).is_err());
}

#[test]
fn a_long_way_to_a_turn_ends_as_well() {
    let place = Place::new();
    let played =
        place.run(&["match", "lighthouses", "@random", "@random", "--rounds", "9000", "--replay", "r.jsonl", "-q"]);
    assert_eq!(played.code, 0, "{played:?}");
    // The bot creates a file when it starts. The command is then ready for the signal.
    place.write("bot.sh", "touch begun\nexec agon bot lighthouses random\n");
    let ask = ["replay", "ask", "r.jsonl", "--ply", "18000", "--seat", "2", "sh bot.sh", "--sandbox", "none"];
    let child = start(&mut place.command(&ask));
    until("the bot starts", || place.path("begun").exists());
    interrupted(child, Signal::INT);
}

#[test]
fn a_bot_that_hangs_in_a_trial_match_ends_with_the_command() {
    let place = Place::new();
    // It passes its check, whose matches have at most 50 rounds, and then hangs.
    let bot = "n=0; while read l; do [ \"$l\" = . ] && echo . && n=$((n + 1)); [ $n = 60 ] && break; done\n\
               echo $$ > pid.part\nmv pid.part pid\nexec sleep 555\n";
    place.write("bot.sh", bot);
    let head = "game = \"grid\"\nsandbox = \"none\"\nlimit = 300\nclock = \"move=555s\"\nrounds = 1\n";
    let bots = "[[bot]]\nname = \"a\"\nrun = \"sh bot.sh\"\n[[bot]]\nname = \"b\"\nrun = \"@random\"\n";
    place.write("cup.toml", format!("{head}{bots}"));
    let child = start(&mut place.command(&["tournament", "check", "cup.toml"]));
    until("the bot hangs", || place.path("pid").exists());
    interrupted(child, Signal::INT);
    let bot = place.read("pid").trim().parse().ok().and_then(Pid::from_raw).expect("a number");
    until("the bot ends", || test_kill_process(bot).is_err());
}

#[test]
fn a_wait_for_a_map_ends_at_the_first_interrupt() {
    let place = Place::new();
    for command in [&["match", "grid", "@random", "@random"][..], &["check", "grid", "sleep 555"]] {
        let fifo = format!("{}.fifo", command[0]);
        let made = Command::new("mkfifo").arg(place.path(&fifo)).status().expect("there is `mkfifo`");
        assert!(made.success());
        let child = start(&mut place.command(&[command, &["--map", &fifo]].concat()));
        // The command opens the other end only when it waits for the map.
        let map = std::fs::OpenOptions::new().write(true).open(place.path(&fifo)).expect("somebody reads");
        kill_process(Pid::from_child(&child), Signal::TERM).expect("it lives");
        let done = Done::from(child.wait_with_output().expect("it ends"));
        assert_eq!((done.code, done.out.as_str()), (130, ""), "{done:?}");
        drop(map);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_compiler_of_a_champion_ends_with_the_command() {
    let place = Place::new();
    std::fs::create_dir(place.path("mine")).expect("a folder");
    place.write("mine/prologin.cc", "int main() {}\n");
    let mut command = place.command(&["match", "portals", "champion:mine", "@builder"]);
    // A compiler that never ends, whatever its other arguments are.
    command.env("XDG_CACHE_HOME", place.path("cache")).env("CXX", "tail -f /dev/null --");
    let child = start(&mut command);
    // It is built in a folder there, which is gone at the end.
    let folders = || std::fs::read_dir(place.path("cache/agon/champions")).map_or(0, Iterator::count);
    until("the build begins", || folders() > 0);
    interrupted(child, Signal::INT);
    assert_eq!(folders(), 0);
}

//! Tests `agon tournament`: files, runs that are interrupted, the status, and errors.

use crate::agon::{Done, Place};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::process::{Child, Stdio};

fn new(place: &Place, bots: &str, more: &[&str]) {
    let args = ["tournament", "new", "--game", "grid", "--bots", bots, "--seed", "11", "-o", "cup.toml"];
    let done = place.run(&[&args[..], more].concat());
    assert_eq!(done.code, 0, "{done:?}");
}

/// Starts a run that prints its events. Its stderr is read when it has ended.
fn started(place: &Place) -> Child {
    let mut command = place.command(&["tournament", "run", "cup.toml", "--format", "json-lines"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("agon can be started")
}

fn status(place: &Place) -> Value {
    place.json(&["tournament", "status", "cup.toml", "--format", "json"])
}

#[test]
fn a_tournament_from_its_file_to_its_table() {
    let place = Place::new();
    new(&place, "@random,@greedy,third=@random", &["--rounds", "2"]);
    let checked = place.json(&["tournament", "check", "cup.toml", "--format", "json"]);
    assert_eq!((&checked["matches_least"], &checked["matches_most"]), (&12.into(), &12.into()));
    assert_eq!(checked["faults"], serde_json::json!([]));
    assert!(!place.path("cup.agon").exists(), "a check stores nothing");
    let played = place.run(&["tournament", "run", "cup.toml"]);
    assert_eq!(played.code, 0, "{played:?}");
    assert!(played.out.contains("greedy"), "{played:?}");
    let status = status(&place);
    assert_eq!((&status["finished"], &status["standings_after"]), (&12.into(), &12.into()));
    assert_eq!(status["planned"], 12);
    let best = &status["standings"][0];
    assert_eq!((&best["bot"], &best["points"], &best["played"]), (&"greedy".into(), &16.into(), &8.into()));
    let again = place.run(&["tournament", "run", "cup.toml", "--format", "json-lines"]);
    let events: Vec<Value> = again.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(events.len(), 1, "nothing is left to play: {again:?}");
    assert_eq!((&events[0]["event"], &events[0]["complete"]), (&"end".into(), &true.into()));
}

#[test]
fn a_status_has_a_total_unless_results_decide_it() {
    let place = Place::new();
    new(&place, "@random,@greedy", &["--kind", "ladder", "--rounds", "3"]);
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0);
    let told = place.run(&["tournament", "status", "cup.toml"]);
    assert!(told.out.starts_with("6 of 6 matches finished\n"), "{told:?}");

    let place = Place::new();
    new(&place, "@random,@greedy", &["--kind", "single-elimination"]);
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0);
    assert_eq!(status(&place)["planned"], 1, "all results are known");
    assert_eq!(place.run(&["tournament", "void", "cup.toml", "1", "--why", "a test"]).code, 0);
    assert_eq!(status(&place)["planned"], Value::Null, "nobody knows how many games follow");
    let told = place.run(&["tournament", "status", "cup.toml"]);
    assert!(told.out.starts_with("0 matches finished, 1 void\n"), "{told:?}");
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0);
    let told = place.run(&["tournament", "status", "cup.toml"]);
    assert!(told.out.starts_with("1 of 2 matches finished, 1 void\n"), "{told:?}");
}

#[test]
fn every_shown_match_survives_a_kill() {
    let place = Place::new();
    new(&place, "@random,@greedy", &["--rounds", "2000"]);
    let mut shown = Vec::new();
    for _ in 0..3 {
        let mut child = started(&place);
        let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().expect("a pipe")));
        for line in lines.by_ref().map_while(Result::ok) {
            let event: Value = serde_json::from_str(&line).expect("JSON");
            if event["event"] == "match" {
                shown.push(event["id"].as_u64().expect("a number"));
                if shown.len() % 150 == 0 {
                    break;
                }
            }
        }
        let _ = kill_process(Pid::from_child(&child), Signal::KILL);
        // What it wrote before its end was shown too. Its last line may be cut off.
        for line in lines.map_while(Result::ok) {
            let Ok(event) = serde_json::from_str::<Value>(&line) else { continue };
            if event["event"] == "match" {
                shown.push(event["id"].as_u64().expect("a number"));
            }
        }
        child.wait().expect("it ends");
    }
    let finished = status(&place)["finished"].as_u64().expect("a number");
    assert!(finished >= shown.len() as u64 && finished < 4000, "{finished} stored, {} shown", shown.len());
    let done = place.run(&["tournament", "run", "cup.toml", "--format", "json-lines"]);
    let rest = done.out.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let rest: Vec<u64> =
        rest.filter(|event| event["event"] == "match").filter_map(|event| event["id"].as_u64()).collect();
    let mut all: Vec<u64> = shown.iter().chain(&rest).copied().collect();
    all.sort_unstable();
    let count = all.len();
    all.dedup();
    assert_eq!(count, all.len(), "no match is shown twice");
    assert_eq!(status(&place)["finished"], 4000);
}

#[test]
fn an_interrupted_run_says_how_to_continue() {
    let place = Place::new();
    new(&place, "@random,@greedy", &["--rounds", "100000"]);
    let mut child = started(&place);
    let mut first = String::new();
    let mut out = std::io::BufReader::new(child.stdout.take().expect("a pipe"));
    std::io::BufRead::read_line(&mut out, &mut first).expect("an event");
    kill_process(Pid::from_child(&child), Signal::INT).expect("it lives");
    std::io::copy(&mut out, &mut std::io::sink()).expect("it ends");
    let done = Done::from(child.wait_with_output().expect("it ends"));
    assert_eq!(done.code, 130, "{done:?}");
    assert!(done.err.contains("`agon tournament run cup.toml` continues it"), "{done:?}");
}

#[test]
fn a_void_match_does_not_count() {
    let place = Place::new();
    new(&place, "@random,@greedy", &[]);
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0);
    let void = ["tournament", "void", "cup.toml", "2", "--why", "the wrong map"];
    assert_eq!(place.run(&void).code, 0);
    let after = status(&place);
    assert_eq!((&after["finished"], &after["void"]), (&1.into(), &1.into()));
    assert_eq!(after["standings"][0]["played"], 1);
    let again = place.run(&["tournament", "void", "cup.toml", "2", "--why", "another reason"]);
    assert!(again.code == 0 && again.err.contains("keeps its reason: the wrong map"), "{again:?}");
    assert_eq!(place.json(&["tournament", "export", "cup.toml"])["matches"][1]["reason"], "the wrong map");
    let replayed = place.run(&["tournament", "replay", "cup.toml", "2"]);
    assert!(replayed.code == 0 && replayed.out.contains("the same match"), "{replayed:?}");
    place.fails(1, &["tournament", "void", "cup.toml", "99", "--why", "x"], &["99"]);
}

#[test]
fn a_changed_file_is_refused_or_taken_over() {
    let place = Place::new();
    new(&place, "@random,@greedy", &[]);
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0);
    let text = place.read("cup.toml");
    place.write("cup.toml", text.replace("rounds = 1", "rounds = 2"));
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0);
    assert_eq!(status(&place)["finished"], 4, "more rounds go on");
    place.write("cup.toml", text.replace("seed = 11", "seed = 12"));
    place.fails(1, &["tournament", "run", "cup.toml"], &["has changed", "seed", "--restart"]);
    let restarted = place.run(&["tournament", "run", "cup.toml", "--restart"]);
    assert_eq!(restarted.code, 0, "{restarted:?}");
    assert!(place.path("cup.agon.1").exists());
    assert_eq!(status(&place)["finished"], 2);
}

#[test]
fn bad_files_name_the_line_and_the_key() {
    let place = Place::new();
    let head = "game = \"grid\"\n";
    let bots = "[[bot]]\nrun = \"@random\"\n[[bot]]\nrun = \"@greedy\"\n";
    for (text, words) in [
        (format!("{head}round = 3\n{bots}"), "`rounds`"),
        (format!("{head}maps = [\"none.txt\"]\n{bots}"), "none.txt"),
        (format!("{head}[[bot]]\nrun = \"@random\"\n"), "bot"),
        (format!("{head}[[bot]]\nname = \"a\"\nrun = \"@random\"\n[[bot]]\nname = \"a\"\nrun = \"@greedy\"\n"), "`a`"),
        (format!("{head}kind = \"knockabout\"\n{bots}"), "knockabout"),
        (format!("game = \"chess\"\n{bots}"), "chess"),
        ("game = ".to_owned(), "cup.toml"),
        (format!("{head}rounds = 2\nmaps = [\"gen\", \"none.txt\"]\n{bots}"), " --> cup.toml:3:16"),
        (format!("{head}maps = [\"gen\", \"gen:foo\"]\n{bots}"), " --> cup.toml:2:16"),
        (format!("{head}maps = [\"none/*.txt\"]\n{bots}"), "`maps`: none/*.txt: there is no such file"),
        (format!("{head}seeding = \"none.agon\"\n{bots}"), " --> cup.toml:2:11"),
        (format!("{head}seeding = \"none.agon\"\n{bots}"), "`seeding`: "),
        (format!("{head}[bot]\nrun = \"@random\"\n"), "`[[bot]]`, in two brackets"),
        (format!("{head}[bot]\nrun = \"@random\"\n[bot]\nrun = \"@greedy\"\n"), "`[[bot]]`, in two brackets"),
        (format!("{head}rounds = 2\nrounds = 3\n{bots}"), "keep one line with `rounds`"),
        (format!("{head}{bots}run = \"@random\"\n"), "begin the next bot with a line `[[bot]]`"),
    ] {
        place.write("cup.toml", &text);
        for action in ["check", "run"] {
            let done = place.run(&["tournament", action, "cup.toml"]);
            assert_eq!((done.code, done.out.as_str()), (1, ""), "{text}: {done:?}");
            assert!(done.err.contains(words), "{text}: {done:?}");
        }
    }
    place.fails(1, &["tournament", "status", "cup.toml"], &["there is no store", "agon tournament run"]);
    place.fails(1, &["tournament", "run", "none.toml"], &["none.toml"]);
    let broken = format!("{head}[[bot]]\nname = \"x\"\nrun = \"./none\"\n[[bot]]\nname = \"y\"\nrun = \"./neither\"\n");
    place.write("cup.toml", broken);
    let done = place.run(&["tournament", "run", "cup.toml"]);
    assert_eq!(done.code, 20, "{done:?}");
    assert!(done.err.contains("x: ") && done.err.contains("y: "), "all of them are told: {done:?}");
}

#[test]
fn a_match_is_played_again_and_a_store_is_verified() {
    let place = Place::new();
    new(&place, "@random,@greedy", &["--rounds", "3"]);
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0);
    let again = place.json(&["tournament", "replay", "cup.toml", "5", "--format", "json"]);
    assert_eq!((&again["same"], &again["stored"]), (&true.into(), &again["now"]));
    let verified = place.json(&["tournament", "verify", "cup.toml", "--format", "json"]);
    assert_eq!((&verified["matches"], &verified["replays"]), (&6.into(), &6.into()));
    assert_eq!((&verified["standings"], &verified["findings"]), (&"agree".into(), &serde_json::json!([])));
    // Another bot under the same name.
    place.write("cup.toml", place.read("cup.toml").replace("run = \"@random\"", "run = \"@warden\""));
    let other = place.run(&["tournament", "replay", "cup.toml", "5"]);
    assert_eq!(other.code, 30, "{other:?}");
    assert!(other.err.contains("changed since: random"), "{other:?}");
    place.fails(1, &["tournament", "replay", "cup.toml", "7"], &["there is no match 7"]);
}

#[test]
fn no_bot_sees_the_tournament() {
    let place = Place::new();
    place.write("bot.sh", "exec agon bot grid random\n");
    new(&place, "x=sh bot.sh,@random", &[]);
    for what in ["check", "run"] {
        place.fails(1, &["tournament", what, "cup.toml"], &["could read `cup.toml`", "a folder of its own"]);
    }
    std::fs::create_dir(place.path("bots")).expect("a folder");
    place.write("bots/bot.sh", "while read -r line; do echo .; done\n");
    place.write("cup.toml", place.read("cup.toml").replace("sh bot.sh", "sh bots/bot.sh"));
    let done = place.run(&["tournament", "run", "cup.toml"]);
    assert_eq!(done.code, 0, "{done:?}");
    let exported = place.json(&["tournament", "export", "cup.toml"]);
    assert_eq!(exported["matches"].as_array().map(Vec::len), Some(2));
}

#[test]
fn one_process_at_a_time_writes_a_store() {
    let place = Place::new();
    new(&place, "@random,@greedy", &["--rounds", "100000"]);
    let mut child = started(&place);
    let mut out = std::io::BufReader::new(child.stdout.take().expect("a pipe"));
    std::io::BufRead::read_line(&mut out, &mut String::new()).expect("an event");
    let (owner, end) = (format!("in use by process {}", child.id()), format!("kill -INT {}", child.id()));
    place.fails(1, &["tournament", "run", "cup.toml"], &[&owner, &end]);
    assert!(status(&place)["bots"].as_array().is_some_and(|bots| bots.len() == 2), "it can be read meanwhile");
    let _ = kill_process(Pid::from_child(&child), Signal::KILL);
    child.wait().expect("it ends");
}

#[test]
fn everything_that_was_played_is_exported() {
    let place = Place::new();
    let bots = ["--bots", "@random,@greedy", "--rounds", "2", "--seed", "11", "-o", "cup.toml"];
    assert_eq!(place.run(&[&["tournament", "new", "--game", "grid"], &bots[..]].concat()).code, 0);
    place.fails(1, &["tournament", "export", "cup.toml"], &["there is no store"]);
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "--quiet"]).code, 0);
    let document = place.json(&["tournament", "export", "cup.toml"]);
    crate::schemas::assert_valid(&place, "tournament-export", &document);
    assert_eq!(document["matches"].as_array().map(Vec::len), Some(4));
    let csv = place.run(&["tournament", "export", "cup.toml", "--format", "csv"]).out;
    assert_eq!(csv.lines().count(), 1 + 4 * 2, "{csv}");
}

#[test]
fn bots_that_both_fail_have_both_lost() {
    let place = Place::new();
    // The folder of the bots is not that of the store, which no bot may read.
    std::fs::create_dir(place.path("bots")).expect("a folder");
    place.write("bots/crash.sh", "exit 3\n");
    place.write("bots/leave.sh", "read -r line; exit 0\n");
    let bots = "a=sh bots/crash.sh,b=sh bots/leave.sh,@random";
    let args = ["tournament", "new", "--game", "planet-wars", "--bots", bots, "--seed", "11", "-o", "cup.toml"];
    assert_eq!(place.run(&args).code, 0);
    let done = place.run(&["tournament", "run", "cup.toml"]);
    assert!(done.out.contains("double forfeits"), "{done:?}");
    let report = place.json(&["tournament", "report", "cup.toml", "--format", "json"]);
    let rows = report["standings"].as_array().expect("rows");
    let row = |row: &Value| ["points", "draws", "losses", "double_forfeits"].map(|key| row[key].as_i64());
    assert_eq!(
        rows.iter().map(row).collect::<Vec<_>>(),
        [[8, 0, 0, 0], [0, 0, 4, 2], [0, 0, 4, 2]].map(|row| row.map(Some))
    );
    let matches = place.json(&["tournament", "export", "cup.toml", "--format", "json"]);
    let forfeited = matches["matches"].as_array().expect("matches").iter().filter(|one| one["double_forfeit"] == true);
    let places: Vec<_> = forfeited.map(|one| [0, 1].map(|seat| one["seats"][seat]["place"].clone())).collect();
    assert_eq!(places, [[1, 1], [1, 1]], "the game's result stays a draw");
    let rated = place.run(&["rate", "cup.toml"]);
    assert!(rated.out.contains("left out  2 matches, 2 because all bots failed"), "{rated:?}");
    let tested = place.run(&["test", "planet-wars", "a=sh bots/crash.sh", "b=sh bots/leave.sh", "--map", "gen"]);
    assert!(
        tested.code == 21 && tested.out.contains("undecided: a and b both fail in every game (10 matches)"),
        "{tested:?}"
    );
    assert!(tested.out.contains("all bots failed in 10 matches: 5 blocks left out"), "{tested:?}");
}

/// Begins a tournament of two programs that write to their stderr and end, and a built-in bot.
fn with_stderr(place: &Place) {
    std::fs::create_dir(place.path("bots")).expect("a folder");
    // One of them writes what looks like the text of another bot.
    place.write("bots/a.sh", "echo of a >&2\necho '--- seat 2, 7 bytes' >&2\necho forged >&2\nexit 3\n");
    place.write("bots/b.sh", "echo of b >&2\nexit 3\n");
    let bots = "a=sh bots/a.sh,b=sh bots/b.sh,c=@random";
    let args = ["tournament", "new", "--game", "grid", "--bots", bots, "--seed", "11", "-o", "cup.toml"];
    assert_eq!(place.run(&args).code, 0);
}

#[test]
fn the_stderr_of_a_bot_is_for_its_author_alone() {
    let place = Place::new();
    with_stderr(&place);
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0);
    for (bot, own) in [("a", "of a\n--- seat 2, 7 bytes\nforged\n"), ("b", "of b\n")] {
        let done = place.run(&["tournament", "logs", "cup.toml", bot, &format!("of-{bot}")]);
        assert!(done.code == 0 && done.err.contains("wrote 4 logs"), "{done:?}");
        let folder = std::fs::read_dir(place.path(&format!("of-{bot}"))).expect("a folder");
        let texts: Vec<String> =
            folder.flatten().map(|file| std::fs::read_to_string(file.path()).expect("a text")).collect();
        assert_eq!(texts, vec![own.to_owned(); 4], "{bot}");
    }
    let again = place.run(&["tournament", "logs", "cup.toml", "a", "of-a"]);
    assert!(again.code == 1 && again.err.contains("is not empty"), "{again:?}");
    let quiet = place.run(&["tournament", "logs", "cup.toml", "c", "of-c"]);
    assert!(quiet.code == 0 && quiet.err.contains("wrote nothing") && !place.path("of-c").exists(), "{quiet:?}");
    let nobody = place.run(&["tournament", "logs", "cup.toml", "d", "of-d"]);
    assert!(nobody.code == 1 && nobody.err.contains("there is no bot `d`"), "{nobody:?}");
}

#[test]
fn an_organiser_withdraws_a_bot() {
    let place = Place::new();
    with_stderr(&place);
    let early = place.run(&["tournament", "withdraw", "cup.toml", "b", "--why", "too early"]);
    assert!(early.code == 1 && early.err.contains("nothing was played yet"), "{early:?}");
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0);
    let nobody = place.run(&["tournament", "withdraw", "cup.toml", "d", "--why", "a test"]);
    assert!(nobody.code == 1 && nobody.err.contains("the bots are `a`, `b`, `c`"), "{nobody:?}");
    let done = place.run(&["tournament", "withdraw", "cup.toml", "b", "--why", "its author asked"]);
    assert!(done.code == 0 && done.err.contains("`b` is withdrawn"), "{done:?}");
    let again = place.run(&["tournament", "withdraw", "cup.toml", "b", "--why", "twice"]);
    assert!(again.code == 1 && again.err.contains("withdrawn already"), "{again:?}");
    let report = place.json(&["tournament", "report", "cup.toml", "--format", "json"]);
    assert_eq!(report["bots"][1]["withdrawn"], "its author asked");
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0, "the others are played");
}

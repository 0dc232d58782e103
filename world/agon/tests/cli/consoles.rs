//! Tests `agon console --terminal` with lines from a pipe.

use crate::agon::{Done, Place, games};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// A console with pipes.
pub struct Talk {
    pub child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Talk {
    fn begin(place: &Place, args: &[&str]) -> Self {
        Self::start(place.command(args).stderr(Stdio::null()))
    }

    pub fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("agon can be started");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { stdin: child.stdin.take(), child, stdout }
    }

    /// Gives a command and returns its answer.
    pub fn say(&mut self, line: &str) -> Value {
        writeln!(self.stdin.as_mut().expect("a pipe"), "{line}").expect("the console reads");
        let mut answer = String::new();
        self.stdout.read_line(&mut answer).expect("an answer");
        serde_json::from_str(&answer).unwrap_or_else(|why| panic!("{line}: {why}: {answer}"))
    }

    pub fn end(mut self) -> i32 {
        drop(self.stdin.take());
        self.child.wait().expect("it ends").code().expect("a code")
    }
}

/// Runs a console with these lines.
pub fn run(place: &Place, args: &[&str], lines: &str) -> Done {
    let mut child = place
        .command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("agon can be started");
    child.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("the console reads");
    Done::from(child.wait_with_output().expect("it ends"))
}

/// A built-in bot as a process of its own, which writes its number to a file.
const BOT: &str = "sh -c 'echo $$ > pid; exec agon bot triangles random'";
const CONSOLE: &[&str] =
    &["console", "triangles", "human", BOT, "--terminal", "--format", "json", "--seed", "1", "--sandbox", "none"];

#[test]
fn a_session_from_a_pipe_is_saved_as_a_replay_that_verifies() {
    let place = Place::new();
    let done = run(&place, CONSOLE, "play 1 [1,2]\nundo\nredo\nraw 2 name\nstatus\nsave replay s.jsonl\n");
    assert_eq!(done.code, 0, "{done:?}");
    let answers: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let commands: Vec<&str> = answers.iter().filter_map(|answer| answer["command"].as_str()).collect();
    assert_eq!(commands, ["play", "undo", "redo", "raw", "status", "save"]);
    assert!(answers[3]["answer"]["text"].as_str().is_some_and(|text| text.starts_with('=')), "{}", answers[3]);
    assert_eq!(answers[4]["awaiting"], serde_json::json!([2]));
    assert_eq!(answers[4]["seats"][1]["state"], "ready");
    let verified = place.run(&["replay", "verify", "s.jsonl"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    let schema = place.json(&["schema", "console"]);
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for answer in &answers {
        assert!(validator.is_valid(answer), "{answer}");
    }
}

#[test]
fn a_killed_bot_is_dead_and_another_one_goes_on() {
    let place = Place::new();
    // The end may be noticed before the next command, which is then refused.
    let mut talk = Talk::begin(&place, &[CONSOLE, &["--keep-going"]].concat());
    assert_eq!(talk.say("play 1 [1,2]")["ok"], true);
    assert_eq!(talk.say("raw 2 name")["answer"]["complete"], true);
    let killed = Command::new("kill").args(["-9", place.read("pid").trim()]).status().expect("kill");
    assert!(killed.success());
    let refused = talk.say("raw 2 name --wait 60s");
    let status = talk.say("status");
    assert_eq!(status["seats"][1]["state"], "dead", "{refused} {status}");
    assert_eq!(talk.say("bot 2 @random")["ok"], true);
    assert_eq!(talk.say("go")["ply"], 2);
    assert_eq!(talk.end(), 0);
}

/// The words are those with which `agon match` refuses such a bot.
#[test]
fn a_program_that_does_not_exist_takes_no_seat() {
    let place = Place::new();
    place.write("notes", "no program");
    let begin = ["console", "triangles", "./nosuch", "sh nosuch.sh", "--terminal", "--seed", "1"];
    place.fails(20, &begin, &["could not be started", "nosuch`", "nosuch.sh`"]);
    let mut talk = Talk::begin(&place, &[CONSOLE, &["--keep-going"]].concat());
    for (words, why) in [
        ("nosuch", "there is no program `nosuch` in the search path"),
        ("./nosuch --fast", "nosuch`"),
        ("./notes", "is not executable"),
        ("sh nosuch.sh", "nosuch.sh`"),
    ] {
        let refused = talk.say(&format!("bot 2 {words}"));
        let text = refused["error"]["text"].as_str().unwrap_or_default();
        let is_refused = refused["ok"] == false && text.contains("could not be started") && text.contains(why);
        assert!(is_refused && refused["error"]["hint"].is_string(), "{words}: {refused}");
    }
    let status = talk.say("status");
    assert!(status["seats"][1]["bot"].as_str().is_some_and(|words| words.contains("triangles random")), "{status}");
    assert_eq!(talk.say("play 1 [1,2]")["ok"], true);
    assert_eq!(talk.say("raw 2 name")["answer"]["complete"], true);
    assert_eq!(talk.end(), 0);
}

#[test]
fn a_hung_bot_and_a_flooding_bot_end_nothing() {
    let place = Place::new();
    let args =
        ["console", "triangles", "sleep 1000", "yes", "--terminal", "--format", "json", "--wait", "1ms", "--seed", "1"];
    let mut talk = Talk::begin(&place, &[&args[..], &["--keep-going"]].concat());
    assert_eq!(talk.say("go")["seats"][0]["state"], "thinking");
    assert_eq!(talk.say("bot 1 @random")["ok"], true);
    assert_eq!(talk.say("go --wait 60s")["ply"], 1);
    assert_eq!(talk.say("go --wait 60s")["ok"], false);
    assert_eq!(talk.say("status")["ply"], 1);
    assert_eq!(talk.say("bot 2 @random")["ok"], true);
    assert_eq!(talk.say("go --wait 60s")["ply"], 2);
    assert_eq!(talk.end(), 0);
}

#[test]
fn the_first_refused_line_ends_a_script_unless_it_keeps_going() {
    let place = Place::new();
    let args = ["console", "grid", "--terminal", "--seed", "1"];
    let done = run(&place, &args, "jump\nstatus\n");
    assert_eq!((done.code, done.out.as_str()), (1, ""), "{done:?}");
    assert!(done.err.contains("unknown command `jump`") && done.err.contains("^^^^"), "{done:?}");
    let done = run(&place, &[&args[..], &["--keep-going"]].concat(), "jump\nstatus\n");
    assert!(done.code == 0 && done.out.contains("seat 1: human (human), a person"), "{done:?}");
}

#[test]
fn a_map_that_could_not_be_loaded_can_be_saved() {
    let place = Place::new();
    let mut talk = Talk::begin(&place, &[CONSOLE, &["--keep-going"]].concat());
    assert_eq!(talk.say("load new.map")["ok"], false);
    let saved = talk.say("save map new.map");
    assert_eq!(saved["ok"], true, "{saved}");
    assert_eq!(talk.say("load new.map")["ok"], true);
    let refused = talk.say("save map new.map");
    assert!(refused["error"]["text"].as_str().is_some_and(|why| why.contains("a map of the session")), "{refused}");
    assert_eq!(talk.end(), 0);
}

#[test]
fn every_game_is_played_shown_and_saved() {
    for game in games() {
        let place = Place::new();
        let args = ["console", &game, "@random", "@random", "--terminal", "--seed", "1"];
        let done =
            run(&place, &args, "go 5\nundo 2\ngo 1\nbranch\nshow\nshow map\nsave map m\nsave replay r.jsonl\nload m\n");
        assert_eq!(done.code, 0, "{game}: {done:?}");
        assert_eq!(place.run(&["replay", "verify", "r.jsonl"]).code, 0, "{game}");
        assert!(done.out.contains("* branch"), "{game}: {done:?}");
    }
}

/// Returns the answers of a session in JSON.
fn answers(place: &Place, args: &[&str], lines: &str) -> Vec<Value> {
    let done = run(place, &[args, &["--terminal", "--format", "json"]].concat(), lines);
    assert_eq!(done.code, 0, "{done:?}");
    done.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Returns what must not change when a session is saved and begins again.
fn place_of(answer: &Value) -> [Value; 4] {
    ["fingerprint", "ply", "awaiting", "branches"].map(|key| answer[key].clone())
}

#[test]
fn a_session_begins_with_a_replay_and_is_saved_again() {
    for game in games() {
        let place = Place::new();
        let first =
            ["match", &game, "@random", "me=@random", "--seed", "1", "--rounds", "20", "--replay", "m.jsonl.zst"];
        let first: Vec<&str> = if game == "triangles" {
            first.into_iter().filter(|word| !["--rounds", "20"].contains(word)).collect()
        } else {
            first.to_vec()
        };
        assert_eq!(place.run(&first).code, 0, "{game}");
        let script = "status\nundo 2\nbranch\nbot 1 @random\nbot 2 @random\nredo\nbranch\nsave replay s.jsonl\n";
        let done = answers(&place, &["console", "--replay", "m.jsonl.zst"], script);
        assert_eq!(done[0]["over"], true, "{game}");
        let seats = done[0]["seats"].as_array().expect("seats");
        let names: Vec<&str> = seats.iter().filter_map(|seat| seat["name"].as_str()).collect();
        assert_eq!((names, &seats[1]["state"]), (vec!["random", "me"], &Value::from("human")), "{game}");
        assert_eq!(place.run(&["replay", "verify", "s.jsonl"]).code, 0, "{game}");

        let again = answers(&place, &["console", &game, "@random", "--replay", "s.jsonl"], "branch\nshow map\n");
        assert_eq!(place_of(&again[0]), place_of(&done[6]), "{game}");
        assert_eq!(again[0]["seats"][0]["bot"], "@random");

        let at = answers(
            &place,
            &["console", "--replay", "m.jsonl.zst", "--ply", "3"],
            "status\nredo 2\nsave replay t.jsonl\n",
        );
        assert_eq!((&at[0]["ply"], &at[1]["ply"]), (&Value::from(3), &Value::from(5)), "{game}");
        assert_eq!(place.run(&["replay", "verify", "t.jsonl"]).code, 0, "{game}");
    }
}

#[test]
fn a_replay_that_no_session_can_begin_with_is_refused() {
    let place = Place::new();
    let recorded = ["match", "grid", "@random", "@random", "--seed", "1", "--rounds", "9", "--replay", "r.jsonl"];
    assert_eq!(place.run(&recorded).code, 0);
    let whole = place.read("r.jsonl");
    let lines: Vec<&str> = whole.lines().collect();
    place.write("damaged.jsonl", [&lines[..3], &["{\"ply\":"], &lines[3..]].concat().join("\n"));
    place.write("changed.jsonl", &(lines[0].to_owned() + "\n" + &lines[2..].join("\n") + "\n"));
    place.write("cut-off.jsonl", &(lines[..4].join("\n") + "\n{\"ply\":4,"));
    let refused = |args: &[&str]| run(&place, &[&["console"], args, &["--terminal"]].concat(), "");
    for (args, code, words) in [
        (
            &["--replay", "r.jsonl", "--ply", "10"][..],
            1,
            "there is no turn 10: the line of play of `r.jsonl` ends with turn 9",
        ),
        (&["triangles", "--replay", "r.jsonl"], 1, "`r.jsonl` is a match of Grid, not of Triangles"),
        (&["grid", "@random", "@random", "@random", "--replay", "r.jsonl"], 1, "3 bots for the 2 seats"),
        (&["--replay", "damaged.jsonl"], 1, "`damaged.jsonl`, line 4: column 7"),
        (&["--replay", "changed.jsonl"], 30, "changed.jsonl does not reproduce"),
        (&["--replay", "no.jsonl"], 1, "no.jsonl"),
        (&["--replay", "-"], 1, "commands come from there"),
        (&["--replay", "r.jsonl", "--seed", "4"], 2, "cannot be used with"),
        (&["grid", "--ply", "4"], 2, "--replay <FILE>"),
    ] {
        let done = refused(args);
        assert_eq!(done.code, code, "{args:?}: {done:?}");
        assert!(done.err.contains(words), "{args:?}: {done:?}");
    }
    let page = run(&place, &["console", "--replay", "r.jsonl", "--html"], "");
    assert!(page.code == 1 && page.err.contains("agon replay html"), "{page:?}");
    let cut = run(&place, &["console", "--replay", "cut-off.jsonl", "--terminal"], "status\nsave replay r.jsonl\n");
    assert!(cut.err.contains("`cut-off.jsonl` is cut off after 3 turns: the session begins there"), "{cut:?}");
    assert!(cut.code == 0 && cut.out.contains("after turn 3"), "{cut:?}");
    let over = run(&place, &["console", "--replay", "r.jsonl", "--terminal"], "save replay r.jsonl\n");
    assert!(over.code == 1 && over.err.contains("would overwrite the replay with which the session began"), "{over:?}");
}

#[test]
fn turns_that_were_taken_back_have_no_times() {
    let place = Place::new();
    let lines = "play 1 [1,2]\ngo\nundo 2\nplay 1 [1,3]\nsave replay s.jsonl\n";
    assert_eq!(run(&place, &["console", "triangles", "human", "@greedy", "--terminal", "--seed", "1"], lines).code, 0);
    let times = place.json(&["replay", "show", "s.jsonl", "--time", "--format", "json"]);
    assert_eq!(times["answers"].as_array().map(Vec::len), Some(1), "{times}");
    place.fails(1, &["replay", "show", "s.jsonl", "--time", "--turn", "2"], &["no seat was asked in turn 2"]);
}

#[test]
fn a_page_is_written_for_people_and_built_in_bots_alone() {
    let place = Place::new();
    for game in games() {
        let file = format!("{game}.html");
        let done = run(&place, &["console", &game, "human", "--html", "-o", &file], "");
        assert_eq!(done.code, 0, "{game}: {done:?}");
        let page = std::fs::read_to_string(place.path(&file)).expect("the page is there");
        assert!(page.len() < 1_000_000 && page.contains("connect-src 'none'"), "{game}: {} bytes", page.len());
    }
    let refused = run(&place, &["console", "triangles", "human", "./bot", "--html"], "");
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("a page cannot start `./bot`"), "{refused:?}");
}

#[test]
fn a_late_bot_fails_by_the_clock_of_the_session_and_undo_takes_it_back() {
    let place = Place::new();
    let args = ["console", "planet-wars", "sleep 1000", "human", "--terminal", "--seed", "1", "--sandbox", "none"];
    let args = [&args[..], &["--time", "off,move=50ms", "--wait", "600s"]].concat();
    let script = "play 2 []\nsave replay s.jsonl\nundo\nstatus\n";
    let done = run(&place, &[&args[..], &["--format", "json"]].concat(), script);
    assert_eq!(done.code, 0, "{done:?}");
    let answers: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let entries = &answers[0]["turns"][0]["entries"];
    assert_eq!((&entries[0]["failure"], &entries[1]["failure"]), (&Value::from("late"), &Value::Null), "{entries}");
    let clock = serde_json::json!({ "left_us": 50_000, "runs": false });
    assert_eq!((&answers[2]["ply"], &answers[2]["seats"][0]["clock"]), (&Value::from(0), &clock));
    let validator = jsonschema::validator_for(&place.json(&["schema", "console"])).expect("a schema");
    for answer in &answers {
        assert!(validator.is_valid(answer), "{answer}");
    }
    let header: Value = serde_json::from_str(place.read("s.jsonl").lines().next().expect("a header")).expect("JSON");
    assert_eq!(header["seats"][1]["clock"], "off,move=50ms,policy=wall");
    let verified = place.run(&["replay", "verify", "s.jsonl"]);
    assert_eq!(verified.code, 0, "{verified:?}");

    let done = run(&place, &args, script);
    assert!(done.out.contains("turn 1: seat 1 [] (late), seat 2 []\n"), "{done:?}");
    assert!(done.out.contains("seat 2: human (human), a person, 50.0ms left\n"), "{done:?}");
    assert!(done.out.contains("; seat 1: 50.0ms left; seat 2: 50.0ms left\n"), "{done:?}");

    // The session goes on with another clock, or without one.
    let again =
        |more: &[&str]| run(&place, &[&["console", "--replay", "s.jsonl", "--terminal"], more].concat(), "undo\n");
    let done = again(&["--time", "bank=9s"]);
    assert!(done.code == 0 && done.out.contains("; seat 1: 3.00s left, 9.00s in the bank"), "{done:?}");
    assert!(!again(&[]).out.contains("left"));
}

#[test]
fn a_clock_that_a_console_does_not_support_is_refused() {
    let place = Place::new();
    for (time, code, words) in [
        ("move=1s,policy=cpu", 1, "a console measures wall time, so it does not support `policy=cpu`"),
        ("7", 1, "time: `7` is not a part of a clock"),
        ("move=0s", 1, "the limit must be longer than zero"),
    ] {
        let done = run(&place, &["console", "grid", "--terminal", "--time", time], "");
        assert!(done.code == code && done.err.contains(words) && done.err.contains("hint:"), "{time}: {done:?}");
    }
    assert_eq!(run(&place, &["console", "grid", "--html", "--time", "move=1s"], "").code, 2);
}

//! Tests `agon console --terminal` with lines from a pipe.

use crate::agon::{Done, Place, games};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// A console with pipes.
struct Talk {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Talk {
    fn begin(place: &Place, args: &[&str]) -> Self {
        let mut command = place.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("agon can be started");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { stdin: child.stdin.take(), child, stdout }
    }

    /// Gives a command and returns its answer.
    fn say(&mut self, line: &str) -> Value {
        writeln!(self.stdin.as_mut().expect("a pipe"), "{line}").expect("the console reads");
        let mut answer = String::new();
        self.stdout.read_line(&mut answer).expect("an answer");
        serde_json::from_str(&answer).unwrap_or_else(|why| panic!("{line}: {why}: {answer}"))
    }

    fn end(mut self) -> i32 {
        drop(self.stdin.take());
        self.child.wait().expect("it ends").code().expect("a code")
    }
}

fn run(place: &Place, args: &[&str], lines: &str) -> Done {
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
fn a_transcript_has_what_went_both_ways() {
    let place = Place::new();
    place.write(
        "bot.py",
        "import sys\nprint('thinking', file=sys.stderr)\nsys.stderr.flush()\nfor line in sys.stdin: print('= ok\\n')\n",
    );
    let args = [
        "console",
        "triangles",
        "human",
        "python3 bot.py",
        "--terminal",
        "--seed",
        "1",
        "--sandbox",
        "none",
        "--transcript",
        "talk.jsonl",
    ];
    let done = run(&place, &args, "raw 2 hello there\nsave replay s.jsonl\n");
    assert_eq!(done.code, 0, "{done:?}");
    let talk = place.read("talk.jsonl");
    let of = |stream: &str| {
        let lines = talk.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let of = lines.filter(|line| line["stream"] == stream && line["seat"] == 2);
        of.filter_map(|line| line["bytes"].as_str().map(str::to_owned)).collect::<String>()
    };
    assert!(of("in").contains("hello there\n"), "{talk}");
    assert!(of("out").contains("= ok\n"), "{talk}");
    assert_eq!(of("err"), "thinking\n");
    let page = place.run(&["replay", "html", "s.jsonl", "--transcript", "talk.jsonl", "-o", "s.html"]);
    assert_eq!(page.code, 0, "{page:?}");
    let refused = run(&place, &[&args[..10], &["bot.py"]].concat(), "");
    assert!(refused.code != 0 && refused.err.contains("bot.py"), "{refused:?}");
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

#[test]
fn a_page_is_written_for_people_and_built_in_bots_alone() {
    let place = Place::new();
    for game in games() {
        let file = format!("{game}.html");
        let done = run(&place, &["console", &game, "human", "--html", "-o", &file], "");
        assert_eq!(done.code, 0, "{game}: {done:?}");
        let page = std::fs::read_to_string(place.path(&file)).expect("the page is there");
        assert!(page.len() < 2_000_000 && page.contains("connect-src 'none'"), "{game}: {} bytes", page.len());
    }
    let refused = run(&place, &["console", "triangles", "human", "./bot", "--html"], "");
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("a page cannot start `./bot`"), "{refused:?}");
}

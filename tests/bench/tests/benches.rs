//! Checks the benches as programs see them: their documents, and the instant bot. No test checks a figure.

use serde_json::Value;
use std::{
    io::{Read, Write},
    process::{Command, Stdio},
};

fn bench(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon-bench"));
    command.args(words);
    command
}

/// Runs a command and returns the only document that it prints.
fn document(words: &[&str]) -> Value {
    let output = bench(words).output().expect("it starts");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {complaint}");
    let document = serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{words:?}: {why}: {complaint}"));
    let schema = agon_spec::DocumentKind::find("bench").expect("it is in the list").schema();
    assert!(jsonschema::validator_for(&schema).expect("a schema").is_valid(&document), "{document:#}");
    document
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect()
}

/// Returns the names of the rows. Each row must have exactly the documented fields.
fn names(document: &Value) -> Vec<&str> {
    assert_eq!(keys(document), ["schema", "bench", "machine", "rows"]);
    for part in ["cpu", "cores", "kernel", "load", "rustc", "found"] {
        assert!(document["machine"].get(part).is_some(), "{part}");
    }
    let rows = document["rows"].as_array().expect("rows are a list");
    for row in rows {
        assert_eq!(keys(row), ["name", "value", "unit", "floor", "ratio", "goal"]);
        assert!(row["value"].is_number() && row["unit"].is_string(), "{row}");
        for optional in ["floor", "ratio", "goal"] {
            assert!(row[optional].is_number() || row[optional].is_null(), "{row}");
        }
    }
    rows.iter().filter_map(|row| row["name"].as_str()).collect()
}

#[test]
fn turns_of_one_game_are_one_document() {
    let document = document(&["sim", "planet-wars", "--quick", "--format", "json"]);
    assert_eq!(document["bench"], "sim");
    assert_eq!(names(&document), ["planet-wars-23p"]);
    assert_eq!(document["rows"][0]["unit"], "ns per turn");
    assert_eq!(document["rows"][0]["goal"], 250.0);
    assert!(document["rows"][0]["value"].as_f64().is_some_and(|value| value > 0.0));
}

#[test]
#[cfg(target_os = "linux")]
fn the_sandbox_is_measured_at_every_level_that_works() {
    let document = document(&["sandbox", "--quick", "--format", "json"]);
    let names = names(&document);
    assert!(names.contains(&"toy-full-start") || names.contains(&"toy-restricted-start"), "{names:?}");
    for name in ["toy-hung-bot", "toy-long-line", "toy-stderr-flood", "toy-memory", "toy-memory-by-threads"] {
        assert!(names.contains(&name), "{names:?}");
    }
}

#[test]
fn every_case_of_an_exchange_has_one_row_with_a_ratio() {
    let document = document(&["exchange", "--quick", "--format", "json"]);
    names(&document);
    let rows = document["rows"].as_array().expect("rows are a list");
    let with_ratio: Vec<_> = rows.iter().filter(|row| !row["ratio"].is_null()).map(|row| &row["name"]).collect();
    let cases = ["toy-16", "toy-16-in-turn", "planet-wars-23p-20f", "toy-16-wasm"];
    assert_eq!(with_ratio, cases[..if cfg!(feature = "wasm") { 4 } else { 3 }]);
    assert!(rows.iter().all(|row| row["floor"].is_number()));
}

#[test]
fn the_console_is_measured_with_every_game() {
    let document = document(&["console", "--quick", "--format", "json"]);
    let names = names(&document);
    assert_eq!(names[..2], ["triangles-raw", "triangles-raw-more"]);
    for game in ["lighthouses", "planet-wars", "triangles", "grid", "portals"] {
        for command in ["undo", "redo"] {
            assert!(names.contains(&&*format!("{game}-{command}")), "{names:?}");
        }
    }
    assert!(document["rows"][0]["ratio"].is_number() && document["rows"][0]["floor"].is_number());
}

#[test]
fn a_bench_of_timeouts_plays_all_its_matches() {
    let common = ["timeouts", "--matches", "6", "--at-once", "3", "--limit", "1m", "--format", "json"];
    document(&[&common[..], &["--hog"]].concat());
    let document = document(&[&common[..], &["--hog", "1", "--policy", "wall"]].concat());
    let figures = ["late", "spoilt", "slowest", "saved"].map(|figure| format!("planet-wars-{figure}"));
    assert_eq!(names(&document), figures);
    assert_eq!([&document["rows"][0]["goal"], &document["rows"][1]["goal"]], [0.0, 0.0]);
}

#[test]
#[cfg(target_os = "linux")]
fn fairness_has_a_row_for_every_neighbour() {
    let output = bench(&["fairness", "--quick", "--format", "json"]).output().expect("it starts");
    let complaint = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        // On a machine that does much else, a bot that needs 10 ms of 1 s may be late. No test checks a time.
        assert_eq!(output.status.code(), Some(1), "{complaint}");
        assert!(complaint.contains("the honest bot failed: ") && complaint.contains("late"), "{complaint}");
        assert!(output.stdout.is_empty());
        return;
    }
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    let names = names(&document);
    let neighbours = ["sleeps", "idles-62", "spins-1", "spins-62", "memory", "syscalls", "stderr"];
    let referee = ["spins-62-referee-off-turn", "spins-62-referee-on-turn"];
    let cores = if names.iter().any(|name| name.contains("-2cores-")) { 2 } else { 1 };
    let mut expected = Vec::new();
    for game in ["planet-wars-2seats", "grid-2seats", "lighthouses-8seats"] {
        for cores in 1..=cores {
            for policy in ["fair", "wall"] {
                let rows = neighbours.iter().chain(&referee);
                expected.extend(rows.map(|row| format!("{game}-{cores}cores-{policy}-{row}")));
            }
        }
    }
    assert_eq!(names, expected);
    let rows = document["rows"].as_array().expect("rows are a list");
    for (row, name) in rows.iter().zip(neighbours.iter().chain(&referee).cycle()) {
        if referee.contains(name) {
            assert!(row["floor"].is_null() && row["goal"].is_null(), "{row}");
            continue;
        }
        assert!(row["value"].as_f64() > Some(0.0) && row["ratio"].as_f64() > Some(0.0), "{row}");
        let has_goal = !["sleeps", "memory"].contains(name);
        assert_eq!(row["goal"].as_f64().is_some_and(|goal| goal >= 1.05), has_goal, "{row}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn every_part_of_a_tournament_is_measured() {
    let document = document(&["tournament", "--quick", "--format", "json"]);
    let mut names = names(&document);
    // This row needs a server. `cargo xtask postgres` starts one.
    names.retain(|name| *name != "store-result-postgres");
    let fixed =
        ["grid-memory-growth", "planet-wars-replays-none", "planet-wars-replays-faults", "planet-wars-replays-all"];
    assert_eq!(names[..4], fixed);
    assert_eq!(names[4..7], ["store-result", "store-status", "store-opening"]);
    let cores = document["machine"]["cores"].as_u64().expect("a number");
    let at_once = ["grid-10x10", "planet-wars-processes"].map(|name| format!("{name}-{cores}-at-once"));
    assert!(names[7..] == at_once || names.len() == 7, "{names:?}: missing if this program may use one core only");
    let rows = document["rows"].as_array().expect("rows are a list");
    for row in rows {
        let with_ratio = row["name"].as_str().is_some_and(|name| name.ends_with("-at-once") || name.ends_with("-all"));
        assert!(!with_ratio || (row["ratio"].as_f64() > Some(0.0) && row["floor"].is_number()), "{row}");
        assert_eq!(row["goal"].is_null(), row["name"] == "planet-wars-replays-none", "{row}");
    }
}

#[test]
fn impossible_benches_are_named() {
    for (words, expected) in
        [(&["sim", "chess"][..], "there is no game `chess`"), (&["sim", "grid", "--core", "4000"], "--core 4000")]
    {
        let output = bench(words).output().expect("it starts");
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(expected), "{words:?}");
        assert!(output.stdout.is_empty());
    }
}

/// Talks with an instant bot. Sends each of `turns` and reads as many bytes as its answer must have.
fn talk(behaviour: &str, turns: &[(&[u8], &[u8])]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon-bench"));
    command.args(["instant-bot", behaviour]);
    let mut bot = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let (mut input, mut output) = (bot.stdin.take().expect("a pipe"), bot.stdout.take().expect("a pipe"));
    for (prompt, expected) in turns {
        input.write_all(prompt).expect("it reads");
        let mut answer = vec![0; expected.len()];
        output.read_exact(&mut answer).expect("it answers");
        assert_eq!(answer, *expected, "{behaviour}");
    }
    drop(input);
    let mut rest = Vec::new();
    output.read_to_end(&mut rest).expect("it ends");
    assert_eq!(rest, b"", "{behaviour}: nothing is said unasked");
    assert!(bot.wait().expect("it ends").success(), "{behaviour}");
}

#[test]
fn the_instant_bot_speaks_both_protocols() {
    let take = &b"take 000000001\r\n"[..];
    talk("toy", &[(b"toy wins\n", b"ok\n"), (b"heap 21 3\n", take), (b"heap 20 3\n", take), (b"end\n", b"")]);
    talk("go", &[(b"P 0 0 1 100 5\nP 9 9 2 100 5\ngo\n", b"go\n"), (b"go\n", b"go\n")]);
    talk("ends-at-once", &[]);
}

#[test]
fn no_help_mentions_the_bots_of_the_bench() {
    let output = bench(&["--help"]).output().expect("it starts");
    let help = String::from_utf8_lossy(&output.stdout);
    let names_bot = |line: &str| ["instant", "busy-bot"].iter().any(|name| line.trim_start().starts_with(name));
    assert!(help.contains("cargo xtask bench") && !help.lines().any(names_bot), "{help}");
}

//! Tests replays in which turns were taken back or the position was edited: every command means the same turns.

use crate::agon::Place;
use serde_json::{Value, json};
use std::{
    fs,
    io::Write,
    process::{Command, Stdio},
};

const HEXAGON: &str = "point 10 1\npoint 20 1\npoint 24 10\npoint 20 20\npoint 10 20\npoint 6 10\n";
const SQUARE: &str = "point 1 1\npoint 10 1\npoint 10 20\npoint 1 20\n";
/// Four turns, of which two are taken back and one follows; then another map with two turns.
const SESSION: &str = "play 1 [1,2]\nplay 2 [2,3]\nplay 1 [3,4]\nplay 2 [4,5]\nundo 2\nplay 1 [5,6]\nsave replay back.jsonl\n\
                       load square\nplay 1 [1,3]\nplay 2 [1,2]\nsave replay edited.jsonl\n";
/// The number of turns that count in each replay.
const REPLAYS: [(&str, u32); 2] = [("back.jsonl", 3), ("edited.jsonl", 2)];

/// Returns a place with the replays of the session: of its middle, and of all of it.
fn played() -> Place {
    let place = Place::new();
    place.write("hexagon", HEXAGON);
    place.write("square", SQUARE);
    let mut command = place.command(&["console", "triangles", "human", "human", "--terminal", "--map", "hexagon"]);
    let mut child = pipes(&mut command).spawn().expect("agon can be started");
    child.stdin.take().expect("a pipe").write_all(SESSION.as_bytes()).expect("the console reads");
    let done = child.wait_with_output().expect("it ends");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    place
}

fn pipes(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped())
}

#[test]
fn every_command_means_the_turns_that_count() {
    let place = played();
    for (file, plies) in REPLAYS {
        let verified = place.json(&["replay", "verify", file, "--format", "json"]);
        assert_eq!(verified["plies"], plies);
        let last = plies.to_string();
        let shown = place.json(&["replay", "show", file, "--ply", &last, "--format", "json"]);
        assert_eq!(shown["fingerprint"], verified["fingerprint"], "{file}: show --ply");
        assert_eq!(shown["record"]["fingerprint"], verified["fingerprint"], "{file}: its decisions");
        let svg = |args: &[&str]| place.run(&[&["replay"], args].concat()).out;
        let end = svg(&["svg", file]);
        assert_eq!(end, svg(&["svg", file, "--ply", &last]), "{file}");
        assert_eq!(end, svg(&["show", file, "--svg"]), "{file}");
        assert_ne!(end, svg(&["svg", file, "--ply", &(plies - 1).to_string()]), "{file}");
        let beyond = (plies + 1).to_string();
        let range = format!("1..{beyond}");
        for args in [
            &["show", file, "--ply", &beyond][..],
            &["svg", file, "--ply", &beyond],
            &["png", file, "--ply", &beyond, "-o", "p"],
            &["gif", file, "--ply", &range, "-o", "p"],
            &["ask", file, "--ply", &beyond, "--seat", "1", "@random"],
        ] {
            place.fails(1, &[&["replay"], args].concat(), &[&format!("turn {beyond}")]);
        }
        let (png, gif) = (format!("{file}.png"), format!("{file}.gif"));
        for args in [&["png", file, "-o", &png][..], &["gif", file, "--ply", &format!("{last}.."), "-o", &gif]] {
            assert_eq!(place.run(&[&["replay"], args].concat()).code, 0, "{args:?}");
        }
        assert!(fs::metadata(place.path(&png)).is_ok() && fs::metadata(place.path(&gif)).is_ok(), "{file}");
    }
    // The board after the turn that was played in the place of the abandoned one.
    let drawn = |file: &str| place.run(&["replay", "show", file, "--ply", "3"]).out;
    assert!(drawn("back.jsonl").contains("[5,6]") && !drawn("back.jsonl").contains("[3,4]"), "{}", drawn("back.jsonl"));
}

#[test]
fn a_bot_is_asked_in_the_turns_that_count() {
    let place = played();
    for (file, ply, seat, orders) in [("back.jsonl", "3", 1, "[[5,6]]"), ("edited.jsonl", "2", 2, "[[1,2]]")] {
        let seat = seat.to_string();
        let args = ["replay", "ask", file, "--ply", ply, "--seat", &seat, "@random", "--format", "json"];
        let asked: Value = place.json(&args);
        assert_eq!(asked["then"]["orders"].to_string(), orders, "{file}");
        assert!(asked["now"]["refusal"].is_null(), "{file}: the bot knows the board: {asked}");
    }
}

#[test]
fn a_difference_does_not_send_to_a_turn_of_another_line_of_play() {
    let place = played();
    let text = place.read("back.jsonl").replacen("9c90855a210b65a5", "0123456789abcdef", 1);
    assert!(text.contains("0123456789abcdef"), "{text}");
    place.write("lie.jsonl", text);
    let done = place.run(&["replay", "verify", "lie.jsonl"]);
    assert_eq!(done.code, 30, "{done:?}");
    assert!(done.err.contains("turn 4") && !done.err.contains("--ply"), "{}", done.err);
    assert!(done.err.contains("`agon replay show lie.jsonl` lists all turns"), "{}", done.err);
}

#[test]
fn a_replay_that_is_watched_goes_beyond_an_edit() {
    let place = played();
    let shown = place.run(&["replay", "show", "edited.jsonl", "--watch", "--ply", "3"]);
    assert!(shown.code == 1 && shown.err.contains("there is no turn 3: the match has 2"), "{shown:?}");
}

/// The footer sums all turns. What is shown are the turns that count, and the sums of those.
#[test]
fn times_are_those_of_the_turns_that_count() {
    let place = played();
    for (file, plies) in REPLAYS {
        let text = place.read(file);
        let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let mut measured = [0; 2];
        for entry in lines.iter_mut().filter_map(|line| line["entries"].as_array_mut()).flatten() {
            let seat = entry["seat"].as_u64().expect("a seat") as usize;
            (entry["cpu_us"], measured[seat - 1]) = (json!(1000), measured[seat - 1] + 1);
        }
        let footer = lines.last_mut().expect("a footer");
        for (time, measured) in footer["times"].as_array_mut().expect("times").iter_mut().zip(measured) {
            time["certificate"] = json!({ "measured": measured, "cpu_us": 1000 * measured });
        }
        assert!(measured.iter().sum::<u64>() > plies.into(), "{file} has turns that do not count");
        let of = |lines: &[Value]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        place.write("whole.jsonl", of(&lines));
        place.write("cut-off.jsonl", of(&lines[..lines.len() - 1]));
        for replay in ["whole.jsonl", "cut-off.jsonl"] {
            let times = place.json(&["replay", "show", replay, "--time", "--format", "json"]);
            let answers = times["answers"].as_array().expect("a list");
            assert_eq!(answers.len(), plies as usize, "{file}, {replay}: {times}");
            for seat in 1..=2 {
                let own = answers.iter().filter(|answer| answer["seat"] == seat).count();
                let sum = &times["seats"][seat - 1]["certificate"];
                assert_eq!((&sum["measured"], &sum["cpu_us"]), (&json!(own), &json!(1000 * own)), "{file}, {replay}");
            }
            let shown = place.run(&["replay", "show", replay, "--time"]);
            assert!(shown.out.contains("turns that were taken back"), "{shown:?}");
        }
    }
}

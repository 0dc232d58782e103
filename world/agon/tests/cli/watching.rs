//! Tests how a recorded match is watched again: on the terminal, in short, several at once, and from stdin.

use crate::{
    agon::{Done, Place, python},
    terminal::on_terminal,
};
use std::{
    io::Write,
    process::{Command, Stdio},
};

/// Plays a match of 20 turns and writes its replay.
fn replay(place: &Place, name: &str, seed: &str) {
    let args = ["match", "planet-wars", "@rage", "@prospector", "--rounds", "20", "--seed", seed, "--replay", name];
    assert_eq!(place.run(&args).code, 0);
}

#[test]
fn a_match_is_watched_with_keys() {
    let place = Place::new();
    replay(&place, "r.jsonl", "7");
    let right = r"\x1b[C";
    let steps = [
        ("turn 0 of 20", right),
        ("turn 1 of 20", right),
        ("turn 2 of 20", r"\x1b[D"),
        ("turn 1 of 20", r"\x1b[F"),
        ("turn 20 of 20", r"\x1b[H"),
        ("turn 0 of 20  stopped", " "),
        ("turn 2 of 20  plays", " "),
        ("stopped", "q"),
    ];
    let steps: Vec<&str> = steps.iter().flat_map(|(text, key)| [*text, *key]).collect();
    let Some(seen) = on_terminal(&place, &["replay", "show", "r.jsonl", "--watch"], &steps, 0) else { return };
    for text in
        ["\x1b[?1049h", "\x1b[?25l", "1 rage", "2 prospector", "legend: N:10#3 planet", "space plays", "\x1b[?1049l"]
    {
        assert!(seen.contains(text), "`{text}` is not in {seen}");
    }
    assert!(seen.trim_end().ends_with("\x1b[?25h\x1b[?1049l"), "the terminal is as before: {seen:?}");
    for end in [r"\x03", "SIGTERM"] {
        let args = ["replay", "show", "r.jsonl", "--watch", "--ply", "9"];
        let seen = on_terminal(&place, &args, &["turn 9 of 20", end], 130).expect("python3 is there");
        assert!(!seen.contains("turn 8 of") && seen.contains("\x1b[?25h\x1b[?1049l"), "{seen:?}");
        assert!(seen.contains("interrupted"), "{seen:?}");
    }
}

#[test]
fn without_a_terminal_nothing_is_watched() {
    let place = Place::new();
    replay(&place, "r.jsonl", "7");
    let mut command = Command::new("setsid");
    command.arg("-w").arg(env!("CARGO_BIN_EXE_agon")).args(["replay", "show", "r.jsonl", "--watch"]);
    let done = command.current_dir(place.path(".")).stdin(Stdio::null()).output().expect("setsid can be started");
    let said = String::from_utf8(done.stderr).expect("text");
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("there is no terminal") && said.contains("`--ply N`") && done.stdout.is_empty(), "{said}");
}

#[test]
fn a_summary_has_the_result_and_no_turns() {
    let place = Place::new();
    replay(&place, "r.jsonl", "7");
    let whole = place.run(&["replay", "show", "r.jsonl"]).out;
    let summary = place.run(&["replay", "show", "r.jsonl", "--summary"]);
    assert_eq!(summary.code, 0);
    assert!(!summary.out.contains("turn 1 ") && whole.contains("turn 1 "), "{}", summary.out);
    for words in ["seat 1  rage  (@rage)", "place  seat", "after 20 turns", "replay  r.jsonl"] {
        assert!(summary.out.contains(words), "{}", summary.out);
    }
}

#[test]
fn several_replays_are_verified_at_once() {
    let place = Place::new();
    replay(&place, "a.jsonl", "1");
    replay(&place, "b.jsonl", "2");
    let good = place.run(&["replay", "verify", "a.jsonl", "b.jsonl"]);
    assert_eq!((good.code, good.err.as_str()), (0, ""), "{good:?}");
    assert!(good.out.contains("a.jsonl reproduces") && good.out.ends_with("2 of 2 replays reproduce\n"), "{good:?}");
    let other = place.read("a.jsonl").replacen("\"ships\":", "\"ships\":1", 1);
    place.write("c.jsonl", other);
    place.write("d.jsonl", "{}\n");
    let bad = place.run(&["replay", "verify", "c.jsonl", "d.jsonl", "b.jsonl"]);
    assert_eq!(bad.code, 30, "{bad:?}");
    assert!(bad.out.ends_with("1 of 3 replays reproduce\n") && bad.out.contains("b.jsonl reproduces"), "{bad:?}");
    assert!(bad.err.contains("c.jsonl does not reproduce") && bad.err.contains("d.jsonl"), "{bad:?}");
    assert_eq!(place.run(&["replay", "verify", "d.jsonl", "a.jsonl"]).code, 1, "one cannot be read");
    let document = place.json(&["replay", "verify", "a.jsonl", "b.jsonl", "--format", "json"]);
    assert_eq!((&document["reproduce"], &document["replays"][1]["replay"]), (&true.into(), &"b.jsonl".into()));
}

#[test]
fn a_replay_may_come_from_stdin() {
    let place = Place::new();
    replay(&place, "r.jsonl", "7");
    let piped = |args: &[&str], text: &str| {
        let mut command = place.command(args);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("agon starts");
        let mut input = child.stdin.take().expect("a pipe");
        // It need not read on after a difference.
        let _ = input.write_all(text.as_bytes());
        drop(input);
        Done::from(child.wait_with_output().expect("it ends"))
    };
    let good = place.read("r.jsonl");
    for args in [&["replay", "verify", "-"][..], &["replay", "show", "-", "--summary"]] {
        let done = piped(args, &good);
        assert!(done.code == 0 && done.out.contains("20 turns"), "{args:?}: {done:?}");
    }
    let bad = piped(&["replay", "verify", "-"], &good.replacen("\"ships\":", "\"ships\":1", 1));
    assert!(bad.code == 30 && bad.err.contains("`agon replay show - --ply "), "{bad:?}");
}

#[test]
fn boards_and_pictures_say_who_is_who() {
    struct Case {
        game: &'static str,
        bots: &'static [&'static str],
        said: &'static [&'static str],
    }
    const CASES: &[Case] = &[
        Case {
            game: "lighthouses",
            bots: &["Ana=@random", "Bo=@random"],
            said: &["legend: @N player N   LN lighthouse of N   L neutral", "@1", "1 Ana  score", "2 Bo "],
        },
        Case {
            game: "portals",
            bots: &["Ana=@capturer", "Bo=@capturer"],
            said: &["@N agent of N", "P neutral", "2 Bo "],
        },
        Case {
            game: "planet-wars",
            bots: &["Ana=@prospector", "Bo=@prospector"],
            said: &[">N:10 fleet of N", " >1:", "o:10#3 neutral"],
        },
        Case {
            game: "grid",
            bots: &["Ana=@random", "Bo=@random"],
            said: &["legend: N tile of N   · empty", "1 Ana  tiles"],
        },
    ];
    for Case { game, bots, said } in CASES {
        let place = Place::new();
        let args = [&["match", game][..], bots, &["--rounds", "9", "--seed", "3", "--replay", "r.jsonl"]].concat();
        assert_eq!(place.run(&args).code, 0, "{game}");
        let shown = place.run(&["replay", "show", "r.jsonl", "--ply", "5"]).out;
        for words in *said {
            assert!(shown.contains(words), "{game}: `{words}` is not in\n{shown}");
        }
        let picture = place.run(&["replay", "show", "r.jsonl", "--svg"]).out;
        assert!(picture.contains(">1 Ana: ") && picture.contains(">2 Bo: "), "{game}");
    }
}

#[test]
fn twenty_four_players_are_all_shown() {
    let place = Place::new();
    let bots = vec!["@random"; 24];
    let args =
        [&["match", "lighthouses"][..], &bots, &["--rounds", "2", "--seed", "3", "--replay", "r.jsonl"]].concat();
    assert_eq!(place.run(&args).code, 0);
    let shown = place.run(&["replay", "show", "r.jsonl", "--ply", "24"]).out;
    for seat in 1..=24 {
        let mark = char::from_digit(seat, 36).expect("a mark");
        assert!(shown.lines().any(|line| line.starts_with(&format!("{mark} random"))), "{seat}: {shown}");
        let there = shown.contains(&format!("@{mark}")) || shown.contains(&format!("seat {seat} at ("));
        assert!(there, "{seat}: {shown}");
    }
}

#[test]
fn the_name_of_a_greeting_stands_beside_ours() {
    let place = Place::new();
    let code = "import sys,json\nsys.stdin.readline()\nprint(json.dumps({\"name\": \"Trolo\\u001b[2J\" + \"x\" * 500}), flush=True)\n\
                for l in sys.stdin:\n  if \"success\" not in l: print(json.dumps({\"command\": \"pass\"}), flush=True)\n";
    if python("").is_none() {
        return;
    }
    std::fs::create_dir(place.path("bot")).expect("the folder for tests can be written to");
    place.write("bot/bot.py", code);
    let args = ["match", "lighthouses", "mine=python3 bot/bot.py", "@random", "--rounds", "2", "--replay", "r.jsonl"];
    for out in [place.run(&args).out, place.run(&["replay", "show", "r.jsonl"]).out] {
        assert!(out.contains("mine (Trolo\\x1b[2Jxx"), "{out}");
        assert!(!out.contains('\x1b') && !out.contains(&"x".repeat(30)), "{out}");
    }
    let document = place.json(&[&args[..6], &["--format", "json"]].concat());
    let own = document["seats"][0]["greeted_as"].as_str().expect("a name");
    assert!(own.contains("Trolo") && own.chars().count() < 80, "{own}");
    assert!(document["seats"][1]["greeted_as"].is_null());
}

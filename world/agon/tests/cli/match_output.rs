//! Tests what `agon match` writes while a match is played: replays, transcripts, stderr, boards.

use crate::agon::{Place, python};
use serde_json::Value;

#[test]
#[cfg(target_os = "linux")]
fn a_result_is_told_even_if_its_replay_is_lost() {
    let place = Place::new();
    std::os::unix::fs::symlink("/dev/full", place.path("r.jsonl")).expect("a link");
    let done = place.run(&["match", "grid", "@random", "@random", "--rounds", "3", "--replay", "r.jsonl"]);
    assert_eq!(done.code, 22, "{done:?}");
    assert!(done.out.contains("after 3 turns") && !done.out.contains("replay"), "{}", done.out);
    assert!(done.err.contains("cannot write the replay `r.jsonl`: no space left"), "{}", done.err);
}

#[test]
fn no_file_is_written_over_another_one_of_the_match() {
    let place = Place::new();
    let map = place.run(&["map", "new", "grid", "--seed", "1"]).out;
    place.write("m.jsonl", &map);
    place.write("my bot.py", "a bot");
    let two = ["match", "grid", "@random", "python3 'my bot.py'", "--map", "m.jsonl"];
    for (more, said) in [
        (
            &["--replay", "r.jsonl", "--transcript", "./r.jsonl"][..],
            "--transcript `./r.jsonl` would overwrite --replay",
        ),
        (&["--replay", "m.jsonl"], "--replay `m.jsonl` would overwrite the map"),
        (&["--transcript", "my bot.py"], "--transcript `my bot.py` would overwrite a file of a bot"),
    ] {
        place.fails(1, &[&two[..], more].concat(), &[said, "write it to another file"]);
    }
    assert_eq!((place.read("m.jsonl"), place.read("my bot.py")), (map, "a bot".to_owned()));
    let done = place.run(&["match", "grid", "@random", "@random", "--replay", "r.jsonl", "-q"]);
    assert_eq!(done.code, 0, "{done:?}");
    let before = place.read("r.jsonl");
    place.fails(1, &["replay", "export", "r.jsonl", "-o", "r.jsonl"], &["would overwrite the replay"]);
    place.fails(1, &["replay", "import", "grid", "r.jsonl", "-o", "r.jsonl"], &["would overwrite the recorded match"]);
    assert_eq!(place.read("r.jsonl"), before);
}

#[test]
fn the_transcript_holds_every_byte_both_ways() {
    let place = Place::new();
    let bot = "agon bot planet-wars random --seed 2 --seat 1";
    let args = [
        "match",
        "planet-wars",
        bot,
        "@random",
        "--seed",
        "2",
        "--rounds",
        "5",
        "--transcript",
        "t.jsonl",
        "--replay",
        "r.jsonl",
    ];
    assert_eq!(place.run(&args).code, 0);
    let (mut told, mut said) = (String::new(), String::new());
    for line in place.read("t.jsonl").lines() {
        let line: Value = serde_json::from_str(line).expect("JSON lines");
        assert_eq!(line["seat"], 1, "built-in bots say nothing");
        assert!(line["at_us"].is_u64() && line["ply"].as_u64().expect("a number") <= 6);
        let text = match line["stream"].as_str() {
            Some("in") => &mut told,
            Some("out") => &mut said,
            other => panic!("{other:?}"),
        };
        text.push_str(line["bytes"].as_str().expect("a text"));
    }
    assert_eq!(told.matches("go\n").count(), 5);
    assert_eq!(said.matches("go\n").count(), 5);
    assert!(told.starts_with("P ") && !place.read("r.jsonl").contains("bytes"));
}

#[test]
fn stderr_of_bots_is_shown_if_asked_for() {
    let code = "import sys\nfor line in sys.stdin:\n    if line == \".\\n\":\n        print(\"thinking \\x1b[2J\", file=sys.stderr)\n        print(\".\", flush=True)";
    let Some(bot) = python(code) else { return };
    let place = Place::new();
    let args = ["match", "grid", &format!("me={bot}"), "@random", "--seed", "1", "--rounds", "2", "--time", "move=20s"];
    let silent = place.run(&args);
    assert!(silent.code == 0 && !silent.err.contains("thinking"), "{silent:?}");
    let told = place.run(&[&args[..], &["--stderr"]].concat());
    assert!(told.code == 0 && told.err.contains("me| thinking \\x1b[2J\nme| thinking \\x1b[2J\n"), "{told:?}");
    assert!(told.out.ends_with("limit reached)\n"), "{told:?}");
    place.fails(2, &[&args[..], &["--stderr", "--watch"]].concat(), &["--watch"]);
}

#[test]
fn watching_draws_beside_the_data() {
    let place = Place::new();
    let args = [
        "match",
        "lighthouses",
        "@random",
        "@random",
        "--rounds",
        "2",
        "--seed",
        "1",
        "--watch",
        "--delay",
        "0",
        "--format",
        "json",
    ];
    let done = place.run(&args);
    assert_eq!(done.code, 0, "{done:?}");
    serde_json::from_str::<Value>(&done.out).expect("nothing but the document is on stdout");
    assert!(done.err.matches("of 2\n").count() >= 4, "a board a turn: {}", done.err);
    assert!(!done.err.contains('\x1b'), "no colours off a terminal");
    assert!(done.err.contains("\n1 random    score") && done.err.contains("\n2 random#2  score"), "{}", done.err);
    let coloured = place.run(&[&args[..], &["--color", "always"]].concat());
    assert!(coloured.err.contains("\x1b[38;5;"));
}

#[test]
fn an_interrupted_match_keeps_what_was_played() {
    use std::{process::Stdio, time::Duration};
    for (file, bots) in [("a.jsonl", ["@random", "sleep 600"]), ("b.jsonl.zst", ["@random", "sleep 600"])] {
        let place = Place::new();
        let args = ["match", "lighthouses", "--time", "off", "--replay", file, bots[0], bots[1], "-q"];
        let mut child = place.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        // The match is ready for the signal when the header is on disk.
        let begun = || std::fs::metadata(place.path(file)).is_ok_and(|m| m.len() > 20);
        for _ in 0..2000 {
            if begun() || child.try_wait().expect("it can be asked").is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
            .expect("it lives");
        let done = crate::agon::Done::from(child.wait_with_output().expect("it ends"));
        assert_eq!((done.code, done.out.as_str()), (130, ""), "{done:?}");
        assert!(done.err.contains("interrupted"), "{done:?}");
        let verified = place.json(&["replay", "verify", file, "--format", "json"]);
        assert_eq!((&verified["reproduces"], &verified["aborted"]), (&true.into(), &true.into()), "{verified}");
    }
}

/// The contest's bots wrote their logs when the referee sent `quit`.
#[test]
fn a_bot_that_is_told_to_quit_has_time_to_save_a_log() {
    let place = Place::new();
    let code = r#"
import subprocess, sys, time
bot = subprocess.Popen(["agon", "bot", "triangles", "random"], stdin=subprocess.PIPE)
for line in sys.stdin.buffer:
    if line.strip() == b"quit":
        time.sleep(0.3)
        open("log.txt", "w").write("saved")
        break
    bot.stdin.write(line)
    bot.stdin.flush()
"#;
    let Some(bot) = python(code) else { return };
    let args = ["match", "triangles", &bot, "@random", "--seat", "1:quit=yes", "--sandbox", "none", "--format", "json"];
    let document = place.json(&args);
    assert!(document["seats"][0]["fault"].is_null(), "{document}");
    assert_eq!(place.read("log.txt"), "saved");
}

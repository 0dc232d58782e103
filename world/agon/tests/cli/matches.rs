//! Tests `agon match`: results, faults, hints, exit codes.

use crate::agon::{Done, Place, games, python};
use serde_json::Value;

/// Three planets: a neutral one, and one for each player.
const PLANETS: &str = "P 0 0 0 10 1\nP 4 0 1 50 2\nP 0 4 2 50 2\n";

fn fault(place: &Place, bot: &str, more: &[&str]) -> Value {
    place.write("map.txt", PLANETS);
    let args =
        [&["match", "planet-wars", "bad=", "@random", "--map", "map.txt", "--seed", "1", "--format", "json"], more]
            .concat();
    let bad = format!("bad={bot}");
    let args: Vec<&str> = args.into_iter().map(|a| if a == "bad=" { bad.as_str() } else { a }).collect();
    let document = place.json(&args);
    assert_eq!(document["seats"][0]["name"], "bad");
    document["seats"][0]["fault"].clone()
}

#[test]
fn the_document_has_what_is_documented() {
    let place = Place::new();
    let document = place.json(&[
        "match",
        "planet-wars",
        "@rage",
        "@random",
        "--seed",
        "7",
        "--replay",
        "r.jsonl",
        "--format",
        "json",
    ]);
    let keys: Vec<&str> = document.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "schema",
            "agon",
            "game",
            "rules",
            "seed",
            "map",
            "map_hash",
            "clock",
            "seats",
            "result",
            "spoilt",
            "plies",
            "reason",
            "isolation",
            "replay",
            "replay_hash"
        ]
    );
    assert_eq!(document["game"], "planet-wars");
    assert_eq!(document["rules"], "spec");
    assert_eq!(document["seed"], 7);
    assert_eq!(document["map"], "gen:final:2207680202782282883");
    assert_eq!(document["replay"], "r.jsonl");
    assert!(document["isolation"].is_null(), "there is nothing to isolate");
    assert!(document["plies"].as_u64().expect("a number") > 0);
    let seats = document["seats"].as_array().expect("an array");
    assert_eq!(seats.len(), 2);
    for seat in seats {
        let keys: Vec<&str> = seat.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(keys, ["name", "bot", "kind", "hash", "score", "place", "fault", "refused", "greeted_as", "time"]);
        assert!(seat["score"].is_i64() && seat["place"].is_u64() && seat["fault"].is_null());
        for key in ["p50_us", "p99_us", "max_us", "total_us"] {
            assert!(seat["time"][key].is_u64(), "{key}");
        }
        assert!(seat["time"]["limit_us"].is_null(), "a built-in bot has no limit");
    }
}

#[test]
fn the_table_ends_with_the_result_and_names_what_plays_the_match_again() {
    let place = Place::new();
    let done = place.run(&["match", "planet-wars", "@random", "@random", "--seed", "7", "--replay", "r.jsonl.zst"]);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    assert!(done.out.starts_with("place  seat  name"), "{}", done.out);
    for line in ["seed    7", "map     gen:final:2207680202782282883", "rules   spec", "replay  r.jsonl.zst"] {
        assert!(done.out.lines().any(|l| l == line), "{line}: {}", done.out);
    }
    let last = done.out.lines().last().expect("a line");
    assert!(last.contains("after") && last.contains('('), "{last}");
    assert!(done.out.contains("random#2"), "names are unique");
}

#[test]
fn the_same_seed_plays_the_same_match_and_another_seed_another_one() {
    let place = Place::new();
    let plies = |seed: &str, file: &str| -> Vec<String> {
        place.run(&["match", "lighthouses", "@random", "@random", "--rounds", "30", "--seed", seed, "--replay", file]);
        marks(&place.read(file))
    };
    assert_eq!(plies("5", "a.jsonl"), plies("5", "b.jsonl"));
    assert_ne!(plies("5", "a.jsonl"), plies("6", "c.jsonl"));
}

/// Returns the fingerprints of all turns.
fn marks(replay: &str) -> Vec<String> {
    let lines = replay.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON lines"));
    lines.filter_map(|line| Some(line.get("fingerprint")?.as_str()?.to_owned())).collect()
}

#[test]
fn a_built_in_bot_plays_the_same_game_as_a_process() {
    for game in games() {
        let place = Place::new();
        let list = place.json(&["games", &game, "--format", "json"]);
        let least = list["seats"][0].as_u64().expect("a number").max(2) as usize;
        let rounds: &[&str] = if list["limit"].is_null() { &[] } else { &["--rounds", "12"] };
        let play = |bots: &[String], file: &str| {
            let mut args = vec!["match", game.as_str(), "--seed", "3", "--replay", file];
            args.extend(rounds);
            args.extend(bots.iter().map(String::as_str));
            let done = place.run(&args);
            assert_eq!(done.code, 0, "{game}: {done:?}");
            assert!(!done.out.contains("turn 1:"), "{game}: {}", done.out);
            let verified = place.json(&["replay", "verify", file, "--format", "json"]);
            assert_eq!((&verified["reproduces"], &verified["cut_off"]), (&true.into(), &false.into()), "{game}");
            marks(&place.read(file))
        };
        let inside: Vec<String> = vec!["@random".to_owned(); least];
        let processes: Vec<String> =
            (1..=least).map(|seat| format!("agon bot {game} random --seed 3 --seat {seat}")).collect();
        let marks = play(&inside, "in.jsonl");
        assert!(marks.len() > 2, "{game}");
        assert_eq!(marks, play(&processes, "out.jsonl"), "{game}");
    }
}

#[test]
fn every_way_to_fail_has_its_name() {
    let place = Place::new();
    let bots = [
        ("import time; time.sleep(60)", "late", "no complete answer within 200ms, nothing arrived"),
        ("import sys; sys.stderr.write(\"oh no\\n\"); sys.exit(3)", "crashed", "exit code 3"),
        ("print(\"\\x1b[2J what\", flush=True); input()", "nonsense", "\\x1b[2J what"),
        ("print(\"1 2 999\"); print(\"go\", flush=True); input()", "unlawful", "999"),
        ("import os, time; os.close(1); time.sleep(60)", "closed_output", "closed its output"),
    ];
    for (code, kind, text) in bots {
        let Some(bot) = python(code) else { return };
        // A slow start of Python must not change the result, except for the bot that must be late.
        let time: &[&str] = if kind == "late" { &["--time", "off,move=200ms"] } else { &["--time", "off,move=20s"] };
        let fault = fault(&place, &bot, time);
        assert_eq!(fault["kind"], kind, "{fault}");
        assert_eq!(fault["ply"], 1, "{fault}");
        let shown = fault["text"].as_str().expect("a text");
        assert!(shown.contains(text) && !shown.contains('\x1b'), "{shown:?}");
        if kind == "crashed" {
            assert!(fault["stderr"].as_str().expect("a text").contains("oh no"), "{fault}");
        }
    }
}

#[test]
fn a_forfeit_is_an_exit_code_if_asked_for() {
    let place = Place::new();
    let args = ["match", "grid", "true", "@random", "--format", "json"];
    let done = place.run(&args);
    assert_eq!(done.code, 0, "{done:?}");
    let done = place.run(&[&args[..], &["--fail-on-forfeit"]].concat());
    assert_eq!(done.code, 21, "{done:?}");
    let document: Value = serde_json::from_str(&done.out).expect("the result stands");
    assert_eq!(document["seats"][0]["fault"]["kind"], "crashed");
    assert!(done.err.contains("agon check grid 'true'"), "{}", done.err);
}

#[test]
fn decisions_beyond_the_soft_limit_are_counted_and_accepted() {
    let place = Place::new();
    let bot = "agon bot grid random";
    let args = ["match", "grid", bot, "@random", "--rounds", "4", "--seed", "1", "--time", "off,soft=1us,move=20s"];
    let done = place.run(&args);
    assert_eq!(done.code, 0, "{done:?}");
    // The first decision includes the start of a process. Later ones may be too short to be measured.
    assert!(done.out.contains(" of 4 decisions exceeded the soft limit"), "{}", done.out);
    let document = place.json(&[&args[..], &["--format", "json"]].concat());
    assert!(document["seats"][0]["time"]["soft_late"].as_u64() >= Some(1), "{document}");
    assert!(document["seats"][0]["fault"].is_null());
}

#[test]
fn a_rule_that_the_original_would_not_enforce_is_hinted_at() {
    let Some(bot) = python("print(\"1 1 5\"); print(\"go\", flush=True); input()") else { return };
    let place = Place::new();
    place.write("map.txt", PLANETS);
    let args = ["match", "planet-wars", &bot, "@random", "--map", "map.txt", "--time", "off,move=20s"];
    let done = place.run(&args);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains("unlawful, turn 1"), "{}", done.out);
    assert!(done.err.contains("lost by a rule that `--rules original` does not enforce"), "{}", done.err);
    let done = place.run(&[&args[..], &["--rules", "original", "--rounds", "1"]].concat());
    assert!(!done.err.contains("does not enforce"), "{}", done.err);
}

#[test]
fn wrong_arguments_are_told_with_a_way_out() {
    let place = Place::new();
    place.write("map.txt", "P 1 2 0 5 6\nP x 2 1 100 5\n");
    std::fs::create_dir(place.path("folder")).expect("a folder");
    place.write("bot.rar", "");
    let two = ["@random", "@random"];
    let with = |more: &[&'static str]| [&["match", "planet-wars"], &two[..], more].concat();
    for (code, args, said) in [
        (1, vec!["match", "planet_wars", "@random"], vec!["no game `planet_wars`", "did you mean `planet-wars`"]),
        (1, vec!["match", "planet-wars", "@random"], vec!["played by 2 bots, not by 1", "add `@random`"]),
        (1, vec!["match", "planet-wars", "python3", "bot.py", "@random"], vec!["not by 3", "in quotes"]),
        (4, vec!["match", "planet-wars"], vec!["none is given", "agon match planet-wars @random @random"]),
        (1, vec!["match", "planet-wars", "@rambo", "@random"], vec!["no built-in bot `@rambo`", "@random, "]),
        (1, vec!["match", "planet-wars", "@randon", "@random"], vec!["did you mean `@random`"]),
        (1, vec!["match", "planet-wars", "a\x1b[31m=@rage", "@random"], vec!["`a\\x1b[31m` is not a valid", "letters"]),
        (1, vec!["match", "planet-wars", "=@rage", "@random"], vec!["`` is not a valid name for a bot"]),
        (1, vec!["match", "planet-wars", "a  b=@rage", "@random"], vec!["`a  b` is not a valid name for a bot"]),
        (1, vec!["match", "planet-wars", "<b>x</b>=@rage", "@random"], vec!["is not a valid name for a bot"]),
        (1, vec!["match", "planet-wars", "./a 'b", "@random"], vec!["quotes", "do not match"]),
        (1, vec!["match", "planet-wars", "folder", "@random"], vec!["the bot `folder`: there is no file in it"]),
        (1, vec!["match", "planet-wars", "bot.rar", "@random"], vec!["not supported"]),
        (
            1,
            vec!["match", "planet-wars", "me=no.tar.gz", "@random"],
            vec!["`no.tar.gz`: there is no such archive", "path"],
        ),
        (1, vec!["match", "planet-wars", "no.rar", "@random"], vec!["`no.rar`: there is no such archive"]),
        (1, vec!["match", "planet-wars", "no.wasm", "@random"], vec!["`no.wasm`: there is no such module"]),
        (1, vec!["match", "planet-wars", "no/", "@random"], vec!["`no/`: there is no such folder"]),
        (1, with(&["--map", "map.txt"]), vec!["--> map.txt:2:3", "2 | P x 2 1 100 5", "  |   ^"]),
        (1, with(&["--map", "nowhere.txt"]), vec!["cannot read the map `nowhere.txt`: no such file"]),
        (1, with(&["--map", "gen:moon"]), vec!["moon", "gen:"]),
        (2, with(&["--map", "gen:a:b:c"]), vec!["too many parts"]),
        (1, with(&["--rules", "house"]), vec!["--rules: unknown rule set `house`", "original"]),
        (1, with(&["--time", "move=fast"]), vec!["--time: `fast` is not a time"]),
        (1, with(&["--seat", "3:time=off"]), vec!["only 2 seats"]),
        (1, with(&["--seat", "2:time=move=fast"]), vec!["error: --seat 2:time: `fast` is not a time"]),
        (1, with(&["--seat", "1:hat=red"]), vec!["--seat 1:hat", "no such option", "time"]),
        (2, with(&["--seat", "hat"]), vec!["N:KEY=VALUE"]),
        (2, with(&["--rounds", "0"]), vec!["--rounds"]),
        (2, with(&["--rounds", "-5"]), vec!["write a whole number from 1 to 4294967295"]),
        (2, with(&["--seed", "-1"]), vec!["'-1' for '--seed", "a whole number from 0 to 18446744073709551615"]),
        (2, with(&["--seed", "\u{7}\u{202e}x"]), vec!["'\\u{202e}x' for '--seed"]),
        (2, with(&["--fuel", "none"]), vec!["`none` is not a number of instructions; write `500M`"]),
        (2, with(&["--delay", "1s"]), vec!["--watch"]),
        (2, with(&["--watch", "--delay", "1"]), vec!["`1` is not a time; write `1s`"]),
        (1, with(&["--time", "move=0ms"]), vec!["--time: `move=0s`: the limit must be longer than zero", "`move=off`"]),
        (1, with(&["--bot-dir", "nowhere"]), vec!["--bot-dir: there is no folder `nowhere`"]),
        (1, with(&["--replay", "r.txt"]), vec!["not a valid name for a replay", ".jsonl"]),
        (1, with(&["--replay", "no/folder/r.jsonl"]), vec!["cannot write the replay"]),
        (2, vec!["match"], vec!["Usage:"]),
    ] {
        place.fails(code, &args, &said);
    }
}

#[test]
fn slips_in_the_words_of_a_bot_are_named() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    let place = Place::new();
    let mut command = place.command(&["match", "grid", "@random"]);
    let done = Done::from(command.arg(OsStr::from_bytes(b"caf\xe9.py")).output().expect("agon can be started"));
    assert!(done.code == 2 && done.out.is_empty(), "{done:?}");
    assert!(done.err.contains("argument 4 is not UTF-8: `caf\\xe9.py`") && done.err.contains("hint"), "{done:?}");
    let done = place.run(&["match", "grid", "python3 -m no.such", "@random", "--rounds", "1"]);
    assert!(done.err.contains("names the module `no.such`, which is not in the folder"), "{done:?}");
}

/// The folder that `env` enters is where the paths of the program begin.
#[test]
fn a_command_that_enters_a_folder_sees_its_files_there() {
    let place = Place::new();
    std::fs::create_dir(place.path("deep")).expect("a folder");
    place.write("deep/marker.txt", "the marker of a file");
    place.write("deep/bot.py", "import sys\nsys.exit(open('marker.txt').read())\n");
    for (bot, shown) in [
        ("env -C deep python3 bot.py", &[][..]),
        // What is joined to an option is no word of its own.
        ("env -Cdeep python3 bot.py", &["--bot-dir", "deep"]),
        ("timeout 60 env --chdir=deep python3 bot.py", &["--bot-dir", "deep"]),
    ] {
        let run = |bot: &str| place.run(&[&["match", "grid", bot, "@random", "--rounds", "1"], shown].concat());
        let done = run(bot);
        assert!(done.out.contains("the marker of a file") && !done.err.contains("does not exist"), "{bot}: {done:?}");
        let done = run(&bot.replace("bot.py", "none.py"));
        assert!(done.err.contains("names the file `none.py`, which does not exist"), "{bot}: {done:?}");
    }
}

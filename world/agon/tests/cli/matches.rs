//! Tests `agon match`: results, faults, hints, exit codes.

use crate::agon::{Done, Place, games, python};
use serde_json::Value;
use std::path::Path;

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
    assert_eq!(document["map"], "gen:final:7");
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
    for line in ["seed    7", "map     gen:final:7", "rules   spec", "replay  r.jsonl.zst"] {
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
fn a_bot_that_never_starts_is_an_error_and_never_a_result() {
    let place = Place::new();
    place.fails(
        20,
        &["match", "grid", "./nobody", "@random", "--replay", "r.jsonl"],
        &["could not be started", "./nobody"],
    );
    assert!(place.read("r.jsonl").lines().last().expect("a line").contains("\"end\":\"aborted\""));
    // What was written is a replay without turns.
    let verified = place.json(&["replay", "verify", "r.jsonl", "--format", "json"]);
    assert_eq!((&verified["plies"], &verified["aborted"]), (&0.into(), &true.into()));
    place.fails(20, &["match", "grid", "random", "@random"], &["hint: write `@random` for the built-in bot"]);
    let done = place.run(&["match", "grid", "./nobody", "@random"]);
    assert!(done.err.contains("/nobody`\n"), "nowhere, not only inside: {done:?}");
    place.fails(20, &["match", "grid", "cd bots && ./x", "@random"], &["without a shell", "`sh -c '…'`"]);
    place.write("plain.txt", "no program");
    place.fails(20, &["match", "grid", "./plain.txt", "@random"], &["not executable", "chmod +x"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_module_in_the_working_directory_is_a_file_of_the_bot() {
    let Some(_) = python("pass") else { return };
    let place = Place::new();
    place.write("passes.py", "while True:\n    if input() == \".\":\n        print(\".\", flush=True)\n");
    let match_of = |bot: &str| place.run(&["match", "grid", bot, "@random", "--seed", "1", "--time", "move=20s"]);
    for bot in ["python3 -m passes", "python3 -u -mpasses"] {
        let done = match_of(bot);
        assert!(done.code == 0 && !done.out.contains("crashed"), "{bot}: {done:?}");
    }
    // A file that no word names is invisible to the bot. The interpreter's message does not show this.
    let hint = "its command names no file of yours: `--bot-dir DIR` lets it read a folder";
    let bot = "me=bash -c \"exec python3 $PWD/passes.py\"";
    let done = match_of(bot);
    assert!(done.out.contains("crashed, turn 1") && done.err.contains(hint), "{done:?}");
    let checked = place.run(&["check", "grid", bot]);
    assert!(checked.code == 1 && checked.err.contains(hint), "{checked:?}");
    let done = place.run(&["match", "grid", bot, "@random", "--seed", "1", "--time", "move=20s", "--bot-dir", "."]);
    assert!(done.code == 0 && !done.out.contains("crashed"), "{done:?}");
}

/// A champion that wins because nobody came is a wrong result.
#[test]
#[cfg(target_os = "linux")]
fn there_is_no_result_without_the_file_that_an_interpreter_executes() {
    use std::os::unix::fs::PermissionsExt;
    let Some(_) = python("pass") else { return };
    let place = Place::new();
    for folder in ["bots", "package"] {
        std::fs::create_dir(place.path(folder)).expect("a folder");
    }
    let passes = "while True:\n    if input() == \".\":\n        print(\".\", flush=True)\n";
    for name in ["bots/there.py", "package/__main__.py"] {
        place.write(name, passes);
    }
    place.write("bots/there.sh", "while read line; do\n    if [ \"$line\" = . ]; then echo .; fi\ndone\n");
    let play = |bot: &str, level: &str| {
        let args = ["match", "grid", bot, "@random", "--seed", "1", "--rounds", "3", "--sandbox", level];
        if level != "restricted" || !bot.contains("python3") {
            return Some(place.run(&args));
        }
        // With an own user for each bot, a Python in the home of root cannot be reached, but the system's own can.
        const SYSTEM: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
        if !SYSTEM.iter().any(|folder| Path::new(folder).join("python3").exists()) {
            assert!(std::env::var_os("CI").is_none(), "the system has no `python3`, which this test needs");
            eprintln!("SKIPPED: {bot} at `{level}`: the system has no `python3`");
            return None;
        }
        Some(Done::from(place.command(&args).env("PATH", SYSTEM.join(":")).output().expect("agon can be started")))
    };
    for level in ["auto", "restricted", "none"] {
        for (bot, file) in [
            ("sh run.sh", "/run.sh`"),
            ("sh bots/there.py/x", "/bots/there.py/x`"),
            ("sh -e bots", "/bots` is a folder"),
            ("old=python3 -u old/bot.py", "/old/bot.py`"),
            ("python3 bots", "/bots` is a folder"),
        ] {
            let Some(done) = play(bot, level) else { continue };
            assert!(done.code == 20 && done.out.is_empty(), "{level}, {bot}: {done:?}");
            for text in ["could not be started: ", file, "there is no result"] {
                assert!(done.err.contains(text), "{level}, {bot}: `{text}` is not in {}", done.err);
            }
        }
        for bot in
            ["sh bots/there.sh", "python3 -u bots/there.py --fast", "python3 package", "python3 bots/../bots/there.py"]
        {
            let Some(done) = play(bot, level) else { continue };
            assert!(done.code == 0 && !done.out.contains("crashed"), "{level}, {bot}: {done:?}");
        }
    }
    let series = ["match", "grid", "@random", "python3 old/bot.py", "--games", "4", "--format", "json"];
    let done = place.run(&series);
    assert!(done.code == 20 && done.err.contains("/old/bot.py`"), "{done:?}");
    // The file is there, but the user that bots run as may not read it, whoever that is.
    std::fs::set_permissions(place.path("bots/there.py"), PermissionsExt::from_mode(0o000)).expect("it is ours");
    let said = ["may not read `", "bots/there.py`", "chmod a+r"];
    place.fails(20, &["match", "grid", "python3 bots/there.py", "@random"], &said);
}

#[test]
#[cfg(target_os = "linux")]
fn a_result_is_told_even_if_its_replay_is_lost() {
    let place = Place::new();
    std::os::unix::fs::symlink("/dev/full", place.path("r.jsonl")).expect("a link");
    let done = place.run(&["match", "grid", "@random", "@random", "--rounds", "3", "--replay", "r.jsonl"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.out.contains("after 3 turns") && !done.out.contains("replay"), "{}", done.out);
    assert!(done.err.contains("cannot write the replay `r.jsonl`: no space left"), "{}", done.err);
}

#[test]
#[cfg(target_os = "linux")]
fn a_shortage_never_takes_the_sandbox_away() {
    let place = Place::new();
    let mut short = 0;
    for files in 4..24 {
        let line = format!("ulimit -n {files}; exec agon match grid cat cat --seed 1");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &line]).env("PATH", crate::agon::path_with_agon()).current_dir(place.path(""));
        let done = crate::agon::Done::from(shell.output().expect("there is a shell"));
        assert!(!done.err.contains("NO SANDBOX") && !done.out.contains("sandbox none"), "{files}: {done:?}");
        short += u32::from(done.code == 40 && done.err.contains("could not be tried out"));
    }
    assert!(short > 0, "the limit was never met where the level is decided");
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
        (1, vec!["match", "planet-wars", "./a 'b", "@random"], vec!["quotes", "do not match"]),
        (1, vec!["match", "planet-wars", "folder", "@random"], vec!["the bot `folder`: there is no file in it"]),
        (1, vec!["match", "planet-wars", "bot.rar", "@random"], vec!["not supported"]),
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
        (2, with(&["--rounds", "-5"]), vec!["-5 is not in 1..="]),
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
fn what_bots_write_to_stderr_is_shown_if_asked_for() {
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

#[test]
#[cfg(not(feature = "wasm"))]
fn a_build_without_wasm_says_how_to_get_it() {
    let place = Place::new();
    place.write("bot.wasm", "");
    place.fails(1, &["match", "grid", "bot.wasm", "@random"], &["cannot play WASM modules", "--features wasm"]);
}

/// The contest's bots wrote their logs when the referee sent `quit`.
#[test]
fn who_is_told_to_quit_has_time_to_save_a_log() {
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

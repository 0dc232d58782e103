//! Tests `agon replay …`.

use crate::agon::{Place, python};
use serde_json::Value;

/// Returns a place with `game.jsonl`, a short match of Planet Wars.
fn played() -> Place {
    let place = Place::new();
    let args =
        ["match", "planet-wars", "@rage", "@prospector", "--seed", "11", "--rounds", "40", "--replay", "game.jsonl"];
    assert_eq!(place.run(&args).code, 0);
    place
}

#[test]
fn a_replay_reproduces_in_both_forms() {
    let place = played();
    let done = place.run(&["replay", "verify", "game.jsonl"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.starts_with("game.jsonl reproduces: ") && done.out.contains("and its result"), "{}", done.out);
    let args =
        ["match", "planet-wars", "@rage", "@prospector", "--seed", "11", "--rounds", "40", "--replay", "z.jsonl.zst"];
    assert_eq!(place.run(&args).code, 0);
    let plain = place.json(&["replay", "verify", "game.jsonl", "--format", "json"]);
    let packed = place.json(&["replay", "verify", "z.jsonl.zst", "--format", "json"]);
    assert_eq!(plain["fingerprint"], packed["fingerprint"]);
    let size = |name: &str| std::fs::metadata(place.path(name)).expect("it is there").len();
    assert!(size("z.jsonl.zst") * 2 < size("game.jsonl"));
}

#[test]
fn a_turn_has_one_number_and_the_round_beside_it() {
    let place = played();
    let ply = place.run(&["replay", "show", "game.jsonl", "--ply", "20"]);
    assert!(ply.code == 0 && ply.out.starts_with("turn 20 "), "{ply:?}");
    assert_eq!(place.run(&["replay", "show", "game.jsonl", "--turn", "20"]).out, ply.out);
    let ask = |name| place.run(&["replay", "ask", "game.jsonl", name, "20", "--seat", "2", "@rage"]);
    assert!(ask("--turn").code == 0 && ask("--turn").out.starts_with("prompt"), "{:?}", ask("--turn"));

    // Planet Wars counts no rounds besides its turns. Portals has two turns in each round.
    let args = ["match", "portals", "@random", "@random", "--seed", "3", "--rounds", "25", "--replay", "portals.jsonl"];
    assert_eq!(place.run(&args).code, 0);
    let all = place.run(&["replay", "show", "portals.jsonl"]).out;
    let turns: Vec<&str> = all.lines().filter(|line| line.contains("turn ")).collect();
    assert!(turns[0].starts_with("turn 1 ") && turns[1].starts_with("round 1, turn 2 "), "{all}");
    assert!(turns[38].starts_with("round 20, turn 39 ") && turns[39].starts_with("round 20, turn 40 "), "{all}");
    let one = place.run(&["replay", "show", "portals.jsonl", "--turn", "39"]);
    assert!(one.out.starts_with("round 20, turn 39 "), "{}", one.out);
}

#[test]
fn the_first_turn_that_differs_is_named() {
    let place = played();
    let text = place.read("game.jsonl");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = lines.iter().position(|l| l.contains("\"ships\":")).expect("somebody sends ships");
    let ply: Value = serde_json::from_str(&lines[at]).expect("JSON lines");
    let ply = ply["ply"].as_u64().expect("a number");
    // Without one order, the ships stay.
    let mut record: Value = serde_json::from_str(&lines[at]).expect("JSON lines");
    for entry in record["entries"].as_array_mut().expect("an array") {
        entry["orders"].as_array_mut().expect("an array").pop();
    }
    lines[at] = record.to_string();
    place.write("bad.jsonl", lines.join("\n"));
    place.fails(30, &["replay", "verify", "bad.jsonl"], &["does not reproduce", &format!("turn {ply}:"), "--ply"]);
    // A command that people may copy into a shell is quoted for it.
    place.write("-my bad.jsonl", lines.join("\n"));
    let hint = format!("`agon replay show './-my bad.jsonl' --ply {}`", ply - 1);
    place.fails(30, &["replay", "verify", "--", "-my bad.jsonl"], &[&hint]);
    let done = place.run(&["replay", "verify", "bad.jsonl", "--format", "json"]);
    let document: Value = serde_json::from_str(&done.out).expect("one document");
    assert_eq!((done.code, &document["reproduces"], &document["difference"]["ply"]), (30, &false.into(), &ply.into()));
}

#[test]
fn a_replay_that_is_cut_off_says_so() {
    let place = played();
    let text = place.read("game.jsonl");
    let end = text.len() * 2 / 3;
    place.write("cut.jsonl", &text[..end]);
    let done = place.run(&["replay", "verify", "cut.jsonl"]);
    assert!(done.code == 0 && done.out.contains("cut off"), "{done:?}");
    let done = place.run(&["replay", "show", "cut.jsonl"]);
    assert!(done.code == 0 && done.out.trim_end().ends_with("no result"), "{done:?}");
}

#[test]
fn a_file_that_is_no_replay_is_refused() {
    let place = played();
    place.write("text.txt", "hello\n");
    place.write("empty.jsonl", "");
    place.write("bytes.jsonl", [&[0x28, 0xb5, 0x2f, 0xfd][..], &[0xff; 600]].concat());
    let newer = place.read("game.jsonl").replacen("{\"agon\":2", "{\"agon\":99", 1);
    place.write("newer.jsonl", newer);
    let other = place.read("game.jsonl").replacen("\"game\":\"planet-wars\"", "\"game\":\"chess\"", 1);
    place.write("other.jsonl", other);
    let header = place.read("game.jsonl").lines().next().expect("a header").to_owned();
    place.write("blank.jsonl", format!("{header}\n\n"));
    place.write("kind.jsonl", format!("{header}\n{{\"ply\":1,\"entries\":7}}\n"));
    for (file, said) in [
        ("text.txt", "line 1: the first line is not the header"),
        ("empty.jsonl", "line 1: the file is empty"),
        ("bytes.jsonl", "cannot read the replay"),
        ("newer.jsonl", "format version 99"),
        ("other.jsonl", "no game `chess`"),
        ("blank.jsonl", "`blank.jsonl`, line 2: the line is empty"),
        ("kind.jsonl", "`kind.jsonl`, line 2: column 20: invalid type"),
        ("none.jsonl", "no such file"),
        (".", "is a folder"),
    ] {
        for command in ["verify", "show", "export"] {
            place.fails(1, &["replay", command, file], &[said]);
        }
    }
}

#[test]
fn showing_tells_turns_times_and_the_result() {
    let place = played();
    let done = place.run(&["replay", "show", "game.jsonl"]);
    assert_eq!(done.code, 0, "{done:?}");
    for text in
        ["planet-wars, format 2", "seat 1  rage  (@rage)", "turn 1 ", "{\"source\":", "place  seat  name", "seed    11"]
    {
        assert!(done.out.contains(text), "{text}: {}", done.out);
    }
    let board = place.run(&["replay", "show", "game.jsonl", "--ply", "5"]);
    assert!(board.code == 0 && board.out.contains("turn 5"), "{board:?}");
    place.fails(1, &["replay", "show", "game.jsonl", "--ply", "999"], &["there is no turn 999"]);
    let document = place.json(&["replay", "show", "game.jsonl", "--format", "json"]);
    assert_eq!(document["header"]["seed"], 11);
    let plies = document["plies"].as_array().expect("an array");
    assert_eq!(Some(plies.len() as u64), document["footer"]["plies"].as_u64());
    assert_eq!(document["cut_off"], false);
    let position = place.json(&["replay", "show", "game.jsonl", "--ply", "5", "--format", "json"]);
    assert_eq!(position["fingerprint"], plies[4]["fingerprint"]);
    assert!(position["map"].as_str().expect("a text").starts_with("P "));
    assert!(position["frame"]["items"].as_array().expect("an array").len() > 5);
}

#[test]
fn playback_strings_go_both_ways() {
    let place = played();
    let done = place.run(&["replay", "export", "game.jsonl"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains('|') && done.out.lines().count() == 1, "{}", done.out);
    place.write("playback.txt", &done.out);
    let import = place.run(&["replay", "import", "planet-wars", "playback.txt", "--output", "again.jsonl"]);
    assert_eq!((import.code, import.out.as_str()), (0, ""), "{import:?}");
    let (first, again) =
        ["game.jsonl", "again.jsonl"].map(|file| place.json(&["replay", "verify", file, "--format", "json"])).into();
    assert_eq!(first["plies"], again["plies"]);
    assert_eq!(first["standing"]["scores"], again["standing"]["scores"]);
    assert_eq!(place.run(&["replay", "export", "again.jsonl", "--to", "playback"]).out, done.out);
    place.write("broken.txt", "15,15,0,67\n");
    place.fails(1, &["replay", "import", "planet-wars", "broken.txt"], &["broken.txt:1:1", "`|`"]);
    place.fails(1, &["replay", "export", "game.jsonl", "--to", "gif"], &["no format `gif`", "playback"]);
}

#[test]
fn the_replay_text_of_grid_goes_both_ways() {
    let place = Place::new();
    let args =
        ["match", "grid", "@random", "@random", "--map", "gen:10x10", "--rounds", "30", "--replay", "game.jsonl"];
    assert_eq!(place.run(&args).code, 0);
    let text = place.run(&["replay", "export", "game.jsonl"]).out;
    assert!(text.starts_with("W\n1"), "{text}");
    place.write("game.txt", &text);
    let import = place.run(&["replay", "import", "grid", "game.txt"]);
    assert_eq!(import.code, 0, "{import:?}");
    place.write("again.jsonl", &import.out);
    assert_eq!(place.run(&["replay", "export", "again.jsonl"]).out, text);
    place.fails(1, &["replay", "import", "lighthouses", "game.txt"], &["no format of its own"]);
}

#[test]
fn a_bot_is_asked_about_a_recorded_turn() {
    let place = Place::new();
    let bot = "agon bot planet-wars prospector --seed 11 --seat 2";
    let args = ["match", "planet-wars", "@rage", bot, "--seed", "11", "--rounds", "20", "--replay", "game.jsonl"];
    assert_eq!(place.run(&args).code, 0);
    let ask =
        |bot: &str| place.json(&["replay", "ask", "game.jsonl", "--ply", "7", "--seat", "2", bot, "--format", "json"]);
    for same in [bot, "@prospector"] {
        let answer = ask(same);
        assert_eq!((&answer["same"], &answer["strayed"]), (&true.into(), &Value::Null), "{answer}");
        assert_eq!(answer["then"]["orders"], answer["now"]["orders"]);
        let prompt = answer["prompt"].as_str().expect("a text");
        assert!(prompt.starts_with("P ") && prompt.ends_with("go\n"), "{prompt}");
    }
    let Some(lazy) = python("import sys\nfor line in sys.stdin:\n  if line == \"go\\n\": print(\"go\", flush=True)")
    else {
        return;
    };
    let answer = ask(&lazy);
    assert_eq!((&answer["now"]["orders"], &answer["now"]["said"]), (&serde_json::json!([]), &"go\n".into()));
    assert_eq!(answer["now"]["exchange"], serde_json::json!([{ "stream": "out", "bytes": "go\n" }]));
    assert!(answer["strayed"].as_u64().is_some_and(|ply| ply < 7), "it sent nothing before either: {answer}");
    let done = place.run(&["replay", "ask", "game.jsonl", "--ply", "7", "--seat", "2", &lazy]);
    assert!(done.out.contains("  | go\\n\n") && done.out.contains("\nthen  "), "{}", done.out);
}

#[test]
fn a_bot_that_was_mended_decides_otherwise_than_the_one_that_crashed() {
    let Some(crashing) = python("import sys\nsys.stdin.readline()\nsys.exit('out of ideas')") else { return };
    let Some(mended) = python("import sys\nfor line in sys.stdin:\n  if line == \"go\\n\": print(\"go\", flush=True)")
    else {
        return;
    };
    let place = Place::new();
    assert_eq!(place.run(&["match", "planet-wars", &crashing, "@rage", "--replay", "game.jsonl"]).code, 0);
    let args = ["replay", "ask", "game.jsonl", "--ply", "1", "--seat", "1", &mended];
    let asked = place.run(&args);
    assert!(
        asked.out.contains("no order, failed: gone (") && asked.out.ends_with("decided nothing then\n"),
        "{asked:?}"
    );
    assert_eq!(place.json(&[&args[..], &["--format", "json"]].concat())["same"], false);
    let shown = place.run(&["replay", "show", "game.jsonl", "--turn", "1"]);
    assert!(shown.out.contains("-  failed: gone\n") && shown.out.contains("crashed: exit code 1"), "{shown:?}");
}

#[test]
fn messages_within_a_decision_are_shown_in_their_order() {
    let place = Place::new();
    let args = ["match", "triangles", "@careful", "@greedy", "--seed", "3", "--map", "gen:uniform-12", "--replay"];
    assert_eq!(place.run(&[&args[..], &["game.jsonl"]].concat()).code, 0);
    let bot = "agon bot triangles greedy --seed 3 --seat 2";
    let done = place.run(&["replay", "ask", "game.jsonl", "--ply", "4", "--seat", "2", bot]);
    assert!(done.out.contains("  | play ") && done.out.contains("  > gen_move\\n\n  | = "), "{}", done.out);
    assert!(done.out.ends_with("the same decision\n"), "{done:?}");
    // The other bot decided differently before, but it is still asked about the recorded board.
    let other = "agon bot triangles random --seed 8 --seat 2";
    let args = ["replay", "ask", "game.jsonl", "--ply", "8", "--seat", "2", other, "--format", "json"];
    let answer = place.json(&args);
    assert!(answer["strayed"].as_u64().is_some_and(|ply| ply < 8), "{answer}");
    assert!(answer["prompt"].as_str().is_some_and(|prompt| prompt.starts_with("set_points 12 ")), "{answer}");
    assert_eq!(answer["now"]["refusal"], Value::Null, "{answer}");
}

#[test]
fn the_format_of_a_record_is_found_out() {
    let place = Place::new();
    let args = ["match", "portals", "@random", "@random", "--seed", "4", "--rounds", "5", "--replay", "game.jsonl"];
    assert_eq!(place.run(&args).code, 0);
    for format in ["dump", "replay"] {
        let export = place.run(&["replay", "export", "game.jsonl", "--to", format, "--output", "record"]);
        assert_eq!(export.code, 0, "{export:?}");
        assert_eq!(
            place.run(&["replay", "import", "portals", "record", "--output", "again.jsonl"]).code,
            0,
            "{format}"
        );
        assert_eq!(place.run(&["replay", "verify", "again.jsonl"]).code, 0, "{format}");
    }
    place.fails(1, &["replay", "import", "portals", "game.jsonl"], &["is already a replay of Agon", "export"]);
    place.write("noise", [0xff; 40]);
    place.fails(1, &["replay", "import", "portals", "noise"], &["noise:1:1", "--from NAME", "dump, replay"]);
}

#[test]
fn a_replay_without_its_later_turns_says_so_and_tells_the_result() {
    let place = played();
    let text = place.read("game.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    let turns = lines[..5].iter().filter(|line| line.starts_with("{\"ply\":")).count();
    let cut = format!("{{\"event\":\"cut\",\"plies\":{turns},\"bytes\":1000}}");
    let kept = [&lines[..5], &[&*cut, lines[lines.len() - 1]]].concat();
    place.write("part.jsonl", kept.join("\n") + "\n");
    let done = place.run(&["replay", "verify", "part.jsonl"]);
    assert!(done.code == 0 && done.out.contains(&format!("{turns} turns; the later turns are left out")), "{done:?}");
    let verified = place.json(&["replay", "verify", "part.jsonl", "--format", "json"]);
    assert_eq!((&verified["left_out"], &verified["cut_off"]), (&true.into(), &false.into()));
    let shown = place.run(&["replay", "show", "part.jsonl"]);
    assert!(shown.out.contains("later turns are left out") && shown.out.contains("after 40 turns"), "{}", shown.out);
    assert_eq!(place.json(&["replay", "show", "part.jsonl", "--format", "json"])["cut"]["plies"], turns);
    place.fails(1, &["replay", "export", "part.jsonl"], &["turns of this match were left out"]);
}

#[test]
fn a_bot_that_cannot_answer_is_told_with_its_last_words() {
    let place = played();
    let ask = |bot: &str, more: &[&str], code: i32, said: &[&str]| {
        let args = [&["replay", "ask", "game.jsonl", "--ply", "3", "--seat", "1", bot], more].concat();
        place.fails(code, &args, said);
    };
    ask("./nobody", &[], 20, &["could not be started"]);
    ask("cat", &[], 1, &["the bot failed in turn 1: nonsense: `P "]);
    ask("sleep 60", &["--wait", "100ms"], 1, &["no complete answer within 100ms", "--wait"]);
    if let Some(bot) = python("import sys; sys.stderr.write(\"help\\x1b[2J\\n\"); sys.exit(1)") {
        ask(&bot, &[], 1, &["its output ended before it had answered", "| help\\x1b[2J"]);
    }
    place.fails(1, &["replay", "ask", "game.jsonl", "--ply", "3", "--seat", "9", "cat"], &["this match has no seat 9"]);
    place.fails(1, &["replay", "ask", "game.jsonl", "--ply", "900", "--seat", "1", "cat"], &["there is no turn 900"]);
}

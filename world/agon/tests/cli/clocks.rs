//! Tests the policies of clocks, `agon replay show --time`, `--freeze` and `--pin`.

use crate::agon::Place;
use serde_json::{Value, json};

/// Returns a place with `late.jsonl`. In it, `me` in seat 1 is late in turn 5 and was saved in turn 3, as on a busy
/// host.
fn late() -> Place {
    let place = Place::new();
    let args = ["match", "planet-wars", "me=@rage", "@prospector", "--seed", "11", "--replay", "game.jsonl"];
    assert_eq!(place.run(&args).code, 0);
    let mut lines: Vec<Value> =
        place.read("game.jsonl").lines().map(|line| serde_json::from_str(line).expect("JSON lines")).collect();
    lines[0]["seats"][0]["bot"] = json!("./me");
    let ply = |lines: &[Value], ply: u64| lines.iter().position(|line| line["ply"] == ply).expect("it was played");
    let third = ply(&lines, 3);
    set(&mut lines[third]["entries"][0], [1_200_000, 1_000_000, 190_000, 190_000]);
    let fifth = ply(&lines, 5);
    set(&mut lines[fifth]["entries"][0], [1_310_000, 1_280_000, 20_000, 20_000]);
    lines[fifth]["entries"][0]["failure"] = json!("late");
    lines.truncate(fifth + 1);
    let fault = json!({ "kind": "late", "limit_us": 1_000_000, "heard": 0, "unread": false });
    lines.insert(fifth, json!({ "event": "fault", "seat": 1, "ply": 5, "fault": fault }));
    write(&place, "late.jsonl", &lines);
    place
}

fn set(entry: &mut Value, [wall, cpu, runnable, given]: [u64; 4]) {
    let numbers = [("wall_us", wall), ("cpu_us", cpu), ("runnable_us", runnable), ("given_us", given)];
    numbers.into_iter().for_each(|(key, number)| entry[key] = json!(number));
}

fn write(place: &Place, name: &str, lines: &[Value]) {
    place.write(name, lines.iter().map(|line| format!("{line}\n")).collect::<String>());
}

const WORDS: &str = "turn 5: bot `me` used 1.31s of 1s: it computed for 1.28s, waited 20.0ms for a core, and it slept or \
                     blocked for 10.0ms; 20.0ms of it was given back, because the host took it; it was still late";

#[test]
fn time_in_which_the_system_blocked_a_bot_has_a_column_of_its_own() {
    let place = late();
    let mut lines: Vec<Value> =
        place.read("late.jsonl").lines().map(|line| serde_json::from_str(line).expect("JSON lines")).collect();
    let third = lines.iter().position(|line| line["ply"] == 3).expect("it was played");
    lines[third]["entries"][0]["blocked_us"] = json!(4_000_000);
    set(&mut lines[third]["entries"][0], [4_210_000, 0, 190_000, 4_190_000]);
    write(&place, "blocked.jsonl", &lines);
    let done = place.run(&["replay", "show", "blocked.jsonl", "--time"]);
    assert_eq!(done.code, 0, "{done:?}");
    let row = |begin: &[&str]| {
        let rows = done.out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        rows.into_iter().find(|words| words.starts_with(begin)).unwrap_or_else(|| panic!("{begin:?}: {}", done.out))
    };
    assert_eq!(row(&["turn"])[4..], ["computed", "no", "core", "blocked", "lag", "idle", "given"]);
    assert_eq!(row(&["3", "me"])[2..], ["4.21s", "1s", "0us", "190ms", "4.00s", "-", "20.0ms", "4.19s"]);
    assert_eq!(row(&["me", "fair"])[2..6], ["2", "1.28s", "210ms", "4.00s"]);
    let told =
        "waited 190ms for a core, was blocked in the system for 4.00s, and it slept or blocked for 20.0ms; 4.19s of";
    assert!(done.out.contains(told), "{}", done.out);
    let done = place.run(&["replay", "show", "blocked.jsonl", "--time", "--turn", "3", "--format", "json"]);
    let document: Value = serde_json::from_str(&done.out).expect("a document");
    assert_eq!(document["answers"][0]["blocked_us"], 4_000_000, "{}", done.out);
}

#[test]
fn why_a_bot_was_late_is_told_in_words() {
    let place = late();
    let done = place.run(&["replay", "show", "late.jsonl", "--time"]);
    assert_eq!(done.code, 0, "{done:?}");
    let said: Vec<&str> = done.out.lines().filter(|line| line.contains(": bot `")).collect();
    let saved = "turn 3: bot `me` used 1.20s of 1s: it computed for 1.00s, waited 190ms for a core, and it slept or \
                 blocked for 10.0ms; 190ms of it was given back, because the host took it, so it was in time";
    assert_eq!(said, [saved, WORDS], "{}", done.out);
    let sums = done.out.lines().find(|line| line.starts_with("me  ")).expect("a row of sums");
    let words: Vec<&str> = sums.split_whitespace().collect();
    assert_eq!(words, ["me", "fair", "2", "2.28s", "210ms", "0us", "210ms", "2"], "{}", done.out);

    let done = place.run(&["replay", "show", "late.jsonl", "--time", "--turn", "5"]);
    assert!(done.out.contains(WORDS) && done.out.contains("built-in bots are not measured"), "{}", done.out);
    assert!(!done.out.contains("turn 3"), "{}", done.out);
    let done = place.run(&["replay", "show", "late.jsonl", "--time", "--turn", "2"]);
    assert!(done.out.contains("what the bot did in that time was not measured"), "{}", done.out);
}

#[test]
fn the_certificate_as_a_document() {
    let place = late();
    let document = place.json(&["replay", "show", "late.jsonl", "--time", "--turn", "5", "--format", "json"]);
    assert_eq!(document["certified"], true);
    assert_eq!(document["seats"][0]["certificate"]["given_us"], 210_000);
    let answer = &document["answers"][0];
    assert_eq!((&answer["ply"], &answer["seat"], &answer["late"]), (&json!(5), &json!(1), &json!(true)));
    assert_eq!((&answer["idle_us"], &answer["limit_us"]), (&json!(10_000), &json!(1_000_000)));
    assert_eq!(answer["text"], WORDS);
}

#[test]
fn a_certificate_without_all_children_says_so() {
    let place = late();
    let whole = place.run(&["replay", "show", "late.jsonl", "--time"]);
    assert!(!whole.out.contains("nothing here counts"), "{}", whole.out);
    let partial = place.read("late.jsonl").replace("\"cpu_us\":1280000", "\"cpu_us\":1280000,\"partial\":true");
    place.write("partial.jsonl", partial);
    let done = place.run(&["replay", "show", "partial.jsonl", "--time"]);
    let said = |words: &str| assert!(done.out.contains(words), "{words}: {}", done.out);
    ["it computed for at least 1.28s", " 1.28s+", " 2.28s+", "nothing here counts"].into_iter().for_each(said);
    assert!(!done.out.contains("1.00s+"), "turn 3 was counted wholly: {}", done.out);
    let document = place.json(&["replay", "show", "partial.jsonl", "--time", "--turn", "5", "--format", "json"]);
    assert_eq!(document["seats"][0]["certificate"]["partial"], true);
    assert_eq!(document["seats"][1]["certificate"]["partial"], false);
    assert_eq!(document["answers"][0]["partial"], true);
}

/// Without a sandbox a bot may start children. What its match certifies says so.
#[test]
fn a_match_without_a_sandbox_certifies_a_part() {
    let place = Place::new();
    let bot = "sh -c 'while read -r line; do [ \"$line\" = go ] && sleep 0.1 && echo go; done'";
    let args = ["match", "planet-wars", bot, "@rage", "--seed", "11", "--rounds", "2", "--sandbox", "none"];
    let certificate =
        place.json(&[&args[..], &["--format", "json"]].concat())["seats"][0]["time"]["certificate"].clone();
    assert!(certificate["measured"].as_u64() > Some(0), "{certificate}");
    assert_eq!(certificate["partial"], cfg!(target_os = "linux"), "{certificate}");
}

/// While words about memory made the referee wait for the end of the process, each of these answers took 50 ms longer.
#[test]
fn no_word_of_an_answer_makes_it_later() {
    let place = Place::new();
    place.write(
        "bot.py",
        "import sys\nheld = b'x' * (250 << 20)\nsys.stdin.readline()\nprint('{\"name\": \"bot\"}', flush=True)\n\
         for line in sys.stdin:\n    if 'success' not in line:\n        \
         print('{\"command\": \"pass\", \"note\": \"out_of_memory\"}', flush=True)\n",
    );
    let args = ["match", "lighthouses", "python3 bot.py", "@random", "--seed", "3", "--rounds", "20"];
    let time = ["--time", "greeting=60s,move=60s,soft=45ms,policy=wall", "--format", "json"];
    let seat = place.json(&[&args[..], &time].concat())["seats"][0].clone();
    assert_eq!(seat["fault"], Value::Null);
    // However busy the machine is, it answers in time once.
    let [answers, late] = ["decisions", "soft_late"].map(|name| seat["time"][name].as_u64().unwrap_or(0));
    assert!(late < answers && answers >= 20, "{seat}");
}

#[test]
fn a_replay_without_a_certificate_says_so() {
    let place = late();
    let old = place.read("late.jsonl").replacen("{\"agon\":2,", "{\"agon\":1,", 1);
    place.write("old.jsonl", old);
    let done = place.run(&["replay", "show", "old.jsonl", "--time"]);
    assert!(done.code == 0 && done.out.contains("this replay has no certificate of time"), "{done:?}");
    let document = place.json(&["replay", "show", "old.jsonl", "--time", "--format", "json"]);
    assert_eq!(document["certified"], false);
    place.fails(1, &["replay", "show", "late.jsonl", "--time", "--turn", "99"], &["no seat was asked in turn 99"]);
    // Without --time, the same option draws the board, but this match was never played by the rules.
    place.fails(30, &["replay", "show", "late.jsonl", "--turn", "5"], &["does not reproduce"]);
}

#[test]
fn a_policy_is_for_all_or_for_one_and_stands_in_the_replay() {
    let place = Place::new();
    let bot = "agon bot planet-wars rage";
    let args = ["match", "planet-wars", bot, bot, "--seed", "3", "--rounds", "4", "--replay", "r.jsonl"];
    let time = ["--time", "move=20s,policy=cpu", "--seat", "2:time=policy=wall"];
    let done = place.run(&[&args[..], &time].concat());
    assert_eq!(done.code, 0, "{done:?}");
    let document = place.json(&["replay", "show", "r.jsonl", "--time", "--format", "json"]);
    let policies: Vec<&Value> = document["seats"].as_array().expect("a list").iter().map(|s| &s["policy"]).collect();
    assert_eq!(policies, ["cpu", "wall"]);
    if cfg!(target_os = "linux") {
        let answers = document["answers"].as_array().expect("a list");
        let of_seat_1 = |answer: &&Value| answer["seat"] == 1 && answer["ply"] != 0;
        assert!(answers.iter().filter(of_seat_1).all(|answer| answer["cpu_us"].is_u64()), "{document}");
    }
    assert_eq!(place.run(&["replay", "verify", "r.jsonl"]).code, 0);
    place.fails(1, &[&args[..], &["--time", "policy=kind"]].concat(), &["`wall`, `fair` and `cpu`"]);
    // Nothing counts the children of a bot that is not confined.
    let unconfined = ["--sandbox", "none", "--time", "policy=cpu"];
    place.fails(1, &[&args[..], &unconfined].concat(), &["--time: `policy=cpu` needs the CPU time", "policy=fair"]);
}

#[test]
fn matches_are_pinned_and_bots_frozen() {
    let place = Place::new();
    let bot = "agon bot lighthouses random";
    let args = ["match", "lighthouses", bot, bot, "--seed", "3", "--rounds", "4", "--time", "move=20s"];
    let done = place.run(&[&args[..], &["--freeze"]].concat());
    assert!(done.code == 0 && !done.out.contains("late"), "{done:?}");
    if cfg!(target_os = "linux") {
        let done = place.run(&[&args[..], &["--freeze", "--pin", "auto"]].concat());
        assert!(done.code == 0 && !done.out.contains("late"), "{done:?}");
    }
    place.fails(1, &[&args[..], &["--pin", "4000"]].concat(), &["--pin: this program may not run on core 4000"]);
    place.fails(2, &[&args[..], &["--pin", "some"]].concat(), &["numbers of cores separated by commas"]);
    place.fails(1, &[&args[..], &["--cores", "4000"]].concat(), &["--cores: not enough cores for 4000 a bot"]);
    place.fails(1, &[&args[..], &["--ponder", "--pin", "off"]].concat(), &["--ponder: bots that ponder need cores"]);
    place.fails(2, &[&args[..], &["--ponder", "--freeze"]].concat(), &["cannot be used with"]);
}

//! Tests what is said of commands that the rules refuse without any other penalty: in the table, in JSON, by `agon replay
//! show` and by `agon check`.

use crate::agon::{Place, python};
use serde_json::Value;

/// A bot of Lighthouses. `{}` is its answer in turn `n`, with the state in `s`.
const LIGHTHOUSES: &str = r#"
import sys, json
json.loads(sys.stdin.readline())
print(json.dumps({"name": "x"}), flush=True)
n = 0
for line in sys.stdin:
    s = json.loads(line)
    if "success" in s: continue
    n += 1
    print(json.dumps({}), flush=True)
"#;

/// A bot of Portals. `{}` is the lines of its turn.
const PORTALS: &str = r#"
import sys
for line in sys.stdin:
    if line == "init\n": print("ready", flush=True)
    if line == "go\n": print({} + "end", flush=True)
    if line == "over\n": break
"#;

struct Case {
    game: &'static str,
    /// The answer of the bot, in Python.
    answer: &'static str,
    /// The refused commands of a match of ten rounds, and all of its commands.
    count: u64,
    of: u64,
    /// What must be said, and what must not.
    said: &'static [&'static str],
    never: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        game: "lighthouses",
        answer: r#"{"command": "attack"}"#,
        count: 10,
        of: 10,
        said: &["10 of 10 commands refused; most often: an attack needs `energy`, an integer"],
        never: &["fault of"],
    },
    Case {
        game: "lighthouses",
        answer: r#"{"command": "pass"} if n > 2 else {"command": "\u001b[2J" + "x" * 5000}"#,
        count: 2,
        of: 10,
        said: &["2 of 10 commands refused; most often: the command is not pass, move, attack or connect"],
        never: &["xxx", "\x1b"],
    },
    Case {
        game: "lighthouses",
        answer: r#"{"command": "pass"} if n > 3 else {"command": "connect", "destination": [n, n]}"#,
        count: 3,
        of: 10,
        said: &["3 of 10 commands refused"],
        never: &["most often: there is no lighthouse at ("],
    },
    Case { game: "lighthouses", answer: r#"{"command": "pass"}"#, count: 0, of: 10, said: &[], never: &["refused"] },
    Case {
        game: "portals",
        answer: r#""move 99 99\nlink 99 99\nlink 99 99\nmove 0 0\nturbo\n""#,
        count: 30,
        of: 50,
        said: &["30 of 50 commands refused; most often: the cell is outside of the map (3, POSITION_INVALIDE)"],
        never: &["fault of"],
    },
    Case {
        game: "portals",
        answer: r#""".join("link %d 0\n" % (100 + i) for i in range(500))"#,
        count: 5000,
        of: 5000,
        said: &["5000 of 5000 commands refused", "POSITION_INVALIDE"],
        never: &["link 200 0"],
    },
    Case { game: "portals", answer: r#""turbo\n""#, count: 0, of: 10, said: &[], never: &["refused"] },
];

/// A map of Portals on which both agents can stay where they are: the first cell of the first player is free.
const MAP: &str = "0 0\n2 2\nX.X\n...\nX..\n";

fn bot(place: &Place, case: &Case) -> Option<String> {
    python("")?;
    let body = if case.game == "portals" { PORTALS } else { LIGHTHOUSES };
    // A folder of its own, because a bot must not see the replay.
    std::fs::create_dir(place.path("bot")).expect("the folder for tests can be written to");
    place.write("bot/bot.py", body.replacen("{}", case.answer, 1));
    Some("bad=python3 bot/bot.py".to_owned())
}

#[test]
fn refused_commands_are_counted_wherever_a_match_is_told() {
    for case in CASES {
        let place = Place::new();
        let Some(bot) = bot(&place, case) else { return };
        place.write("map.txt", MAP);
        let mut args = vec!["match", case.game, &bot, "@random", "--rounds", "10", "--seed", "1"];
        if case.game == "portals" {
            args.extend(["--map", "map.txt"]);
        }
        let text = place.run(&[&args[..], &["--replay", "r.jsonl"]].concat());
        assert_eq!(text.code, 0, "{}: {text:?}", case.answer);
        let shown = place.run(&["replay", "show", "r.jsonl"]);
        for done in [&text, &shown] {
            for words in case.said {
                assert!(done.out.contains(words), "{}: `{words}` is not in {}", case.answer, done.out);
            }
            for words in case.never.iter().filter(|words| !words.starts_with("link")) {
                assert!(!done.out.contains(words), "{}: `{words}` is in {}", case.answer, done.out);
            }
        }
        for words in case.never {
            assert!(!text.out.contains(words), "{}: `{words}` is in {}", case.answer, text.out);
        }
        let document = place.json(&[&args[..], &["--format", "json"]].concat());
        let refused = &document["seats"][0]["refused"];
        assert_eq!((&refused["count"], &refused["of"]), (&case.count.into(), &case.of.into()), "{}", case.answer);
        let top = refused["top"].as_array().expect("an array");
        assert!(top.len() <= 3 && (case.count == 0) == top.is_empty(), "{refused}");
        assert_eq!(document["seats"][1]["refused"]["count"], 0, "built-in bots give lawful commands");
        assert_eq!(place.run(&["replay", "verify", "r.jsonl"]).code, 0, "{}", case.answer);
    }
}

#[test]
fn a_replay_has_the_actions_that_portals_refuses() {
    let place = Place::new();
    let case = Case { game: "portals", answer: r#""turbo\ncapture\nlink 0 0\nlink 0 0\n""#, ..CASES[4] };
    let Some(bot) = bot(&place, &case) else { return };
    place.write("map.txt", "0 0\n2 2\n..X\n...\nX..\n");
    let map = ["--map", "map.txt", "--rounds", "1", "--replay", "r.jsonl"];
    assert_eq!(place.run(&[&["match", "portals", &bot, "@random"][..], &map].concat()).code, 0);
    let replay = place.read("r.jsonl");
    let turn: Value =
        serde_json::from_str(replay.lines().find(|line| line.contains("\"ply\":1,")).expect("a turn")).expect("JSON");
    let entry = &turn["entries"][0];
    assert_eq!(entry["orders"], serde_json::json!(["turbo"]));
    let expected = serde_json::json!([
        {"after": 1, "order": "capture", "code": 2, "why": "there is no portal on the cell (2, AUCUN_PORTAIL)"},
        {"after": 1, "order": {"link": [0, 0]}, "code": 2, "why": "there is no portal on the cell (2, AUCUN_PORTAIL)", "times": 2},
    ]);
    assert_eq!(entry["refused"], expected, "{replay}");
    let shown = place.run(&["replay", "show", "r.jsonl", "--ply", "1"]).out;
    assert!(shown.contains(r#"refused: {"link":[0,0]} (2 times): there is no portal on the cell"#), "{shown}");
}

#[test]
fn a_check_tells_what_was_refused() {
    let place = Place::new();
    let Some(_) = bot(&place, &CASES[0]) else { return };
    let args = ["check", "lighthouses", "python3 bot/bot.py", "--rounds", "4"];
    let done = place.run(&args);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains("commands refused; most often: an attack needs `energy`, an integer"), "{}", done.out);
    assert!(!done.out.contains("FAILED"), "{}", done.out);
    let refused = &place.json(&[&args[..], &["--format", "json"]].concat())["refused"];
    assert!(refused["count"].as_u64() > Some(4) && refused["count"] == refused["of"], "{refused}");
    assert_eq!(refused["top"][0]["text"], "an attack needs `energy`, an integer");
}

/// Of many matches each bot has one number, and a fault has its cause.
#[test]
fn series_and_tournaments_count_what_was_refused_and_name_causes() {
    let place = Place::new();
    let Some(bad) = bot(&place, &CASES[0]) else { return };
    place.write("bot/quotes.py", "import sys\nsys.stdin.readline()\nprint({'name': 'x'}, flush=True)\n");
    let quotes = "quotes=python3 bot/quotes.py";
    let args = ["match", "lighthouses", &bad, "@random", quotes, "--games", "3", "--rounds", "4", "--seed", "1"];
    let text = place.run(&args);
    assert!(text.out.contains("bad: 12 of 12 commands refused; most often: an attack needs `energy`"), "{text:?}");
    assert!(text.out.contains("12/12") && text.out.contains("single quotes"), "{text:?}");
    let document = place.json(&[&args[..], &["--format", "json"]].concat());
    let refused = |of: &Value| (of["refused"]["count"].clone(), of["refused"]["of"].clone());
    assert_eq!(refused(&document["bots"][0]), (12.into(), 12.into()), "{document}");
    assert_eq!(refused(&document["bots"][1]).0, 0);
    let faults = document["faults"].as_array().expect("an array");
    assert!(faults.len() == 3 && faults.iter().all(|fault| fault["cause"] == "quotes"), "{document}");
    // The same in a tournament of which no replay is kept.
    let bots = "[[bot]]\nname = \"bad\"\nrun = \"python3 bot/bot.py\"\n[[bot]]\nname = \"@random\"\nrun = \"@random\"\n\
                [[bot]]\nname = \"quotes\"\nrun = \"python3 bot/quotes.py\"\n";
    let file = "game = \"lighthouses\"\nseats = 2\nrounds = 1\nlimit = 4\nreplays = \"none\"\nseed = 1\n";
    place.write("cup.toml", format!("{file}{bots}"));
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "--quiet"]).code, 0);
    let export = place.json(&["tournament", "export", "cup.toml"]);
    let matches = export["matches"].as_array().expect("an array");
    let seats: Vec<&Value> = matches.iter().flat_map(|one| one["seats"].as_array().expect("an array")).collect();
    let of = |name: &str| seats.iter().filter(|seat| seat["bot"] == name).copied().collect::<Vec<_>>();
    assert!(of("quotes").iter().all(|seat| seat["cause"] == "quotes") && !of("quotes").is_empty(), "{export}");
    let total: u64 = of("bad").iter().filter_map(|seat| seat["refused"]["count"].as_u64()).sum();
    assert!(total >= 4, "{export}");
    let report = place.json(&["tournament", "report", "cup.toml", "--format", "json"]);
    let rows = report["bots"].as_array().expect("an array");
    let row = rows.iter().find(|bot| bot["name"] == "bad").expect("a bot");
    assert_eq!(refused(row), (total.into(), total.into()), "{report}");
    let text = place.run(&["tournament", "report", "cup.toml"]).out;
    assert!(text.contains(&format!("bad: {total} of {total} commands refused; most often: an attack needs")), "{text}");
    assert!(text.contains("(likely: quotes)"), "{text}");
}

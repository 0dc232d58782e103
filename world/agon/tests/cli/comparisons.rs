//! Tests `agon test`: the answers and their exit codes, and that nothing but the matches decides them.

use crate::{
    agon::{Place, games},
    comparison_stores::begun,
    schemas::assert_valid,
};
use serde_json::Value;
use std::fs;

/// A bot of Planet Wars that gives no order.
pub const IDLE: &str = "while read -r line; do [ \"$line\" != go ] || echo go; done\n";

/// Runs a test that ends with this code, and returns its document.
fn test(place: &Place, code: i32, args: &[&str]) -> Value {
    let done = place.run(&[&["test"], args, &["--format", "json"]].concat());
    assert_eq!(done.code, code, "{args:?}: {done:?}");
    serde_json::from_str(&done.out).unwrap_or_else(|why| panic!("{why}: {}", done.out))
}

fn answer(document: &Value) -> [&str; 2] {
    ["verdict", "reason"].map(|key| document[key].as_str().expect("a word"))
}

#[test]
fn the_better_bot_is_found_in_every_game() {
    let place = Place::new();
    let strong = |game: &str| match game {
        "lighthouses" => "@strategist",
        "planet-wars" => "@prospector",
        "triangles" | "grid" => "@greedy",
        "portals" => "@capturer",
        other => panic!("{other} needs a bot that beats @random"),
    };
    for game in games() {
        let short: &[&str] = if game == "lighthouses" { &["--rounds", "40"] } else { &[] };
        let args = |old: &'static str, new: &'static str| {
            [&[old, new, "--seed", "3", "--max-matches", "400"][..], short].concat()
        };
        let game = game.as_str();
        let better = test(&place, 0, &[&[game], &args("@random", strong(game))[..]].concat());
        assert_eq!(better["verdict"], "better", "{better}");
        let reversed = test(&place, 10, &[&[game], &args(strong(game), "@random")[..]].concat());
        assert_eq!(reversed["verdict"], "not_better", "{reversed}");
        assert_valid(&place, "test", &better);
        assert_valid(&place, "test", &reversed);
    }
}

#[test]
fn equal_bots_are_not_told_apart() {
    let place = Place::new();
    for game in ["grid", "planet-wars"] {
        let bot = if game == "grid" { "@greedy" } else { "@rage" };
        let document = test(&place, 11, &[game, bot, bot, "--max-matches", "200", "--seed", "1"]);
        assert_eq!(document["verdict"], "undecided", "{document}");
        assert!(document["matches"].as_u64().expect("a number") <= 200, "{document}");
        assert!(["limit", "exhausted"].contains(&answer(&document)[1]), "{document}");
    }
}

#[test]
fn the_document_has_the_keys_that_scripts_rely_on() {
    let place = Place::new();
    let document = test(&place, 0, &["grid", "@random", "@greedy", "--seed", "1"]);
    let keys: Vec<&str> = document.as_object().expect("an object").keys().map(String::as_str).collect();
    let expected = [
        "schema",
        "verdict",
        "reason",
        "model",
        "llr",
        "bounds",
        "elo0",
        "elo1",
        "alpha",
        "beta",
        "pentanomial",
        "blocks",
        "distinct_blocks",
        "matches",
        "spoilt",
        "faults",
        "elo",
        "anytime",
    ];
    assert_eq!(keys[..expected.len()], expected);
    assert_eq!((&document["model"], &document["elo0"], &document["elo1"]), (&"nelo".into(), &0.0.into(), &10.0.into()));
    let pairs: u64 = document["pentanomial"].as_array().expect("five").iter().filter_map(Value::as_u64).sum();
    assert_eq!((Some(pairs), Some(2 * pairs)), (document["blocks"].as_u64(), document["matches"].as_u64()));
    assert!(document["anytime"]["low"].as_f64().expect("a number") > 0.0, "{document}");
    let text = place.run(&["test", "grid", "@random", "@greedy", "--seed", "1"]);
    assert_eq!(text.code, 0);
    assert!(text.out.trim_end().lines().last().is_some_and(|last| last.starts_with("greedy is better")), "{text:?}");
}

#[test]
fn empty_cells_of_fastchess_change_the_estimate_alone() {
    let place = Place::new();
    let args = ["grid", "@greedy", "@frontier", "--seed", "3"];
    let mut usual = test(&place, 0, &args);
    let mut other = test(&place, 0, &[&args[..], &["--empty", "fastchess", "--store", "t.agon"]].concat());
    assert_valid(&place, "test", &other);
    assert_eq!((&usual["empty"], &other["empty"]), (&"fishtest".into(), &"fastchess".into()));
    // The same code without playing.
    let counts: Vec<String> = other["pentanomial"].as_array().expect("five").iter().map(ToString::to_string).collect();
    assert!(counts.contains(&"0".to_owned()), "{other}");
    let counts = counts.join(",");
    let flags = ["--empty", "fastchess", "--stopped-by", "exact", "--format", "json"];
    let alone = [&["stats", "estimate", "--pentanomial", &counts][..], &flags].concat();
    for end in ["value", "low", "high"] {
        assert_eq!(place.json(&alone)["elo"][end], other["elo"][end], "{end}");
        assert_ne!(usual["elo"][end], other["elo"][end], "{end}");
    }
    for document in [&mut usual, &mut other] {
        for key in ["elo", "empty"] {
            document.as_object_mut().expect("an object").remove(key);
        }
    }
    assert_eq!(usual, other);
    let words = ["is of another test", "empty: `fastchess` before, now `fishtest`"];
    place.fails(1, &["test", "grid", "@greedy", "@frontier", "--store", "t.agon"], &words);
}

#[test]
fn the_answer_is_the_same_however_many_matches_run_at_once() {
    let place = Place::new();
    let play = |at_once: &str| {
        let args = ["grid", "@greedy", "@frontier", "--seed", "5", "--max-matches", "120", "--at-once", at_once];
        let done = place.run(&[&["test"], &args[..], &["--format", "json"]].concat());
        assert!([0, 10, 11].contains(&done.code), "{done:?}");
        done
    };
    let (one, many) = (play("1"), play("3"));
    assert_eq!((one.code, one.out), (many.code, many.out));
}

#[test]
fn more_players_and_margins() {
    let place = Place::new();
    let three = ["@random", "@strategist", "--seats", "3", "--field", "@lamplighter", "--rounds", "30"];
    let common = ["--seed", "2", "--max-matches", "300"];
    let document = test(&place, 0, &[&["lighthouses"], &three[..], &common].concat());
    assert_eq!(
        (&document["model"], &document["llr"], &document["pentanomial"]),
        (&"share".into(), &Value::Null, &Value::Null)
    );
    assert_eq!(document["field"].as_array().map(Vec::len), Some(1));
    assert_eq!(document["seats"].as_array().map(Vec::len), Some(3));
    assert_valid(&place, "test", &document);
    // Without `--field`, copies of the old version fill the seats.
    let copies = ["lighthouses", "@random", "@strategist", "--seats", "4", "--rounds", "30"];
    let document = test(&place, 0, &[&copies[..], &common].concat());
    assert_eq!(document["field"].as_array().map(Vec::len), Some(2));
    assert_eq!(document["field"][0]["hash"], document["old"]["hash"]);

    let margin = ["planet-wars", "@random", "@prospector", "--margin", "200"];
    let document = test(&place, 0, &[&margin[..], &common].concat());
    assert_eq!((&document["model"], &document["margin"]), (&"margin".into(), &200.0.into()));
    let clipped = document["clipped"].as_f64().expect("a share");
    assert!((0.0..=1.0).contains(&clipped), "{document}");
    let [low, high] = ["low", "high"].map(|end| document["anytime"][end].as_f64().expect("a number"));
    assert!(0.0 < low && low <= high && high <= 200.0, "{document}");
    assert_valid(&place, "test", &document);
}

#[test]
fn equivalence_is_an_answer_of_its_own() {
    let place = Place::new();
    // Whoever begins wins, so that every block is a draw, on maps that differ.
    let args = ["planet-wars", "@rage", "@rage", "--seed", "1", "--max-matches", "600", "--equivalent", "300"];
    let document = test(&place, 12, &args);
    assert_eq!(answer(&document), ["equivalent", "margin"]);
}

#[test]
fn null_says_when_nothing_can_be_learnt() {
    let place = Place::new();
    // A built-in bot plays against its copy as it plays against itself, so that exchanged labels change nothing.
    let args = ["grid", "@random", "--null", "--max-matches", "100", "--seed", "4"];
    let document = test(&place, 11, &args);
    assert_eq!((answer(&document), &document["blocks"]), (["undecided", "limit"], &50.into()));
    assert_eq!(document["null"], Value::Null);
    assert_valid(&place, "test", &document);
    let text = place.run(&[&["test"], &args[..]].concat());
    assert!(text.out.contains("worth the same with exchanged labels"), "{text:?}");
    let few = test(&place, 11, &["grid", "@random", "--null", "--max-matches", "40", "--seed", "4"]);
    assert_eq!(few["null"], Value::Null);
    let text = place.run(&["test", "grid", "@random", "--null", "--max-matches", "40", "--seed", "4"]);
    assert!(text.out.contains("nothing can be learnt"), "{text:?}");
}

#[test]
fn bots_that_repeat_themselves_exhaust_their_maps() {
    let place = Place::new();
    assert_eq!(place.run(&["map", "new", "planet-wars", "--seed", "7", "--output", "one.txt"]).code, 0);
    let document = test(&place, 11, &["planet-wars", "@rage", "@prospector", "--map", "one.txt"]);
    assert_eq!(answer(&document), ["undecided", "exhausted"]);
    assert_eq!((&document["blocks"], &document["distinct_blocks"]), (&1.into(), &1.into()));
    assert_eq!(document["matches"], 22, "the block and ten repetitions: {document}");
}

#[test]
fn a_bot_that_fails_loses_and_is_counted_apart() {
    let place = Place::new();
    let args = ["grid", "@greedy", "bad=echo hello", "--seed", "1", "--max-matches", "200"];
    let document = test(&place, 10, &args);
    assert_eq!(document["faults"]["new"], document["matches"], "{document}");
    assert_eq!(document["faults"]["old"], 0);
    let fault = &document["fault_list"][0];
    assert_eq!((&fault["match"], &fault["bot"], &fault["kind"]), (&1.into(), &"bad".into(), &"nonsense".into()));
    assert_eq!(fault["seating"], serde_json::json!(["greedy", "bad"]));
    let text = place.run(&[&["test"], &args[..]].concat());
    assert!(text.out.contains("faults    old 0, new") && text.err.contains("agon check grid 'echo hello'"), "{text:?}");
}

#[test]
fn failures_in_every_game_end_a_test_after_a_few() {
    let place = Place::new();
    for (old, new, code, words) in [
        ("a=echo hello", "b=echo other", 21, "undecided: a and b both fail in every game (10 matches)"),
        ("a=false", "b=true", 21, "undecided: a and b both fail in every game (10 matches)"),
        ("a=echo hello", "@greedy", 21, "undecided: a fails in every game (10 matches)"),
        ("@greedy", "b=echo other", 10, "b is not better than greedy: it fails in every game (10 matches)"),
    ] {
        let done = place.run(&["test", "grid", old, new]);
        assert!(done.code == code && done.out.contains(words), "{old} {new}: {done:?}");
        assert!(done.err.contains("agon check grid"), "{done:?}");
    }
    let tuned = place.run(&["tune", "grid", "echo {x}", "--param", "x=1..9@4", "--games", "400"]);
    assert!(tuned.code == 21 && tuned.err.contains("fails in every game (1"), "{tuned:?}");
    let climbed = place.run(&["climb", "grid", "b=echo other"]);
    assert!(climbed.code == 21 && climbed.out.contains("failing in every game"), "{climbed:?}");
}

#[test]
fn the_same_files_under_two_names_are_told_before_the_first_game() {
    let place = Place::new();
    fs::create_dir(place.path("old")).expect("a folder");
    fs::create_dir(place.path("new")).expect("a folder");
    place.write("old/bot.sh", IDLE);
    place.write("new/bot.sh", IDLE);
    place.write("new/other.sh", format!("{IDLE}# other\n"));
    let told = "`a` and `b` are started from the same files";
    let (old, new, other) = ("a=sh old/bot.sh", "b=sh new/bot.sh", "b=sh new/other.sh");
    let short = ["--rounds", "2", "--max-matches", "4"];
    for (args, expected) in [
        (vec!["match", "planet-wars", old, new, "--rounds", "2"], true),
        (vec!["match", "planet-wars", old, new, "--rounds", "2", "--games", "4"], true),
        (vec!["match", "planet-wars", old, other, "--rounds", "2"], false),
        ([&["test", "planet-wars", old, new][..], &short].concat(), true),
        ([&["test", "planet-wars", old, other][..], &short].concat(), false),
        ([&["test", "planet-wars", "a=sh old/bot.sh", "b=sh old/bot.sh"][..], &short].concat(), true),
    ] {
        let done = place.run(&args);
        assert_eq!(done.err.contains(told), expected, "{args:?}: {done:?}");
    }
    place.write("cup.toml", "game = \"planet-wars\"\nlimit = 2\n[[bot]]\nname = \"a\"\nrun = \"sh old/bot.sh\"\n[[bot]]\nname = \"b\"\nrun = \"sh new/bot.sh\"\n");
    let run = place.run(&["tournament", "run", "cup.toml"]);
    assert!(run.code == 0 && run.err.contains(told), "{run:?}");
}

#[test]
fn several_maps_follow_one_another() {
    let place = Place::new();
    let maps = ["--map", "gen:8x8", "--map", "gen:9x9", "--map", "gen:10x10"];
    let args =
        ["match", "grid", "@warden", "@frontier", "--games", "12", "--rounds", "3", "--replays", "all", "--seed", "1"];
    let series = place.run(&[&args[..], &maps].concat());
    assert_eq!(series.code, 0, "{series:?}");
    let names: Vec<String> = (1..=12)
        .map(|game| {
            let shown = place.json(&["replay", "show", &format!("all/{game}.jsonl.zst"), "--format", "json"]);
            let name = shown["header"]["map_name"].as_str().expect("a name").to_owned();
            name.split(':').nth(1).expect("a kind").to_owned()
        })
        .collect();
    let expected: Vec<&str> = ["8x8", "8x8", "9x9", "9x9", "10x10", "10x10"].repeat(2);
    assert_eq!(names, expected);
    let question = ["--store", "t.agon", "--max-matches", "12", "--rounds", "3"];
    let args = [&["grid", "@greedy", "@frontier"][..], &maps, &question].concat();
    let document = place.run(&[&["test"], &args[..], &["--format", "json"]].concat());
    assert!(document.out.contains("\"distinct_blocks\""), "{document:?}");
    let other = [&["test", "grid", "@greedy", "@frontier", "--map", "gen:8x8"][..], &question].concat();
    place.fails(1, &other, &["map: "]);
    place.fails(2, &["match", "grid", "@random", "@random", "--map", "gen", "--map", "gen:9x9"], &["`--games N`"]);
    place.fails(1, &["test", "grid", "@random", "@greedy", "--map", "gen", "--map", "none.txt"], &["none.txt"]);
}

#[test]
fn bad_arguments_are_told_before_a_match() {
    let place = Place::new();
    let base = ["test", "grid", "@random", "@greedy"];
    for (more, code, words) in [
        (&["--bounds", "5"][..], 2, "two numbers"),
        (&["--bounds", "5,0"], 1, "below the upper"),
        (&["--bounds", "5,0"], 1, "--bounds: "),
        (&["--bounds", "0,2000"], 1, "--bounds: bounds must be from -1000 to 1000"),
        (&["--max-matches", "1"], 1, "--max-matches: this must be at least 2"),
        (&["--max-matches", "-1"], 2, "'--max-matches <N>': write a whole number from 1 to"),
        (&["--alpha", "0.7"], 2, "'--alpha <PROBABILITY>': write a probability above 0 and below 0.5"),
        (&["--beta", "x"], 2, "'--beta <PROBABILITY>': write a probability above 0 and below 0.5"),
        (&["--margin", "-1"], 2, "'--margin <BOUND>': write a number above 0"),
        (&["--equivalent", "0"], 2, "'--equivalent <MARGIN>': write a number above 0"),
        (&["--at-once", "0"], 2, "'--at-once <K>': write a whole number of at least 1"),
        (&["--seats", "99"], 2, "'--seats <N>': write a whole number from 2 to 64"),
        (&["--margin", "10", "--model", "elo"], 2, "cannot be used"),
        (&["--margin", "10", "--empty", "fastchess"], 2, "cannot be used"),
        (&["--seats", "3"], 1, "2 bots"),
        (&["--field", "@random", "--seats", "2"], 1, "--field names 1"),
        (&["--null"], 2, "cannot be used"),
        (&["--map", "none.txt"], 1, "none.txt"),
    ] {
        let done = place.run(&[&base[..], more].concat());
        assert!(done.code == code && done.err.contains(words), "{more:?}: {done:?}");
    }
    place.fails(1, &["test", "lighthouses", "@random", "@random", "--seats", "3", "--model", "elo"], &["two players"]);
    let three = ["test", "lighthouses", "@random", "@random", "--seats", "3", "--empty", "fastchess"];
    place.fails(1, &three, &["more than two players"]);
    place.fails(2, &["test", "grid", "@random"], &["NEW"]);
    let none = place.run(&["test", "grid", "./none", "@random"]);
    assert_eq!((none.code, none.out.as_str()), (20, ""), "{none:?}");
}

#[test]
fn a_climb_ends_at_the_first_bot_that_is_not_beaten() {
    let place = Place::new();
    let climb = ["climb", "grid", "me=@frontier", "--seed", "3", "--max-matches", "200"];
    let document = place.json(&[&climb[..], &["--format", "json"]].concat());
    assert_valid(&place, "climb", &document);
    let verdicts: Vec<[&str; 2]> = document["rungs"]
        .as_array()
        .expect("rungs")
        .iter()
        .map(|rung| ["name", "verdict"].map(|key| rung[key].as_str().expect("a word")))
        .collect();
    assert_eq!(verdicts[..2], [["random", "better"], ["greedy", "better"]]);
    assert!(verdicts.last().is_some_and(|[_, verdict]| *verdict != "better") || verdicts.len() == 4, "{verdicts:?}");
    assert!(verdicts[..verdicts.len() - 1].iter().all(|[_, verdict]| *verdict == "better"), "{verdicts:?}");
    let text = place.run(&climb);
    assert!(text.code == 0 && text.out.contains("me beats random ("), "{text:?}");

    // A folder of bots, in the order of their names.
    fs::create_dir(place.path("old")).expect("a folder");
    for (name, bot) in [("9-weak.sh", "random"), ("10-strong.sh", "greedy")] {
        place.write(&format!("old/{name}"), format!("exec agon bot grid {bot}\n"));
    }
    place.write("old/README.md", "no bot");
    let rungs = ["climb", "grid", "@random", "--rungs", "old", "--all", "--sandbox", "none", "--max-matches", "40"];
    let document = place.json(&[&rungs[..], &["--seed", "3", "--format", "json"]].concat());
    let rungs: Vec<[&str; 2]> = document["rungs"]
        .as_array()
        .expect("rungs")
        .iter()
        .map(|rung| ["name", "verdict"].map(|key| rung[key].as_str().expect("a word")))
        .collect();
    assert_eq!(rungs, [["9-weak", "undecided"], ["10-strong", "not_better"]]);
    fs::create_dir(place.path("empty")).expect("a folder");
    place.fails(4, &["climb", "grid", "@random", "--rungs", "empty"], &["no bot in"]);
}

#[test]
fn a_page_shows_the_course_and_trusts_no_bot() {
    let place = Place::new();
    let args = ["test", "grid", "@greedy", "new=@frontier", "--seed", "3", "--html", "page.html", "-q"];
    let done = place.run(&args);
    assert_eq!(done.code, 0, "{done:?}");
    let page = place.read("page.html");
    assert_eq!(page.matches("<path class=\"limit\"").count(), 2, "the bounds that decided at each look: {page}");
    for part in ["Course of the evidence", "Course of the estimate", "Points in pairs", "Score by seat", "Score by map"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(page.contains("new is better than greedy"), "{page}");
    assert!(page.contains("default-src 'none'") && !page.contains("<script"), "{page}");
    // Nothing to draw, and a bot whose words must not reach the page as they are.
    place.write("bad.sh", "echo '<b>\u{202e}nonsense'\n");
    let args = ["test", "grid", "@greedy", "bad=sh bad.sh", "--max-matches", "4", "--html", "bad.html", "-q"];
    assert_eq!(place.run(&args).code, 11);
    let page = place.read("bad.html");
    assert!(page.contains("nonsense") && !page.contains("<b>\u{202e}") && !page.contains('\u{202e}'), "{page}");
    for (args, words) in [
        (&["--html", "bad.sh"][..], "a file of a bot"),
        (&["--html", "s.agon", "--store", "s.agon"], "the store"),
        (&["--html", "none/page.html"], "write the page"),
    ] {
        let base = ["test", "grid", "@greedy", "sh bad.sh", "--max-matches", "4", "--sandbox", "none"];
        let done = place.run(&[&base[..], args].concat());
        assert!(done.code == 1 && done.err.contains(words), "{args:?}: {done:?}");
    }
    assert!(place.read("bad.sh").starts_with("echo"), "it is what it was");
}

/// A bot of Planet Wars that is strong from 7 on.
const PLANTED: &str =
    "if [ \"$1\" -ge 7 ]; then exec agon bot planet-wars rage; else exec agon bot planet-wars random; fi\n";

#[test]
fn tuning_finds_a_planted_optimum_and_tests_it() {
    let place = Place::new();
    place.write("bot.sh", PLANTED);
    let command =
        ["tune", "planet-wars", "sh bot.sh {depth}", "--param", "depth=0..10@5:3", "--sandbox", "none", "--seed", "1"];
    let command = [&command[..], &["--format", "json", "--games"]].concat();
    let document = place.json(&[&command[..], &["32"]].concat());
    assert_valid(&place, "tune", &document);
    let depth = document["parameters"][0]["value"].as_f64().expect("a number");
    assert!(depth >= 7.0, "{document}");
    assert_eq!(document["tuned"], format!("sh bot.sh {depth:.0}"));
    assert_eq!((&document["games"], &document["test"]["verdict"]), (&32.into(), &"better".into()));
    assert_eq!(document["test"]["old"]["bot"], "sh bot.sh 5");

    // The same run with a store, first broken off, then continued, whatever runs at the same time.
    let kept = [&command[..], &["32", "--store", "t.agon", "-q"]].concat();
    let mut child = begun(&place, &kept);
    child.kill().expect("it lives");
    child.wait().expect("it has ended");
    assert_eq!(place.json(&[&kept[..], &["--at-once", "3"]].concat()), document);
    assert_eq!(place.json(&kept), document, "and once more from the store alone");
    for (args, words) in [
        (&["tune", "planet-wars", "sh bot.sh {depth}", "--param", "depth=0..10@4:3", "--games", "32"][..], "param: "),
        (
            &["tune", "planet-wars", "sh bot.sh {depth}", "--param", "depth=0..10@5:3", "--games", "40"],
            "games: 32 before, now 40",
        ),
    ] {
        place.fails(
            1,
            &[args, &["--store", "t.agon", "--sandbox", "none"]].concat(),
            &["is of another run of tuning", words],
        );
    }
    place.fails(1, &["test", "grid", "@random", "@greedy", "--store", "t.agon"], &["not the store of a test"]);
    for (param, command, code, words) in [
        ("depth", "sh bot.sh {depth}", 2, "NAME=LOW..HIGH@START"),
        ("depth=0..10@11", "sh bot.sh {depth}", 1, "within the range"),
        ("depth=0..10@5", "sh bot.sh 5", 1, "does not contain `{depth}`"),
    ] {
        place.fails(code, &["tune", "planet-wars", command, "--param", param, "--games", "8"], &[words]);
    }
}

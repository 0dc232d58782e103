//! Tests `agon check`: what it finds in bots, and how it says that.

use crate::agon::{Place, games, python};
use serde_json::Value;

#[test]
fn a_sound_bot_passes_every_step_of_the_check() {
    for game in games() {
        let place = Place::new();
        let bot = format!("agon bot {game} random");
        let limited = !place.json(&["games", &game, "--format", "json"])["limit"].is_null();
        let rounds: &[&str] = if limited { &["--rounds", "30"] } else { &[] };
        let args = [&["check", &game, &bot, "--time", "off,move=20s", "--format", "json"], rounds].concat();
        let document = place.json(&args);
        assert_eq!(document["passed"], true, "{game}: {document:#}");
        let steps = document["steps"].as_array().expect("an array");
        assert_eq!(steps.len(), 10);
        assert!(steps.iter().all(|s| s["result"] != "failed" && s["finding"].is_null()), "{document:#}");
        assert_eq!(steps.iter().filter(|s| s["result"] == "skipped").count(), 0, "{game}: {document:#}");
    }
}

#[test]
fn a_built_in_bot_passes_the_check_too() {
    let place = Place::new();
    let checked = place.json(&["check", "planet-wars", "@rage", "--format", "json"]);
    assert_eq!((&checked["passed"], &checked["steps"][8]["result"]), (&true.into(), &"skipped".into()), "{checked:#}");
}

#[test]
fn a_check_warns_where_nothing_isolates_the_bot() {
    let done = Place::new().run(&["check", "grid", "cat", "--sandbox", "none"]);
    assert!(done.err.contains("warning: NO SANDBOX"), "{done:?}");
}

/// The name of the first step that fails, and its detail.
fn first_failure(place: &Place, bot: &str) -> (String, String) {
    let done =
        place.run(&["check", "planet-wars", bot, "--rounds", "45", "--time", "off,move=20s", "--format", "json"]);
    assert_eq!(done.code, 1, "{done:?}");
    let document: Value = serde_json::from_str(&done.out).expect("one document");
    let steps = document["steps"].as_array().expect("an array");
    let failed = steps.iter().find(|s| s["result"] == "failed").expect("one fails");
    let text = |key: &str| failed[key].as_str().expect("a text").to_owned();
    (text("name"), text("detail"))
}

#[test]
fn each_kind_of_bad_bot_fails_its_step() {
    let place = Place::new();
    let turns = |body: &str| {
        format!("import sys, time\nn = 0\nfor line in sys.stdin:\n  if line == \"go\\n\":\n    n += 1\n    {body}\n")
    };
    let cases = [
        ("not started", "starts", String::new()),
        ("print(\"hello\", flush=True)\nimport sys; sys.stdin.read()", "answers the first position", "hello".into()),
        (
            &turns("print(\"go\" if n < 4 else \"stop\", flush=True)"),
            "answers several turns in every seat",
            "`stop`".into(),
        ),
        (
            &turns("print(\"go\\nthe end\" if n == 10 else \"go\", flush=True)"),
            "plays a whole match, middle and end",
            "the end".into(),
        ),
        (
            &turns("print(\"go\\ngo\", flush=True)"),
            "writes its decisions and nothing else",
            "`go\\n` after its last decision".into(),
        ),
    ];
    for (code, step, detail) in cases {
        let bot = if code == "not started" {
            "./nobody".to_owned()
        } else {
            let Some(bot) = python(code) else { return };
            bot
        };
        let (name, said) = first_failure(&place, &bot);
        assert_eq!(name, step, "{code}: {said}");
        assert!(said.contains(&detail), "{code}: {said}");
    }
}

#[test]
fn a_bot_that_does_not_end_is_only_warned_of() {
    let code = "import sys, time\nfor line in sys.stdin:\n  if line == \"go\\n\": print(\"go\", flush=True)\n";
    let Some(bot) = python(&(code.to_owned() + "time.sleep(60)")) else { return };
    let place = Place::new();
    let args = ["check", "planet-wars", &bot, "--rounds", "5", "--time", "off,move=20s", "--format", "json"];
    let done = place.run(&args);
    let document: Value = serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}: {done:?}"));
    assert_eq!((done.code, &document["passed"], &document["seed"]), (0, &true.into(), &1.into()), "{document:#}");
    let warned = document["warnings"][0].as_str().expect("a warning");
    assert!(warned.contains("does not end when its input ends") && done.err.contains(warned), "{done:?}");
}

#[test]
fn a_check_knows_the_soft_limit() {
    let Some(bot) = python(
        "import sys, time\nfor line in sys.stdin:\n  if line == \"go\\n\": time.sleep(0.02); print(\"go\", flush=True)\n",
    ) else {
        return;
    };
    let clock = "off,move=20s,soft=1ms";
    let args = ["check", "planet-wars", &bot, "--rounds", "3", "--time", clock, "--format", "json"];
    let document = Place::new().json(&args);
    let detail = document["steps"][9]["detail"].as_str().expect("a text");
    assert!(detail.contains("exceeded the soft limit of 1ms"), "{document:#}");
}

#[test]
fn a_late_bot_fails_once_and_its_match_can_be_kept() {
    // Nothing has to be loaded before it sleeps, so a busy host hardly matters.
    let bot = "sleep 555";
    let place = Place::new();
    let files = ["--replay", "late.jsonl.zst", "--transcript", "late.txt"];
    let args = [&["check", "planet-wars", bot, "--time", "move=1500ms", "--seed", "3"][..], &files].concat();
    let done = place.run(&args);
    assert!(done.code == 1 && done.out.contains("1 of 10 steps failed"), "{done:?}");
    assert_eq!(done.out.matches("FAILED").count(), 1, "{}", done.out);
    assert!(done.out.contains("seed    3\n") && done.err.contains("agon replay show late.jsonl.zst"), "{done:?}");
    let shown = place.run(&["replay", "show", "late.jsonl.zst"]);
    assert!(shown.code == 0 && shown.out.contains("late"), "{shown:?}");
    assert!(place.read("late.txt").contains("\"stream\":\"in\""));
    place.fails(1, &["check", "grid", "@random", "--replay", "late.txt"], &["late.txt"]);
    let absent = ["check", "grid", "@random", "--transcript", "absent/late.txt"];
    place.fails(1, &absent, &["`absent/late.txt`", "there is no folder `absent`"]);
    let sound = place.run(&["check", "grid", "@random", "--rounds", "3", "--replay", "sound.jsonl"]);
    assert!(sound.code == 0 && !place.path("sound.jsonl").exists(), "{sound:?}");
}

#[test]
fn a_failed_check_shows_what_was_said() {
    let Some(bot) =
        python("import sys; sys.stderr.write(\"my trouble\\n\"); print(\"what?\", flush=True); sys.stdin.read()")
    else {
        return;
    };
    let done = Place::new().run(&["check", "planet-wars", &bot, "--time", "off,move=20s"]);
    assert_eq!(done.code, 1, "{done:?}");
    for text in ["FAILED", " played): ", "  | go\\n", "  | what?\\n", "  | my trouble", "1 of 10 steps failed"] {
        assert!(done.out.contains(text), "{text}: {}", done.out);
    }
}

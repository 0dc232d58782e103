//! Tests what an organiser decides about matches and bots of a tournament.

use crate::agon::Place;
use serde_json::Value;

const CUP: &str = "game = \"grid\"\nlimit = 20\nrounds = 2\n[[bot]]\nrun = \"@random\"\n[[bot]]\nname = \"g\"\nrun = \"@greedy\"\n\
    [[bot]]\nname = \"f\"\nrun = \"@frontier\"\n";

fn cup() -> Place {
    let place = Place::new();
    place.write("cup.toml", CUP);
    place.fails(1, &["tournament", "rerun", "cup.toml", "1", "--why", "w"], &["agon tournament run cup.toml"]);
    run(&place);
    place
}

fn run(place: &Place) {
    let played = place.run(&["tournament", "run", "cup.toml", "-q"]);
    assert_eq!(played.code, 0, "{played:?}");
}

/// Decides something and returns what was said.
fn decide(place: &Place, args: &[&str]) -> String {
    let done = place.run(&[&["tournament"], args].concat());
    assert_eq!(done.code, 0, "{done:?}");
    done.err
}

fn standings(place: &Place) -> Value {
    place.json(&["tournament", "export", "cup.toml"])["standings"].clone()
}

#[test]
fn a_match_is_played_again() {
    let place = cup();
    let before = standings(&place);
    decide(&place, &["void", "cup.toml", "3", "--reason", "the wrong map"]);
    for (id, why) in [("3", "it was the right one"), ("7", "\u{1b}[31mred")] {
        let said = decide(&place, &["rerun", "cup.toml", id, "--reason", why]);
        assert!(said.contains(&format!("match {id} is to be played again")), "{said}");
    }
    place.fails(1, &["tournament", "rerun", "cup.toml", "7", "--why", "w"], &["match 7 has no result"]);
    place.fails(1, &["tournament", "rerun", "cup.toml", "99", "--why", "w"], &["there is no match 99"]);
    place.fails(2, &["tournament", "rerun", "cup.toml", "7"], &["--why"]);
    let status = place.run(&["tournament", "status", "cup.toml"]).out;
    assert!(status.starts_with("10 of 12 matches finished, 2 drawn and waiting\n"), "{status}");
    assert!(
        status.contains("  match 3 is void: the wrong map\n  match 3 is played again: it was the right one\n"),
        "{status}"
    );
    assert!(!status.contains('\u{1b}'), "{status:?}");
    run(&place);
    assert_eq!(standings(&place), before);
    let exported = place.json(&["tournament", "export", "cup.toml"]);
    let earlier: Vec<_> =
        exported["earlier"].as_array().expect("a list").iter().map(|one| (&one["id"], &one["result"])).collect();
    assert_eq!(earlier, [(&3.into(), &"void".into()), (&7.into(), &"finished".into())]);
    let verified = place.run(&["tournament", "verify", "cup.toml"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    for format in ["text", "markdown"] {
        let report = place.run(&["tournament", "report", "cup.toml", "--format", format]).out;
        assert!(report.contains("the wrong map") && report.contains("it was the right one"), "{report}");
    }
    place.run(&["tournament", "report", "cup.toml", "--html", "cup.html"]);
    assert!(place.read("cup.html").contains("match 3 is played again: it was the right one"));
}

#[test]
fn a_bot_comes_back() {
    let place = cup();
    let before = standings(&place);
    place.fails(1, &["tournament", "readmit", "cup.toml", "g", "--why", "w"], &["not withdrawn"]);
    place.fails(1, &["tournament", "readmit", "cup.toml", "x", "--why", "w"], &["`random`, `g`, `f`"]);
    decide(&place, &["withdraw", "cup.toml", "g", "--why", "its author asked"]);
    assert_ne!(standings(&place), before);
    decide(&place, &["readmit", "cup.toml", "g", "--why", "its author changed his mind"]);
    assert_eq!(standings(&place), before, "nothing was missed");
    let document = place.json(&["tournament", "status", "cup.toml", "--format", "json"]);
    let told: Vec<_> = document["decisions"].as_array().expect("a list").iter().map(|one| &one["decision"]).collect();
    assert_eq!(told, ["withdrawn", "readmitted"]);
    assert_eq!(document["bots"][1]["withdrawn"], Value::Null);
}

#[test]
fn a_bot_gets_another_name() {
    let place = cup();
    for (old, new, why) in [("random", "Würfel \"6\"", "it has one"), ("g", "greedy", "it was short")] {
        let said = decide(&place, &["rename", "cup.toml", old, new, "--why", why]);
        assert!(said.contains(&format!("`{old}` is `{new}` from now on, and `cup.toml` names it so")), "{said}");
    }
    let text = place.read("cup.toml");
    assert!(
        text.contains("name = \"Würfel \\\"6\\\"\"\nrun = \"@random\"") && text.contains("name = \"greedy\""),
        "{text}"
    );
    place.fails(1, &["tournament", "rename", "cup.toml", "greedy", "f", "--why", "w"], &["`f`"]);
    place.fails(1, &["tournament", "rename", "cup.toml", "greedy", " x", "--why", "w"], &["cannot be its name"]);
    place.fails(1, &["tournament", "rename", "cup.toml", "g", "x", "--why", "w"], &["there is no bot `g`", "`greedy`"]);
    run(&place);
    let names: Vec<String> = place.json(&["tournament", "export", "cup.toml"])["bots"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|bot| bot["name"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(names, ["Würfel \"6\"", "greedy", "f"]);
    let status = place.run(&["tournament", "status", "cup.toml"]).out;
    assert!(status.contains("greedy: its name was `g`: it was short"), "{status}");
    // A file with the old name is not of this tournament any more.
    place.write("cup.toml", text.replace("\"greedy\"", "\"g\""));
    place.fails(1, &["tournament", "run", "cup.toml"], &["bot `greedy` becomes `g`"]);
    decide(&place, &["rename", "cup.toml", "g", "greedy", "--why", "again"]);
    assert_eq!(place.read("cup.toml"), text, "what a killed command has left is completed");
}

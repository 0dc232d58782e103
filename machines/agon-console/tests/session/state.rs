//! What a position has beyond its map: it is shown, edited, kept when the map changes, and saved in the replay.

use crate::desk::Desk;
use agon_core::Seat;
use agon_spec::{ConsoleDocument, ConsoleText, MatchSpec};
use serde_json::{Value, json};

fn state(desk: &mut Desk) -> Value {
    serde_json::to_value(desk.done("show state").state.expect("a state")).expect("JSON")
}

fn item(document: &ConsoleDocument) -> (ConsoleText, &str) {
    let error = document.error.as_ref().expect("an error");
    (error.text_of, error.item.as_deref().expect("an item"))
}

const ISLAND: &str = "########\n#!  0  #\n#   !  #\n# 1   !#\n########\n";

/// A match of Lighthouses on [`ISLAND`], in which two programs have played two rounds.
fn on_the_island() -> Desk {
    let mut desk = Desk::open("lighthouses", 1, &["random", "human"]);
    desk.files.insert("island".into(), ISLAND.into());
    desk.done("load island");
    for _ in 0..2 {
        desk.done("go 1");
        let orders = desk.decision(Seat::new(1), 7);
        desk.done(&format!("play 2 {orders}"));
    }
    desk
}

#[test]
fn lighthouses_are_edited_item_by_item_and_a_program_hears_of_it() {
    let mut desk = on_the_island();
    let before = desk.done("status");
    assert_eq!(state(&mut desk)["round"], 3);
    desk.done("edit put round 40");
    desk.done(r#"edit put lighthouses[6,1] {"owner": 1, "energy": 700}"#);
    desk.done(r#"edit put lighthouses[1,3] {"owner": 1, "energy": 500}"#);
    desk.done(r#"edit put players[1] {"at": "4,2", "energy": 33, "score": 9, "keys": ["1,3"]}"#);
    let edited = desk.done("edit put connections [\"6,1 1,3\"]");
    assert_eq!((edited.ply, edited.round, edited.awaiting), (0, Some(40), vec![Seat::new(0)]));
    assert!(edited.begun_anew.is_empty(), "{:?}", edited.begun_anew);
    let now = state(&mut desk);
    assert_eq!(now["players"]["1"], json!({"at": "4,2", "energy": 33, "score": 9, "keys": ["1,3"]}));
    assert_eq!(now["connections"], json!(["6,1 1,3"]));
    assert!(!edited.seats[0].in_step);
    desk.told.clear();
    let turn = desk.done("go 1");
    assert_eq!(turn.turns.len(), 1, "the program is brought into step and plays");
    let told: String = desk.told.iter().map(|(_, text)| &**text).collect();
    assert!(told.contains(r#""position": [4, 2], "score": 9, "energy": 33"#), "{told}");
    assert!(told.contains(r#""owner": 0, "energy": 700, "connections": [[1, 3]]"#), "{told}");
    desk.check();
    assert_eq!(desk.done("undo 6").fingerprint, before.fingerprint, "edits are taken back like turns");
    assert_eq!(desk.done("redo 6").fingerprint, turn.fingerprint);
    desk.check();
}

#[test]
fn a_flaw_stands_at_its_item_and_changes_nothing() {
    let mut desk = on_the_island();
    let before = desk.done("status").fingerprint;
    for (line, path) in [
        ("edit put players[1].keys [\"3,3\"]", "players[1].keys[1]"),
        ("edit put players[2].at 0,0", "players[2].at"),
        ("edit put players[3].score 1", "players[3]"),
        ("edit put round 0", "round"),
        ("edit put rounds 3", "rounds"),
        ("edit put round.x 3", "round"),
        ("edit drop lighthouses[3,3]", "lighthouses[3,3]"),
        ("edit state {\"to_move\": 3}", "to_move"),
        ("edit state 5", ""),
    ] {
        let refused = desk.say(line);
        assert_eq!(item(&refused), (ConsoleText::State, path), "{line}: {:?}", refused.error);
        assert_eq!(refused.fingerprint, before, "{line}");
    }
    let unread = desk.say("edit put a..b 3").error.expect("an error");
    assert_eq!((unread.text_of, unread.column), (ConsoleText::Command, Some(10)), "{unread:?}");
    assert_eq!(desk.done("edit state {}").round, Some(1), "without a state everything begins anew");
    desk.check();
}

#[test]
fn a_changed_map_keeps_what_fits() {
    let mut desk = on_the_island();
    desk.done(r#"edit put lighthouses {"6,1": {"owner": 2, "energy": 90}, "4,2": {"owner": 2, "energy": 80}}"#);
    desk.done("edit put connections [\"4,2 6,1\"]");
    desk.done("edit put players[2].keys [\"6,1\"]");
    desk.done("edit put players[1].score 12");
    // The lighthouse at 6,1 becomes land.
    let edited = desk.done("edit set 4 # 1    #");
    let places: Vec<&str> = edited.begun_anew.iter().filter_map(|words| words.split('`').nth(1)).collect();
    assert_eq!(places[..3], ["players[2].keys[1]", "lighthouses[6,1]", "connections[1]"], "{:?}", edited.begun_anew);
    assert!(places[3..].iter().all(|place| place.starts_with("cells")), "{:?}", edited.begun_anew);
    let now = state(&mut desk);
    assert_eq!((&now["round"], &now["players"]["1"]["score"]), (&json!(3), &json!(12)));
    assert_eq!(now["lighthouses"], json!({"4,2": {"owner": 2, "energy": 80}}));
    desk.check();
    assert_eq!(desk.done("load island").round, Some(1), "a map that is loaded is another match");
}

#[test]
fn the_start_of_a_match_follows_its_map() {
    let mut desk = Desk::open("lighthouses", 1, &["human", "human"]);
    desk.files.insert("island".into(), ISLAND.into());
    desk.done("load island");
    desk.done("edit set 2 #!   0 #");
    assert_eq!(state(&mut desk)["players"]["1"]["at"], "5,3");
    desk.done("save replay s.jsonl");
    let replay = String::from_utf8_lossy(&desk.files["s.jsonl"]).into_owned();
    assert!(!replay.contains("\"state\""), "the map is everything: {replay}");
}

#[test]
fn whose_turn_it_is_and_what_portals_have_is_edited() {
    let mut desk = Desk::open("portals", 1, &["human", "random"]);
    desk.files.insert("m".into(), "0 0\n4 4\nX...X\n.....\n..X..\n.....\nX...X\n".into());
    desk.done("load m");
    let portals =
        r#"{"0,0": {"owner": 1, "shields": 3}, "4,0": {"owner": 1}, "0,4": {"owner": 1}, "4,4": {"owner": 2}}"#;
    desk.done(&format!("edit put portals {portals}"));
    desk.done(r#"edit put links ["0,0 4,0", "0,0 0,4", "0,4 4,0"]"#);
    desk.done("edit put agents[1].score 40");
    desk.done("edit put round 7");
    let moved = desk.done("edit put to_move 2");
    assert_eq!((moved.round, &*moved.awaiting), (Some(7), &[Seat::new(1)][..]));
    let refused = desk.say(r#"edit put links[4] "4,4 2,2""#);
    assert_eq!(item(&refused), (ConsoleText::State, "links[4]"));
    desk.done("go 1");
    let told: String = desk.told.iter().map(|(_, text)| &**text).collect();
    assert!(told.contains("turn 7\n") && told.contains("portal 0 0 0 3\n"), "{told}");
    assert_eq!(desk.done("status").awaiting, [Seat::new(0)]);
    desk.check();
}

#[test]
fn the_number_of_the_turn_is_edited_and_left_out_of_a_map() {
    for (name, limit) in [("grid", 200), ("planet-wars", 200)] {
        let mut desk = Desk::open(name, 2, &["@random", "@random"]);
        desk.done("go 5");
        assert_eq!(state(&mut desk), json!({"turn": 6}), "{name}");
        assert_eq!(desk.done("save map m").left_out, ["turn: 6"], "{name}");
        desk.done(&format!("edit put turn {limit}"));
        let end = desk.done("go 3");
        assert!(end.over && end.turns.len() == 1, "{name}: one turn was left");
        desk.check();
        assert_eq!(item(&desk.say("edit put turn 202")).1, "turn", "{name}");
        desk.done("edit drop turn");
        assert!(desk.done("save map m").left_out.is_empty(), "{name}");
    }
}

#[test]
fn a_session_begins_in_the_middle_of_a_match() {
    let mut desk = on_the_island();
    let here = desk.done("show map");
    let state = desk.done("show state").state.expect("a state");
    let spec = MatchSpec { map: here.map.expect("a map"), state, ..desk.spec.clone() };
    let mut desk = Desk::on(desk.game, spec, &["random", "human"]);
    let begun = desk.done("status");
    assert_eq!((begun.fingerprint, begun.round, begun.ply), (here.fingerprint, Some(3), 0));
    desk.done("go 1");
    desk.done("edit put round 7");
    desk.done("undo 2");
    desk.check();
    let replay = agon_replay::Replay::read(&*desk.files["s.jsonl"]).expect("a replay");
    assert!(!replay.header.spec.state.is_empty());
}

#[test]
fn a_saved_map_says_what_it_leaves_out() {
    let mut desk = on_the_island();
    desk.done("edit state {}");
    desk.done("edit put round 9");
    desk.done("edit put players[2].score 3");
    let left_out = desk.done("save map m").left_out;
    assert_eq!(left_out[..2], ["round: 9", "players: 2"], "{left_out:?}");
    let mut desk = Desk::open("triangles", 2, &["@random", "@random"]);
    desk.done("go 5");
    assert_eq!((state(&mut desk), desk.done("save map m").left_out.len()), (json!({}), 0));
}

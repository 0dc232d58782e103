//! Tests stores that an earlier version of Agon has written, and those whose making was broken off.

use crate::agon::Place;
use rusqlite::Connection;

/// Makes a store one of version 2.
fn make_earlier(place: &Place, store: &str) {
    let db = Connection::open(place.path(store)).expect("it is a database");
    db.execute_batch(include_str!("../../../../fixtures/stores/to-version-2.sql")).expect("it can be written");
    db.close().expect("it is written");
}

#[test]
fn an_earlier_tournament_is_read_and_continued() {
    let place = Place::new();
    let file = |rounds: u32| {
        let bots = "[[bot]]\nrun = \"@random\"\n[[bot]]\nrun = \"@greedy\"\n";
        place.write("cup.toml", format!("game = \"grid\"\nlimit = 20\nrounds = {rounds}\n{bots}"));
    };
    file(2);
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0);
    make_earlier(&place, "cup.agon");
    for words in [&["tournament", "status"][..], &["tournament", "report"], &["tournament", "verify"], &["rate"]] {
        let done = place.run(&[words, &["cup.toml"]].concat());
        assert_eq!(done.code, 0, "{words:?}: {done:?}");
    }
    file(3);
    let more = place.run(&["tournament", "run", "cup.toml"]);
    assert!(more.code == 0 && more.err.contains("continues after 4 matches"), "{more:?}");
    assert!(place.run(&["tournament", "status", "cup.toml"]).out.contains("6 matches finished"));
}

#[test]
fn a_tournament_begins_in_an_empty_store() {
    let place = Place::new();
    let bots = "[[bot]]\nrun = \"@random\"\n[[bot]]\nrun = \"@greedy\"\n";
    place.write("cup.toml", format!("game = \"grid\"\nlimit = 20\n{bots}"));
    place.write("cup.agon", "");
    place.fails(1, &["tournament", "status", "cup.toml"], &["`cup.agon` is empty", "agon tournament run cup.toml"]);
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0);
}

#[test]
fn an_earlier_test_continues() {
    let place = Place::new();
    let test = |most: &str| {
        let args = ["test", "grid", "@greedy", "@frontier", "--store", "t.agon", "--max-matches", most];
        place.run(&[&args[..], &["--format", "json"]].concat())
    };
    let document = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("a document");
    let first = document(&test("8").out);
    make_earlier(&place, "t.agon");
    let done = test("12");
    assert!(done.err.contains("continues after 8 matches"), "{done:?}");
    let then = document(&done.out);
    assert_eq!((&then["seed"], then["matches"].as_u64()), (&first["seed"], Some(12)), "{then}");
}

//! Tests stores that an earlier version of Agon has written, and those whose making was broken off.

use crate::agon::Place;
use std::fs;

/// Makes the file say that its tables are those of version 2, which differ in nothing but what programs may write into them.
fn make_earlier(place: &Place, store: &str) {
    for log in ["-wal", "-shm"] {
        assert!(!place.path(&format!("{store}{log}")).exists(), "a closed store is one file");
    }
    let mut bytes = fs::read(place.path(store)).expect("it is there");
    // `user_version` in the header of SQLite.
    assert_eq!(bytes[60..64], 3_u32.to_be_bytes());
    bytes[60..64].copy_from_slice(&2_u32.to_be_bytes());
    place.write(store, bytes);
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

//! Verifies replays of earlier versions. They must always give the same fingerprints.

use crate::agon::Place;
use std::{collections::BTreeSet, fs, path::PathBuf};

pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/replays/v2"))
}

#[test]
fn recorded_replays_keep_their_fingerprints() {
    let place = Place::new();
    let list = fs::read_to_string(folder().join("fingerprints.txt")).expect("the list is there");
    let mut listed = BTreeSet::new();
    for line in list.lines() {
        let [file, turns, fingerprint] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let path = folder().join(file);
        let document = place.json(&["replay", "verify", &path.display().to_string(), "--format", "json"]);
        assert_eq!(document["reproduces"], true, "{file}: {document}");
        assert_eq!(document["plies"].to_string(), turns, "{file}: {document}");
        assert_eq!(document["fingerprint"], fingerprint, "{file}: {document}");
        listed.insert(file.to_owned());
    }
    // A replay that is not in the list would never be verified.
    let stored = fs::read_dir(folder()).expect("the folder is there").map(|entry| entry.expect("an entry").file_name());
    let stored: BTreeSet<String> =
        stored.filter_map(|name| name.into_string().ok()).filter(|name| name.contains(".jsonl")).collect();
    assert_eq!(stored, listed);
}

/// A built-in bot draws from the seed of its match as it did when the match was played.
#[test]
fn a_bot_that_is_asked_answers_as_it_did_then() {
    let place = Place::new();
    for file in ["grid-spec.jsonl", "triangles-spec.jsonl"] {
        let path = folder().join(file).display().to_string();
        let asked: Vec<serde_json::Value> = (1..=12)
            .map(|ply| {
                place.run(&[
                    "replay",
                    "ask",
                    &path,
                    "--ply",
                    &ply.to_string(),
                    "--seat",
                    "1",
                    "@random",
                    "--format",
                    "json",
                ])
            })
            .filter(|done| done.code == 0)
            .map(|done| serde_json::from_str(&done.out).expect("a document"))
            .collect();
        assert!(asked.len() >= 4, "{file}: seat 1 has its turns");
        assert!(asked.iter().all(|document| document["same"] == true), "{file}: {asked:?}");
    }
}

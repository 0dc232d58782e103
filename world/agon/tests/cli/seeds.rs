//! Tests where seeds come from, and when those of a tournament become public.

use crate::{agon::Place, schemas::assert_valid};
use serde_json::Value;
use std::{collections::BTreeSet, fs};

fn header(place: &Place, file: &str) -> Value {
    place.json(&["replay", "show", file, "--format", "json"])["header"].clone()
}

#[test]
fn fresh_seeds_use_all_bits() {
    let place = Place::new();
    let seeds: BTreeSet<u64> = (0..8)
        .map(|_| {
            let document = place.json(&["match", "grid", "@random", "@random", "--rounds", "1", "--format", "json"]);
            document["seed"].as_u64().expect("a number of 64 bits")
        })
        .collect();
    assert_eq!(seeds.len(), 8);
    assert!(seeds.iter().any(|seed| *seed > 1 << 61), "{seeds:?}");
}

#[test]
fn a_map_has_another_seed_than_its_match() {
    let place = Place::new();
    let args = ["match", "planet-wars", "@random", "@random", "--rounds", "1", "--seed", "7"];
    assert_eq!(place.run(&[&args[..], &["--replay", "r.jsonl"]].concat()).code, 0);
    let header = header(&place, "r.jsonl");
    assert_eq!(header["seeds"], "keyed");
    let name = header["map_name"].as_str().expect("a name").to_owned();
    let seed: u64 = name.rsplit(':').next().expect("a seed").parse().expect("a number");
    // hmac.new((7).to_bytes(32, "little"), b"map\0" + bytes(8), "sha256").digest()[:8]
    assert_eq!(seed, 2_207_680_202_782_282_883);
    let made = place.run(&["map", "new", "planet-wars", "--seed", &seed.to_string()]);
    assert_eq!(header["map"].as_str(), Some(&*made.out), "`gen:KIND:SEED` makes the map of the match");
    let named = place.run(&[&args[..], &["--map", &name, "--replay", "again.jsonl"]].concat());
    assert_eq!(named.code, 0, "{named:?}");
    let plies = |file: &str| {
        place.read(file).lines().filter(|line| line.contains("\"ply\"")).map(fingerprint).collect::<Vec<_>>()
    };
    assert_eq!(plies("r.jsonl"), plies("again.jsonl"));
}

fn fingerprint(line: &str) -> Value {
    serde_json::from_str::<Value>(line).expect("a turn")["fingerprint"].clone()
}

fn cup(place: &Place, more: &str) {
    let bots = "[[bot]]\nrun = \"@random\"\n[[bot]]\nrun = \"@greedy\"\n";
    place.write("cup.toml", format!("game = \"grid\"\nlimit = 10\n{more}{bots}"));
}

/// Returns all text of the files in a folder.
fn texts(folder: &std::path::Path) -> String {
    let mut all = String::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let text = if path.is_dir() {
            texts(&path)
        } else {
            String::from_utf8_lossy(&fs::read(&path).expect("a file")).into_owned()
        };
        all.push_str(&text);
    }
    all
}

#[test]
fn the_secret_of_a_tournament_is_revealed_at_its_end() {
    let place = Place::new();
    let made = ["tournament", "new", "--game", "grid", "--bots", "@random,@greedy", "--rounds", "2", "-o", "cup.toml"];
    assert_eq!(place.run(&made).code, 0);
    assert!(!place.read("cup.toml").contains("seed ="), "the file has no seed");
    let run = place.run(&["tournament", "run", "cup.toml"]);
    assert_eq!(run.code, 0, "{run:?}");
    let about = place.json(&["tournament", "export", "cup.toml"])["tournament"].clone();
    let [secret, commitment] = ["secret", "commitment"].map(|key| about[key].as_str().expect(key).to_owned());
    assert!(run.err.contains(&commitment) && run.err.contains(&secret), "{run:?}");
    let before = run.err.find(&secret).expect("it is told");
    assert!(run.err.find(&commitment).expect("it is told") < before, "the hash comes first");
    assert_eq!((&about["seed"], &about["seeds"]), (&Value::Null, &"keyed".into()));
    let verified = place.run(&["tournament", "verify", "cup.toml"]);
    assert!(verified.code == 0 && verified.out.contains("seeds: they follow from what was published"), "{verified:?}");
    let document = place.json(&["tournament", "verify", "cup.toml", "--format", "json"]);
    assert_valid(&place, "tournament-verify", &document);
    assert_eq!(document["seeds"], "agree");
    // Another secret than the one whose hash was published.
    let db = rusqlite::Connection::open(place.path("cup.agon")).expect("it is a database");
    db.execute("UPDATE snapshots SET text = 'other' WHERE name = 'commitment'", []).expect("it can be written");
    drop(db);
    let differs = place.run(&["tournament", "verify", "cup.toml"]);
    assert!(differs.code == 30 && differs.out.contains("not the one whose SHA-256"), "{differs:?}");
}

#[test]
fn nothing_published_before_has_the_secret() {
    let place = Place::new();
    cup(&place, "kind = \"ladder\"\nrounds = 3\n");
    assert_eq!(place.run(&["tournament", "run", "cup.toml"]).code, 0);
    let verified = place.run(&["tournament", "verify", "cup.toml"]);
    assert!(verified.code == 0 && verified.out.contains("seeds: not yet revealed"), "{verified:?}");
    assert_eq!(place.json(&["tournament", "verify", "cup.toml", "--format", "json"])["seeds"], "not_yet_revealed");
    // What is published now.
    let export_of = |name: &str| place.write(name, place.run(&["tournament", "export", "cup.toml"]).out);
    let early = place.run(&["tournament", "verify", &export_of("early.json")]);
    assert!(early.code == 0 && early.out.contains("seeds: not yet revealed"), "{early:?}");
    let mut published = String::new();
    for args in [
        &["status"][..],
        &["report", "--format", "markdown"],
        &["report", "--format", "csv"],
        &["report", "--format", "json"],
        &["report", "--html", "cup.html"],
        &["export", "--format", "csv"],
        &["verify", "--format", "json"],
        &["replay", "2"],
        &["logs", "random", "logs"],
        &["run", "--format", "json-lines"],
        &["check"],
    ] {
        let done = place.run(&[&["tournament", args[0], "cup.toml"], &args[1..]].concat());
        assert_eq!(done.code, 0, "{args:?}: {done:?}");
        published.extend([done.out, done.err]);
    }
    published.push_str(&place.read("cup.html"));
    let archive = place.run(&["tournament", "report", "cup.toml", "--dir", "archive"]);
    assert_eq!(archive.code, 0, "{archive:?}");
    let report = place.run(&["tournament", "report", "cup.toml"]).out;
    let export = place.run(&["tournament", "export", "cup.toml"]).out;
    let status = place.run(&["tournament", "status", "cup.toml", "--format", "json"]).out;
    assert!(report.contains("not yet revealed") && export.contains("\"secret\": null"), "{report}{export}");
    assert_eq!(place.json(&["tournament", "replay", "cup.toml", "2", "--format", "json"])["same"], true);
    // More rounds follow from the same secret.
    cup(&place, "kind = \"ladder\"\nrounds = 5\n");
    let more = place.run(&["tournament", "run", "cup.toml"]);
    assert!(more.code == 0 && more.err.contains("publish the SHA-256"), "{more:?}");
    let revealed = place.run(&["tournament", "reveal", "cup.toml"]);
    assert_eq!(revealed.code, 0, "{revealed:?}");
    let secret = revealed.out.split_whitespace().nth(1).expect("the secret").to_owned();
    assert_eq!(secret.len(), 64, "{revealed:?}");
    let matches = place.json(&["tournament", "export", "cup.toml"])["matches"].clone();
    let later: Vec<String> =
        matches.as_array().expect("matches")[6..].iter().map(|row| row["seed"].to_string()).collect();
    assert!(later.len() >= 4, "{later:?}");
    let published = [published, report, export, status, texts(&place.path("archive"))].concat();
    for hidden in later.iter().chain([&secret]) {
        assert!(!published.contains(hidden), "{hidden} was published before");
    }
    let verified = place.run(&["tournament", "verify", "cup.toml"]);
    assert!(verified.code == 0 && verified.out.contains("seeds: they follow"), "{verified:?}");
    let document = place.json(&["tournament", "export", "cup.toml"]);
    assert_valid(&place, "tournament-export", &document);
    let late = place.run(&["tournament", "verify", &export_of("late.json")]);
    assert!(late.code == 0 && late.out.contains("seeds: they follow from what was published"), "{late:?}");
}

#[test]
fn a_publication_is_verified_without_the_store() {
    let place = Place::new();
    cup(&place, "rounds = 2\n");
    assert_eq!(place.run(&["tournament", "run", "cup.toml"]).code, 0);
    assert_eq!(place.run(&["tournament", "report", "cup.toml", "--dir", "archive"]).code, 0);
    for name in ["cup.agon", "cup.toml"] {
        fs::remove_file(place.path(name)).expect("it is there");
    }
    let verify = |path: &str| place.json(&["tournament", "verify", path, "--format", "json"]);
    let found = verify("archive");
    assert_valid(&place, "tournament-verify", &found);
    assert_eq!((&found["matches"], &found["replays"], &found["seeds"]), (&4.into(), &4.into(), &"agree".into()));
    assert_eq!(found["findings"], serde_json::json!([]));
    let found = verify("archive/export.json");
    assert_eq!((&found["matches"], &found["replays"], &found["seeds"]), (&4.into(), &0.into(), &"agree".into()));

    // Whoever changes something is found.
    let honest = place.read("archive/export.json");
    let document: Value = serde_json::from_str(&honest).expect("JSON");
    let of_match = |key: &str| document["matches"][1][key].to_string();
    let secret = document["tournament"]["secret"].to_string();
    let place_of = |number: u32| format!("\"place\": {number}");
    for (old, new, what) in [
        (secret.clone(), secret.replace(['0', '1', '2'], "3"), "not the one whose SHA-256 was published"),
        (
            format!("\"seed\": {}", of_match("seed")),
            "\"seed\": 7".to_owned(),
            "match 2: its seed is not the one that was drawn",
        ),
        (place_of(2), place_of(1), "its result is not that of its replay"),
    ] {
        assert!(honest.contains(&old), "{old}");
        place.write("archive/export.json", honest.replace(&old, &new));
        let done = place.run(&["tournament", "verify", "archive"]);
        assert!(done.code == 30 && done.out.contains(what), "{what}: {done:?}");
    }
    place.write("archive/export.json", &honest);
    fs::copy(place.path("archive/replays/1.jsonl"), place.path("archive/replays/2.jsonl")).expect("it is there");
    let done = place.run(&["tournament", "verify", "archive"]);
    assert!(done.code == 30 && done.out.contains("match 2: its replay is of another match"), "{done:?}");
    place.write("other.json", "{}");
    place.fails(
        1,
        &["tournament", "verify", "other.json"],
        &["is no export of a tournament", "agon tournament export"],
    );
    place.fails(1, &["tournament", "verify", "none.json"], &["none.json"]);
}

#[test]
fn a_seed_in_the_file_is_public() {
    let place = Place::new();
    cup(&place, "seed = 11\nrounds = 2\n");
    let run = place.run(&["tournament", "run", "cup.toml"]);
    assert!(run.code == 0 && !run.err.contains("SHA-256"), "{run:?}");
    let about = place.json(&["tournament", "export", "cup.toml"])["tournament"].clone();
    assert_eq!((&about["seed"], &about["seeds"], &about["commitment"]), (&11.into(), &"keyed".into(), &Value::Null));
    assert_eq!(place.json(&["tournament", "verify", "cup.toml", "--format", "json"])["seeds"], "agree");
    place.fails(1, &["tournament", "reveal", "cup.toml"], &["no secret"]);
    cup(&place, "rounds = 3\n");
    place.fails(1, &["tournament", "run", "cup.toml"], &["the seed `11` becomes `the secret of the store`"]);
}

#[test]
fn a_store_that_began_with_fast_seeds_goes_on_with_them() {
    let place = Place::new();
    cup(&place, "seed = 11\nrounds = 2\n");
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0);
    let of = |document: &Value| -> Vec<String> {
        document["matches"].as_array().expect("matches").iter().map(|row| row["seed"].to_string()).collect()
    };
    // An older store has no snapshot of the kind, and its matches other seeds.
    let db = rusqlite::Connection::open(place.path("cup.agon")).expect("it is a database");
    db.execute("DELETE FROM snapshots WHERE name = 'secret'", []).expect("it can be written");
    drop(db);
    let verified = place.run(&["tournament", "verify", "cup.toml"]);
    assert!(verified.code == 30 && verified.out.contains("not the one that was drawn"), "{verified:?}");
    cup(&place, "seed = 11\nrounds = 4\n");
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0);
    let document = place.json(&["tournament", "export", "cup.toml"]);
    assert_eq!(document["tournament"]["seeds"], "fast");
    let seeds = of(&document);
    assert_eq!(seeds[4], seeds[5], "both matches of a pair had one seed");
    assert_ne!(seeds[0], seeds[1], "and have their own now");
    let archive = place.run(&["tournament", "report", "cup.toml", "--dir", "archive"]);
    assert_eq!(archive.code, 0, "{archive:?}");
    let old = header(&place, "archive/replays/5.jsonl");
    assert_eq!(
        (&old["seeds"], old["map"].as_str().map(|map| map.lines().count())),
        (&Value::Null, Some(10)),
        "as it began: {old}"
    );
}

//! Tests `agon stats` and `agon rate`.

use crate::{agon::Place, schemas::assert_valid};
use serde_json::{Value, json};

#[test]
fn statistics_of_given_counts_are_documents() {
    let place = Place::new();
    let pairs = ["--pentanomial", "14,120,226,143,19"];
    let json =
        |what: &str, more: &[&str]| -> Value { place.json(&[&["stats", what], more, &["--format", "json"]].concat()) };
    let llr = json("llr", &[&pairs[..], &["--model", "nelo", "--bounds", "0,10"]].concat());
    assert_valid(&place, "stats-llr", &llr);
    // By fishtest: LLR_normalized(0, 10, …).
    assert!((llr["llr"].as_f64().expect("a number") - 1.112_198_359).abs() < 1e-8, "{llr}");
    assert_eq!((&llr["decision"], &llr["varies"]), (&json!("continue"), &json!(true)));
    assert_valid(&place, "stats-elo", &json("elo", &pairs));
    assert_valid(&place, "stats-estimate", &json("estimate", &pairs));
    let sequence = json("sequence", &["1", "0.5", "0.75"]);
    assert_valid(&place, "stats-sequence", &sequence);
    assert_eq!((&sequence["values"], &sequence["mean"]), (&json!(3), &json!(0.75)));
}

#[test]
fn equal_results_are_no_evidence_and_no_panic() {
    let place = Place::new();
    for counts in ["0,0,0,0,0", "0,0,0,0,1000000", "1125899906842624,0,0,0,0"] {
        let args = ["stats", "llr", "--pentanomial", counts, "--format", "json"];
        let llr = place.json(&args);
        assert_eq!((&llr["decision"], &llr["varies"]), (&json!("continue"), &json!(false)), "{counts}");
        assert!(llr["llr"].is_number(), "what fishtest makes of empty counts: {counts}: {llr}");
        let told = place.run(&["stats", "llr", "--pentanomial", counts]);
        assert!(told.out.starts_with("LLR     none: all results are equal\n"), "{counts}: {told:?}");
        assert_valid(&place, "stats-llr", &llr);
        for what in ["estimate", "elo"] {
            let done = place.run(&["stats", what, "--pentanomial", counts]);
            if counts == "0,0,0,0,0" {
                assert!(done.code == 4 && done.err.contains("there are no results"), "{done:?}");
            } else {
                assert!(done.code == 0 && done.out.contains("all results are equal"), "{counts}: {done:?}");
            }
        }
    }
    // Results that differ, but never by as much as the bounds ask for.
    let far = place.run(&["stats", "llr", "--pentanomial", "1,0,0,0,1", "--bounds", "900,1000"]);
    assert!(far.code == 0 && far.out.contains("none: no distribution"), "{far:?}");
    place.fails(4, &["stats", "elo", "--trinomial", "0,0,0", "--empty", "fastchess"], &["there are no results"]);
    place.fails(2, &["stats", "llr", "--pentanomial", "1,2,3"], &["expected 5 whole numbers"]);
    place.fails(2, &["stats", "llr", "--trinomial", "1,2,-3"], &["expected 3 whole numbers"]);
    place.fails(2, &["stats", "llr"], &["--pentanomial"]);
    place.fails(1, &["stats", "llr", "--trinomial", "1,2,3", "--bounds", "5,5"], &["must be below"]);
    place.fails(1, &["stats", "llr", "--trinomial", "1,2,3", "--alpha", "NaN"], &["alpha"]);
    place.fails(1, &["stats", "elo", "--trinomial", "1,2,3", "--confidence", "1"], &["between 0 and 1"]);
    place.fails(1, &["stats", "sequence", "1.5"], &["`1.5` is no number from 0 to 1"]);
}

#[test]
fn a_tournament_is_rated_from_every_file_it_has() {
    let place = Place::new();
    let bots = "@random,@greedy,copy=@greedy,@frontier";
    let args =
        ["tournament", "new", "--game", "grid", "--bots", bots, "--rounds", "4", "--seed", "11", "-o", "cup.toml"];
    assert_eq!(place.run(&args).code, 0);
    assert_eq!(place.run(&["tournament", "run", "cup.toml"]).code, 0);
    let rated = place.json(&["rate", "cup.toml", "--format", "json"]);
    assert_valid(&place, "rate", &rated);
    let rows = rated["bots"].as_array().expect("a list");
    let greedy = rows.iter().find(|bot| bot["bot"] == "greedy").expect("it has played");
    assert_eq!((rows.len(), &greedy["copies"]), (3, &json!(["copy"])), "copies count as one bot");
    assert_eq!(rows[2]["bot"], "random", "{rated:#}");
    assert_eq!(place.json(&["rate", "cup.agon", "--format", "json"]), rated);
    place.write("cup.json", place.run(&["tournament", "export", "cup.toml"]).out);
    assert_eq!(place.json(&["rate", "cup.json", "--format", "json"]), rated);
    for model in ["bt", "pl", "elo", "glicko2", "weng-lin"] {
        let rated = place.json(&["rate", "cup.toml", "--model", model, "--format", "json"]);
        assert_valid(&place, "rate", &rated);
        assert_eq!((&rated["model"], &rated["bots"][2]["bot"]), (&json!(model), &json!("random")));
    }
    let first = place.json(&["rate", "cup.toml", "--seat", "greedy=1", "--format", "json"]);
    assert!(first["matches"].as_u64() < rated["matches"].as_u64(), "{first:#}");
    place.fails(1, &["rate", "cup.toml", "--opponent", "nobody"], &["no bot `nobody`"]);
    place.fails(1, &["rate", "cup.toml", "--map", "nowhere"], &["the map `nowhere`"]);
    place.fails(1, &["rate", "cup.toml", "--until", "1980-01-01"], &["no match to rate"]);
    place.fails(1, &["rate", "none.toml"], &["there is no file `none.toml`", "agon tournament new"]);
    place.fails(1, &["rate", "none.agon"], &["none.agon"]);
    assert!(!place.run(&["rate", "none.agon"]).err.contains("agon tournament run none.agon"));
    place.fails(2, &["rate", "cup.toml", "--since", "2026-02-31"], &["2026-02-31", "expected a date"]);
    place.write("no.json", "{}");
    place.fails(1, &["rate", "no.json"], &["is no export of a tournament", "agon tournament export"]);
}

#[test]
fn the_store_of_a_test_is_not_taken_for_a_tournament() {
    let place = Place::new();
    let test = ["test", "grid", "@random", "@greedy", "--seed", "1", "--max-matches", "4", "--store", "t.agon"];
    place.run(&test);
    let words = ["`t.agon` is the store of a test, not of a tournament", "agon test … --store t.agon"];
    place.fails(1, &["rate", "t.agon"], &words);
    place.fails(1, &["tournament", "export", "t.toml"], &words);
    let new = ["tournament", "new", "--game", "grid", "--bots", "@random,@greedy", "-o", "t.toml"];
    assert_eq!(place.run(&new).code, 0);
    place.fails(1, &["tournament", "run", "t.toml"], &words);
}

#[test]
fn bounds_are_numbers() {
    let place = Place::new();
    for bounds in ["nan,1", "0,inf", "1"] {
        place.fails(2, &["stats", "llr", "--pentanomial", "1,2,3,4,5", "--bounds", bounds], &["two numbers"]);
    }
}

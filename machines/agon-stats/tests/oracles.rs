//! Compares our numbers with those of independent implementations, which were recorded in tables beside this checkout.
//! Their licence does not allow a copy here, so without them this file compares nothing, and says so.

#![expect(clippy::disallowed_methods, reason = "the tests read files; the crate does not")]

use agon_stats::{Model, Rating, Team, WengLin};
use serde_json::Value;
use std::path::Path;

/// Returns the lines of a table. Without the folder of tables, `None`, but CI may not miss it.
fn table(name: &str) -> Option<Vec<Value>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracles");
    if !folder.is_dir() {
        assert!(std::env::var_os("CI").is_none(), "{} does not exist", folder.display());
        eprintln!("SKIPPED: {} does not exist", folder.display());
        return None;
    }
    let path = folder.join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    Some(text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect())
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("`{value}` is no number"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("`{value}` is no list"))
}

fn assert_near(ours: f64, theirs: f64, what: &str) {
    assert!((ours - theirs).abs() <= 1e-10 * theirs.abs().max(1.0), "{what}: {ours} instead of {theirs}");
}

#[test]
fn ratings_equal_those_of_openskill() {
    let Some(lines) = table("openskill.jsonl") else { return };
    let mut compared = 0;
    for line in &lines {
        let parameters = &line["params"];
        for (model, name) in [(Model::PlackettLuce, "PlackettLuce"), (Model::BradleyTerryFull, "BradleyTerryFull")] {
            let system = WengLin {
                model,
                beta: number(&parameters["beta"]),
                kappa: number(&parameters["kappa"]),
                tau: number(&parameters["tau"]),
            };
            let start = Rating { mean: number(&parameters["mu"]), deviation: number(&parameters["sigma"]) };
            let mut ratings = vec![start; number(&line["n"]) as usize];
            for event in list(&line["events"]) {
                if event[name].is_null() {
                    continue;
                }
                let bots: Vec<Vec<usize>> = list(&event["teams"])
                    .iter()
                    .map(|team| list(team).iter().map(|bot| number(bot) as usize).collect())
                    .collect();
                let members: Vec<Vec<Rating>> =
                    bots.iter().map(|team| team.iter().map(|bot| ratings[*bot]).collect()).collect();
                let teams: Vec<Team<'_>> = members
                    .iter()
                    .zip(list(&event["ranks"]))
                    .map(|(members, rank)| Team { members, place: number(rank) as u32 })
                    .collect();
                let rated = system.rate(&teams);
                for ((bots, ours), theirs) in bots.iter().zip(&rated).zip(list(&event[name])) {
                    for ((bot, ours), theirs) in bots.iter().zip(ours).zip(list(theirs)) {
                        let before = ratings[*bot].deviation;
                        // An option of openskill: a deviation never grows.
                        let limited = line["limit_sigma"] == true;
                        let deviation = if limited { ours.deviation.min(before) } else { ours.deviation };
                        assert_near(ours.mean, number(&theirs[0]), name);
                        assert_near(deviation, number(&theirs[1]), name);
                        ratings[*bot] = Rating { mean: number(&theirs[0]), deviation: number(&theirs[1]) };
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 1_000, "only {compared} ratings were compared");
}

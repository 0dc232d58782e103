//! Bradley-Terry and Plackett-Luce, against Newton's method in long double.

use super::{assert_near, list, number, numbers, table};
use agon_stats::{Advantage, BradleyTerry, Encounter, Errors, Fit, PlackettLuce, Prior};
use serde_json::Value;

fn compare(line: &Value, ours: &Fit, [theta, error]: [&str; 2], of: &[f64]) {
    for (bot, (ours, theirs)) in ours.strengths.iter().zip(numbers(&line[theta])).enumerate() {
        assert_near(*ours, theirs, 1e-9, format_args!("{} {theta} of {bot}", line["id"]));
    }
    for (bot, (ours, theirs)) in of.iter().zip(numbers(&line[error])).enumerate() {
        assert_near(*ours, theirs, 1e-9, format_args!("{} {error} of {bot}", line["id"]));
    }
}

#[test]
fn bradley_terry_equals_the_exact_maximum() {
    let Some(lines) = table("bradley_terry.jsonl") else { return };
    let mut maxima = 0;
    for line in &lines {
        let encounter = |row: &Value| {
            let row = numbers(row);
            Encounter {
                first: row[0] as u32,
                second: row[1] as u32,
                advantage: 0,
                wins: row[2],
                draws: row[3],
                losses: row[4],
            }
        };
        let encounters = list(&line["results"]).iter().map(encounter);
        let mut league = BradleyTerry::new(number(&line["n"]) as usize, Advantage::None, encounters);
        let fit = league.fit(Prior::Never, Errors::Inverse);
        assert_eq!(fit.is_some(), line["mle_exists"] == true, "{}", line["id"]);
        if let Some(fit) = fit {
            compare(line, &fit, ["theta", "se"], &fit.errors);
            let sandwich = league.fit(Prior::Never, Errors::Sandwich).expect("it has a maximum");
            compare(line, &sandwich, ["theta", "se_sandwich"], &sandwich.errors);
            maxima += 1;
        }
        let prior = Prior::Always(number(&line["lam"]));
        let fit = league.fit(prior, Errors::Inverse).expect("a minimum always exists");
        assert_eq!(fit.group_count, number(&line["components"]) as usize, "{}", line["id"]);
        compare(line, &fit, ["theta_reg", "se_reg"], &fit.errors);
        let default = league.fit(Prior::WhereNeeded, Errors::Automatic).expect("a fit always exists");
        // Of groups that have never met, each is fitted by itself.
        if default.group_count == 1 {
            assert_eq!(default.prior.is_none(), line["mle_exists"] == true);
        }
        assert!(default.errors.iter().chain(&default.strengths).all(|value| value.is_finite()));
    }
    assert!(maxima > 100, "only {maxima} maxima were compared");
}

#[test]
fn plackett_luce_equals_the_exact_maximum() {
    let Some(lines) = table("plackett_luce.jsonl") else { return };
    let mut maxima = 0;
    for line in &lines {
        let game =
            |row: &Value| -> Vec<(u32, u32)> { (1..).zip(numbers(row)).map(|(at, bot)| (bot as u32, at)).collect() };
        let games: Vec<Vec<(u32, u32)>> = list(&line["rankings"]).iter().map(game).collect();
        let mut league = PlackettLuce::new(number(&line["n"]) as usize, games.iter().map(Vec::as_slice));
        let fit = league.fit(Prior::Never, Errors::Inverse);
        assert_eq!(fit.is_some(), line["mle_exists"] == true, "{}", line["id"]);
        if let Some(fit) = fit {
            compare(line, &fit, ["theta", "se"], &fit.errors);
            maxima += 1;
        }
        let prior = Prior::Always(number(&line["lam"]));
        let fit = league.fit(prior, Errors::Inverse).expect("a minimum always exists");
        assert_eq!(fit.group_count, number(&line["components"]) as usize, "{}", line["id"]);
        compare(line, &fit, ["theta_reg", "se_reg"], &fit.errors);
        let default = league.fit(Prior::WhereNeeded, Errors::AdjustedSandwich).expect("a fit always exists");
        assert!(default.errors.iter().chain(&default.strengths).all(|value| value.is_finite()));
    }
    assert!(maxima > 100, "only {maxima} maxima were compared");
}

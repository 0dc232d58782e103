//! Ratings that change with each match or period, against openskill 6.2.0 and the steps of Glickman's paper.

use super::{assert_near, list, number, numbers, table};
use agon_stats::{Glicko2, GlickoRating, Model, Rating, Team, WengLin};

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
                        assert_near(ours.mean, number(&theirs[0]), 1e-10, name);
                        assert_near(deviation, number(&theirs[1]), 1e-10, name);
                        ratings[*bot] = Rating { mean: number(&theirs[0]), deviation: number(&theirs[1]) };
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 1_000, "only {compared} ratings were compared");
}

#[test]
fn glicko_equals_the_steps_of_the_paper() {
    let Some(lines) = table("glicko2.jsonl") else { return };
    for line in &lines {
        let system = Glicko2 { tau: number(&line["tau"]) };
        let bot = |row: &serde_json::Value| {
            let row = numbers(row);
            GlickoRating { rating: row[0], deviation: row[1], volatility: row[2] }
        };
        let mut ratings: Vec<GlickoRating> = list(&line["start"]).iter().map(bot).collect();
        for (period, after) in list(&line["periods"]).iter().zip(list(&line["post_tight"])) {
            let game = |row: &serde_json::Value| {
                let row = numbers(row);
                (row[0] as usize, row[1] as usize, row[2])
            };
            ratings = system.rate(&ratings, &list(period).iter().map(game).collect::<Vec<_>>());
            for (ours, theirs) in ratings.iter().zip(list(after).iter().map(bot)) {
                let what = format!("{}", line["id"]);
                assert_near(ours.rating, theirs.rating, 1e-9, &what);
                assert_near(ours.deviation, theirs.deviation, 1e-9, &what);
                assert_near(ours.volatility, theirs.volatility, 1e-9, &what);
            }
        }
    }
}

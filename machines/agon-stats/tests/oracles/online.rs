//! Ratings that change with each match, against openskill 6.2.0.

use crate::{assert_near, list, number, table};
use agon_stats::{Model, Rating, Team, WengLin};

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

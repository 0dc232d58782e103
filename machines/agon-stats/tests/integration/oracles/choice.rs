//! Lotteries and paths, against exact fractions and another solver.

use super::{assert_near, list, number, numbers, table};
use agon_stats::{Duels, PathStrength};
use serde_json::Value;

#[test]
fn lotteries_and_paths_equal_the_exact_ones() {
    let Some(lines) = table("choice.jsonl") else { return };
    let mut unique = 0;
    for line in &lines {
        let bots = number(&line["n"]) as usize;
        let mut duels = Duels::new(bots);
        for (winner, row) in list(&line["wins"]).iter().enumerate() {
            for (loser, wins) in numbers(row).into_iter().enumerate() {
                duels.add(winner, loser, wins);
            }
        }
        for (strength, column) in
            [(PathStrength::Winning, "schulze_paths_winning"), (PathStrength::Margins, "schulze_paths_margin")]
        {
            let expected: Vec<Vec<f64>> = list(&line[column]).iter().map(numbers).collect();
            assert_eq!(duels.schulze_paths(strength), expected, "{} {column}", line["id"]);
        }
        let lottery = duels.maximal_lottery().expect("the fields are small");
        // Their solver is exact to about 1e-7 of the largest margin, so it takes some that are unique for a narrow range.
        let range = list(&line["lottery_range"]).iter().map(numbers).map(|ends| ends[1] - ends[0]).fold(0.0, f64::max);
        let theirs = line["lottery_unique"] == true;
        assert!(lottery.unique == theirs || (lottery.unique && range < 1e-4), "{}: {lottery:?}", line["id"]);
        let fraction = |part: &Value| -> f64 { part.as_str().expect("digits").parse().expect("a number") };
        for (bot, ours) in lottery.probabilities.iter().enumerate() {
            let range = numbers(&line["lottery_range"][bot]);
            assert!((range[0] - 1e-8..=range[1] + 1e-8).contains(ours), "{} {bot}: {ours} in {range:?}", line["id"]);
            if theirs {
                let exact = &line["lottery_exact"][bot];
                let expected = fraction(&exact[0]) / fraction(&exact[1]);
                assert_near(*ours, expected, 1e-12, format_args!("{} {bot}", line["id"]));
                unique += 1;
            }
        }
        for cycle in duels.cycles() {
            assert!(
                cycle.len() > 2
                    && cycle.iter().zip(cycle.iter().cycle().skip(1)).all(|(a, b)| duels.margin(*a, *b) > 0.0)
            );
        }
    }
    assert!(unique > 200, "only {unique} probabilities were compared");
}

//! Confidence sequences, against confseq 0.0.11.

use super::{assert_near, list, number, numbers, table};
use agon_stats::{BetRules, ConfidenceSequence, Wealth};

#[test]
fn confidence_sequences_equal_those_of_confseq() {
    let Some(lines) = table("confseq.jsonl") else { return };
    let mut compared = 0;
    for line in &lines {
        let alpha = number(&line["alpha"]);
        let (values, times) = (numbers(&line["x"]), numbers(&line["times"]));
        let hedged = BetRules { alpha, stake: 0.5, added: false };
        let convex = BetRules { alpha, stake: 0.75, added: true };
        for (column, rules, steps, narrowing) in [
            ("hedged_cs", hedged, 1_000, true),
            ("hedged_cs_noint", hedged, 200, false),
            ("betting_cs_convex", convex, 500, false),
        ] {
            let mut sequence = ConfidenceSequence::with(rules, steps, narrowing).expect("the rules are good");
            let mut expected = times.iter().zip(list(&line[column])).peekable();
            for (time, value) in (1..).zip(&values) {
                sequence.add(*value);
                if let Some((_, ends)) = expected.next_if(|(at, _)| **at as u64 == time) {
                    let interval = sequence.interval();
                    let what = format!("{} {} {column} at {time}", line["id"], line["kind"]);
                    assert_near(interval.low, number(&ends[0]), 1e-9, &what);
                    assert_near(interval.high, number(&ends[1]), 1e-9, &what);
                    compared += 1;
                }
            }
        }
        for entry in list(&line["mart"]) {
            let rules = BetRules { alpha, stake: number(&entry["trunc_scale"]), added: entry["convex_comb"] == true };
            let mut wealth = Wealth::new(rules, number(&entry["m"])).expect("the rules are good");
            let mut expected = times.iter().zip(list(&entry["capital"])).peekable();
            for (time, value) in (1..).zip(&values) {
                wealth.add(*value);
                if let Some((_, capital)) = expected.next_if(|(at, _)| **at as u64 == time) {
                    let (ours, theirs) = (wealth.log_capital(), number(capital));
                    let what = format!("{} {} capital at {time}: {entry}", line["id"], line["kind"]);
                    if theirs.is_infinite() || theirs < 1e-290 {
                        assert!(if theirs > 1.0 { ours > 700.0 } else { ours < -600.0 }, "{what}: {ours}");
                    } else {
                        assert_near(ours, theirs.ln(), 1e-9, &what);
                    }
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 1_000, "only {compared} numbers were compared");
}

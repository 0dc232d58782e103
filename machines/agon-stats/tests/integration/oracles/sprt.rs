//! Elo, likelihood ratios, tests and estimates after them, against fishtest, fastchess and computations with 40 and 70 digits.

use super::{ROUNDING, assert_near, assert_within, list, number, table};
use agon_stats::{
    Counts, Decision, ELO_LIMIT, EloModel, EmptyCells, Hypotheses, Pentanomial, Sprt, StoppedBy, Summary, Trinomial,
    estimate_after_stop,
};
use serde_json::Value;
use std::collections::BTreeMap;

fn counts(value: &Value) -> Counts {
    let cells: Vec<u64> = list(value).iter().map(|count| count.as_u64().expect("a count")).collect();
    match *cells.as_slice() {
        [a, b, c] => Trinomial([a, b, c]).into(),
        [a, b, c, d, e] => Pentanomial([a, b, c, d, e]).into(),
        _ => panic!("{value} has neither 3 nor 5 cells"),
    }
}

fn hypotheses(line: &Value) -> Hypotheses {
    Hypotheses {
        model: if line["model"] == "logistic" { EloModel::Logistic } else { EloModel::Normalized },
        elo0: number(&line["elo0"]),
        elo1: number(&line["elo1"]),
        alpha: number(&line["alpha"]),
        beta: number(&line["beta"]),
    }
}

/// Returns how far a number of a table may be from theirs. Relative to a number, but where half a million samples are alike, what
/// differs is the rounding of their sum.
fn allowed(table: &Value, theirs: f64) -> f64 {
    let rounding = if table["kind"] == "degenerate" { 1e-9 } else { ROUNDING };
    (1e-9 * theirs.abs()).max(rounding)
}

#[test]
fn summaries_equal_those_of_fishtest_and_fastchess() {
    for (name, least) in [("sprt_penta_tables.jsonl", 900), ("sprt_tri_tables.jsonl", 250)] {
        let Some(lines) = table(name) else { return };
        let mut kept_elo = 0;
        for line in &lines {
            let counts = counts(&line["counts"]);
            let near = |ours: f64, column: &str| {
                let theirs = number(&line[column]);
                assert_within(ours, theirs, allowed(line, theirs), format_args!("{name} {} {column}", line["id"]));
            };
            let ours = Summary::of(counts, EmptyCells::Fishtest, 0.95).expect("it can be summed up");
            near(ours.games, "games");
            near(ours.score, "score");
            near(ours.variance, "var_per_game");
            let elo = ours.elo.expect("replaced cells vary");
            near(elo.value, "elo");
            near((elo.high - elo.low) / 2.0, "elo95");
            near(elo.low, "elo_lo");
            near(elo.high, "elo_hi");
            near(ours.superiority.expect("replaced cells vary"), "los");
            near(ours.skewness.expect("replaced cells vary"), "skew");
            near(ours.excess_kurtosis.expect("replaced cells vary"), "exkurt");
            let nelo = ours.nelo.expect("replaced cells vary");
            near(nelo.value, "nelo");
            near((nelo.high - nelo.low) / 2.0, "nelo95");
            let score = number(&line["fc_score"]);
            let kept = Summary::of(counts, EmptyCells::Fastchess, 0.95);
            assert_eq!(kept.is_none(), score.is_nan(), "{name} {}", line["id"]);
            if let Some(kept) = kept {
                near(kept.score, "fc_score");
                let theirs = number(&line["fc_elo"]);
                match kept.elo {
                    // fastchess does not keep scores within 0.001 and 0.999.
                    Some(elo) if theirs.abs() < ELO_LIMIT => {
                        near(elo.value, "fc_elo");
                        kept_elo += 1;
                    }
                    Some(elo) => assert!((elo.value - ELO_LIMIT.copysign(theirs)).abs() < 1e-9),
                    None => assert!(!counts.vary()),
                }
                if let Some(nelo) = kept.nelo {
                    near(nelo.value, "fc_nelo");
                }
            }
        }
        assert!(kept_elo >= least, "only {kept_elo} of {} summaries were compared in full", lines.len());
    }
}

#[test]
fn likelihood_ratios_equal_those_with_forty_digits() {
    for (tables, tests) in
        [("sprt_penta_tables.jsonl", "sprt_penta_tests.jsonl"), ("sprt_tri_tables.jsonl", "sprt_tri_tests.jsonl")]
    {
        let (Some(tables), Some(lines)) = (table(tables), table(tests)) else { return };
        let tables: BTreeMap<String, &Value> = tables.iter().map(|line| (line["id"].to_string(), line)).collect();
        let (mut compared, mut unsettled) = (0, 0);
        for line in &lines {
            let given = &tables[&line["id"].to_string()]["counts"];
            let ours = hypotheses(line).log_likelihood_ratio(counts(given));
            let theirs = &line["llr_40"];
            if theirs.is_null() {
                // The iteration of the 40 digits did not settle, but on which side of 0 the ratio is, is known.
                let side = number(&line["seq_llr"]).signum();
                assert!(ours.is_none_or(|ours| ours.is_finite() && ours.signum() == side), "{given}: {ours:?}");
                unsettled += 1;
                continue;
            }
            let (theirs, ours) = (number(theirs), ours.unwrap_or_else(|| panic!("no ratio for {given}: {line}")));
            // Relative to the ratio itself, down to the rounding of a sum over all samples.
            let allowed = (1e-9 * theirs.abs()).max(2e-16 * counts(given).samples() as f64);
            assert!((ours - theirs).abs() <= allowed, "{given}: {ours} instead of {theirs} in {line}");
            compared += 1;
        }
        assert!(compared > 1_500, "only {compared} ratios were compared");
        assert!(unsettled < 100, "{unsettled} ratios were not compared");
    }
}

#[test]
fn estimates_after_a_stop_equal_the_full_series() {
    for (tables, tests) in
        [("sprt_penta_tables.jsonl", "sprt_penta_tests.jsonl"), ("sprt_tri_tables.jsonl", "sprt_tri_tests.jsonl")]
    {
        let (Some(tables), Some(lines)) = (table(tables), table(tests)) else { return };
        let tables: BTreeMap<String, &Value> = tables.iter().map(|line| (line["id"].to_string(), line)).collect();
        let mut compared = 0;
        for line in &lines {
            let table = tables[&line["id"].to_string()];
            let given = &table["counts"];
            let near = |ours: f64, column: &str| {
                let theirs = number(&line[column]);
                assert_within(ours, theirs, allowed(table, theirs), format_args!("{given}, {column}: {line}"));
            };
            let ours = estimate_after_stop(
                counts(given),
                &hypotheses(line),
                EmptyCells::Fishtest,
                StoppedBy::LinearRatio,
                0.95,
            );
            let ours = ours.unwrap_or_else(|| panic!("no estimate for {given}: {line}"));
            assert!([ours.elo.low, ours.elo.value, ours.elo.high, ours.superiority].iter().all(|x| x.is_finite()));
            assert!(ours.elo.low <= ours.elo.value && ours.elo.value <= ours.elo.high, "{given}: {ours:?}");
            assert_eq!(ours.clamped, line["clamped"] == true, "{given}: {line}");
            near(ours.ratio, "seq_llr");
            near(ours.samples, "seq_T");
            if line["x_elo"].is_null() {
                continue;
            }
            near(ours.elo.value, "x_elo");
            near(ours.elo.low, "x_lo");
            near(ours.elo.high, "x_hi");
            near(ours.superiority, "x_los");
            compared += 1;
        }
        assert!(compared > 80, "only {compared} estimates were compared");
    }
}

#[test]
fn whole_runs_stop_where_fishtest_does() {
    let Some(lines) = table("sprt_runs.jsonl") else { return };
    for line in &lines {
        let mut test = Sprt::new(hypotheses(line), true).expect("the hypotheses are good");
        let batch = number(&line["batch"]) as usize;
        let cells = number(&line["cells"]) as usize;
        let outcomes: Vec<usize> =
            line["outcomes"].as_str().expect("digits").bytes().map(|digit| usize::from(digit - b'0')).collect();
        let mut records = list(&line["records"]).iter().peekable();
        let mut seen = vec![0_u64; cells];
        let mut stop = None;
        for (number_of_batch, outcomes) in outcomes.chunks(batch).enumerate() {
            for outcome in outcomes {
                seen[*outcome] += 1;
            }
            let samples = number_of_batch * batch + outcomes.len();
            let now = counts(&serde_json::json!(seen));
            let decision = test.update(now);
            if let Some(record) = records.next_if(|record| number(&record[0]) as usize == samples) {
                let ratio = hypotheses(line).log_likelihood_ratio(now).expect("there is a ratio");
                assert_near(ratio, number(&record[2]), 1e-8, format_args!("run {}, {samples} samples", line["run"]));
                let (bounds, moved) = (test.bounds(), test.bounds_now());
                assert_near(moved.lower - bounds.lower, number(&record[3]), 1e-7, format_args!("o0 {record}"));
                assert_near(bounds.upper - moved.upper, number(&record[4]), 1e-7, format_args!("o1 {record}"));
            }
            // We do not stop while all samples are equal, and the runs do not either.
            if decision != Decision::Continue {
                stop = Some(samples);
                break;
            }
        }
        assert_eq!(stop.map(|stop| stop as u64), line["stop"].as_u64(), "run {}", line["run"]);
        assert!(stop.is_none() || records.peek().is_none(), "run {} has records left", line["run"]);
    }
}

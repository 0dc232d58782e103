//! Sequential tests, their estimates, and intervals that are valid whenever one looks.

use super::{Effort, Row};
use agon_core::{Rng, Seed};
use agon_stats::{
    BetRules, Decision, EloModel, EmptyCells, Hypotheses, NELO_PER_T, Pentanomial, Sprt, Wealth, elo_of_score,
};

/// Shares of pairs with 0 to 4 half points: a drawish game, one with few draws, and one in which a pair is nearly always shared.
pub(super) const SHAPES: [(&str, [f64; 5]); 3] = [
    ("many draws", [0.03, 0.22, 0.5, 0.22, 0.03]),
    ("few draws", [0.2, 0.1, 0.4, 0.1, 0.2]),
    ("equal maps", [0.05, 0.02, 0.86, 0.02, 0.05]),
];

/// The truth behind a test.
pub(super) struct Truth {
    shares: [f64; 5],
}

impl Truth {
    /// Tilts a shape until it has this many normalized Elo.
    pub(super) fn with_nelo(shape: [f64; 5], nelo: f64) -> Self {
        let tilted = |tilt: f64| {
            let mut shares = shape;
            shares.iter_mut().enumerate().for_each(|(cell, share)| *share *= (tilt * (cell as f64 - 2.0)).exp());
            let sum: f64 = shares.iter().sum();
            shares.iter_mut().for_each(|share| *share /= sum);
            Self { shares }
        };
        let (mut low, mut high) = (-10.0, 10.0);
        for _ in 0..80 {
            let middle = f64::midpoint(low, high);
            if tilted(middle).nelo() < nelo {
                low = middle;
            } else {
                high = middle;
            }
        }
        tilted(f64::midpoint(low, high))
    }

    fn score(&self) -> f64 {
        self.shares.iter().enumerate().map(|(cell, share)| share * cell as f64 / 4.0).sum()
    }

    fn nelo(&self) -> f64 {
        let mean = self.score();
        let square = |(cell, share): (usize, &f64)| share * (cell as f64 / 4.0 - mean).powi(2);
        let variance: f64 = self.shares.iter().enumerate().map(square).sum();
        (mean - 0.5) / (2.0 * variance).sqrt() * NELO_PER_T
    }

    pub(super) fn draw(&self, rng: &mut Rng) -> u8 {
        let mut left = rng.unit();
        for (cell, share) in (0..).zip(self.shares) {
            if left < share {
                return cell;
            }
            left -= share;
        }
        4
    }
}

/// Plays a test to its end. Returns the test and the number of pairs.
fn play(truth: &Truth, hypotheses: Hypotheses, batch: u32, rng: &mut Rng) -> (Sprt, u64) {
    let mut test = Sprt::new(hypotheses, true).expect("the hypotheses are good");
    let mut pairs = Pentanomial::default();
    for _ in 0..1_000_000 {
        (0..batch).for_each(|_| pairs.add(truth.draw(rng)));
        if test.update(pairs) != Decision::Continue {
            break;
        }
    }
    (test, pairs.pairs())
}

fn hypotheses(elo0: f64, elo1: f64) -> Hypotheses {
    Hypotheses { model: EloModel::Normalized, elo0, elo1, ..Hypotheses::default() }
}

/// Both kinds of errors.
pub fn errors(effort: Effort) -> Vec<Row> {
    let mut rows = Vec::new();
    let runs = effort.runs(400, 4_000);
    let mut cases = vec![((0.0, 60.0), 1), ((-30.0, 30.0), 1), ((0.0, 30.0), 4)];
    if effort == Effort::Full {
        // The default.
        cases.push(((0.0, 10.0), 1));
    }
    for (bounds, batch) in cases {
        let runs = if bounds.1 < 20.0 { 1_000 } else { runs };
        for (name, shape) in SHAPES {
            for (truth, wrong) in [(bounds.0, Decision::Better), (bounds.1, Decision::NotBetter)] {
                let source = Truth::with_nelo(shape, truth);
                let mut rng = Rng::new(Seed(1).derive(name, rows.len() as u64));
                let mistakes = (0..runs)
                    .filter(|_| play(&source, hypotheses(bounds.0, bounds.1), batch, &mut rng).0.decision() == wrong)
                    .count() as u32;
                let what = format!("test {} to {}, {name}, truth {truth}: wrong", bounds.0, bounds.1);
                rows.push(Row { what, happened: mistakes, runs, least: 0.0, most: 0.05 });
            }
        }
    }
    rows
}

/// How often the estimate after a test has the truth in its interval.
pub fn estimates(effort: Effort) -> Vec<Row> {
    let mut rows = Vec::new();
    // The wide bounds stop soon, so that even 200 normalized Elo need 50 pairs only with the narrow ones.
    let cases: &[(f64, f64, f64)] = if effort == Effort::Quick {
        &[(0.0, 40.0, 0.0), (0.0, 40.0, 40.0), (0.0, 10.0, 100.0), (0.0, 10.0, 200.0)]
    } else {
        &[
            (0.0, 10.0, 0.0),
            (0.0, 10.0, 10.0),
            (0.0, 10.0, 50.0),
            (0.0, 10.0, 100.0),
            (0.0, 10.0, 200.0),
            (0.0, 10.0, -100.0),
            (0.0, 40.0, 0.0),
            (0.0, 40.0, 20.0),
            (0.0, 40.0, 60.0),
        ]
    };
    for (number, (elo0, elo1, truth)) in cases.iter().enumerate() {
        for (name, shape) in SHAPES {
            let runs = effort.runs(300, if elo1 - elo0 < 20.0 && truth.abs() < 20.0 { 1_000 } else { 4_000 });
            let source = Truth::with_nelo(shape, *truth);
            let elo = elo_of_score(source.score());
            let mut rng = Rng::new(Seed(2).derive(name, number as u64));
            // Of all tests, and of those that are not short.
            let (mut covered, mut long, mut long_covered) = (0, 0, 0);
            for _ in 0..runs {
                let (test, pairs) = play(&source, hypotheses(*elo0, *elo1), 2, &mut rng);
                let estimate = test.elo(EmptyCells::Fishtest, 0.95);
                let covers = estimate.is_some_and(|estimate| (estimate.low..=estimate.high).contains(&elo));
                covered += u32::from(covers);
                long += u32::from(pairs >= 50);
                long_covered += u32::from(covers && pairs >= 50);
            }
            // Nothing is promised where many tests are short.
            if long * 10 < runs * 9 {
                continue;
            }
            let what = format!("estimate after test {elo0} to {elo1}, {name}, truth {truth}: covers");
            rows.push(Row { what: what.clone(), happened: covered, runs, least: 0.93, most: 0.97 });
            if long < runs {
                // An interval misses in the fastest tests, so an exact one of 95 % covers up to 97.6 % of the others.
                let what = format!("{what}, 50 pairs or more");
                rows.push(Row { what, happened: long_covered, runs: long, least: 0.93, most: 0.98 });
            }
        }
    }
    rows
}

/// How often an interval that is valid whenever one looks never excludes the truth.
pub fn always(effort: Effort) -> Vec<Row> {
    let mut rows = Vec::new();
    let (runs, pairs) = (effort.runs(500, 5_000), effort.runs(1_000, 5_000));
    for (name, shape) in SHAPES {
        for nelo in [0.0, 100.0, 600.0] {
            let truth = Truth::with_nelo(shape, nelo);
            let mut rng = Rng::new(Seed(3).derive(name, nelo as u64));
            let limit = -f64::ln(0.05);
            let kept = (0..runs)
                .filter(|_| {
                    let mut wealth = Wealth::new(BetRules::default(), truth.score()).expect("the rules are good");
                    (0..pairs).all(|_| {
                        wealth.add(f64::from(truth.draw(&mut rng)) / 4.0);
                        wealth.log_capital() <= limit
                    })
                })
                .count() as u32;
            let what = format!("interval at all of {pairs} looks, {name}, truth {nelo}: covers");
            rows.push(Row { what, happened: kept, runs, least: 0.95, most: 1.0 });
        }
    }
    rows
}

//! What a sequential test says about Elo when it has stopped.
//!
//! A test stops when its results look good or bad, so the mean of the results that it has seen is biased, and an interval
//! that ignores the rule of stopping is too narrow. Here outcomes are ordered instead from a fast failure to a fast
//! success, and the estimate is the Elo under which an outcome below the one seen is as probable as one above it (median
//! unbiased). The ends of the interval are where one of the two has half of the error. D. Siegmund, "Sequential Analysis"
//! (1985), chapter 3; the ratio is approximated by a Brownian motion as in M. Van den Bergh, "A practical introduction to the
//! GSPRT", with the variance that was observed. With [`StoppedBy::LinearRatio`] the numbers equal those of fishtest, where fishtest
//! takes the whole series.

use crate::{
    brownian::Brownian,
    counts::{Counts, EmptyCells, Moments},
    elo::{ELO_LIMIT, EloModel, Estimate, NELO_PER_T, score_of_elo},
    root,
    sprt::Hypotheses,
};
use serde::{Deserialize, Serialize};

/// An estimate after a sequential test.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Stopped {
    /// Logistic Elo, in both models, within ±[`ELO_LIMIT`]. An end at the limit is open.
    pub elo: Estimate,
    /// The probability of an outcome below the one seen if both bots were equally strong.
    pub superiority: f64,
    /// The log-likelihood ratio in its Brownian approximation, moved back to a bound that it has passed.
    pub ratio: f64,
    /// The time at which the approximation was there, in samples.
    pub samples: f64,
    /// Whether the ratio was more than 3 % past a bound. Then the test went on after it could have stopped, and the estimate
    /// is not to be trusted.
    pub clamped: bool,
}

/// Which ratio a test is taken to have been stopped by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StoppedBy {
    /// The approximation that is linear in the mean, as in fishtest. The exact ratio grows more slowly far from the hypotheses,
    /// so a test of a large difference goes on beyond where this one passes the bound, and the interval is too wide: at 200
    /// normalized Elo by 15 to 21 %.
    #[default]
    LinearRatio,
    /// The exact ratio, by which [`crate::Sprt`] stops. The bounds of the motion are moved by the factor by which the linear ratio is
    /// larger. Near the hypotheses both are the same: at 13 normalized Elo the factor is 1.0014.
    ExactRatio,
}

/// The state of a test in the Brownian approximation.
struct Approximation {
    moments: Moments,
    /// The scores of both hypotheses.
    scores: [f64; 2],
    lower: f64,
    upper: f64,
    ratio: f64,
    samples: f64,
}

/// Returns the median-unbiased estimate with an interval of this confidence, for a test that has looked at its samples one
/// by one and stopped at these counts. `counts` may also be of a test that stopped because of a limit. `None` if the
/// hypotheses are refused ([`Hypotheses::bounds`]), if the confidence is not between 0 and 1, or if empty cells stay empty
/// and all samples are equal.
///
/// A real ratio moves in jumps, so the approximation by a Brownian motion becomes worse as differences grow and tests become
/// shorter. For large differences and short tests, take an interval that is valid at any time.
#[must_use]
pub fn estimate_after_stop(
    counts: impl Into<Counts>,
    hypotheses: &Hypotheses,
    empty: EmptyCells,
    stopped_by: StoppedBy,
    confidence: f64,
) -> Option<Stopped> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let (approximation, clamped) = Approximation::of(&counts.into(), hypotheses, empty, stopped_by)?;
    let tail = (1.0 - confidence) / 2.0;
    let at = |probability: f64| approximation.elo_where(probability);
    Some(Stopped {
        elo: Estimate { value: at(0.5), low: at(1.0 - tail), high: at(tail) },
        superiority: approximation.probability_below(0.0),
        ratio: approximation.ratio,
        samples: approximation.samples,
        clamped,
    })
}

impl Approximation {
    fn of(counts: &Counts, hypotheses: &Hypotheses, empty: EmptyCells, stopped_by: StoppedBy) -> Option<(Self, bool)> {
        let bounds = hypotheses.bounds().ok()?;
        let cells = counts.estimated(empty)?;
        let moments = cells.moments();
        let deviation = (moments.variance * cells.games_per_sample()).sqrt();
        let scores = [hypotheses.elo0, hypotheses.elo1].map(|elo| match hypotheses.model {
            EloModel::Logistic => score_of_elo(elo),
            EloModel::Normalized => elo / NELO_PER_T * deviation + 0.5,
        });
        let samples = cells.samples();
        let distance = moments.mean - f64::midpoint(scores[0], scores[1]);
        let slope = distance * (scores[1] - scores[0]) / moments.variance;
        let ratio = samples * slope;
        if !ratio.is_finite() {
            return None;
        }
        let factor = match stopped_by {
            StoppedBy::LinearRatio => 1.0,
            StoppedBy::ExactRatio => {
                let exact = hypotheses.log_likelihood_ratio(*counts).unwrap_or(ratio);
                // For normally distributed samples the factor is 1 plus this square. Between the hypotheses, where both ratios are
                // about 0, their quotient says nothing, so the square bounds it.
                let square = distance * distance / moments.variance;
                let most = 1.0 + 2.0 * square;
                let factor = ratio / exact;
                if factor.is_finite() { factor.clamp(most.recip(), most) } else { 1.0 }
            }
        };
        let (lower, upper) = (factor * bounds.lower, factor * bounds.upper);
        let stopped = ratio.clamp(lower, upper);
        let time = if stopped == ratio { samples } else { stopped / slope };
        let clamped = ratio > 1.03 * upper || ratio < 1.03 * lower;
        Some((Self { moments, scores, lower, upper, ratio: stopped, samples: time }, clamped))
    }

    /// Returns the probability of an outcome below the one seen.
    fn probability_below(&self, elo: f64) -> f64 {
        let difference = self.scores[1] - self.scores[0];
        let middle = f64::midpoint(self.scores[0], self.scores[1]);
        let variance = self.moments.variance;
        let motion = Brownian {
            lower: self.lower,
            upper: self.upper,
            drift: (score_of_elo(elo) - middle) * difference / variance,
            variance: difference * difference / variance,
        };
        motion.probability_below(self.samples, self.ratio)
    }

    /// Returns the Elo at which an outcome below the one seen has this probability, which falls as Elo grows.
    fn elo_where(&self, probability: f64) -> f64 {
        let beyond = |elo: f64| self.probability_below(elo) - probability;
        let root = root::bracketed(-ELO_LIMIT, ELO_LIMIT, beyond);
        root.unwrap_or_else(|| if beyond(ELO_LIMIT) > 0.0 { ELO_LIMIT } else { -ELO_LIMIT })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pentanomial, Summary};

    fn stopped(counts: [u64; 5], stopped_by: StoppedBy) -> Stopped {
        let hypotheses = Hypotheses::default();
        estimate_after_stop(Pentanomial(counts), &hypotheses, EmptyCells::Fishtest, stopped_by, 0.95)
            .expect("pairs differ")
    }

    fn width(stopped: &Stopped) -> f64 {
        stopped.elo.high - stopped.elo.low
    }

    #[test]
    fn both_ratios_agree_near_the_hypotheses() {
        let counts = [190, 1_150, 2_400, 1_230, 230];
        let [linear, exact] = [StoppedBy::LinearRatio, StoppedBy::ExactRatio].map(|by| stopped(counts, by));
        assert!((width(&linear) / width(&exact) - 1.0).abs() < 0.01, "{linear:?} {exact:?}");
        assert!((linear.elo.value - exact.elo.value).abs() < 0.02, "{linear:?} {exact:?}");
    }

    #[test]
    fn a_long_way_from_the_hypotheses_the_interval_is_that_of_a_fixed_number_of_pairs() {
        // 204 normalized Elo, where the exact ratio has just reached its bound.
        let counts = [2, 7, 40, 52, 28];
        let [linear, exact] = [StoppedBy::LinearRatio, StoppedBy::ExactRatio].map(|by| stopped(counts, by));
        let fixed = Summary::of(Pentanomial(counts), EmptyCells::Fishtest, 0.95).expect("there are pairs");
        let fixed = fixed.elo.expect("pairs differ");
        assert!((width(&exact) / (fixed.high - fixed.low) - 1.0).abs() < 0.06, "{exact:?} {fixed:?}");
        assert!(width(&linear) > 1.1 * width(&exact), "{linear:?} {exact:?}");
        assert!(linear.clamped && !exact.clamped);
    }
}

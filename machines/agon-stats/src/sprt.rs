//! Sequential tests of two hypotheses about Elo.

use crate::{
    counts::{Counts, EmptyCells},
    elo::{EloModel, Estimate},
    ratio::log_likelihood_ratio,
    stopped::{Stopped, StoppedBy, estimate_after_stop},
};
use serde::{Deserialize, Serialize};

/// What a test asks, and how often its answer may be wrong.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Hypotheses {
    /// The unit of `elo0` and `elo1`.
    pub model: EloModel,
    /// The test answers "not better" with probability at least 1 - `alpha` if the difference is at most this.
    pub elo0: f64,
    /// The test answers "better" with probability at least 1 - `beta` if the difference is at least this.
    pub elo1: f64,
    /// The probability of "better" at `elo0`, between 0 and 1.
    pub alpha: f64,
    /// The probability of "not better" at `elo1`, between 0 and 1.
    pub beta: f64,
}

impl Default for Hypotheses {
    /// Returns 0 against 10 normalized Elo with errors of 5 %.
    fn default() -> Self {
        Self { model: EloModel::Normalized, elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 }
    }
}

/// Between which values of the log-likelihood ratio a test goes on. By A. Wald (1945).
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Bounds {
    /// ln(beta / (1 - alpha)), below 0.
    pub lower: f64,
    /// ln((1 - beta) / alpha), above 0.
    pub upper: f64,
}

/// What a test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Neither bound has been reached.
    #[default]
    Continue,
    /// The ratio is at or above the upper bound.
    Better,
    /// The ratio is at or below the lower bound. That is not the same as worse: a bot that is better by less than asked for
    /// ends here too.
    NotBetter,
}

/// The least difference of two hypotheses. Between closer ones, rounding would decide. The difference of two decimal numbers may
/// itself be rounded.
const LEAST_DISTANCE: f64 = 0.01;

impl Hypotheses {
    /// Returns the bounds, or what is wrong with the numbers.
    ///
    /// # Errors
    /// If a number is not finite, if `elo0` is not below `elo1` by 0.01 or more, if one is beyond ±1,000, or if `alpha` and
    /// `beta` are not above 0 with a sum below 1.
    pub fn bounds(&self) -> Result<Bounds, &'static str> {
        if !(self.elo0.is_finite() && self.elo1.is_finite() && self.elo0 < self.elo1) {
            return Err("the first bound must be below the second");
        }
        if self.elo1 - self.elo0 < LEAST_DISTANCE - 1e-9 {
            return Err("the first bound must be at least 0.01 below the second");
        }
        if self.elo0.abs().max(self.elo1.abs()) > 1_000.0 {
            return Err("the bounds must be within -1000 and 1000");
        }
        if !(self.alpha > 0.0 && self.beta > 0.0 && self.alpha + self.beta < 1.0) {
            return Err("alpha and beta must be above 0, and their sum below 1");
        }
        Ok(Bounds {
            lower: libm::log(self.beta) - libm::log1p(-self.alpha),
            upper: libm::log1p(-self.beta) - libm::log(self.alpha),
        })
    }

    /// Returns the log-likelihood ratio of these counts: [`log_likelihood_ratio`].
    #[must_use]
    pub fn log_likelihood_ratio(&self, counts: impl Into<Counts>) -> Option<f64> {
        log_likelihood_ratio(counts, self.model, self.elo0, self.elo1)
    }
}

/// How far the ratio is expected to jump past a bound. A test that waits for the ratio to be past a bound has smaller errors
/// than asked for and takes longer than it must, so each bound is moved towards 0 by the expected jump. By D. Siegmund,
/// "Sequential Analysis" (1985), corollary 8.33: half of the second moment of the ladder heights over the first.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
struct Overshoot {
    /// The lowest and the highest ratio so far, beginning with 0.
    extremes: [f64; 2],
    /// The sums of the steps to new extremes.
    sums: [f64; 2],
    /// The sums of their squares.
    squares: [f64; 2],
}

impl Overshoot {
    fn add(&mut self, ratio: f64) {
        for (side, beyond) in [ratio < self.extremes[0], ratio > self.extremes[1]].into_iter().enumerate() {
            if beyond {
                let step = ratio - self.extremes[side];
                self.sums[side] += step;
                self.squares[side] += step * step;
                self.extremes[side] = ratio;
            }
        }
    }

    /// Returns by how much the lower and the upper bound move.
    fn expected(&self) -> [f64; 2] {
        [0, 1].map(|side| if self.sums[side] == 0.0 { 0.0 } else { self.squares[side] / self.sums[side].abs() / 2.0 })
    }
}

/// A sequential test that is fed with results as they come.
///
/// Its state follows from the sequence of counts alone: a test that is fed anew with the same counts in the same order is
/// in the same state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    hypotheses: Hypotheses,
    bounds: Bounds,
    overshoot: Option<Overshoot>,
    counts: Option<Counts>,
    ratio: Option<f64>,
    decision: Decision,
}

impl Sprt {
    /// Begins a test. `correct_overshoot` moves the bounds towards 0 by what the ratio is expected to jump past them.
    ///
    /// # Errors
    /// As [`Hypotheses::bounds`].
    pub fn new(hypotheses: Hypotheses, correct_overshoot: bool) -> Result<Self, &'static str> {
        let bounds = hypotheses.bounds()?;
        let overshoot = correct_overshoot.then(Overshoot::default);
        Ok(Self { hypotheses, bounds, overshoot, counts: None, ratio: None, decision: Decision::Continue })
    }

    /// Takes all counts so far, after each block or after each batch of a fixed number of samples, and returns what the test
    /// says. The test looks at every call, so call it once for each batch; equal counts change nothing.
    pub fn update(&mut self, counts: impl Into<Counts>) -> Decision {
        let counts = counts.into();
        if self.counts == Some(counts) {
            return self.decision;
        }
        self.counts = Some(counts);
        self.ratio = self.hypotheses.log_likelihood_ratio(counts);
        let Some(ratio) = self.ratio else {
            self.decision = Decision::Continue;
            return self.decision;
        };
        if let Some(overshoot) = &mut self.overshoot {
            overshoot.add(ratio);
        }
        let Bounds { lower, upper } = self.bounds_now();
        self.decision = if !counts.vary() {
            // Without variance the ratio is made of nothing but what empty cells count as.
            Decision::Continue
        } else if ratio <= lower {
            Decision::NotBetter
        } else if ratio >= upper {
            Decision::Better
        } else {
            Decision::Continue
        };
        self.decision
    }

    /// Returns what the test said at the last update.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// Returns the log-likelihood ratio. `None` before the first sample and while all samples are equal.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        self.ratio.filter(|_| self.counts.is_some_and(|counts| counts.vary()))
    }

    /// Returns the bounds without the correction.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Returns the bounds that decide now: with the correction, if it was asked for.
    #[must_use]
    pub fn bounds_now(&self) -> Bounds {
        let [lower, upper] = self.overshoot.map_or([0.0; 2], |overshoot| overshoot.expected());
        Bounds { lower: self.bounds.lower + lower, upper: self.bounds.upper - upper }
    }

    /// Returns what the test asks.
    #[must_use]
    pub fn hypotheses(&self) -> &Hypotheses {
        &self.hypotheses
    }

    /// Returns the estimate for a test that stops now: [`estimate_after_stop`] with [`StoppedBy::ExactRatio`]. `None` before the first
    /// sample and while all samples are equal.
    #[must_use]
    pub fn estimate(&self, empty: EmptyCells, confidence: f64) -> Option<Stopped> {
        let counts = self.counts.filter(Counts::vary)?;
        estimate_after_stop(counts, &self.hypotheses, empty, StoppedBy::ExactRatio, confidence)
    }

    /// Returns [`Sprt::estimate`] without its other numbers.
    #[must_use]
    pub fn elo(&self, empty: EmptyCells, confidence: f64) -> Option<Estimate> {
        self.estimate(empty, confidence).map(|stopped| stopped.elo)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pentanomial;

    #[test]
    fn bad_hypotheses_are_refused() {
        let base = Hypotheses::default();
        for (hypotheses, what) in [
            (Hypotheses { elo1: 0.0, ..base }, "first bound"),
            (Hypotheses { elo1: f64::NAN, ..base }, "first bound"),
            (Hypotheses { elo1: 1e-14, ..base }, "at least 0.01"),
            (Hypotheses { elo0: 999.991, elo1: 1_000.0, ..base }, "at least 0.01"),
            (Hypotheses { elo0: f64::NEG_INFINITY, ..base }, "first bound"),
            (Hypotheses { elo1: 1_001.0, ..base }, "within"),
            (Hypotheses { alpha: 0.0, ..base }, "alpha"),
            (Hypotheses { alpha: 0.5, beta: 0.5, ..base }, "alpha"),
            (Hypotheses { beta: f64::NAN, ..base }, "alpha"),
        ] {
            let why = Sprt::new(hypotheses, true).expect_err("it cannot be tested");
            assert!(why.contains(what), "{hypotheses:?}: {why}");
        }
        // 5.01 - 5 is 0.00999999999999979.
        assert!(Hypotheses { elo0: 5.0, elo1: 5.01, ..base }.bounds().is_ok());
    }

    #[test]
    fn equal_pairs_decide_nothing() {
        let mut test = Sprt::new(Hypotheses::default(), true).expect("the hypotheses are good");
        assert_eq!((test.ratio(), test.estimate(EmptyCells::Fishtest, 0.95)), (None, None));
        for pairs in [1, 100, 1_000_000] {
            assert_eq!(test.update(Pentanomial([0, 0, 0, 0, pairs])), Decision::Continue);
            assert_eq!((test.ratio(), test.estimate(EmptyCells::Fishtest, 0.95)), (None, None));
        }
        assert_eq!(test.update(Pentanomial([0, 0, 1, 0, 1_000])), Decision::Better);
        assert!(test.ratio().expect("pairs differ") > test.bounds().upper);
    }

    #[test]
    fn empty_cells_change_estimates() {
        let mut test = Sprt::new(Hypotheses::default(), true).expect("the hypotheses are good");
        let elo = |test: &Sprt| {
            [EmptyCells::Fishtest, EmptyCells::Fastchess].map(|empty| test.elo(empty, 0.95).expect("pairs differ"))
        };
        test.update(Pentanomial([1, 2, 3, 4, 5]));
        let [fishtest, fastchess] = elo(&test);
        assert_eq!(fishtest, fastchess);
        test.update(Pentanomial([0, 0, 0, 1, 9]));
        let [fishtest, fastchess] = elo(&test);
        assert!(fishtest.value < fastchess.value - 0.01, "{fishtest:?} {fastchess:?}");
        // Nothing but wins: without anything in place of the other cells nothing says how much wins vary.
        let wins = |empty| {
            let counts = Pentanomial([0, 0, 0, 0, 9]);
            estimate_after_stop(counts, &Hypotheses::default(), empty, StoppedBy::LinearRatio, 0.95)
        };
        assert!(wins(EmptyCells::Fishtest).is_some() && wins(EmptyCells::Fastchess).is_none());
    }

    #[test]
    fn the_bounds_are_those_of_wald() {
        let bounds = Hypotheses::default().bounds().expect("they are good");
        assert!((bounds.upper - 2.944_438_979_166_44).abs() < 1e-14);
        assert!((bounds.lower + 2.944_438_979_166_44).abs() < 1e-14);
    }
}

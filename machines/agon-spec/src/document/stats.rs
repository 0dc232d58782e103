//! The documents of `agon stats`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A value with an interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StatsEstimate {
    /// The most plausible value.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// The result of `agon stats llr`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StatsLlrDocument {
    /// How often each number of points was reached, fewest first: 3 cells for games, 5 for pairs of games.
    pub counts: Vec<u64>,
    /// The unit of `elo0` and `elo1`: `elo` or `nelo`.
    pub model: String,
    /// The first hypothesis.
    pub elo0: f64,
    /// The second hypothesis.
    pub elo1: f64,
    /// The probability of `better` at `elo0`.
    pub alpha: f64,
    /// The probability of `not_better` at `elo1`.
    pub beta: f64,
    /// The log-likelihood ratio of `elo1` against `elo0`. `null` if no distribution near the counts obeys both. If `varies` is
    /// false, it consists of what stands for the empty counts: it is there to compare it with that of other programs, no test
    /// has it, and it decides nothing.
    pub llr: Option<f64>,
    /// The lower and the upper bound of the ratio, without a correction for its jumps.
    pub bounds: [f64; 2],
    /// `better` at or above the upper bound, `not_better` at or below the lower one, else `continue`.
    pub decision: String,
    /// Whether results differ at all. Otherwise the ratio says nothing, and a test goes on.
    pub varies: bool,
}

/// The result of `agon stats elo`: what a number of games says that was chosen beforehand.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StatsEloDocument {
    /// How often each number of points was reached, fewest first.
    pub counts: Vec<u64>,
    /// The number of games. Empty cells that were replaced count.
    pub games: f64,
    /// The mean points of a game, from 0 to 1.
    pub score: f64,
    /// The variance of a game's points.
    pub variance: f64,
    /// Logistic Elo. `null` if all results are equal.
    pub elo: Option<StatsEstimate>,
    /// Normalized Elo. `null` if all results are equal.
    pub nelo: Option<StatsEstimate>,
    /// The likelihood of superiority, from 0 to 1. `null` if all results are equal.
    pub superiority: Option<f64>,
    /// The skewness of a sample. `null` if all results are equal.
    pub skewness: Option<f64>,
    /// The excess kurtosis of a sample. `null` if all results are equal.
    pub excess_kurtosis: Option<f64>,
    /// The confidence of the intervals.
    pub confidence: f64,
}

/// The result of `agon stats estimate`: what a sequential test says that has stopped.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StatsEstimateDocument {
    /// How often each number of points was reached, fewest first.
    pub counts: Vec<u64>,
    /// The unit of `elo0` and `elo1`: `elo` or `nelo`.
    pub model: String,
    /// The first hypothesis of the test.
    pub elo0: f64,
    /// The second hypothesis of the test.
    pub elo1: f64,
    /// Logistic Elo, median unbiased.
    pub elo: StatsEstimate,
    /// The probability of a worse outcome if both bots were equally strong.
    pub superiority: f64,
    /// The log-likelihood ratio in its Brownian approximation, at most at a bound.
    pub llr: f64,
    /// The number of samples at which the approximation was there.
    pub samples: f64,
    /// Whether the ratio was more than 3 % past a bound, so that the estimate is not to be trusted.
    pub clamped: bool,
    /// The confidence of the interval.
    pub confidence: f64,
}

/// The result of `agon stats sequence`: an interval that is valid whenever one looks.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StatsSequenceDocument {
    /// The number of values.
    pub values: u64,
    /// The mean, from 0 to 1. `null` without a value.
    pub mean: Option<f64>,
    /// The lower end of the interval for the mean.
    pub low: f64,
    /// The upper end of the interval for the mean.
    pub high: f64,
    /// The same as logistic Elo, for values that are shares of points. `null` without a value.
    pub elo: Option<StatsEstimate>,
    /// The natural logarithm of the evidence (e-value) against a mean of at most 1/2.
    pub log_evidence_above_half: f64,
    /// The probability that the interval ever misses the mean.
    pub alpha: f64,
}

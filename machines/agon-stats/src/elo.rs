//! Elo and normalized Elo of a number of games that was chosen beforehand.

use crate::{
    counts::{Cells, Counts, EmptyCells},
    normal::{normal_cdf, normal_quantile},
};
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_10;

/// What one unit of `(score - 1/2) / deviation` of a game is in normalized Elo: 800 / ln 10.
pub const NELO_PER_T: f64 = 800.0 / LN_10;

/// The scores from which Elo is made are kept between this and 1 minus this.
const LEAST_SCORE: f64 = 1e-3;

/// The largest Elo that is ever shown: that of a score of 0.999, about 1,199.83. An end of an interval that has this value
/// is open.
pub const ELO_LIMIT: f64 = 1_199.826_195_290_377_7;

/// The unit of the bounds of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum EloModel {
    /// Logistic Elo: a score of `1 / (1 + 10^(-elo/400))` points a game.
    #[serde(rename = "elo")]
    Logistic,
    /// Normalized Elo: the distance of the score from 1/2 in deviations of a single game, times 800 / ln 10. The same
    /// number of games finds a difference of one normalized Elo in drawish and in decisive games.
    #[default]
    #[serde(rename = "nelo")]
    Normalized,
}

/// A value with an interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Estimate {
    /// The most plausible value.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// What counts say, if the number of games was chosen before the first was played.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// The number of games. Replaced cells count.
    pub games: f64,
    /// The mean points of a game, from 0 to 1.
    pub score: f64,
    /// The variance of a game's points. For pairs it is twice the variance of a pair's mean, so that what the games of a
    /// pair have in common is in it.
    pub variance: f64,
    /// Logistic Elo with the interval of the score, both ends turned into Elo. Scores are kept within 0.001 and 0.999.
    pub elo: Option<Estimate>,
    /// Normalized Elo. Its interval takes the uncertainty of the deviation into account.
    pub nelo: Option<Estimate>,
    /// The probability that the score is above 1/2, by the normal distribution: the likelihood of superiority.
    pub superiority: Option<f64>,
    /// The skewness of a sample.
    pub skewness: Option<f64>,
    /// The excess kurtosis of a sample.
    pub excess_kurtosis: Option<f64>,
}

/// Returns the points of a game to be expected at a difference in logistic Elo.
#[must_use]
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-elo * (LN_10 / 400.0)))
}

/// Returns the difference in logistic Elo at which this score is to be expected. The score is kept within 0.001 and 0.999,
/// so the result is within ±[`ELO_LIMIT`].
#[must_use]
pub fn elo_of_score(score: f64) -> f64 {
    let score = score.clamp(LEAST_SCORE, 1.0 - LEAST_SCORE);
    ((400.0 / LN_10) * 2.0 * libm::atanh(2.0 * score - 1.0)).clamp(-ELO_LIMIT, ELO_LIMIT)
}

impl Summary {
    /// Sums up counts. `confidence` is that of the intervals, for example 0.95. Returns `None` if it is not between 0 and 1,
    /// or if there is nothing to sum up: no samples, with empty cells left empty.
    #[must_use]
    pub fn of(counts: impl Into<Counts>, empty: EmptyCells, confidence: f64) -> Option<Self> {
        let cells = counts.into().estimated(empty)?;
        let quantile = normal_quantile(f64::midpoint(1.0, confidence)).filter(|_| confidence > 0.0)?;
        Some(Self::of_cells(&cells, quantile))
    }

    fn of_cells(cells: &Cells, quantile: f64) -> Self {
        let moments = cells.moments();
        let per_sample = cells.games_per_sample();
        let games = cells.samples() * per_sample;
        let variance = moments.variance * per_sample;
        let score = moments.mean;
        let summary = Self {
            games,
            score,
            variance,
            elo: None,
            nelo: None,
            superiority: None,
            skewness: None,
            excess_kurtosis: None,
        };
        if variance <= 0.0 {
            return summary;
        }
        let error = (variance / games).sqrt();
        let skewness = cells.central(3, score) / moments.variance.powf(1.5);
        let excess_kurtosis = cells.central(4, score) / moments.variance.powi(2) - 3.0;
        let elo = Estimate {
            value: elo_of_score(score),
            low: elo_of_score(score - quantile * error),
            high: elo_of_score(score + quantile * error),
        };
        // The deviation is estimated from the same samples. The delta method gives the factor: M. Van den Bergh,
        // "Normalized Elo" (2020).
        let t = (score - 0.5) / moments.variance.sqrt();
        let factor = (1.0 - t * skewness + t * t * (excess_kurtosis + 2.0) / 4.0).max(0.0).sqrt();
        let value = (score - 0.5) / variance.sqrt() * NELO_PER_T;
        let half = quantile * NELO_PER_T / games.sqrt() * factor;
        Self {
            elo: Some(elo),
            nelo: Some(Estimate { value, low: value - half, high: value + half }),
            superiority: Some(normal_cdf((score - 0.5) / error)),
            skewness: Some(skewness),
            excess_kurtosis: Some(excess_kurtosis),
            ..summary
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pentanomial, Trinomial};

    #[test]
    fn elo_and_score_undo_each_other() {
        for elo in [-1_000.0, -400.0, -1.0, 0.0, 1e-9, 3.0, 700.0] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9, "{elo}");
        }
        assert!((score_of_elo(400.0) - 10.0 / 11.0).abs() < 1e-15);
        assert!((elo_of_score(1.0) - ELO_LIMIT).abs() < 1e-9 && (elo_of_score(0.0) + ELO_LIMIT).abs() < 1e-9);
    }

    #[test]
    fn an_estimate_that_cannot_be_made_is_absent() {
        let none = Summary::of(Trinomial([0, 0, 0]), EmptyCells::Fastchess, 0.95);
        assert_eq!(none, None);
        let whitewash = Summary::of(Pentanomial([0, 0, 0, 0, 9]), EmptyCells::Fastchess, 0.95).expect("it has games");
        assert_eq!((whitewash.score, whitewash.games, whitewash.elo, whitewash.nelo), (1.0, 18.0, None, None));
        for confidence in [0.0, 1.0, -1.0, 2.0, f64::NAN] {
            assert_eq!(Summary::of(Trinomial([1, 2, 3]), EmptyCells::Fishtest, confidence), None, "{confidence}");
        }
    }
}

//! What a test asks, and when it stops.

use agon_core::{Derivation, Seed};
use agon_stats::{EloModel, EmptyCells, Hypotheses};
use serde::{Deserialize, Serialize};

/// What a test asks, and when it stops.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ComparisonTerms {
    /// The number of bots in a match, at least 2.
    pub seats: usize,
    /// The seed of the first block. The seeds of all others follow from it.
    pub seed: Seed,
    /// How they follow.
    #[serde(default)]
    pub seeds: Derivation,
    /// The test stops before a block with which there would be more matches.
    pub max_matches: u64,
    /// What a block is worth.
    pub measure: Measure,
    /// The strength at which the new version is not better, and the one at which it is: in Elo of the model for
    /// [`Measure::Pairs`], else in the unit of the measure.
    pub bounds: [f64; 2],
    /// The greatest probability of `better` for a new version with the first strength, between 0 and 0.5.
    pub alpha: f64,
    /// The greatest probability of `not better` for a new version with the second strength, between 0 and 0.5.
    pub beta: f64,
    /// The test stops when both versions are equivalent: when the interval that holds at any time is within this distance
    /// of 0, in logistic Elo for [`Measure::Pairs`], else in the unit of the measure. `None` if it does not look.
    pub equivalent: Option<f64>,
    /// How points that no pair has had are treated in the estimate of [`Measure::Pairs`]. Other measures do not use it.
    #[serde(default)]
    pub empty: EmptyCells,
}

/// What a block is worth.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Measure {
    /// The points of the new version in a pair of matches between two bots.
    Pairs {
        /// The unit of the bounds.
        model: EloModel,
    },
    /// The share of its opponents that the new version has beaten, minus that of the old one, from -1 to 1.
    Share,
    /// The score of the new version minus that of the old one, in the game's own unit.
    Margin {
        /// A difference beyond this counts as this. Larger than 0.
        most: f64,
    },
}

/// Why a test cannot be made.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum TermsFlaw {
    /// The first bound is above the second one, both are equal for pairs, or one is no number.
    #[error("the lower bound must be below the upper one")]
    Bounds,
    /// A bound is beyond what a block can be worth.
    #[error("bounds must be from {least} to {most}")]
    BoundsOutside {
        /// The least that a block can be worth.
        least: f64,
        /// The most that a block can be worth.
        most: f64,
    },
    /// The bounds of pairs are so close that rounding would decide between them.
    #[error("the bounds must be at least 0.01 apart")]
    BoundsTooClose,
    /// An error probability is not usable.
    #[error("{0} must be above 0 and below 0.5")]
    Error(&'static str),
    /// The margin of equivalence is not above 0.
    #[error("the margin of equivalence must be above 0")]
    Equivalent,
    /// The greatest difference in scores is not above 0.
    #[error("the greatest margin must be above 0")]
    Margin,
    /// Not even one block may be played.
    #[error("this must be at least {0}, because a block has {0} matches")]
    TooFewMatches(usize),
    /// Pairs need two bots, and every test at least two.
    #[error("a test needs at least two bots, and pairs exactly two")]
    Seats,
}

/// The bounds of Elo: beyond it the expected score is 0 or 1 for all that can be observed.
const MOST_ELO: f64 = 1000.0;

impl ComparisonTerms {
    /// Checks that a test with these terms can be made.
    ///
    /// # Errors
    /// If one of the terms makes no sense.
    pub fn check(&self) -> Result<(), TermsFlaw> {
        let [low, high] = self.bounds;
        let pairs = matches!(self.measure, Measure::Pairs { .. });
        if self.seats < 2 || (pairs && self.seats != 2) {
            return Err(TermsFlaw::Seats);
        }
        if let Measure::Margin { most } = self.measure
            && !(most > 0.0 && most.is_finite())
        {
            return Err(TermsFlaw::Margin);
        }
        // Without a distance between them, a likelihood ratio says nothing.
        if !(low < high || (low == high && !pairs)) {
            return Err(TermsFlaw::Bounds);
        }
        let most = self.most();
        if low < -most || high > most {
            return Err(TermsFlaw::BoundsOutside { least: -most, most });
        }
        for (name, error) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(error > 0.0 && error < 0.5) {
                return Err(TermsFlaw::Error(name));
            }
        }
        // All else that these hypotheses may be refused for has been checked.
        if let Measure::Pairs { model } = self.measure
            && (Hypotheses { model, elo0: low, elo1: high, alpha: self.alpha, beta: self.beta }).bounds().is_err()
        {
            return Err(TermsFlaw::BoundsTooClose);
        }
        if self.equivalent.is_some_and(|margin| !(margin > 0.0 && margin.is_finite())) {
            return Err(TermsFlaw::Equivalent);
        }
        if self.max_matches < self.seats as u64 {
            return Err(TermsFlaw::TooFewMatches(self.seats));
        }
        Ok(())
    }

    /// Returns the most that a bound can be.
    #[must_use]
    pub fn most(&self) -> f64 {
        match self.measure {
            Measure::Pairs { .. } => MOST_ELO,
            Measure::Share => 1.0,
            Measure::Margin { most } => most,
        }
    }

    /// Returns the number of blocks after which the test stops without an answer.
    #[must_use]
    pub fn most_blocks(&self) -> u32 {
        u32::try_from(self.max_matches / self.seats.max(1) as u64).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs() -> ComparisonTerms {
        ComparisonTerms {
            seats: 2,
            seed: Seed(1),
            seeds: Derivation::Keyed,
            max_matches: 20_000,
            measure: Measure::Pairs { model: EloModel::Normalized },
            bounds: [0.0, 10.0],
            alpha: 0.05,
            beta: 0.05,
            equivalent: None,
            empty: EmptyCells::default(),
        }
    }

    #[test]
    fn terms_that_make_no_sense_are_refused() {
        assert_eq!(pairs().check(), Ok(()));
        let share = ComparisonTerms { measure: Measure::Share, bounds: [0.0, 0.0], seats: 3, ..pairs() };
        assert_eq!(share.check(), Ok(()));
        let margin = |most| ComparisonTerms { measure: Measure::Margin { most }, bounds: [0.0, 0.0], ..pairs() };
        assert_eq!(margin(50.0).check(), Ok(()));
        for (terms, flaw) in [
            (ComparisonTerms { seats: 3, ..pairs() }, TermsFlaw::Seats),
            (ComparisonTerms { seats: 1, ..share.clone() }, TermsFlaw::Seats),
            (ComparisonTerms { bounds: [5.0, 5.0], ..pairs() }, TermsFlaw::Bounds),
            (ComparisonTerms { bounds: [5.0, 0.0], ..pairs() }, TermsFlaw::Bounds),
            (ComparisonTerms { bounds: [f64::NAN, 0.0], ..pairs() }, TermsFlaw::Bounds),
            (ComparisonTerms { bounds: [0.0, 0.001], ..pairs() }, TermsFlaw::BoundsTooClose),
            (ComparisonTerms { bounds: [0.0, 2000.0], ..pairs() }, TermsFlaw::BoundsOutside { least: -1e3, most: 1e3 }),
            (ComparisonTerms { bounds: [0.0, 2.0], ..share }, TermsFlaw::BoundsOutside { least: -1.0, most: 1.0 }),
            (ComparisonTerms { alpha: 0.0, ..pairs() }, TermsFlaw::Error("alpha")),
            (ComparisonTerms { beta: 0.5, ..pairs() }, TermsFlaw::Error("beta")),
            (ComparisonTerms { equivalent: Some(0.0), ..pairs() }, TermsFlaw::Equivalent),
            (ComparisonTerms { max_matches: 1, ..pairs() }, TermsFlaw::TooFewMatches(2)),
            (margin(0.0), TermsFlaw::Margin),
            (margin(f64::INFINITY), TermsFlaw::Margin),
        ] {
            assert_eq!(terms.check(), Err(flaw), "{terms:?}");
        }
    }
}

//! How often each number of points was reached.

use serde::{Deserialize, Serialize};

/// How many pairs of games ended with 0, 1/2, 1, 3/2 and 2 points for the bot that is tested. The games of a pair are
/// played on one map with the seats exchanged, so they depend on each other and only pairs may be counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Pentanomial(pub [u64; 5]);

/// How many single games were lost, drawn and won.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Trinomial(pub [u64; 3]);

/// Results of pairs or of single games. Both are called *samples* here: what is drawn independently.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counts {
    /// Pairs of games.
    Pentanomial(Pentanomial),
    /// Single games.
    Trinomial(Trinomial),
}

impl From<Pentanomial> for Counts {
    fn from(counts: Pentanomial) -> Self {
        Self::Pentanomial(counts)
    }
}

impl From<Trinomial> for Counts {
    fn from(counts: Trinomial) -> Self {
        Self::Trinomial(counts)
    }
}

/// How cells without a sample are treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmptyCells {
    /// As fishtest does: an empty cell counts as 0.001 samples everywhere.
    #[default]
    Fishtest,
    /// As fastchess does: an empty cell counts as 0.001 samples in the likelihood ratio, and stays empty in every estimate
    /// of Elo. Where nothing but wins or losses was seen, such an estimate does not exist.
    Fastchess,
}

impl EmptyCells {
    /// Returns the name, as it is serialized.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fishtest => "fishtest",
            Self::Fastchess => "fastchess",
        }
    }

    /// Returns whether cells are treated as usual.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What an empty cell counts as.
const REPLACEMENT: f64 = 1e-3;

impl Pentanomial {
    /// Counts a pair. `half_points` is the sum of both games, where a draw is 1 and a win is 2; more than 4 count as 4.
    pub fn add(&mut self, half_points: u8) {
        self.0[usize::from(half_points.min(4))] += 1;
    }

    /// Returns the number of pairs.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }
}

impl Counts {
    /// Returns the counts in ascending order of points.
    #[must_use]
    pub fn as_slice(&self) -> &[u64] {
        match self {
            Self::Pentanomial(counts) => &counts.0,
            Self::Trinomial(counts) => &counts.0,
        }
    }

    /// Returns the number of samples.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.as_slice().iter().sum()
    }

    /// Returns the number of games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.samples() * if matches!(self, Self::Pentanomial(_)) { 2 } else { 1 }
    }

    /// Returns whether samples differ. Without that nothing says how much results vary.
    #[must_use]
    pub fn vary(&self) -> bool {
        self.as_slice().iter().filter(|count| **count > 0).count() > 1
    }

    /// Returns the cells of a likelihood ratio.
    pub(crate) fn replaced(&self) -> Cells {
        self.cells(REPLACEMENT)
    }

    /// Returns the cells of an estimate. `None` without samples, if empty cells stay empty.
    pub(crate) fn estimated(&self, empty: EmptyCells) -> Option<Cells> {
        match empty {
            EmptyCells::Fishtest => Some(self.replaced()),
            EmptyCells::Fastchess => (self.samples() > 0).then(|| self.cells(0.0)),
        }
    }

    fn cells(&self, replacement: f64) -> Cells {
        let mut weights = [0.0; 5];
        for (weight, count) in weights.iter_mut().zip(self.as_slice()) {
            *weight = if *count == 0 { replacement } else { *count as f64 };
        }
        Cells { weights, count: self.as_slice().len() }
    }
}

/// Weights of cells. The value of a cell is the mean number of points in a game, from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells {
    weights: [f64; 5],
    count: usize,
}

/// The moments of cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments {
    pub(crate) mean: f64,
    /// The variance of a sample's mean points.
    pub(crate) variance: f64,
}

impl Cells {
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights[..self.count]
    }

    /// Returns the points of a game in a cell.
    pub(crate) fn value(&self, cell: usize) -> f64 {
        cell as f64 / (self.count - 1) as f64
    }

    pub(crate) fn samples(&self) -> f64 {
        self.weights().iter().sum()
    }

    pub(crate) fn games_per_sample(&self) -> f64 {
        (self.count - 1) as f64 / 2.0
    }

    /// Returns the moments with other weights, which need not sum to 1.
    pub(crate) fn moments_of(&self, weights: &[f64]) -> Moments {
        let sum: f64 = weights.iter().sum();
        let mean = weights.iter().enumerate().map(|(i, weight)| weight * self.value(i)).sum::<f64>() / sum;
        let square = |(i, weight): (usize, &f64)| weight * (self.value(i) - mean).powi(2);
        Moments { mean, variance: weights.iter().enumerate().map(square).sum::<f64>() / sum }
    }

    pub(crate) fn moments(&self) -> Moments {
        self.moments_of(self.weights())
    }

    /// Returns the central moment of this order.
    pub(crate) fn central(&self, order: i32, mean: f64) -> f64 {
        let power = |(i, weight): (usize, &f64)| weight * (self.value(i) - mean).powi(order);
        self.weights().iter().enumerate().map(power).sum::<f64>() / self.samples()
    }
}

//! The generalized likelihood ratio of two hypotheses about a score.
//!
//! Each hypothesis fixes one number of a distribution over cells: its mean (logistic Elo) or its distance from 1/2 in
//! deviations (normalized Elo). The likelihood of a hypothesis is that of the most likely distribution among those that
//! obey it. Following A. B. Owen's empirical likelihood, that distribution is `p_i / (1 + θ·g_i)`, where `p_i` are the
//! observed shares, `g_i` says how far cell `i` is from the hypothesis, and `θ` makes the `g_i` vanish on average. The
//! formulas for both hypotheses are those of M. Van den Bergh, "Comments on normalized Elo" (section 4.1).

use crate::{
    counts::{Cells, Counts},
    elo::{EloModel, NELO_PER_T, score_of_elo},
    root,
};

/// The rounds after which the search for a distribution with a given normalized Elo is damped, and given up.
const ROUNDS: [usize; 2] = [400, 4_000];

/// Returns the logarithm of the generalized likelihood ratio of `elo1` against `elo0`, in the unit of the model. Empty
/// cells count as 0.001 samples, as in fishtest and fastchess. Positive values speak for `elo1`.
///
/// Returns `None` where there is no such number: if one of the two Elo is not finite or so large that the score to be
/// expected is 0 or 1 in double precision, or if no distribution near the samples has this normalized Elo.
#[must_use]
pub fn log_likelihood_ratio(counts: impl Into<Counts>, model: EloModel, elo0: f64, elo1: f64) -> Option<f64> {
    ratio_of_cells(&counts.into().replaced(), model, elo0, elo1)
}

pub(crate) fn ratio_of_cells(cells: &Cells, model: EloModel, elo0: f64, elo1: f64) -> Option<f64> {
    let [zero, one] = match model {
        EloModel::Logistic => [elo0, elo1].map(|elo| with_mean(cells, score_of_elo(elo))),
        EloModel::Normalized => {
            let per_sample = cells.games_per_sample().sqrt();
            [elo0, elo1].map(|elo| with_distance(cells, elo / NELO_PER_T * per_sample))
        }
    };
    let (zero, one) = (zero?, one?);
    // Each likelihood is a sum of -ln(1 + θ·g), so the difference never passes through probabilities.
    let terms = cells.weights().iter().zip(zero.logs.iter().zip(&one.logs));
    let ratio = terms.map(|(weight, (zero, one))| weight * (zero - one)).sum::<f64>();
    ratio.is_finite().then_some(ratio)
}

/// The most likely distribution under a hypothesis: what the observed share of each cell is divided by.
struct Tilt {
    divisors: [f64; 5],
    logs: [f64; 5],
}

/// Returns the most likely distribution with this mean.
fn with_mean(cells: &Cells, mean: f64) -> Option<Tilt> {
    if !(mean > 0.0 && mean < 1.0) {
        return None;
    }
    let mut distances = [0.0; 5];
    for (cell, distance) in distances.iter_mut().enumerate().take(cells.weights().len()) {
        *distance = cells.value(cell) - mean;
    }
    tilt(cells, distances)
}

/// Returns the most likely distribution in which these distances vanish on average. `None` unless they have both signs.
fn tilt(cells: &Cells, distances: [f64; 5]) -> Option<Tilt> {
    let weights = cells.weights();
    let used = &distances[..weights.len()];
    let least = used.iter().copied().fold(f64::INFINITY, f64::min);
    let most = used.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !(least < 0.0 && most > 0.0) {
        return None;
    }
    let samples = cells.samples();
    let average: f64 = weights.iter().zip(used).map(|(weight, distance)| weight * distance).sum();
    // θ lies between 0 and the pole of the cell that is furthest away on the other side. If cells there have hardly any
    // samples, it lies so close to the pole that 1 + θ·g would lose its digits; its distance from the pole has them.
    let extreme = if average > 0.0 { least } else { most };
    let divisor = |distance: f64, rest: f64| (extreme - distance) / extreme + rest * (distance / extreme);
    let rest = root::decreasing(0.0, 1.0, 0.5, |rest| {
        weights.iter().zip(used).fold((0.0, 0.0), |(value, slope), (weight, distance)| {
            let part = distance / extreme / divisor(*distance, rest);
            (value + weight / samples * part, slope - weight / samples * part * part)
        })
    });
    if rest < 0.5 {
        let divisors = distances.map(|distance| divisor(distance, rest));
        return Some(Tilt { divisors, logs: divisors.map(libm::log) });
    }
    // Far from the pole it is θ itself that has the digits.
    let start = -(1.0 - rest) / extreme;
    let theta = root::decreasing(-1.0 / most, -1.0 / least, start, |theta| {
        weights.iter().zip(used).fold((0.0, 0.0), |(value, slope), (weight, distance)| {
            let part = distance / (1.0 + theta * distance);
            (value + weight / samples * part, slope - weight / samples * part * part)
        })
    });
    Some(Tilt {
        divisors: distances.map(|distance| 1.0 + theta * distance),
        logs: distances.map(|distance| libm::log1p(theta * distance)),
    })
}

/// Returns the most likely distribution whose mean is `t` of its deviations above 1/2.
fn with_distance(cells: &Cells, t: f64) -> Option<Tilt> {
    if !t.is_finite() {
        return None;
    }
    let weights = cells.weights();
    // The conditions contain the mean and the deviation of the distribution that is looked for. Start from equal cells.
    let equal = cells.moments_of(&[1.0; 5][..weights.len()]);
    let (mut mean, mut deviation) = (equal.mean, equal.variance.sqrt());
    for round in 0..ROUNDS[1] {
        let mut distances = [0.0; 5];
        for (cell, distance) in distances.iter_mut().enumerate().take(weights.len()) {
            let value = cells.value(cell);
            *distance = value - 0.5 - t * deviation * (1.0 + ((mean - value) / deviation).powi(2)) / 2.0;
        }
        let tilted = tilt(cells, distances)?;
        let mut shares = [0.0; 5];
        for ((share, weight), divisor) in shares.iter_mut().zip(weights).zip(tilted.divisors) {
            *share = weight / divisor;
        }
        let moments = cells.moments_of(&shares[..weights.len()]);
        let next = moments.variance.sqrt();
        if next.is_nan() || next <= 0.0 {
            return None;
        }
        let moved = (moments.mean - mean).abs().max((next - deviation).abs() / next);
        if moved <= 4e-16 {
            return Some(tilted);
        }
        // Where full steps go to and fro between two distributions, half steps settle.
        let step = if round < ROUNDS[0] { 1.0 } else { 0.5 };
        mean += step * (moments.mean - mean);
        deviation += step * (next - deviation);
        // The last digits may never come to rest.
        if moved <= 1e-13 && round > 60 {
            return Some(tilted);
        }
    }
    None
}

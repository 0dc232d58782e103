//! Brownian motion with drift between two absorbing bounds: how probable an outcome is that is worse than the one seen.

use crate::normal::{weighted_cdf, weighted_interval};
use std::f64::consts::PI;

/// A motion that begins at 0 and ends at `lower < 0` or `upper > 0`.
pub(crate) struct Brownian {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    /// The expected change in one unit of time.
    pub(crate) drift: f64,
    /// The variance of the change in one unit of time, larger than 0.
    pub(crate) variance: f64,
}

/// From this variance on, in units of the squared distance of the bounds, the series of waves needs few terms; below it
/// the series of reflections does. Both are exact, and equal.
const WAVES_FROM: f64 = 0.3;

impl Brownian {
    /// Returns the probability of an outcome below the point (`time`, `place`): absorbed at the lower bound by then, or
    /// still moving then and below the place. With the place at a bound, the point is an absorption there at this time.
    /// So outcomes are ordered from a fast failure to a fast success.
    pub(crate) fn probability_below(&self, time: f64, place: f64) -> f64 {
        if time.is_nan() || time <= 0.0 {
            return if place > 0.0 { 1.0 } else { 0.0 };
        }
        let width = self.upper - self.lower;
        let spread = self.variance * time;
        let probability = if spread >= WAVES_FROM * width * width {
            self.by_waves(time, place)
        } else {
            self.by_reflections(time, place)
        };
        probability.clamp(0.0, 1.0)
    }

    /// The expansion in eigenfunctions of the interval: the probability to end at the lower bound at all, corrected by what
    /// is still undecided at `time`.
    fn by_waves(&self, time: f64, place: f64) -> f64 {
        let (start, end) = (-self.lower, place - self.lower);
        let width = self.upper - self.lower;
        let gamma = self.drift / self.variance;
        let decay = |n: f64| 0.5 * time * self.variance * ((n * PI / width).powi(2) + gamma * gamma);
        let mut sum = 0.0;
        for n in (1..).map(f64::from) {
            let wave = n * PI / width;
            let log_size = gamma * (end - start) - decay(n);
            let primitive = 2.0 / width * (gamma * libm::sin(wave * end) - wave * libm::cos(wave * end))
                / (gamma * gamma + wave * wave);
            sum += libm::exp(log_size) * primitive * libm::sin(wave * start);
            // Each later term is smaller by a factor of at least exp(-1.5·n).
            if libm::exp(log_size) / wave < 1e-18 {
                break;
            }
        }
        self.ends_below() + sum
    }

    /// Returns the probability to end at the lower bound, whenever.
    fn ends_below(&self) -> f64 {
        let gamma = self.drift / self.variance;
        let (start, width) = (-self.lower, self.upper - self.lower);
        if (gamma * width).abs() < 1e-12 {
            return (width - start) / width;
        }
        if gamma > 0.0 {
            // Numerator and denominator divided by what overflows.
            let left = libm::exp(-2.0 * gamma * start);
            return left * libm::expm1(-2.0 * gamma * (width - start)) / libm::expm1(-2.0 * gamma * width);
        }
        libm::expm1(2.0 * gamma * (width - start)) / libm::expm1(2.0 * gamma * width)
    }

    /// The sum over reflections of the start at both bounds.
    fn by_reflections(&self, time: f64, place: f64) -> f64 {
        let width = self.upper - self.lower;
        let gamma = self.drift / self.variance;
        let spread = (self.variance * time).sqrt();
        let shift = self.drift * time;
        let mut sum = 0.0;
        for k in 0..10_000_i32 {
            let mut added = 0.0_f64;
            for k in [k, -k].into_iter().take(if k == 0 { 1 } else { 2 }) {
                let far = 2.0 * f64::from(k) * width;
                // Absorbed at the lower bound by the time: its distance from this image of the start.
                let distance = far - self.lower;
                let hit = self.hits(gamma, spread, distance.abs());
                // Still moving: images of one sign, and of the other.
                let inside = |image: f64| {
                    let scale = |x: f64| (x - image - shift) / spread;
                    weighted_interval(gamma * image, scale(self.lower), scale(place))
                };
                let (one, other) = (inside(far), inside(2.0 * self.upper + far));
                sum += hit * distance.signum() + one - other;
                added = added.max(hit).max(one).max(other);
            }
            if k > 0 && added < 1e-18 {
                break;
            }
        }
        sum
    }

    /// Returns `exp(gamma·lower)` times the probability that a motion without the other bound has come `distance` far,
    /// with its drift's sign taken out.
    fn hits(&self, gamma: f64, spread: f64, distance: f64) -> f64 {
        let base = gamma * self.lower;
        let pull = gamma.abs();
        weighted_cdf(base - pull * distance, pull * spread - distance / spread)
            + weighted_cdf(base + pull * distance, -pull * spread - distance / spread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motion(drift: f64, variance: f64) -> Brownian {
        Brownian { lower: -2.9, upper: 2.2, drift, variance }
    }

    #[test]
    fn both_series_agree() {
        for drift in [-40.0_f64, -3.0, -0.1, 0.0, 1e-9, 0.7, 5.0, 60.0] {
            // Where little spread meets a strong drift, waves have large terms of both signs. They are not used there.
            let times: &[f64] = if drift.abs() > 1.0 { &[3.0, 9.0, 20.0] } else { &[0.3, 1.0, 3.0, 9.0, 20.0] };
            for time in times.iter().copied() {
                for place in [-2.9, -1.0, 0.0, 1.5, 2.2] {
                    let motion = motion(drift, 1.0);
                    let (waves, reflections) = (motion.by_waves(time, place), motion.by_reflections(time, place));
                    assert!(
                        (waves - reflections).abs() < 1e-12,
                        "drift {drift}, time {time}, place {place}: {waves} {reflections}"
                    );
                }
            }
        }
    }

    #[test]
    fn outcomes_are_in_order_and_probabilities() {
        for drift in [-300.0, -2.0, 0.0, 2.0, 300.0] {
            for time in [0.0, 1e-6, 0.1, 1.0, 10.0, 1e4] {
                let motion = motion(drift, 2.0);
                let mut last = 0.0;
                for step in 0..=20 {
                    let place = motion.lower + (motion.upper - motion.lower) * f64::from(step) / 20.0;
                    let probability = motion.probability_below(time, place);
                    assert!((last - 1e-12..=1.0).contains(&probability), "{drift} {time} {place}: {probability}");
                    last = probability;
                }
            }
        }
    }

    #[test]
    fn the_end_without_a_limit_of_time() {
        // Without drift: in proportion to the distances. With drift: Wald's formula.
        assert!((motion(0.0, 1.0).probability_below(1e6, 0.0) - 2.2 / 5.1).abs() < 1e-15);
        let wald = (1.0 - libm::exp(-2.0 * 0.5 * 2.2)) / (libm::exp(2.0 * 0.5 * 2.9) - libm::exp(-2.0 * 0.5 * 2.2));
        assert!((motion(0.5, 1.0).probability_below(1e6, 0.0) - wald).abs() < 1e-15);
    }
}

//! The normal distribution.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Returns the probability that a standard normal number is at most `x`. Small values keep their relative accuracy.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// Returns the number that a standard normal one is below with probability `p`. `None` unless `p` is between 0 and 1.
pub(crate) fn normal_quantile(p: f64) -> Option<f64> {
    if !(p > 0.0 && p < 1.0) {
        return None;
    }
    // The smaller tail has all its digits, so it is the one to solve for.
    let (tail, sign) = if p < 0.5 { (p, -1.0) } else { (1.0 - p, 1.0) };
    // A start from the inequality tail < exp(-x²/2) / 2 is to the right of the root, and the logarithm of the tail is
    // concave, so every step of Newton's method after the first stays on one side of it.
    let mut x = (-2.0 * libm::log(2.0 * tail)).max(0.0).sqrt();
    for _ in 0..100 {
        let density = libm::exp(-0.5 * x * x) / (2.0 * PI).sqrt();
        let own = normal_cdf(-x);
        let step = libm::log(own / tail) * own / density;
        x += step;
        if step.abs() <= 1e-15 * x.abs() {
            break;
        }
    }
    Some(sign * x)
}

/// Returns `exp(x²)·erfc(x)` for `x >= 0`: a tail of the normal distribution without its exponential part.
fn scaled_erfc(x: f64) -> f64 {
    if x < 20.0 {
        return libm::exp(x * x) * libm::erfc(x);
    }
    // The asymptotic series; the first term left out is below 3e-12 of the sum.
    let y = 1.0 / (2.0 * x * x);
    (1.0 - y * (1.0 - 3.0 * y * (1.0 - 5.0 * y * (1.0 - 7.0 * y)))) / (x * PI.sqrt())
}

/// Returns `exp(log_weight)` times the probability that a standard normal number is at most `x`, also where the weight
/// alone would be too large or the probability too small for a number.
pub(crate) fn weighted_cdf(log_weight: f64, x: f64) -> f64 {
    if x < 0.0 {
        0.5 * scaled_erfc(-x * FRAC_1_SQRT_2) * libm::exp(log_weight - 0.5 * x * x)
    } else {
        libm::exp(log_weight) * normal_cdf(x)
    }
}

/// Returns `exp(log_weight)` times the probability that a standard normal number is from `low` to `high`.
pub(crate) fn weighted_interval(log_weight: f64, low: f64, high: f64) -> f64 {
    if low > 0.0 {
        weighted_cdf(log_weight, -low) - weighted_cdf(log_weight, -high)
    } else {
        weighted_cdf(log_weight, high) - weighted_cdf(log_weight, low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_as_in_tables() {
        for (p, expected) in [
            (0.5, 0.0),
            (0.975, 1.959_963_984_540_054),
            (0.025, -1.959_963_984_540_054),
            (0.84, 0.994_457_883_209_753),
            (1e-10, -6.361_340_902_404_056),
            (1e-300, -37.047_096_299_361_19),
        ] {
            let ours = normal_quantile(p).expect("it is a probability");
            assert!((ours - expected).abs() < 1e-12 * expected.abs().max(1.0), "{p}: {ours}");
        }
        for p in [0.0, 1.0, -0.1, 1.1, f64::NAN] {
            assert_eq!(normal_quantile(p), None, "{p}");
        }
    }

    #[test]
    fn a_quantile_undoes_the_distribution() {
        for i in -60..=60 {
            let x = f64::from(i) / 10.0;
            let again = normal_quantile(normal_cdf(x)).expect("it is a probability");
            // The probabilities near 1 have fewer digits left to say where they are.
            assert!((again - x).abs() < if x > 4.0 { 1e-6 } else { 1e-10 }, "{x}: {again}");
        }
    }

    #[test]
    fn weights_and_tails_that_have_no_numbers_of_their_own() {
        // exp(800) and the tail below -40 are both out of range; 800 - 40²/2 = 0.
        let expected = 0.5 * scaled_erfc(40.0 * FRAC_1_SQRT_2);
        assert!((weighted_cdf(800.0, -40.0) / expected - 1.0).abs() < 1e-14);
        // Both branches of the scaled tail meet.
        let (below, above) = (scaled_erfc(20.0 - 1e-9), scaled_erfc(20.0 + 1e-9));
        assert!((below / above - 1.0).abs() < 1e-9, "{below} {above}");
        assert!((weighted_interval(0.0, 1.0, 2.0) - 0.135_905_121_983_277_9).abs() < 1e-15);
        assert!((weighted_interval(0.0, -2.0, -1.0) - 0.135_905_121_983_277_9).abs() < 1e-15);
    }
}

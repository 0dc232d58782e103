//! Roots of functions that change their sign once.

/// The largest number of steps. Halving alone needs 64 for a double with a bracket of its own size.
const STEPS: usize = 200;

/// Returns the root of a decreasing function between `low` and `high`, where its signs differ. The search begins at `x`.
/// `function` returns the value and the slope. Newton's steps are taken while they stay between
/// the ends of the bracket and shrink it fast enough; otherwise it is halved.
pub(crate) fn decreasing(mut low: f64, mut high: f64, mut x: f64, mut function: impl FnMut(f64) -> (f64, f64)) -> f64 {
    let mut last = f64::INFINITY;
    for _ in 0..STEPS {
        let (value, slope) = function(x);
        if value == 0.0 {
            return x;
        }
        if value > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let newton = x - value / slope;
        let step = (newton - x).abs();
        let inside = newton > low && newton < high;
        let next = if inside && step < 0.5 * last { newton } else { f64::midpoint(low, high) };
        last = if inside { step } else { high - low };
        if next == x || (inside && step <= 1e-16 * x.abs()) {
            return next;
        }
        x = next;
    }
    x
}

/// Returns the root of a function with different signs at `low` and `high`, without its slope, to the last digits. `None`
/// if the signs are equal or a value is not a number. The method is Brent's, in the form of Chandrupatla (1997).
pub(crate) fn bracketed(low: f64, high: f64, mut function: impl FnMut(f64) -> f64) -> Option<f64> {
    let (mut a, mut b) = (low, high);
    let (mut fa, mut fb) = (function(a), function(b));
    if fa == 0.0 {
        return Some(a);
    }
    if fb == 0.0 {
        return Some(b);
    }
    if fa.is_nan() || fb.is_nan() || fa.signum() == fb.signum() {
        return None;
    }
    let mut share = 0.5;
    for _ in 0..STEPS {
        let x = a + share * (b - a);
        let fx = function(x);
        if fx.is_nan() {
            return None;
        }
        // `a` becomes the newest point, `b` stays on the other side, and `c` is the one that is dropped.
        let (c, fc) = if fx.signum() == fa.signum() {
            (a, fa)
        } else {
            let dropped = (b, fb);
            (b, fb) = (a, fa);
            dropped
        };
        (a, fa) = (x, fx);
        let (best, least) = if fa.abs() < fb.abs() { (a, fa) } else { (b, fb) };
        let tolerance = 0.5 * (2e-16 * best.abs() + 1e-300) / (b - a).abs();
        if least == 0.0 || tolerance > 0.5 {
            return Some(best);
        }
        let (xi, phi) = ((a - b) / (c - b), (fa - fb) / (fc - fb));
        let fits = phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi;
        share = if fits {
            fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        } else {
            0.5
        };
        share = share.clamp(tolerance, 1.0 - tolerance);
    }
    Some(if fa.abs() < fb.abs() { a } else { b })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_beside_poles_are_found() {
        // Σ p·d / (1 + x·d) with one weight of nearly nothing: the root is 1e-9 of the bracket away from its end.
        for tiny in [1e-3, 1e-6, 1e-9, 1e-12] {
            let cells = [(-0.5, 1.0 - tiny), (0.5, tiny)];
            let x = decreasing(-2.0, 2.0, 0.0, |x| {
                cells.iter().fold((0.0, 0.0), |(value, slope), (d, p)| {
                    let g = d / (1.0 + x * d);
                    (value + p * g, slope - p * g * g)
                })
            });
            let expected = 2.0 * (2.0 * tiny - 1.0);
            assert!((x - expected).abs() < 1e-14, "{tiny}: {x} instead of {expected}");
        }
    }

    #[test]
    fn roots_are_found_to_the_last_digits() {
        let near = |ours: Option<f64>, expected: f64| (ours.expect("the signs differ") - expected).abs() < 1e-14;
        assert!(near(bracketed(0.0, 2.0, |x| x * x - 2.0), 2.0_f64.sqrt()));
        assert!(near(bracketed(-1e6, 1e6, |x| libm::tanh(x - 0.25)), 0.25));
        assert!(near(bracketed(0.0, 1.0, |x| if x < 0.3 { -1.0 } else { 1.0 }), 0.3));
        assert_eq!(bracketed(1.0, 2.0, |x| x), None);
        assert_eq!(bracketed(-1.0, 2.0, |_| f64::NAN), None);
        assert_eq!(bracketed(0.0, 2.0, |x| x), Some(0.0));
    }
}

//! How unlikely it is that so many of the failures of several groups fall to one part of them.

/// The most values of a hypergeometric count that are summed one by one.
const SUMMED: u64 = 512;
/// The arguments at which the bound is tried.
const TRIED: [f64; 20] =
    [0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0, 1.25, 1.5, 1.8, 2.1, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 10.0];

/// A group of trials, some of which were failures, and a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Share {
    /// The trials of the part.
    pub(crate) part: u64,
    /// The trials of the group, those of the part included. At least as many.
    pub(crate) all: u64,
    /// The failures of the group, at most as many as its trials.
    pub(crate) failures: u64,
}

impl Share {
    /// Returns the logarithm of `E[exp(t x)]`, or more, where `x` counts the failures in the part if each of its subsets is equally
    /// likely to be the part. `t` is positive.
    fn log_moment(self, t: f64) -> f64 {
        let Self { part, all, failures } = self;
        if part == 0 || failures == 0 {
            return 0.0;
        }
        let least = failures.saturating_sub(all - part);
        let most = part.min(failures);
        if most - least > SUMMED {
            // Hoeffding: drawing with replacement scatters more.
            let rate = failures as f64 / all as f64;
            return part as f64 * libm::log1p(rate * libm::expm1(t));
        }
        // Sums of logarithms, because the numbers are too large and too small for others. The weight of `least` is 1.
        let (mut weight, mut weights, mut moment) = (0.0, Sum::new(0.0), Sum::new(t * least as f64));
        for x in least..most {
            let up = (failures - x) as f64 * (part - x) as f64;
            let down = (x + 1) as f64 * ((all - part) + x + 1 - failures) as f64;
            weight += libm::log(up / down);
            weights.add(weight);
            moment.add(weight + t * (x + 1) as f64);
        }
        moment.log() - weights.log()
    }
}

/// A sum of numbers of which the logarithms are known.
struct Sum {
    largest: f64,
    scaled: f64,
}

impl Sum {
    fn new(first: f64) -> Self {
        Self { largest: first, scaled: 1.0 }
    }

    fn add(&mut self, log: f64) {
        if log > self.largest {
            self.scaled = self.scaled * libm::exp(self.largest - log) + 1.0;
            self.largest = log;
        } else {
            self.scaled += libm::exp(log - self.largest);
        }
    }

    fn log(&self) -> f64 {
        self.largest + libm::log(self.scaled)
    }
}

/// Returns the logarithm of a bound on the probability that the parts together have `seen` failures or more, if nothing but chance says
/// which trials are theirs. It is a bound (Chernoff's), not an estimate. The trials of a group do not depend on each other.
/// Those of different groups may, as long as at most `together` of them belong together (Hölder's inequality).
pub(crate) fn log_tail(shares: &[Share], seen: u64, together: u32) -> f64 {
    let together = f64::from(together.max(1));
    let bound = |t: f64| {
        let moments: f64 = shares.iter().map(|share| share.log_moment(t)).sum();
        (moments - t * seen as f64) / together
    };
    TRIED.into_iter().map(bound).fold(0.0, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the exact probabilities of 0, 1, … failures in the part.
    fn exact(share: Share) -> Vec<f64> {
        let choose = |n: u64, k: u64| (0..k).map(|i| (n - i) as f64 / (k - i) as f64).product::<f64>();
        let ways = |x: u64| match share.part.checked_sub(x) {
            Some(rest) if x <= share.failures && rest <= share.all - share.failures => {
                choose(share.failures, x) * choose(share.all - share.failures, rest)
            }
            _ => 0.0,
        };
        (0..=share.part).map(|x| ways(x) / choose(share.all, share.part)).collect()
    }

    #[test]
    fn the_bound_holds_and_is_not_far_away() {
        for (part, all, failures) in [(5, 10, 5), (10, 40, 6), (20, 25, 7), (9, 60, 30), (3, 4, 4)] {
            let share = Share { part, all, failures };
            let chances = exact(share);
            assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            for seen in 0..=part {
                let tail: f64 = chances[seen as usize..].iter().sum();
                let bound = log_tail(&[share], seen, 1).exp();
                assert!(bound >= tail - 1e-9, "{share:?} {seen}: {bound} {tail}");
                let mean = part as f64 * failures as f64 / all as f64;
                if seen as f64 > mean + 1.0 && tail > 0.0 {
                    assert!(bound < 12.0 * tail, "{share:?} {seen}: {bound} {tail}");
                }
            }
        }
    }

    #[test]
    fn two_groups_are_bounded_together() {
        let shares = [Share { part: 6, all: 20, failures: 5 }, Share { part: 8, all: 16, failures: 4 }];
        let (one, other) = (exact(shares[0]), exact(shares[1]));
        for seen in 0_usize..=9 {
            let pairs =
                one.iter().enumerate().flat_map(|(x, p)| other.iter().enumerate().map(move |(y, q)| (x + y, p * q)));
            let tail: f64 = pairs.filter(|(sum, _)| *sum >= seen).map(|(_, chance)| chance).sum();
            let bound = log_tail(&shares, seen as u64, 1);
            assert!(bound.exp() >= tail - 1e-9, "{seen}: {} {tail}", bound.exp());
            assert!(
                (log_tail(&shares, seen as u64, 2) - bound / 2.0).abs() < 1e-12,
                "what may belong together counts half"
            );
        }
    }

    #[test]
    fn large_groups_are_bounded_too() {
        let share = Share { part: 50_000, all: 100_000, failures: 2_000 };
        assert!(log_tail(&[share], 1_000, 1) > -1e-9, "that is the half");
        assert!(log_tail(&[share], 1_300, 1) < -20.0);
        assert_eq!(log_tail(&[Share { part: 0, all: 9, failures: 3 }], 1, 1), -10.0, "nothing can fail there");
    }
}

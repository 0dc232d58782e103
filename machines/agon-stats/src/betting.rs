//! Confidence sequences: intervals for a mean that are valid whenever one looks.
//!
//! A gambler bets on each new value before it comes: that it is above `m`, or below. If the mean is really `m`, the bets are
//! fair, and the probability that the capital ever grows to `1/alpha` times its start is at most `alpha`, whatever rule
//! decides when to look or to stop. The values of `m` against which nobody has become rich are the interval. I. Waudby-Smith
//! and A. Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86 (2024): the hedged capital process of
//! section 4.4 with the predictable plug-in bets of section 3.3. The numbers equal those of confseq 0.0.11.
//!
//! Values must be from 0 to 1. They need not be independent or have one distribution; it is enough that each has the same
//! mean given those before it.

use crate::{
    elo::{Estimate, elo_of_score},
    mean::Interval,
};

/// How bets are placed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BetRules {
    /// The probability that the interval ever misses the mean, between 0 and 1.
    pub alpha: f64,
    /// The largest share of the capital that a bet may lose, above 0 and at most 1.
    pub stake: f64,
    /// Whether the capitals of both sides are added. Otherwise the richer one counts.
    pub added: bool,
}

impl Default for BetRules {
    /// Returns 95 % with stakes of one half, and the richer side.
    fn default() -> Self {
        Self { alpha: 0.05, stake: 0.5, added: false }
    }
}

/// The size of the next bet, from the values so far.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Bets {
    /// 2·ln(1/alpha) of the side.
    log: f64,
    values: u64,
    sum: f64,
    /// The sum of the squared distances of each value from the mean at its time.
    squares: f64,
}

impl Bets {
    pub(crate) fn new(alpha: f64) -> Self {
        Self { log: -2.0 * libm::log(alpha), values: 0, sum: 0.0, squares: 0.0 }
    }

    /// Returns the next bet.
    pub(crate) fn next(&self) -> f64 {
        let time = (self.values + 1) as f64;
        // One made-up value of 1/2 with a variance of 1/4 comes before all others.
        let variance = (0.25 + self.squares) / time;
        (self.log / (time * libm::log1p(time) * variance)).sqrt()
    }

    pub(crate) fn see(&mut self, value: f64) {
        self.values += 1;
        self.sum += value;
        let mean = ((0.5 + self.sum) / (self.values + 1) as f64).min(1.0);
        self.squares += (value - mean).powi(2);
    }
}

/// The capital of two gamblers against one mean, each with half of the whole at first. They bet on values above and below.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Wealth {
    rules: BetRules,
    mean: f64,
    bets: Bets,
    logs: [f64; 2],
}

/// Returns by what the logarithms of both capitals change when `value` comes after this bet.
fn gains(rules: &BetRules, mean: f64, bet: f64, value: f64) -> [f64; 2] {
    let distance = value - mean;
    if distance == 0.0 {
        return [0.0; 2];
    }
    let gain = |bound: f64, distance: f64| {
        // Without a bound, the mean is 0 or 1 and such a bet cannot lose.
        let bet = if bound > 0.0 { bet.min(rules.stake / bound) } else { bet };
        libm::log1p(bet * distance)
    };
    [gain(mean, distance), gain(1.0 - mean, -distance)]
}

/// Returns the logarithm of the capital of both sides.
fn together(rules: &BetRules, [above, below]: [f64; 2]) -> f64 {
    let (more, less) = if above > below { (above, below) } else { (below, above) };
    let joint = if rules.added && less > f64::NEG_INFINITY { libm::log1p(libm::exp(less - more)) } else { 0.0 };
    more + joint - std::f64::consts::LN_2
}

impl Wealth {
    /// Begins with a capital of 1 against this mean. `None` if the mean is not from 0 to 1 or the rules are not as they say.
    #[must_use]
    pub fn new(rules: BetRules, mean: f64) -> Option<Self> {
        let bets = rules.check().then(|| Bets::new(rules.alpha / 2.0))?;
        (0.0..=1.0).contains(&mean).then_some(Self { rules, mean, bets, logs: [0.0; 2] })
    }

    /// Takes the next value, which is kept within 0 and 1; what is not a number is ignored.
    pub fn add(&mut self, value: f64) {
        let Some(value) = bounded(value) else { return };
        let gains = gains(&self.rules, self.mean, self.bets.next(), value);
        self.logs = [self.logs[0] + gains[0], self.logs[1] + gains[1]];
        self.bets.see(value);
    }

    /// Returns the logarithm of the capital of both gamblers.
    #[must_use]
    pub fn log_capital(&self) -> f64 {
        together(&self.rules, self.logs)
    }

    /// Returns the logarithm of the capital of the gambler who bets on values above the mean, in units of his start. It
    /// is an e-value against the hypothesis that the mean of the values is at most this one: that it ever reaches
    /// ln(1/alpha) then has a probability of at most alpha.
    #[must_use]
    pub fn log_above(&self) -> f64 {
        self.logs[0]
    }

    /// Returns the same for values below the mean.
    #[must_use]
    pub fn log_below(&self) -> f64 {
        self.logs[1]
    }
}

impl BetRules {
    fn check(&self) -> bool {
        self.alpha > 0.0 && self.alpha < 1.0 && self.stake > 0.0 && self.stake <= 1.0
    }
}

fn bounded(value: f64) -> Option<f64> {
    (!value.is_nan()).then_some(value.clamp(0.0, 1.0))
}

/// An interval for a mean that is valid whenever one looks. It is fed with one value at a time, and the same values in the
/// same order always lead to the same state.
#[derive(Clone, PartialEq, Debug)]
pub struct ConfidenceSequence {
    rules: BetRules,
    bets: Bets,
    /// The number of steps of the grid of means.
    steps: u32,
    /// The logarithms of both capitals against each mean of the grid.
    logs: Vec<[f64; 2]>,
    /// The intersection of all intervals so far, if it is kept.
    narrowed: Option<[f64; 2]>,
}

/// The default number of steps of the grid of means: their distance is 0.001, in points 0.7 Elo for equal bots.
const STEPS: u32 = 1_000;

impl ConfidenceSequence {
    /// Begins an interval that is wrong with a probability of at most `alpha`, on a grid of 1,001 means. What an earlier
    /// interval has excluded stays excluded. `None` unless `alpha` is between 0 and 1.
    #[must_use]
    pub fn new(alpha: f64) -> Option<Self> {
        Self::with(BetRules { alpha, ..BetRules::default() }, STEPS, true)
    }

    /// Begins an interval on a grid of `steps + 1` means. `narrowing` says whether what an earlier interval has excluded
    /// stays excluded. `None` if the rules are not as they say or `steps` is 0.
    #[must_use]
    pub fn with(rules: BetRules, steps: u32, narrowing: bool) -> Option<Self> {
        let bets = (rules.check() && steps > 0).then(|| Bets::new(rules.alpha / 2.0))?;
        let logs = vec![[0.0; 2]; steps as usize + 1];
        Some(Self { rules, bets, steps, logs, narrowed: narrowing.then_some([0.0, 1.0]) })
    }

    /// Takes the next value, which is kept within 0 and 1; what is not a number is ignored.
    pub fn add(&mut self, value: f64) {
        let Some(value) = bounded(value) else { return };
        let bet = self.bets.next();
        let step = 1.0 / f64::from(self.steps);
        for (index, logs) in self.logs.iter_mut().enumerate() {
            let gains = gains(&self.rules, (index as f64 * step).min(1.0), bet, value);
            *logs = [logs[0] + gains[0], logs[1] + gains[1]];
        }
        self.bets.see(value);
        let [low, high] = self.unnarrowed();
        if let Some(narrowed) = &mut self.narrowed {
            *narrowed = [narrowed[0].max(low), narrowed[1].min(high)];
        }
    }

    /// Returns the number of values so far.
    #[must_use]
    pub fn values(&self) -> u64 {
        self.bets.values
    }

    /// Returns the mean of the values so far.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.bets.values > 0).then(|| self.bets.sum / self.bets.values as f64)
    }

    /// Returns the interval. Its ends lie one step of the grid outside, so that the grid never makes it too narrow. In the
    /// improbable case that every mean has been excluded at one time or another, the lower end is above the upper one.
    #[must_use]
    pub fn interval(&self) -> Interval {
        let [low, high] = self.narrowed.unwrap_or_else(|| self.unnarrowed());
        Interval { low, high }
    }

    /// Returns mean and interval as logistic Elo, for values that are shares of points: 0 is a loss of all games of a block, 1
    /// a win of all. All three are within ±[`ELO_LIMIT`](crate::ELO_LIMIT); an end at the limit is open. `None` before the
    /// first value. Turning a score into Elo keeps the order, so this interval is as valid as the one of the mean, also for
    /// effects of hundreds of Elo.
    #[must_use]
    pub fn elo(&self) -> Option<Estimate> {
        let Interval { low, high } = self.interval();
        Some(Estimate { value: elo_of_score(self.mean()?), low: elo_of_score(low), high: elo_of_score(high) })
    }

    fn unnarrowed(&self) -> [f64; 2] {
        let limit = -libm::log(self.rules.alpha);
        let inside = |logs: &[f64; 2]| together(&self.rules, *logs) <= limit;
        let step = 1.0 / f64::from(self.steps);
        let (Some(first), Some(last)) = (self.logs.iter().position(inside), self.logs.iter().rposition(inside)) else {
            // Nothing is left, or what is left lies between two means of the grid: where the side that has won more changes.
            let above = self.logs.partition_point(|[above, below]| above > below).clamp(1, self.steps as usize);
            return [(above - 1) as f64 * step, (above as f64 * step).min(1.0)];
        };
        [(first as f64 * step - step).max(0.0), (last as f64 * step + step).min(1.0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Rng, Seed};

    #[test]
    fn bad_rules_are_refused() {
        for alpha in [0.0, 1.0, -0.1, f64::NAN] {
            assert_eq!(ConfidenceSequence::new(alpha), None, "{alpha}");
        }
        assert_eq!(ConfidenceSequence::with(BetRules::default(), 0, true), None);
        assert_eq!(Wealth::new(BetRules { stake: 1.5, ..BetRules::default() }, 0.5), None);
        assert_eq!(Wealth::new(BetRules::default(), -0.1), None);
    }

    #[test]
    fn an_interval_that_was_fed_anew_is_the_same() {
        let mut rng = Rng::new(Seed(5));
        let values: Vec<f64> = (0..300).map(|_| f64::from(rng.below(5)) / 4.0).collect();
        let feed = |values: &[f64]| {
            let mut sequence = ConfidenceSequence::new(0.05).expect("alpha is good");
            values.iter().for_each(|value| sequence.add(*value));
            sequence
        };
        let mut resumed = feed(&values[..120]).clone();
        values[120..].iter().for_each(|value| resumed.add(*value));
        assert_eq!(resumed, feed(&values));
    }

    #[test]
    fn a_remainder_between_two_means_of_the_grid_is_found() {
        let mut sequence = ConfidenceSequence::with(BetRules::default(), 4, false).expect("the rules are good");
        for _ in 0..1_000 {
            sequence.add(0.6);
        }
        assert_eq!(sequence.interval(), Interval { low: 0.5, high: 0.75 });
    }

    #[test]
    fn wins_only_leave_the_upper_end_open() {
        let mut sequence = ConfidenceSequence::new(0.05).expect("alpha is good");
        assert_eq!(sequence.elo(), None);
        for _ in 0..200 {
            sequence.add(1.0);
        }
        sequence.add(f64::NAN);
        assert_eq!((sequence.values(), sequence.mean()), (200, Some(1.0)));
        let elo = sequence.elo().expect("it has values");
        assert_eq!((elo.value, elo.high), (crate::ELO_LIMIT, crate::ELO_LIMIT));
        assert!(elo.low > 200.0, "{elo:?}");
    }
}

//! Ratings that change after each period: Glicko-2.
//!
//! M. E. Glickman, "Example of the Glicko-2 system" (2013). The result depends on how matches are divided into periods, so it
//! shows a course; the ratings of `bradley_terry` decide.

use std::f64::consts::PI;

/// What one unit of the scale on which the system computes is in points of a rating.
const SCALE: f64 = 173.7178;

/// What is known about the strength of a bot.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GlickoRating {
    /// The rating, in the unit of Elo; 1500 for a bot of which nothing is known.
    pub rating: f64,
    /// Its standard deviation, larger than 0; 350 for a bot of which nothing is known.
    pub deviation: f64,
    /// How much the strength changes from period to period, larger than 0; 0.06 at first.
    pub volatility: f64,
}

impl Default for GlickoRating {
    fn default() -> Self {
        Self { rating: 1_500.0, deviation: 350.0, volatility: 0.06 }
    }
}

/// The system with its constant: how fast volatilities change. 0.3 to 1.2 are reasonable.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Glicko2 {
    /// The constant, larger than 0.
    pub tau: f64,
}

impl Default for Glicko2 {
    fn default() -> Self {
        Self { tau: 0.5 }
    }
}

impl Glicko2 {
    /// Returns the ratings after a period. `games` are two numbers of bots and the points of the first one, from 0 to 1; games
    /// with bots that do not exist, or of a bot with itself, are left out.
    #[must_use]
    pub fn rate(&self, before: &[GlickoRating], games: &[(usize, usize, f64)]) -> Vec<GlickoRating> {
        let mut sums = vec![(0.0, 0.0); before.len()];
        for (one, other, points) in games {
            let (Some(first), Some(second)) = (before.get(*one), before.get(*other)) else { continue };
            if one == other {
                continue;
            }
            for (bot, own, opponent, points) in [(*one, first, second, *points), (*other, second, first, 1.0 - points)]
            {
                let deviation = opponent.deviation / SCALE;
                let weight = 1.0 / (1.0 + 3.0 * deviation * deviation / (PI * PI)).sqrt();
                let expected = 1.0 / (1.0 + libm::exp(-weight * (own.rating - opponent.rating) / SCALE));
                sums[bot].0 += weight * weight * expected * (1.0 - expected);
                sums[bot].1 += weight * (points - expected);
            }
        }
        before.iter().zip(sums).map(|(own, (information, surplus))| self.after(own, information, surplus)).collect()
    }

    fn after(&self, own: &GlickoRating, information: f64, surplus: f64) -> GlickoRating {
        let deviation = own.deviation / SCALE;
        if information <= 0.0 {
            let deviation = SCALE * libm::hypot(deviation, own.volatility);
            return GlickoRating { deviation, ..*own };
        }
        let variance = 1.0 / information;
        let volatility = self.volatility(own, deviation, variance, variance * surplus);
        let grown = deviation * deviation + volatility * volatility;
        let after = 1.0 / (1.0 / grown + information);
        GlickoRating { rating: own.rating + SCALE * after * surplus, deviation: SCALE * after.sqrt(), volatility }
    }

    /// Step 5 of the paper: the volatility that fits the surprise best.
    fn volatility(&self, own: &GlickoRating, deviation: f64, variance: f64, delta: f64) -> f64 {
        let start = 2.0 * libm::log(own.volatility);
        let known = deviation * deviation + variance;
        let function = |x: f64| {
            let square = libm::exp(x);
            square * (delta * delta - known - square) / (2.0 * (known + square).powi(2))
                - (x - start) / self.tau.powi(2)
        };
        let surprise = delta * delta - known;
        let end = if surprise > 0.0 {
            libm::log(surprise)
        } else {
            (1..)
                .map(|k| start - f64::from(k) * self.tau)
                .find(|x| function(*x) >= 0.0 || *x < -1_000.0)
                .unwrap_or(start)
        };
        // After a great surprise there are several roots. The method of the paper (regula falsi by the rule of Illinois) decides
        // which one is meant, so no other method will do.
        let (mut a, mut b) = (start, end);
        let (mut at_a, mut at_b) = (function(a), function(b));
        for _ in 0..1_000 {
            if (b - a).abs() <= 1e-15 * b.abs().max(1.0) || at_a == at_b {
                break;
            }
            let c = a + (a - b) * at_a / (at_b - at_a);
            let at_c = function(c);
            if at_c * at_b <= 0.0 {
                (a, at_a) = (b, at_b);
            } else {
                at_a /= 2.0;
            }
            (b, at_b) = (c, at_c);
        }
        libm::exp(0.5 * b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example_of_the_paper() {
        let bot = |rating, deviation| GlickoRating { rating, deviation, ..GlickoRating::default() };
        let before = [bot(1_500.0, 200.0), bot(1_400.0, 30.0), bot(1_550.0, 100.0), bot(1_700.0, 300.0)];
        let after = Glicko2::default().rate(&before, &[(0, 1, 1.0), (0, 2, 0.0), (0, 3, 0.0)]);
        assert!((after[0].rating - 1_464.06).abs() < 0.02 && (after[0].deviation - 151.52).abs() < 0.01);
        assert!((after[0].volatility - 0.059_99).abs() < 1e-5);
    }

    #[test]
    fn a_bot_that_does_not_play_becomes_less_certain() {
        let after = Glicko2::default().rate(&[GlickoRating::default(); 3], &[(0, 1, 1.0), (2, 2, 1.0), (0, 9, 1.0)]);
        assert!(after[2].deviation > 350.0 && (after[2].rating - 1_500.0).abs() < 1e-9);
        assert!(after[0].deviation < 350.0 && after[0].rating > 1_500.0);
    }
}

//! Online ratings: after each match, the ratings of its bots change at once.
//!
//! R. C. Weng and C.-J. Lin, "A Bayesian approximation method for online ranking", Journal of Machine Learning Research
//! 12 (2011), 267-300: algorithm 1 (Bradley-Terry with full pairs) and algorithm 4 (Plackett-Luce). The numbers equal
//! those of openskill 6.2.0 for Python. The result depends on the order of the matches, so such ratings choose the next
//! match and show a trend; they do not decide prizes.

use serde::{Deserialize, Serialize};

/// What is known about the strength of a bot.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Rating {
    /// The expected strength.
    pub mean: f64,
    /// The standard deviation of the strength, larger than 0.
    pub deviation: f64,
}

impl Rating {
    /// Returns the strength that the bot very probably has at least: three deviations below the mean.
    #[must_use]
    pub fn conservative(self) -> f64 {
        self.mean - 3.0 * self.deviation
    }
}

impl Default for Rating {
    /// Returns the rating of a bot of which nothing is known: 25 with a deviation of 25/3.
    fn default() -> Self {
        Self { mean: 25.0, deviation: 25.0 / 3.0 }
    }
}

/// How the probability of a result follows from strengths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// A ranking is drawn place by place. The time grows with the square of the number of teams.
    #[default]
    PlackettLuce,
    /// Every pair of teams is compared on its own, as if they had played for two.
    BradleyTerryFull,
}

/// Bots that share a place.
#[derive(Clone, Debug)]
pub struct Team<'a> {
    /// The ratings of its members. A team without members changes nothing.
    pub members: &'a [Rating],
    /// The place. A smaller one is better, and equal ones are a draw.
    pub place: u32,
}

/// The parameters of the ratings, in the unit of [`Rating::mean`].
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct WengLin {
    /// How the probability of a result follows from strengths.
    pub model: Model,
    /// How much the performance in one match varies: 25/6 by default.
    pub beta: f64,
    /// The smallest factor by which one match may shrink a variance: 0.0001 by default.
    pub kappa: f64,
    /// How much strength changes from match to match: the deviation grows by it before each. 25/300 by default. For bots
    /// that never change, 0 is right.
    pub tau: f64,
}

impl Default for WengLin {
    fn default() -> Self {
        Self { model: Model::PlackettLuce, beta: 25.0 / 6.0, kappa: 0.0001, tau: 25.0 / 300.0 }
    }
}

/// The sum of the members of a team.
struct Sum {
    mean: f64,
    variance: f64,
    place: u32,
}

impl WengLin {
    /// Returns the new ratings of the members of each team.
    #[must_use]
    pub fn rate(&self, teams: &[Team<'_>]) -> Vec<Vec<Rating>> {
        let grown =
            |rating: &Rating| Rating { deviation: (square(rating.deviation) + square(self.tau)).sqrt(), ..*rating };
        let members: Vec<Vec<Rating>> = teams.iter().map(|team| team.members.iter().map(grown).collect()).collect();
        let sums: Vec<Sum> = teams
            .iter()
            .zip(&members)
            .map(|(team, members)| Sum {
                mean: members.iter().map(|rating| rating.mean).sum(),
                variance: members.iter().map(|rating| square(rating.deviation)).sum(),
                place: team.place,
            })
            .collect();
        let changes = match self.model {
            Model::PlackettLuce => self.plackett_luce(&sums),
            Model::BradleyTerryFull => self.bradley_terry(&sums),
        };
        let rated = |(members, (sum, (gain, shrink))): (Vec<Rating>, (&Sum, (f64, f64)))| {
            members
                .into_iter()
                .map(|rating| {
                    let share = square(rating.deviation) / sum.variance;
                    Rating {
                        mean: rating.mean + share * gain,
                        deviation: rating.deviation * (1.0 - share * shrink).max(self.kappa).sqrt(),
                    }
                })
                .collect()
        };
        members.into_iter().zip(sums.iter().zip(changes)).map(rated).collect()
    }

    /// Returns the new ratings of single bots.
    #[must_use]
    pub fn rate_bots(&self, bots: &[(Rating, u32)]) -> Vec<Rating> {
        let members: Vec<[Rating; 1]> = bots.iter().map(|(rating, _)| [*rating]).collect();
        let teams: Vec<Team<'_>> =
            members.iter().zip(bots).map(|(members, (_, place))| Team { members, place: *place }).collect();
        self.rate(&teams).into_iter().flatten().collect()
    }

    /// Returns the probability that `one` beats `other`, without draws.
    #[must_use]
    pub fn win_probability(&self, one: Rating, other: Rating) -> f64 {
        logistic((one.mean - other.mean) / self.scale(one, other))
    }

    /// Returns by how much one match between both is expected to reduce the variance of `one`. It is what Fisher's
    /// information of a Bradley-Terry comparison adds to the precision of a normal distribution.
    #[must_use]
    pub fn expected_reduction(&self, one: Rating, other: Rating) -> f64 {
        let probability = self.win_probability(one, other);
        let variance = square(one.deviation);
        let information = probability * (1.0 - probability) / square(self.scale(one, other));
        variance * variance * information / (1.0 + variance * information)
    }

    /// Returns what a difference in strength is divided by: `c` of the paper for two bots.
    fn scale(&self, one: Rating, other: Rating) -> f64 {
        (square(one.deviation) + square(other.deviation) + 2.0 * square(self.beta)).sqrt()
    }

    /// Returns for each team what its mean gains, and the share of its variance that it loses.
    fn plackett_luce(&self, sums: &[Sum]) -> Vec<(f64, f64)> {
        let scale = sums.iter().map(|sum| sum.variance + square(self.beta)).sum::<f64>().sqrt();
        // Only ratios of these count, so the largest may be taken out before it overflows.
        let largest = sums.iter().map(|sum| sum.mean).fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = sums.iter().map(|sum| libm::exp((sum.mean - largest) / scale)).collect();
        let behind = |place: u32| {
            let those = sums.iter().zip(&weights).filter(|(sum, _)| sum.place >= place);
            those.map(|(_, weight)| weight).sum::<f64>()
        };
        let level = |place: u32| sums.iter().filter(|sum| sum.place == place).count() as f64;
        let of_place: Vec<(f64, f64)> = sums.iter().map(|sum| (behind(sum.place), level(sum.place))).collect();
        let change = |(i, own): (usize, &Sum)| {
            let (mut omega, mut delta) = (0.0, 0.0);
            for (q, _) in sums.iter().enumerate().filter(|(_, other)| other.place <= own.place) {
                let (behind, level) = of_place[q];
                let probability = weights[i] / behind;
                omega += if q == i { 1.0 - probability } else { -probability } / level;
                delta += probability * (1.0 - probability) / level;
            }
            let gamma = own.variance.sqrt() / scale;
            (own.variance / scale * omega, gamma * own.variance / square(scale) * delta)
        };
        sums.iter().enumerate().map(change).collect()
    }

    /// Returns for each team what its mean gains, and the share of its variance that it loses.
    fn bradley_terry(&self, sums: &[Sum]) -> Vec<(f64, f64)> {
        let change = |(i, own): (usize, &Sum)| {
            let (mut omega, mut delta) = (0.0, 0.0);
            for (_, other) in sums.iter().enumerate().filter(|(q, _)| *q != i) {
                let scale = (own.variance + other.variance + 2.0 * square(self.beta)).sqrt();
                let probability = logistic((own.mean - other.mean) / scale);
                let result = match own.place.cmp(&other.place) {
                    std::cmp::Ordering::Less => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Greater => 0.0,
                };
                let gamma = own.variance.sqrt() / scale;
                omega += own.variance / scale * (result - probability);
                delta += gamma * own.variance / square(scale) * probability * (1.0 - probability);
            }
            (omega, delta)
        };
        sums.iter().enumerate().map(change).collect()
    }
}

// The system's `exp` differs between platforms in the last digit, and a schedule that depends on ratings must not.
fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

fn square(x: f64) -> f64 {
    x * x
}

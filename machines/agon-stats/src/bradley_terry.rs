//! Games of two bots: the model of R. A. Bradley and M. E. Terry (1952).
//!
//! The odds of a win are the ratio of the strengths' exponentials, times that of the advantage of the seat: the points of the
//! first bot are expected to be `1 / (1 + exp(-(first - second + advantage)))`. A draw counts as half a win for both, so points
//! are all that counts. The maximum of the likelihood exists if and only if no bots have only ever won against all others:
//! if each can be reached from each other along points that were scored (L. R. Ford, 1957).

use crate::{
    encounter::{Advantage, Encounter, Meetings, Roles, Sums},
    errors::{Errors, drawn_share},
    fit::{Fit, Prior, Problem, Scattered, fit},
    graph::{Link, compared},
    matrix::Matrix,
    newton::Loss,
};

/// The games of a league.
#[derive(Clone, PartialEq, Debug)]
pub struct BradleyTerry {
    bots: usize,
    advantages: usize,
    pub(crate) meetings: Meetings,
    /// The exponential of each number at the current point, or the numbers themselves where these would overflow.
    factors: Factors,
    /// The curvature that each meeting has at the current point.
    curvature: Vec<f64>,
    /// The curvature in the direction of each number: the diagonal of the Hessian.
    diagonal: Vec<f64>,
}

#[derive(Clone, PartialEq, Debug)]
enum Factors {
    Exponentials(Vec<f64>),
    Logarithms(Vec<f64>),
}

/// Strengths further apart than this would overflow as exponentials.
const APART: f64 = 600.0;

impl BradleyTerry {
    /// Takes the games of a league. Encounters of the same bots are added. Those of a bot with itself say nothing and are left
    /// out, and so are those with bots or advantages that do not exist or with counts that are negative or not finite.
    #[must_use]
    pub fn new(bots: usize, advantage: Advantage, encounters: impl IntoIterator<Item = Encounter>) -> Self {
        let meetings = Meetings::of(bots, advantage, encounters.into_iter());
        let curvature = vec![0.0; meetings.roles.len()];
        let factors = Factors::Exponentials(Vec::new());
        Self { bots, advantages: advantage.count(), meetings, factors, curvature, diagonal: Vec::new() }
    }

    /// Fits strengths and advantages. `None` if [`Prior::Never`] was asked for and no maximum exists, if a prior is not above
    /// 0, or if 300 steps of the search do not find the maximum.
    #[must_use]
    pub fn fit(&mut self, prior: Prior, errors: Errors) -> Option<Fit> {
        self.fit_from(None, prior, errors)
    }

    /// Fits as [`BradleyTerry::fit`], and starts the search at another fit of a similar league.
    #[must_use]
    pub fn fit_near(&mut self, near: &Fit, prior: Prior, errors: Errors) -> Option<Fit> {
        let start: Vec<f64> = near.strengths.iter().chain(&near.advantages).copied().collect();
        let fits = start.len() == self.bots + self.advantages;
        self.fit_from(fits.then_some(start), prior, errors)
    }

    fn fit_from(&mut self, start: Option<Vec<f64>>, prior: Prior, errors: Errors) -> Option<Fit> {
        let (bots, advantages) = (self.bots, self.advantages);
        let (groups, exists) = compared(bots, || {
            self.meetings.roles.iter().zip(&self.meetings.sums).filter(|(_, sums)| sums.games > 0.0).map(
                |(roles, sums)| Link {
                    one: roles.first,
                    other: roles.second,
                    there: sums.points > 0.0,
                    back: sums.points < sums.games,
                },
            )
        });
        let start = start.or_else(|| Some(self.guess()));
        fit(Problem { loss: self, bots, advantages, exists, groups, start }, prior, errors)
    }

    /// Returns strengths from which the search converges fast: those that explain each bot's points against average opponents.
    fn guess(&self) -> Vec<f64> {
        let (mut points, mut games) = (vec![0.5; self.bots], vec![1.0; self.bots]);
        for (first, range) in self.meetings.rows() {
            let mut own = Sums::default();
            for (roles, sums) in self.meetings.roles[range.clone()].iter().zip(&self.meetings.sums[range]) {
                let second = roles.second as usize;
                own.add(sums, 1.0);
                points[second] += sums.games - sums.points;
                games[second] += sums.games;
            }
            points[first] += own.points;
            games[first] += own.games;
        }
        let mut guess: Vec<f64> =
            points.iter().zip(&games).map(|(points, games)| libm::log(points / (games - points))).collect();
        let mean = guess.iter().sum::<f64>() / guess.len().max(1) as f64;
        guess.iter_mut().for_each(|value| *value -= mean);
        guess.resize(self.bots + self.advantages, 0.0);
        guess
    }

    /// Returns by how much results differ from what the last fit lets expect: one residual for each pair of bots that have met,
    /// and with advantages one for each order of seats and each advantage of such a pair.
    pub fn residuals(&self) -> impl Iterator<Item = Residual> {
        let fitted = self.factors.len() > 0;
        let meetings = self.meetings.roles.iter().zip(&self.meetings.sums).filter(move |_| fitted);
        meetings.zip(&self.curvature).map(|((roles, sums), curvature)| Residual {
            first: roles.first,
            second: roles.second,
            games: sums.games,
            surplus: sums.points - sums.games * self.expectation(roles),
            deviation: curvature.sqrt(),
        })
    }
}

/// How the games of two bots differ from what their strengths let expect.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Residual {
    /// The number of a bot.
    pub first: u32,
    /// The number of the other bot.
    pub second: u32,
    /// Their games.
    pub games: f64,
    /// The points of the first one beyond those that were expected.
    pub surplus: f64,
    /// The deviation of that number if the model is right. It is for decided games; draws make it smaller.
    pub deviation: f64,
}

impl Factors {
    fn len(&self) -> usize {
        match self {
            Self::Exponentials(factors) | Self::Logarithms(factors) => factors.len(),
        }
    }
}

impl BradleyTerry {
    fn advantage_of(&self, roles: &Roles) -> Option<usize> {
        (self.advantages > 0).then(|| self.bots + roles.advantage as usize)
    }

    /// Returns the place of the advantage, if all meetings have the same one.
    fn only_advantage(&self) -> Option<usize> {
        (self.advantages == 1).then_some(self.bots)
    }

    /// Adds `factor` where the expectation of a meeting depends on both numbers, with the product of its signs.
    fn add_signs(&self, roles: &Roles, factor: f64, matrix: &mut Matrix) {
        let signs = [(roles.first as usize, 1.0), (roles.second as usize, -1.0)];
        let signs = signs.into_iter().chain(self.advantage_of(roles).map(|index| (index, 1.0)));
        for (one, sign) in signs.clone() {
            for (other, other_sign) in signs.clone() {
                matrix.add(one, other, sign * other_sign * factor);
            }
        }
    }

    /// Returns the expected points of a game.
    fn expectation(&self, roles: &Roles) -> f64 {
        let (first, second) = (roles.first as usize, roles.second as usize);
        match &self.factors {
            Factors::Exponentials(factors) => {
                let own = self.advantage_of(roles).map_or(factors[first], |index| factors[first] * factors[index]);
                own / (own + factors[second])
            }
            Factors::Logarithms(logs) => {
                let own = self.advantage_of(roles).map_or(logs[first], |index| logs[first] + logs[index]);
                1.0 / (1.0 + libm::exp(logs[second] - own))
            }
        }
    }

    /// Returns the roles of all meetings, with their curvature.
    fn curved(&self) -> impl Iterator<Item = (&Roles, &f64)> {
        self.meetings.roles.iter().zip(&self.curvature)
    }
}

impl Loss for BradleyTerry {
    fn move_to(&mut self, point: &[f64], gradient: &mut [f64]) {
        let far = point.iter().any(|x| x.abs() > APART / 2.0);
        self.factors = if far {
            Factors::Logarithms(point.to_vec())
        } else {
            Factors::Exponentials(point.iter().map(|x| libm::exp(*x)).collect())
        };
        gradient.fill(0.0);
        let mut curvature = std::mem::take(&mut self.curvature);
        let mut diagonal = std::mem::take(&mut self.diagonal);
        diagonal.clear();
        diagonal.resize(point.len(), 0.0);
        for (first, range) in self.meetings.rows() {
            // What all meetings of a first bot have in common is added once.
            let (mut slope, mut bend) = (0.0, 0.0);
            let (roles, sums) = (&self.meetings.roles[range.clone()], &self.meetings.sums[range.clone()]);
            for ((roles, sums), curvature) in roles.iter().zip(sums).zip(&mut curvature[range]) {
                let expected = self.expectation(roles);
                let missing = sums.games * expected - sums.points;
                *curvature = sums.games * expected * (1.0 - expected);
                slope += missing;
                bend += *curvature;
                gradient[roles.second as usize] -= missing;
                diagonal[roles.second as usize] += *curvature;
                if self.advantages > 1 {
                    gradient[self.bots + roles.advantage as usize] += missing;
                    diagonal[self.bots + roles.advantage as usize] += *curvature;
                }
            }
            for index in [Some(first), self.only_advantage()].into_iter().flatten() {
                gradient[index] += slope;
                diagonal[index] += bend;
            }
        }
        (self.curvature, self.diagonal) = (curvature, diagonal);
    }

    fn multiply(&self, vector: &[f64], product: &mut [f64]) {
        let common = self.only_advantage().map_or(0.0, |index| vector[index]);
        for (first, range) in self.meetings.rows() {
            let (own, mut sum) = (vector[first] + common, 0.0);
            for (roles, curvature) in self.meetings.roles[range.clone()].iter().zip(&self.curvature[range]) {
                let mut change = own - vector[roles.second as usize];
                if self.advantages > 1 {
                    change += vector[self.bots + roles.advantage as usize];
                }
                let part = curvature * change;
                sum += part;
                product[roles.second as usize] -= part;
                if self.advantages > 1 {
                    product[self.bots + roles.advantage as usize] += part;
                }
            }
            for index in [Some(first), self.only_advantage()].into_iter().flatten() {
                product[index] += sum;
            }
        }
    }

    fn diagonal(&self, diagonal: &mut [f64]) {
        diagonal.iter_mut().zip(&self.diagonal).for_each(|(sum, own)| *sum += own);
    }

    fn hessian(&self, hessian: &mut Matrix) {
        for (roles, curvature) in self.curved() {
            self.add_signs(roles, *curvature, hessian);
        }
    }
}

impl Scattered for BradleyTerry {
    fn scatter(&self, modelled: &dyn Fn(u32) -> bool, decided: f64, scatter: &mut Matrix) {
        let mut games = vec![0.0; self.bots];
        for (roles, sums) in self.meetings.roles.iter().zip(&self.meetings.sums) {
            games[roles.first as usize] += sums.games;
            games[roles.second as usize] += sums.games;
        }
        for ((roles, sums), expected) in self.meetings.roles.iter().zip(&self.meetings.sums).zip(&self.curvature) {
            if modelled(roles.first) {
                self.add_signs(roles, *expected, scatter);
                continue;
            }
            let p = self.expectation(roles);
            // Σ (points - expected)² over the games of the meeting.
            let square = (sums.squares - 2.0 * p * sums.points + sums.games * p * p).max(0.0);
            // A draw has half a point, and a quarter as its square.
            let drawn = (4.0 * (sums.points - sums.squares) / sums.games).clamp(0.0, 1.0);
            let share = drawn_share(decided, games[roles.first as usize].min(games[roles.second as usize]));
            self.add_signs(roles, square + share * drawn * expected, scatter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_the_hessian_are_the_same() {
        let bots = 4;
        let encounters: Vec<Encounter> = (0..24)
            .map(|number| Encounter {
                first: number % 4,
                second: (number + 1 + number / 8) % 4,
                advantage: number % 3,
                wins: f64::from(1 + number % 5),
                draws: f64::from(number % 2),
                losses: f64::from(1 + number % 3),
            })
            .collect();
        for advantage in [Advantage::None, Advantage::Numbered(1), Advantage::Numbered(3)] {
            let numbered = |encounter: &Encounter| Encounter {
                advantage: encounter.advantage % advantage.count().max(1) as u32,
                ..*encounter
            };
            let mut league = BradleyTerry::new(bots, advantage, encounters.iter().map(numbered));
            let size = bots + advantage.count();
            let point: Vec<f64> = (0..size).map(|index| 0.3 * index as f64 - 0.5).collect();
            let mut gradient = vec![0.0; size];
            league.move_to(&point, &mut gradient);
            let (mut hessian, mut diagonal) = (Matrix::zero(size), vec![0.0; size]);
            league.hessian(&mut hessian);
            league.diagonal(&mut diagonal);
            for row in 0..size {
                let mut unit = vec![0.0; size];
                unit[row] = 1.0;
                let mut product = vec![0.0; size];
                league.multiply(&unit, &mut product);
                assert!((diagonal[row] - hessian.get(row, row)).abs() < 1e-12, "{advantage:?}");
                for (column, product) in product.iter().enumerate() {
                    assert!((product - hessian.get(row, column)).abs() < 1e-12, "{advantage:?}, {row}, {column}");
                }
                // A step in this direction changes the gradient by a row of the Hessian.
                let (mut moved, mut slope) = (point.clone(), vec![0.0; size]);
                moved[row] += 1e-6;
                league.move_to(&moved, &mut slope);
                for (column, (after, before)) in slope.iter().zip(&gradient).enumerate() {
                    assert!(((after - before) / 1e-6 - hessian.get(row, column)).abs() < 1e-4, "{row}, {column}");
                }
                league.move_to(&point, &mut slope);
            }
        }
    }
}

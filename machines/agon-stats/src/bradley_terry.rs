//! Games of two bots: the model of R. A. Bradley and M. E. Terry (1952).
//!
//! The odds of a win are the ratio of the strengths' exponentials, times that of the advantage of the seat: the points of the
//! first bot are expected to be `1 / (1 + exp(-(first - second + advantage)))`. A draw counts as half a win for both, so points
//! are all that counts. The maximum of the likelihood exists if and only if no bots have only ever won against all others:
//! if each can be reached from each other along points that were scored (L. R. Ford, 1957).

use crate::{
    fit::{Errors, Fit, Prior, Problem, Scattered, fit},
    graph::{components, strongly_connected},
    matrix::Matrix,
    newton::Loss,
};

/// The games of two bots with the same roles.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Encounter {
    /// The number of the bot that has the first seat.
    pub first: u32,
    /// The number of the other bot.
    pub second: u32,
    /// The number of the advantage that counts for the first one: 0 in most leagues, or the number of the map.
    pub advantage: u32,
    /// Games that the first one has won.
    pub wins: f64,
    /// Drawn games.
    pub draws: f64,
    /// Games that the first one has lost.
    pub losses: f64,
}

/// Which advantages are fitted beside the strengths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Advantage {
    /// None: seats are not distinguished.
    #[default]
    None,
    /// One number for each [`Encounter::advantage`] below this count.
    Numbered(u32),
}

impl Advantage {
    /// Returns the number of advantages.
    fn count(self) -> usize {
        match self {
            Self::None => 0,
            Self::Numbered(count) => count as usize,
        }
    }
}

/// Returns whether an encounter says something about a league with so many bots.
pub(crate) fn usable(encounter: &Encounter, bots: usize, advantage: Advantage) -> bool {
    let Encounter { first, second, advantage: number, wins, draws, losses } = *encounter;
    let known =
        (first.max(second) as usize) < bots && (advantage == Advantage::None || (number as usize) < advantage.count());
    let games = wins + draws + losses;
    let counts = [wins, draws, losses].iter().all(|count| *count >= 0.0) && games > 0.0 && games.is_finite();
    first != second && known && counts
}

/// The games of a league.
#[derive(Clone, PartialEq, Debug)]
pub struct BradleyTerry {
    bots: usize,
    advantages: usize,
    rows: Vec<Row>,
    /// The exponential of each number at the current point, or the numbers themselves where these would overflow.
    factors: Factors,
    /// The expected points and the curvature of each row at the current point.
    expected: Vec<f64>,
    curvature: Vec<f64>,
}

#[derive(Clone, PartialEq, Debug)]
enum Factors {
    Exponentials(Vec<f64>),
    Logarithms(Vec<f64>),
}

/// Games with the same expectation.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Row {
    first: u32,
    second: u32,
    advantage: u32,
    games: f64,
    points: f64,
    /// The sum of the squared points of each game.
    squares: f64,
}

/// Strengths further apart than this would overflow as exponentials.
const APART: f64 = 600.0;

impl BradleyTerry {
    /// Takes the games of a league. Encounters of the same bots are added. Those of a bot with itself say nothing and are left
    /// out, and so are those with bots or advantages that do not exist or with counts that are negative or not finite.
    #[must_use]
    pub fn new(bots: usize, advantage: Advantage, encounters: impl IntoIterator<Item = Encounter>) -> Self {
        let advantages = advantage.count();
        let row = |encounter: Encounter| {
            let Encounter { first, second, advantage, wins, draws, losses } = encounter;
            let (games, points, squares) = (wins + draws + losses, wins + draws / 2.0, wins + draws / 4.0);
            if advantages == 0 && first > second {
                // Without roles both orders are the same.
                let (points, squares) = (games - points, losses + draws / 4.0);
                return Row { first: second, second: first, advantage: 0, games, points, squares };
            }
            Row { first, second, advantage: if advantages == 0 { 0 } else { advantage }, games, points, squares }
        };
        let counted = encounters.into_iter().filter(|encounter| usable(encounter, bots, advantage));
        let rows = merge(bots, advantages, counted.map(row).collect());
        let count = rows.len();
        let factors = Factors::Exponentials(Vec::new());
        Self { bots, advantages, rows, factors, expected: vec![0.0; count], curvature: vec![0.0; count] }
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
        let groups = components(bots, self.rows.iter().map(|row| (row.first, row.second)));
        let rows = &self.rows;
        let scored = || {
            rows.iter().flat_map(|row| {
                let one = (row.points > 0.0).then_some((row.first, row.second));
                let other = (row.points < row.games).then_some((row.second, row.first));
                one.into_iter().chain(other)
            })
        };
        let exists = groups.count == 1 && strongly_connected(bots, scored);
        let start = start.or_else(|| Some(self.guess()));
        fit(Problem { loss: self, bots, advantages, exists, groups, start }, prior, errors)
    }

    /// Returns strengths from which the search converges fast: those that explain each bot's points against average opponents.
    fn guess(&self) -> Vec<f64> {
        let (mut points, mut games) = (vec![0.5; self.bots], vec![1.0; self.bots]);
        for row in &self.rows {
            let (first, second) = (row.first as usize, row.second as usize);
            points[first] += row.points;
            points[second] += row.games - row.points;
            games[first] += row.games;
            games[second] += row.games;
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
        self.rows.iter().zip(self.expected.iter().zip(&self.curvature)).map(|(row, (expected, curvature))| Residual {
            first: row.first,
            second: row.second,
            games: row.games,
            surplus: row.points - row.games * expected,
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

/// Adds rows of the same bots, and sorts them.
fn merge(bots: usize, advantages: usize, rows: Vec<Row>) -> Vec<Row> {
    // Sorted by the first bot, so that each step afterwards works on a small part of the memory.
    let mut starts = vec![0_usize; bots + 1];
    rows.iter().for_each(|row| starts[row.first as usize + 1] += 1);
    for bot in 0..bots {
        starts[bot + 1] += starts[bot];
    }
    let empty = Row { first: 0, second: 0, advantage: 0, games: 0.0, points: 0.0, squares: 0.0 };
    let (mut next, mut sorted) = (starts.clone(), vec![empty; rows.len()]);
    for row in rows {
        let place = &mut next[row.first as usize];
        sorted[*place] = row;
        *place += 1;
    }
    let mut merged: Vec<Row> = Vec::with_capacity(sorted.len());
    // For each second bot: where its row is, while the rows of one first bot are read.
    let mut places = vec![usize::MAX; bots];
    for bot in 0..bots {
        let own = &mut sorted[starts[bot]..starts[bot + 1]];
        let from = merged.len();
        if advantages > 1 {
            own.sort_by_key(|row| (row.second, row.advantage));
        }
        for row in own.iter() {
            let place = if advantages > 1 {
                merged[from..]
                    .last()
                    .filter(|last| (last.second, last.advantage) == (row.second, row.advantage))
                    .map_or(usize::MAX, |_| merged.len() - 1)
            } else {
                places[row.second as usize]
            };
            if let Some(known) = merged.get_mut(place) {
                known.games += row.games;
                known.points += row.points;
                known.squares += row.squares;
            } else {
                places[row.second as usize] = merged.len();
                merged.push(*row);
            }
        }
        merged[from..].iter().for_each(|row| places[row.second as usize] = usize::MAX);
    }
    merged
}

impl BradleyTerry {
    fn advantage_of(&self, row: &Row) -> Option<usize> {
        (self.advantages > 0).then(|| self.bots + row.advantage as usize)
    }

    /// Adds `factor` where the expectation of a row depends on both numbers, with the product of its signs.
    fn add_signs(&self, row: &Row, factor: f64, matrix: &mut Matrix) {
        let signs = [(row.first as usize, 1.0), (row.second as usize, -1.0)];
        let signs = signs.into_iter().chain(self.advantage_of(row).map(|index| (index, 1.0)));
        for (one, sign) in signs.clone() {
            for (other, other_sign) in signs.clone() {
                matrix.add(one, other, sign * other_sign * factor);
            }
        }
    }

    /// Returns the expected points of a row.
    fn expectation(&self, row: &Row) -> f64 {
        let (first, second) = (row.first as usize, row.second as usize);
        match &self.factors {
            Factors::Exponentials(factors) => {
                let own = self.advantage_of(row).map_or(factors[first], |index| factors[first] * factors[index]);
                own / (own + factors[second])
            }
            Factors::Logarithms(logs) => {
                let own = self.advantage_of(row).map_or(logs[first], |index| logs[first] + logs[index]);
                1.0 / (1.0 + libm::exp(logs[second] - own))
            }
        }
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
        for index in 0..self.rows.len() {
            let row = self.rows[index];
            let expected = self.expectation(&row);
            let missing = row.games * expected - row.points;
            self.expected[index] = expected;
            self.curvature[index] = row.games * expected * (1.0 - expected);
            gradient[row.first as usize] += missing;
            gradient[row.second as usize] -= missing;
            if self.advantages > 0 {
                gradient[self.bots + row.advantage as usize] += missing;
            }
        }
    }

    fn multiply(&self, vector: &[f64], product: &mut [f64]) {
        for (row, curvature) in self.rows.iter().zip(&self.curvature) {
            let (first, second) = (row.first as usize, row.second as usize);
            let change = vector[first] - vector[second] + self.advantage_of(row).map_or(0.0, |index| vector[index]);
            let part = curvature * change;
            product[first] += part;
            product[second] -= part;
            if let Some(index) = self.advantage_of(row) {
                product[index] += part;
            }
        }
    }

    fn diagonal(&self, diagonal: &mut [f64]) {
        for (row, curvature) in self.rows.iter().zip(&self.curvature) {
            diagonal[row.first as usize] += curvature;
            diagonal[row.second as usize] += curvature;
            if let Some(index) = self.advantage_of(row) {
                diagonal[index] += curvature;
            }
        }
    }

    fn hessian(&self, hessian: &mut Matrix) {
        for (row, curvature) in self.rows.iter().zip(&self.curvature) {
            self.add_signs(row, *curvature, hessian);
        }
    }
}

impl Scattered for BradleyTerry {
    fn scatter(&self, scatter: &mut Matrix) {
        for (row, p) in self.rows.iter().zip(&self.expected) {
            // Σ (points - expected)² over the games of the row.
            let square = (row.squares - 2.0 * p * row.points + row.games * p * p).max(0.0);
            self.add_signs(row, square, scatter);
        }
    }
}

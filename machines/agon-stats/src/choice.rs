//! What can be said about a first place when bots beat each other in a circle.

use crate::graph::strong_parts;
use std::collections::{BTreeMap, VecDeque};

/// How often each bot has beaten each other one, and the questions that only depend on that.
#[derive(Clone, PartialEq, Debug)]
pub struct Duels {
    bots: usize,
    /// The wins of a bot against another one.
    wins: BTreeMap<(usize, usize), f64>,
}

/// How the strength of a victory counts on a path of Schulze's method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathStrength {
    /// The number of wins, where these are more than the losses.
    Winning,
    /// The number of wins minus that of losses, where that is above 0.
    Margins,
}

/// A lottery over bots.
#[derive(Clone, PartialEq, Debug)]
pub struct Lottery {
    /// The probability of each bot.
    pub probabilities: Vec<f64>,
    /// Whether it is the only maximal lottery. Otherwise it is one of many, and which one depends on the order of the bots.
    pub unique: bool,
}

/// The largest field for which a lottery is computed.
pub const LOTTERY_BOTS: usize = 64;

impl Duels {
    /// Begins without games.
    #[must_use]
    pub fn new(bots: usize) -> Self {
        Self { bots, wins: BTreeMap::new() }
    }

    /// Adds wins of a bot against another one. Draws count as half a win for both, or not at all: only differences count,
    /// except in [`PathStrength::Winning`].
    ///
    /// # Panics
    /// If there is no such bot.
    pub fn add(&mut self, winner: usize, loser: usize, wins: f64) {
        assert!(winner < self.bots && loser < self.bots, "bots are numbered from 0");
        if winner != loser && wins.is_finite() {
            *self.wins.entry((winner, loser)).or_default() += wins;
        }
    }

    fn wins(&self, one: usize, other: usize) -> f64 {
        self.wins.get(&(one, other)).copied().unwrap_or(0.0)
    }

    /// Returns by how many wins a bot is ahead of another one.
    #[must_use]
    pub fn margin(&self, one: usize, other: usize) -> f64 {
        self.wins(one, other) - self.wins(other, one)
    }

    /// Returns the strength of the strongest path from each bot to each other one, row by row: the weakest victory on the path
    /// whose weakest victory is strongest. M. Schulze, "A new monotonic, clone-independent, reversal symmetric,
    /// Condorcet-consistent single-winner election method" (2011).
    #[must_use]
    pub fn schulze_paths(&self, strength: PathStrength) -> Vec<Vec<f64>> {
        let direct = |one: usize, other: usize| match (self.margin(one, other), strength) {
            (margin, _) if margin <= 0.0 => 0.0,
            (_, PathStrength::Winning) => self.wins(one, other),
            (margin, PathStrength::Margins) => margin,
        };
        let mut paths: Vec<Vec<f64>> =
            (0..self.bots).map(|one| (0..self.bots).map(|other| direct(one, other)).collect()).collect();
        for middle in 0..self.bots {
            let onward = paths[middle].clone();
            for (one, row) in paths.iter_mut().enumerate().filter(|(one, _)| *one != middle) {
                let first = row[middle];
                for (other, path) in row.iter_mut().enumerate().filter(|(other, _)| *other != one) {
                    *path = path.max(first.min(onward[other]));
                }
            }
        }
        paths
    }

    /// Returns a cycle of each set of bots who beat each other in a circle: each bot of the list has beaten the next one more
    /// often than it lost against it, and the last one the first. In a set of up to 64 bots there is no shorter one.
    #[must_use]
    pub fn cycles(&self) -> Vec<Vec<usize>> {
        let mut beaten = vec![Vec::new(); self.bots];
        for (one, other) in self.wins.keys().copied().filter(|(one, other)| self.margin(*one, *other) > 0.0) {
            beaten[one].push(other);
        }
        let parts = strong_parts(&beaten);
        parts.into_iter().filter(|part| part.len() > 2).filter_map(|part| shortest_cycle(&beaten, &part)).collect()
    }

    /// Returns a maximal lottery: against every bot, a bot that is drawn by it wins at least as often as it loses. P. C.
    /// Fishburn, "Probabilistic social choice based on simple voting comparisons" (1984). A bot that beats all others has
    /// probability 1, bots in a circle share it, and copies of a bot take from nobody but each other. `None` without bots and
    /// for more than [`LOTTERY_BOTS`].
    #[must_use]
    pub fn maximal_lottery(&self) -> Option<Lottery> {
        if self.bots == 0 || self.bots > LOTTERY_BOTS {
            return None;
        }
        let pairs = || (0..self.bots).flat_map(|one| (0..self.bots).map(move |other| (one, other)));
        let largest = pairs().map(|(one, other)| self.margin(one, other).abs()).fold(0.0, f64::max);
        if largest == 0.0 {
            let probabilities = vec![1.0 / self.bots as f64; self.bots];
            return Some(Lottery { probabilities, unique: self.bots == 1 });
        }
        let margin = |one: usize, other: usize| self.margin(one, other) / largest;
        let mut probabilities = best_mixture(self.bots, margin)?;
        let chosen: Vec<usize> = (0..self.bots).filter(|bot| probabilities[*bot] > 1e-9).collect();
        // Among those that are chosen all margins vanish; solving that again leaves no error of the search.
        let kernel = kernel(&chosen, margin);
        if let Some(kernel) = &kernel {
            probabilities.fill(0.0);
            chosen.iter().zip(kernel).for_each(|(bot, value)| probabilities[*bot] = *value);
        }
        // One lottery exists in which each bot either has a chance or loses against it. So if one is found in which some bot
        // has neither, or if more than one line solves the equations, there are others.
        let against = |bot: usize| (0..self.bots).map(|other| margin(bot, other) * probabilities[other]).sum::<f64>();
        let strict = (0..self.bots).all(|bot| chosen.contains(&bot) || against(bot) < -1e-9);
        Some(Lottery { unique: strict && kernel.is_some(), probabilities })
    }
}

/// From so many bots of a part a cycle is looked for.
const STARTS: usize = 64;

/// Returns the shortest of the cycles that lead back to the first bots of a part. Each bot has a list of those it has beaten.
fn shortest_cycle(beaten: &[Vec<usize>], part: &[usize]) -> Option<Vec<usize>> {
    let from = |start: usize| -> Option<Vec<usize>> {
        let mut before = vec![usize::MAX; beaten.len()];
        let mut open = VecDeque::from([start]);
        while let Some(bot) = open.pop_front() {
            for next in beaten[bot].iter().copied() {
                if next == start {
                    let mut cycle = vec![bot];
                    while *cycle.last()? != start {
                        cycle.push(before[*cycle.last()?]);
                    }
                    cycle.reverse();
                    return Some(cycle);
                }
                if before[next] == usize::MAX {
                    before[next] = bot;
                    open.push_back(next);
                }
            }
        }
        None
    };
    part.iter().take(STARTS).filter_map(|start| from(*start)).min_by_key(Vec::len)
}

/// Returns the best mixed strategy of the symmetric game in which one side wins `margin` from the other. The simplex method on
/// the game with 2 added to each payoff, whose value is 2.
fn best_mixture(size: usize, margin: impl Fn(usize, usize) -> f64) -> Option<Vec<f64>> {
    // Rows: Σ (margin + 2)·y + slack = 1. The last column is the right side, the last row what one more of a column gains.
    let columns = 2 * size + 1;
    let mut rows: Vec<Vec<f64>> = (0..size)
        .map(|row| {
            let mut own = vec![0.0; columns];
            (0..size).for_each(|column| own[column] = margin(row, column) + 2.0);
            own[size + row] = 1.0;
            own[columns - 1] = 1.0;
            own
        })
        .collect();
    let mut gains = vec![0.0_f64; columns];
    gains[..size].fill(1.0);
    let mut basis: Vec<usize> = (size..2 * size).collect();
    for round in 0..100_000 {
        // The largest gain at first; by R. G. Bland's rule, which never runs in circles, if that takes long.
        let candidates = (0..columns - 1).filter(|column| gains[*column] > 1e-11);
        let entering = if round < 50 * size {
            candidates.max_by(|a, b| gains[*a].total_cmp(&gains[*b]).then(b.cmp(a)))
        } else {
            candidates.min()
        };
        let Some(entering) = entering else {
            let mut mixture = vec![0.0; size];
            for (row, column) in rows.iter().zip(&basis).filter(|(_, column)| **column < size) {
                mixture[*column] = row[columns - 1].max(0.0);
            }
            let sum: f64 = mixture.iter().sum();
            mixture.iter_mut().for_each(|value| *value /= sum);
            return Some(mixture);
        };
        let leaving = (0..size).filter(|row| rows[*row][entering] > 1e-11).min_by(|a, b| {
            let room = |row: usize| rows[row][columns - 1] / rows[row][entering];
            room(*a).total_cmp(&room(*b)).then(basis[*a].cmp(&basis[*b]))
        })?;
        let pivot = rows[leaving][entering];
        rows[leaving].iter_mut().for_each(|value| *value /= pivot);
        let own = rows[leaving].clone();
        let clear = |row: &mut [f64]| {
            let factor = row[entering];
            if factor != 0.0 {
                row.iter_mut().zip(&own).for_each(|(value, own)| *value -= factor * own);
            }
        };
        rows.iter_mut().enumerate().filter(|(row, _)| *row != leaving).for_each(|(_, row)| clear(row));
        clear(&mut gains);
        basis[leaving] = entering;
    }
    None
}

/// Returns the numbers with the sum 1 for which all margins among these bots vanish, if there is only one solution and none of
/// the numbers is negative.
fn kernel(bots: &[usize], margin: impl Fn(usize, usize) -> f64) -> Option<Vec<f64>> {
    let size = bots.len();
    let mut rows: Vec<Vec<f64>> =
        bots.iter().map(|one| bots.iter().map(|other| margin(*one, *other)).collect()).collect();
    // Gauss and Jordan with full pivoting; one column must be left without a pivot.
    let mut pivots = Vec::new();
    let mut columns: Vec<usize> = (0..size).collect();
    for done in 0..size {
        let places = (done..size).flat_map(|row| columns.iter().map(move |column| (row, *column)));
        let best = places.max_by(|a, b| rows[a.0][a.1].abs().total_cmp(&rows[b.0][b.1].abs()));
        let Some((row, column)) = best.filter(|(row, column)| rows[*row][*column].abs() > 1e-10) else { break };
        rows.swap(done, row);
        columns.retain(|open| *open != column);
        pivots.push(column);
        let pivot = rows[done][column];
        rows[done].iter_mut().for_each(|value| *value /= pivot);
        let own = rows[done].clone();
        for row in (0..size).filter(|row| *row != done) {
            let factor = rows[row][column];
            rows[row].iter_mut().zip(&own).for_each(|(value, own)| *value -= factor * own);
        }
    }
    let [free] = columns.as_slice() else { return None };
    let mut solution = vec![0.0; size];
    solution[*free] = 1.0;
    for (row, column) in pivots.iter().enumerate() {
        solution[*column] = -rows[row][*free];
    }
    let sum: f64 = solution.iter().sum();
    solution.iter_mut().for_each(|value| *value /= sum);
    solution.iter().all(|value| *value >= 0.0).then_some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle() -> Duels {
        let mut duels = Duels::new(4);
        for (winner, loser, wins) in [(0, 1, 7.0), (1, 2, 5.0), (2, 0, 9.0), (0, 3, 1.0), (1, 3, 1.0), (2, 3, 1.0)] {
            duels.add(winner, loser, wins);
        }
        duels
    }

    #[test]
    fn bots_in_a_circle_share_the_first_place() {
        let lottery = circle().maximal_lottery().expect("four bots have one");
        // Each with the margin between the two others.
        for (ours, expected) in lottery.probabilities.iter().zip([5.0 / 21.0, 9.0 / 21.0, 7.0 / 21.0, 0.0]) {
            assert!((ours - expected).abs() < 1e-15, "{lottery:?}");
        }
        assert!(lottery.unique);
        assert_eq!(circle().cycles(), [[0, 1, 2]]);
    }

    #[test]
    fn copies_take_from_nobody_else() {
        let mut duels = Duels::new(4);
        // The bots 2 and 3 are the same, and between them all is even.
        for (winner, loser) in [(0, 1), (1, 2), (1, 3), (2, 0), (3, 0)] {
            duels.add(winner, loser, 3.0);
        }
        let lottery = duels.maximal_lottery().expect("four bots have one");
        assert!(!lottery.unique);
        let [a, b, c, d] = lottery.probabilities[..] else { panic!("four bots") };
        assert!([a, b, c + d].iter().all(|share| (share - 1.0 / 3.0).abs() < 1e-12), "{lottery:?}");
    }

    #[test]
    fn fields_without_a_question() {
        assert_eq!(Duels::new(0).maximal_lottery(), None);
        assert_eq!(Duels::new(65).maximal_lottery(), None);
        let even = Duels::new(2).maximal_lottery().expect("two bots have one");
        assert_eq!((even.probabilities, even.unique), (vec![0.5, 0.5], false));
        assert!(Duels::new(5).cycles().is_empty());
    }
}

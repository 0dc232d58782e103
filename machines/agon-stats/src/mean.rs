//! The interval for the expected points of a game, from the points that were reached.

/// The quantile of the normal distribution that leaves out 2.5 % on either side.
const NORMAL: f64 = 1.959_963_984_540_054;
/// The same quantile of Student's distribution with 1, 2, … degrees of freedom.
const STUDENT: [f64; 10] =
    [12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004, 2.262_157, 2.228_139];

/// An interval from `low` to `high`, both included.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Returns the 95 % interval for the expected points of a game, which are from 0 to 1. `blocks` has the mean points of each
/// block, and `games` is the number of games in all blocks together. Games of one block share a map, so they may depend on
/// each other; blocks must not. Points that are not a number are left out. Without a block the interval is from 0 to 1.
///
/// This is the score interval of E. B. Wilson (1927) with an effective number of games, as E. L. Korn and B. I. Graubard
/// (1998) use one for samples of clusters: the number of games whose points, if they were all 0 or 1 and independent,
/// would scatter as much as the blocks do. It is at most `games`, so draws do not narrow the interval, and 1 for a single
/// block. A bot that has won all its games therefore still has a lower end below 1.
///
/// The interval is meant for a number of games that was chosen beforehand. If you stop as soon as it excludes a value, it
/// is wrong more often than in 5 % of all series.
#[must_use]
pub fn mean_interval(blocks: &[f64], games: u32) -> Interval {
    let blocks: Vec<f64> = blocks.iter().copied().filter(|block| !block.is_nan()).collect();
    let blocks = blocks.as_slice();
    let count = blocks.len() as f64;
    if blocks.is_empty() {
        return Interval { low: 0.0, high: 1.0 };
    }
    let mean = (blocks.iter().sum::<f64>() / count).clamp(0.0, 1.0);
    let effective = effective_games(blocks, mean, f64::from(games).max(1.0));
    let square = NORMAL * NORMAL;
    let middle = (mean + square / (2.0 * effective)) / (1.0 + square / effective);
    let half = NORMAL / (1.0 + square / effective)
        * (mean * (1.0 - mean) / effective + square / (4.0 * effective * effective)).sqrt();
    Interval { low: (middle - half).clamp(0.0, mean), high: (middle + half).clamp(mean, 1.0) }
}

/// Returns how many independent games without draws would scatter as much as these blocks.
fn effective_games(blocks: &[f64], mean: f64, games: f64) -> f64 {
    let count = blocks.len() as f64;
    if blocks.len() < 2 {
        return 1.0;
    }
    let scatter = blocks.iter().map(|block| (block - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let student = NORMAL / student(blocks.len() - 1);
    let effective = count * mean * (1.0 - mean) / scatter * student * student;
    // Without any scatter, which also gives 0 / 0, nothing but the number of games bounds it.
    if effective.is_finite() { effective.clamp(1.0, games) } else { games }
}

/// Returns the quantile of Student's distribution that leaves out 2.5 % on either side.
fn student(freedom: usize) -> f64 {
    if let Some(value) = STUDENT.get(freedom.saturating_sub(1)) {
        return *value;
    }
    // The expansion of Cornish and Fisher, too small by at most 0.003 from here on.
    let (z, n) = (NORMAL, freedom as f64);
    let (z3, z5) = (z.powi(3), z.powi(5));
    z + (z3 + z) / (4.0 * n) + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * n * n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Rng, Seed};

    fn near(interval: Interval, low: f64, high: f64) -> bool {
        (interval.low - low).abs() < 5e-4 && (interval.high - high).abs() < 5e-4
    }

    #[test]
    fn quantiles_of_student_as_in_tables() {
        for (freedom, expected) in [(1, 12.7062), (10, 2.2281), (11, 2.2010), (30, 2.0423), (120, 1.9799)] {
            assert!((student(freedom) - expected).abs() < 3e-3, "{freedom}: {}", student(freedom));
        }
    }

    #[test]
    fn games_that_are_blocks_of_their_own_give_wilsons_interval() {
        // Without scatter between blocks every game counts: 20 of 20, and 0 of 20.
        assert!(near(mean_interval(&[1.0; 10], 20), 0.8389, 1.0));
        assert!(near(mean_interval(&[0.0; 10], 20), 0.0, 0.1611));
        assert_eq!(mean_interval(&[], 0), Interval { low: 0.0, high: 1.0 });
        // 600 of 1000 games without draws: 0.5693 to 0.6299 by Wilson.
        let mut blocks = vec![1.0; 600];
        blocks.resize(1000, 0.0);
        let interval = mean_interval(&blocks, 1000);
        assert!(near(interval, 0.5693, 0.6299), "{interval:?}");
    }

    #[test]
    fn values_that_are_not_numbers_are_left_out() {
        assert_eq!(mean_interval(&[0.5, f64::NAN, 1.0], 4), mean_interval(&[0.5, 1.0], 4));
        assert_eq!(mean_interval(&[f64::NAN], 2), Interval { low: 0.0, high: 1.0 });
    }

    #[test]
    fn little_is_known_from_one_block() {
        let interval = mean_interval(&[1.0], 2);
        assert!(interval.low < 0.25 && interval.high >= 1.0, "{interval:?}");
    }

    #[test]
    fn the_mean_is_always_inside() {
        let mut rng = Rng::new(Seed(5));
        for _ in 0..10_000 {
            let count = 1 + rng.index(12);
            let blocks: Vec<f64> = (0..count).map(|_| f64::from(rng.below(5)) / 4.0).collect();
            let mean = blocks.iter().sum::<f64>() / count as f64;
            let Interval { low, high } = mean_interval(&blocks, 2 * count as u32);
            assert!(0.0 <= low && low <= mean + 1e-12 && mean <= high + 1e-12 && high <= 1.0, "{blocks:?}");
        }
    }

    /// Returns how often the interval contains the truth, of 4,000 series of `count` blocks of two games each. The first
    /// game of a block is won with this probability. The second one is a copy with probability `copied`, else drawn anew.
    fn coverage(count: usize, wins: f64, copied: f64) -> f64 {
        let mut rng = Rng::new(Seed(count as u64));
        let series = 4_000;
        let mut contained = 0;
        for _ in 0..series {
            let mut block = || {
                let first = f64::from(u8::from(rng.unit() < wins));
                let anew = f64::from(u8::from(rng.unit() < wins));
                if rng.unit() < copied { first } else { f64::midpoint(first, anew) }
            };
            let blocks: Vec<f64> = (0..count).map(|_| block()).collect();
            let Interval { low, high } = mean_interval(&blocks, 2 * count as u32);
            contained += u32::from((low..=high).contains(&wins));
        }
        f64::from(contained) / f64::from(series)
    }

    #[test]
    fn the_interval_contains_the_truth_as_often_as_it_says() {
        for (count, wins, copied) in [
            (5, 0.5, 0.0),
            (10, 0.5, 0.0),
            (10, 0.8, 0.0),
            (10, 0.5, 1.0),
            (40, 0.3, 0.5),
            (40, 0.95, 0.0),
            (400, 0.5, 1.0),
        ] {
            let seen = coverage(count, wins, copied);
            assert!(seen > 0.93, "{count} blocks, {wins} wins, {copied} copied: {seen}");
        }
    }
}

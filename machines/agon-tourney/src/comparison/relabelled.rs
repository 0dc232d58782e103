//! The same blocks with exchanged labels: what a test would say of two bots that are the same.

use super::{
    evidence::{BlockValue, Evidence},
    terms::ComparisonTerms,
    verdict::Verdict,
};
use agon_core::{Rng, Seed};

/// Runs recorded blocks through a test, in their order, after it has drawn for each of them which version is called new.
/// `values` are those of the blocks. `run` is the number of the run: each draws other labels. Returns the answer.
///
/// If both versions are the same bot, labels mean nothing, so any answer but [`Verdict::Undecided`] comes from chance.
/// The terms must have been checked.
#[must_use]
pub fn relabelled(terms: &ComparisonTerms, values: &[f64], run: u32) -> Verdict {
    let mut rng = Rng::new(terms.seed.derive("labels", u64::from(run)));
    let terms = ComparisonTerms { equivalent: None, seed: Seed(0), ..terms.clone() };
    let Some(mut evidence) = Evidence::new(&terms, false) else { return Verdict::Undecided };
    for share in values {
        let value = BlockValue { share: *share, clipped: 0 };
        let value = if rng.one_in(2) { value.exchanged() } else { value };
        if let Some((verdict, _)) = evidence.add(value) {
            return verdict;
        }
    }
    Verdict::Undecided
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::Measure;
    use agon_core::Derivation;
    use agon_stats::{EloModel, EmptyCells};

    #[test]
    fn equal_bots_are_seldom_called_better() {
        let share = |seats, measure, bounds| ComparisonTerms {
            seats,
            seed: Seed(5),
            seeds: Derivation::Keyed,
            max_matches: 4000,
            measure,
            bounds,
            alpha: 0.05,
            beta: 0.05,
            equivalent: None,
            empty: EmptyCells::default(),
        };
        let mut rng = Rng::new(Seed(9));
        let pairs: Vec<f64> = (0..400).map(|_| f64::from(rng.below(5)) / 2.0 - 1.0).collect();
        let shares: Vec<f64> = (0..400).map(|_| 2.0 * rng.unit() - 1.0).collect();
        let elo = Measure::Pairs { model: EloModel::Normalized };
        for (terms, values) in [(share(2, elo, [0.0, 60.0]), pairs), (share(3, Measure::Share, [0.0, 0.0]), shares)] {
            let runs: Vec<Verdict> = (0..400).map(|run| relabelled(&terms, &values, run)).collect();
            let better = runs.iter().filter(|verdict| **verdict == Verdict::Better).count();
            // 5 % of 400, and three standard errors.
            assert!(better <= 33, "{better} of 400 with {terms:?}");
            assert!(runs.contains(&Verdict::NotBetter), "labels differ from run to run");
            assert_eq!(relabelled(&terms, &values, 7), runs[7]);
        }
    }
}

//! What blocks are worth, and what they say together.

use super::{
    block::{FinishedMatch, NEW, OLD},
    terms::{ComparisonTerms, Measure},
    verdict::{Reason, Verdict},
};
use agon_stats::{
    BetRules, ConfidenceSequence, Decision, EloModel, EmptyCells, Estimate, Hypotheses, Interval, NELO_PER_T,
    Pentanomial, Sprt, Wealth, elo_of_score, score_of_elo,
};
use std::cmp::Ordering;

/// The probability with which the interval that holds at any time misses the truth.
const MISSES: f64 = 0.05;

/// What a block is worth to the new version.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BlockValue {
    /// From -1, the worst, to 1. With the labels of both versions exchanged, its sign changes.
    pub share: f64,
    /// The number of matches whose difference in scores was clipped.
    pub clipped: u32,
}

/// The evidence of all blocks so far.
#[derive(Clone, Debug)]
pub(super) struct Evidence {
    /// What the bounds and intervals are multiples of.
    most: f64,
    pairs: Option<Pairs>,
    /// Bets that the new version is above the first bound, with what they must win.
    above: (Wealth, f64),
    /// Bets that it is below the second bound.
    below: (Wealth, f64),
    /// `None` where nobody looks at it.
    anytime: Option<ConfidenceSequence>,
    equivalent: Option<f64>,
}

#[derive(Clone, Debug)]
struct Pairs {
    counts: Pentanomial,
    test: Sprt,
    empty: EmptyCells,
}

impl BlockValue {
    /// Values a block. `seatings` has the bot in each seat of each match.
    pub(super) fn of<'a>(
        measure: Measure,
        matches: impl Iterator<Item = (&'a [usize], &'a FinishedMatch)>,
    ) -> Option<Self> {
        let (mut sum, mut count, mut clipped) = (0.0, 0_u32, 0);
        for (seating, result) in matches {
            let seat = |bot| seating.iter().position(|seated| *seated == bot);
            let (old, new) = (seat(OLD)?, seat(NEW)?);
            count += 1;
            sum += match measure {
                Measure::Pairs { .. } | Measure::Share => beaten(&result.places, new)? - beaten(&result.places, old)?,
                Measure::Margin { most } => {
                    let difference = *result.scores.get(new)? as f64 - *result.scores.get(old)? as f64;
                    clipped += u32::from(difference.abs() > most);
                    difference.clamp(-most, most) / most
                }
            };
        }
        (count > 0).then(|| Self { share: sum / f64::from(count), clipped })
    }

    /// Returns the value with the labels of both versions exchanged.
    #[must_use]
    pub fn exchanged(self) -> Self {
        Self { share: -self.share, ..self }
    }

    /// Returns the half points of a pair, from 0 to 4.
    fn half_points(self) -> u8 {
        // Without a fraction: a match of two is worth -1, 0 or 1, and a pair is the mean of two.
        (2.0 * self.share + 2.0).round().clamp(0.0, 4.0) as u8
    }
}

/// Returns the share of its opponents that a seat has beaten, where one in the same place counts half.
fn beaten(places: &[u32], seat: usize) -> Option<f64> {
    let own = *places.get(seat)?;
    let others = places.iter().enumerate().filter(|(other, _)| *other != seat);
    let sum: u32 = others
        .map(|(_, place)| match place.cmp(&own) {
            Ordering::Greater => 2,
            Ordering::Equal => 1,
            Ordering::Less => 0,
        })
        .sum();
    (places.len() > 1).then(|| f64::from(sum) / (2 * (places.len() - 1)) as f64)
}

impl Evidence {
    /// Begins without evidence. `looks` says whether anybody looks at the interval.
    ///
    /// The terms must have been checked.
    pub(super) fn new(terms: &ComparisonTerms, looks: bool) -> Option<Self> {
        let [low, high] = terms.bounds;
        let (pairs, means) = match terms.measure {
            Measure::Pairs { model } => {
                let (alpha, beta) = (terms.alpha, terms.beta);
                let test = Sprt::new(Hypotheses { model, elo0: low, elo1: high, alpha, beta }, true).ok()?;
                let pairs = Pairs { counts: Pentanomial::default(), test, empty: terms.empty };
                (Some(pairs), [highest(model, low), lowest(model, high)])
            }
            _ => (None, [low, high].map(|bound| (bound / terms.most() + 1.0) / 2.0)),
        };
        let bets = |error: f64, mean: f64| {
            // As in an interval with two sides, which then excludes what the bets are against.
            let bets = Wealth::new(BetRules { alpha: error, ..BetRules::default() }, mean)?;
            Some((bets, -libm::log(error / 2.0)))
        };
        Some(Self {
            most: terms.most(),
            pairs,
            above: bets(terms.alpha, means[0])?,
            below: bets(terms.beta, means[1])?,
            anytime: if looks { Some(ConfidenceSequence::new(MISSES)?) } else { None },
            equivalent: terms.equivalent,
        })
    }

    /// Takes the next block. Returns the answer if it gives one.
    pub(super) fn add(&mut self, value: BlockValue) -> Option<(Verdict, Reason)> {
        let points = (value.share + 1.0) / 2.0;
        self.above.0.add(points);
        self.below.0.add(points);
        if let Some(anytime) = &mut self.anytime {
            anytime.add(points);
        }
        let bets = if self.above.0.log_above() >= self.above.1 {
            Some(Verdict::Better)
        } else if self.below.0.log_below() >= self.below.1 {
            Some(Verdict::NotBetter)
        } else {
            None
        };
        let decided = match &mut self.pairs {
            None => bets.map(|verdict| (verdict, Reason::Bound)),
            Some(Pairs { counts, test, .. }) => {
                counts.add(value.half_points());
                match test.update(*counts) {
                    Decision::Better => Some((Verdict::Better, Reason::Bound)),
                    Decision::NotBetter => Some((Verdict::NotBetter, Reason::Bound)),
                    // Equal pairs have no variance to estimate, but may still say enough.
                    Decision::Continue if test.ratio().is_none() => bets.map(|verdict| (verdict, Reason::Interval)),
                    Decision::Continue => None,
                }
            }
        };
        decided.or_else(|| self.is_equivalent().then_some((Verdict::Equivalent, Reason::Margin)))
    }

    fn is_equivalent(&self) -> bool {
        self.equivalent.zip(self.anytime()).is_some_and(|(most, anytime)| anytime.low >= -most && anytime.high <= most)
    }

    /// Returns the mean with the interval that holds at any time: in logistic Elo for pairs, else in the unit of the
    /// measure. `None` before the first block.
    pub(super) fn anytime(&self) -> Option<Estimate> {
        let anytime = self.anytime.as_ref()?;
        let Interval { low, high } = anytime.interval();
        // Where all means were excluded at one time or another, there is no interval.
        let mean = anytime.mean().filter(|_| low <= high)?.clamp(low, high);
        let [value, low, high] = [mean, low, high].map(|points| match self.pairs {
            Some(_) => elo_of_score(points),
            None => (2.0 * points - 1.0) * self.most,
        });
        Some(Estimate { value, low, high })
    }

    /// Returns the estimate in logistic Elo for a test that stops here. `None` without pairs that vary.
    pub(super) fn elo(&self) -> Option<Estimate> {
        let Pairs { test, empty, .. } = self.pairs.as_ref()?;
        test.elo(*empty, 1.0 - MISSES)
    }

    pub(super) fn pentanomial(&self) -> Option<Pentanomial> {
        self.pairs.as_ref().map(|pairs| pairs.counts)
    }

    /// Returns the log-likelihood ratio. `None` without pairs that vary.
    pub(super) fn ratio(&self) -> Option<f64> {
        self.pairs.as_ref()?.test.ratio()
    }

    /// Returns the bounds that decide now, and those without the correction for what a ratio jumps past them.
    pub(super) fn bounds(&self) -> [[f64; 2]; 2] {
        match &self.pairs {
            Some(Pairs { test, .. }) => [test.bounds_now(), test.bounds()].map(|bounds| [bounds.lower, bounds.upper]),
            None => [[-self.below.1, self.above.1]; 2],
        }
    }

    /// Returns the logarithms of the e-values against "at most the first bound" and "at least the second bound".
    pub(super) fn log_e_values(&self) -> [f64; 2] {
        [self.above.0.log_above(), self.below.0.log_below()]
    }

    /// Returns what these logarithms must reach to decide.
    pub(super) fn log_e_bounds(&self) -> [f64; 2] {
        [self.above.1, self.below.1]
    }
}

/// Returns the highest score of a game that goes with a strength.
fn highest(model: EloModel, elo: f64) -> f64 {
    match model {
        EloModel::Logistic => score_of_elo(elo),
        // The deviation of a game is from 0 to 1/2.
        EloModel::Normalized => (0.5 + 0.5 * elo.max(0.0) / NELO_PER_T).min(1.0),
    }
}

/// Returns the lowest score of a game that goes with a strength.
fn lowest(model: EloModel, elo: f64) -> f64 {
    match model {
        EloModel::Logistic => score_of_elo(elo),
        EloModel::Normalized => (0.5 + 0.5 * elo.min(0.0) / NELO_PER_T).max(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Derivation, Seed};

    fn terms(measure: Measure, bounds: [f64; 2]) -> ComparisonTerms {
        let seats = 2;
        let (alpha, beta, equivalent) = (0.05, 0.05, None);
        let (seed, seeds, max_matches) = (Seed(1), Derivation::Keyed, 1000);
        let empty = EmptyCells::default();
        ComparisonTerms { seats, seed, seeds, max_matches, measure, bounds, alpha, beta, equivalent, empty }
    }

    fn normalized() -> ComparisonTerms {
        terms(Measure::Pairs { model: EloModel::Normalized }, [0.0, 10.0])
    }

    fn result(places: &[u32], scores: &[i64]) -> FinishedMatch {
        FinishedMatch { places: places.to_vec(), scores: scores.to_vec(), ..FinishedMatch::default() }
    }

    #[test]
    fn blocks_are_worth_what_the_new_version_has_beaten() {
        let pairs = Measure::Pairs { model: EloModel::Normalized };
        let margin = Measure::Margin { most: 10.0 };
        // The old version is 0 and the new one is 1, wherever they sit.
        for (measure, matches, share, clipped) in [
            (pairs, vec![(&[0, 1][..], result(&[2, 1], &[])), (&[1, 0], result(&[1, 2], &[]))], 1.0, 0),
            (pairs, vec![(&[0, 1], result(&[1, 2], &[])), (&[1, 0], result(&[1, 1], &[]))], -0.5, 0),
            // Both have failed: that is a tie.
            (pairs, vec![(&[0, 1], result(&[2, 2], &[])), (&[1, 0], result(&[1, 2], &[]))], 0.5, 0),
            (Measure::Share, vec![(&[2, 0, 1], result(&[1, 3, 2], &[]))], 0.5, 0),
            (Measure::Share, vec![(&[1, 2, 0], result(&[1, 1, 1], &[]))], 0.0, 0),
            (Measure::Share, vec![(&[1, 2, 0], result(&[1, 1, 3], &[]))], 0.75, 0),
            (margin, vec![(&[0, 1], result(&[], &[3, 8])), (&[1, 0], result(&[], &[0, 100]))], -0.25, 1),
        ] {
            let value = BlockValue::of(measure, matches.iter().map(|(seating, result)| (*seating, result)));
            assert_eq!(value, Some(BlockValue { share, clipped }), "{matches:?}");
        }
        assert_eq!(BlockValue::of(pairs, std::iter::empty()), None);
        let unseated = result(&[1, 2], &[]);
        assert_eq!(BlockValue::of(pairs, std::iter::once((&[0, 2][..], &unseated))), None);
    }

    fn feed(terms: &ComparisonTerms, shares: &[f64], most: usize) -> (Option<(Verdict, Reason)>, usize) {
        let mut evidence = Evidence::new(terms, true).expect("the terms are good");
        for blocks in 0..most {
            let share = shares[blocks % shares.len()];
            if let Some(decided) = evidence.add(BlockValue { share, clipped: 0 }) {
                return (Some(decided), blocks + 1);
            }
        }
        (None, most)
    }

    #[test]
    fn the_evidence_of_blocks() {
        let (better, worse) = (Verdict::Better, Verdict::NotBetter);
        let logistic = terms(Measure::Pairs { model: EloModel::Logistic }, [0.0, 10.0]);
        let share = terms(Measure::Share, [0.0, 0.0]);
        let margin = terms(Measure::Margin { most: 3.0 }, [0.0, 1.5]);
        for (terms, shares, most, expected) in [
            (normalized(), &[1.0, 0.5, 0.5, 0.0][..], 1000, Some((better, Reason::Bound))),
            (normalized(), &[-1.0, -0.5, -0.5, 0.0], 1000, Some((worse, Reason::Bound))),
            // As good as the old version is not better, and takes a while.
            (normalized(), &[1.0, -1.0], 10_000, Some((worse, Reason::Bound))),
            (normalized(), &[1.0], 20, Some((better, Reason::Interval))),
            (normalized(), &[-1.0], 20, Some((worse, Reason::Interval))),
            (normalized(), &[0.5], 40, Some((better, Reason::Interval))),
            (normalized(), &[0.0], 1000, None),
            (logistic.clone(), &[1.0, 0.5], 1000, Some((better, Reason::Bound))),
            (logistic, &[1.0], 20, Some((better, Reason::Interval))),
            (share.clone(), &[0.5, 0.25, -0.1], 1000, Some((better, Reason::Bound))),
            (share.clone(), &[-0.5, -0.25, 0.1], 1000, Some((worse, Reason::Bound))),
            (share, &[1.0, -1.0], 1000, None),
            // It is better by 1.2 of the 1.5 that are asked for.
            (margin, &[0.4, 0.4], 1000, Some((better, Reason::Bound))),
        ] {
            let (decided, blocks) = feed(&terms, shares, most);
            assert_eq!(decided, expected, "{terms:?} {shares:?} after {blocks}");
        }
    }

    #[test]
    fn the_interval_finds_versions_equivalent() {
        let terms = ComparisonTerms { equivalent: Some(60.0), bounds: [0.0, 2.0], ..normalized() };
        let (decided, blocks) = feed(&terms, &[0.5, -0.5, 0.0, 0.0], 5000);
        assert_eq!(decided, Some((Verdict::Equivalent, Reason::Margin)), "{blocks}");
        let share = ComparisonTerms { measure: Measure::Share, bounds: [0.0, 0.0], ..terms };
        let share = ComparisonTerms { equivalent: Some(0.1), ..share };
        assert_eq!(feed(&share, &[0.2, -0.2], 5000).0, Some((Verdict::Equivalent, Reason::Margin)));
    }

    #[test]
    fn nothing_is_made_up_where_pairs_are_equal() {
        let mut evidence = Evidence::new(&normalized(), true).expect("the terms are good");
        assert_eq!((evidence.ratio(), evidence.elo(), evidence.anytime()), (None, None, None));
        for _ in 0..50 {
            evidence.add(BlockValue { share: 0.0, clipped: 0 });
        }
        assert_eq!((evidence.ratio(), evidence.elo()), (None, None));
        let anytime = evidence.anytime().expect("there are blocks");
        assert!(anytime.low < 0.0 && anytime.value == 0.0 && anytime.high > 0.0, "{anytime:?}");
        assert_eq!(evidence.pentanomial(), Some(Pentanomial([0, 0, 50, 0, 0])));
    }

    #[test]
    fn empty_cells_change_the_estimate_alone() {
        let [fishtest, fastchess] = [EmptyCells::Fishtest, EmptyCells::Fastchess].map(|empty| {
            let mut evidence =
                Evidence::new(&ComparisonTerms { empty, ..normalized() }, true).expect("the terms are good");
            let decided: Vec<_> =
                [1.0, 1.0, 0.5, 1.0].map(|share| evidence.add(BlockValue { share, clipped: 0 })).into_iter().collect();
            (
                decided,
                evidence.ratio(),
                evidence.bounds(),
                evidence.anytime(),
                evidence.elo().expect("pairs vary").value,
            )
        });
        assert_eq!((&fishtest.0, fishtest.1, fishtest.2), (&fastchess.0, fastchess.1, fastchess.2));
        assert!(fishtest.3 == fastchess.3 && fishtest.4 < fastchess.4, "{fishtest:?} {fastchess:?}");
    }

    #[test]
    fn exchanged_labels_exchange_the_evidence() {
        let mut one = Evidence::new(&terms(Measure::Share, [0.0, 0.0]), false).expect("the terms are good");
        let mut other = one.clone();
        for share in [0.3, -0.2, 0.9, 0.1, -1.0] {
            let value = BlockValue { share, clipped: 0 };
            one.add(value);
            other.add(value.exchanged());
        }
        let ([above, below], [above_of_other, below_of_other]) = (one.log_e_values(), other.log_e_values());
        assert!((above - below_of_other).abs() < 1e-12 && (below - above_of_other).abs() < 1e-12);
    }
}

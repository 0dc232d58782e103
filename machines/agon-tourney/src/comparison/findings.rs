//! Everything that is known of a test so far.

use super::{
    block::{FinishedMatch, NEW, OLD},
    evidence::{BlockValue, Evidence},
    terms::ComparisonTerms,
    verdict::{Reason, Verdict},
};
use agon_core::Seed;
use agon_stats::{Estimate, Pentanomial};

/// Everything that is known of a test so far. Only blocks before the first one that is not settled are taken into account.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings {
    /// The answer. Undecided while the test runs.
    pub verdict: Verdict,
    /// Why the test stopped. While it runs, [`Reason::Interrupted`].
    pub reason: Reason,
    /// The log-likelihood ratio. `None` without pairs that vary.
    pub llr: Option<f64>,
    /// The bounds that decide, of the ratio or of [`Findings::log_e_values`]: for a new version that is not better (below
    /// 0) and for one that is. Those of a ratio are moved towards 0 by what a ratio is expected to jump past them.
    pub bounds: [f64; 2],
    /// The bounds without that correction.
    pub wald_bounds: [f64; 2],
    /// The logarithms of the e-values against "at most the first bound" and "at least the second bound".
    pub log_e_values: [f64; 2],
    /// What these logarithms must reach to decide, both above 0. For pairs they decide only while there is no ratio.
    pub log_e_bounds: [f64; 2],
    /// How many pairs gave 0 to 4 half points. `None` if blocks are no pairs.
    pub pentanomial: Option<Pentanomial>,
    /// The estimate in logistic Elo for a test that stops here, with its 95 % interval. `None` without pairs that vary.
    pub elo: Option<Estimate>,
    /// The mean with its 95 % interval that holds at any time: in logistic Elo for pairs, else in the unit of the measure.
    pub anytime: Option<Estimate>,
    /// The number of blocks that count.
    pub blocks: u64,
    /// The number of blocks that went in different ways.
    pub distinct_blocks: u64,
    /// The number of blocks that do not count, because they only repeated an earlier one.
    pub repeats: u64,
    /// The number of blocks that the host spoilt too often.
    pub left_out: u64,
    /// The number of blocks that do not count, because all bots forfeited a match of them.
    pub forfeited_blocks: u64,
    /// The number of matches that all bots forfeited. They are among [`Findings::matches`].
    pub double_forfeits: u64,
    /// The number of matches with a result, those of repetitions included.
    pub matches: u64,
    /// How often a match that the host spoilt made its block begin anew.
    pub spoilt: u64,
    /// The faults in matches with a result.
    pub faults: BotFaults,
    /// The number of matches whose difference in scores was clipped.
    pub clipped: u64,
    /// For each seat, the number of matches of the new version in it and the sum of its values.
    pub seats: Vec<(u64, f64)>,
    /// The blocks that count, in their order.
    pub counted: Vec<CountedBlock>,
    /// The evidence after each of these blocks.
    pub course: Vec<CoursePoint>,
    measure: super::Measure,
}

/// The faults of each side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BotFaults {
    /// Those of the old version.
    pub old: u64,
    /// Those of the new version.
    pub new: u64,
    /// Those of the other bots.
    pub field: u64,
}

/// A block that counts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CountedBlock {
    /// The number of the block, from 0.
    pub block: u32,
    /// The seed of its matches.
    pub seed: Seed,
    /// A number for its map.
    pub map: u64,
    /// What it is worth to the new version, from -1 to 1.
    pub value: f64,
}

/// The evidence after a block.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CoursePoint {
    /// The log-likelihood ratio.
    pub llr: Option<f64>,
    /// As [`Findings::bounds`].
    pub bounds: [f64; 2],
    /// As [`Findings::log_e_values`].
    pub log_e_values: [f64; 2],
    /// As [`Findings::anytime`].
    pub anytime: Option<Estimate>,
}

impl CoursePoint {
    pub(super) fn of(evidence: &Evidence) -> Self {
        Self {
            llr: evidence.ratio(),
            bounds: evidence.bounds()[0],
            log_e_values: evidence.log_e_values(),
            anytime: evidence.anytime(),
        }
    }
}

impl Findings {
    pub(super) fn new(terms: &ComparisonTerms, evidence: &Evidence) -> Self {
        let [bounds, wald_bounds] = evidence.bounds();
        Self {
            verdict: Verdict::Undecided,
            reason: Reason::Interrupted,
            llr: None,
            bounds,
            wald_bounds,
            log_e_values: [0.0; 2],
            log_e_bounds: evidence.log_e_bounds(),
            pentanomial: evidence.pentanomial(),
            elo: None,
            anytime: None,
            blocks: 0,
            distinct_blocks: 0,
            repeats: 0,
            left_out: 0,
            forfeited_blocks: 0,
            double_forfeits: 0,
            matches: 0,
            spoilt: 0,
            faults: BotFaults::default(),
            clipped: 0,
            seats: vec![(0, 0.0); terms.seats],
            counted: Vec::new(),
            course: Vec::new(),
            measure: terms.measure,
        }
    }

    /// Adds the answer and what the evidence says now.
    pub(super) fn answered(self, verdict: Verdict, reason: Reason, evidence: &Evidence) -> Self {
        let [bounds, wald_bounds] = evidence.bounds();
        Self {
            verdict,
            reason,
            llr: evidence.ratio(),
            bounds,
            wald_bounds,
            log_e_values: evidence.log_e_values(),
            pentanomial: evidence.pentanomial(),
            elo: evidence.elo(),
            anytime: evidence.anytime(),
            ..self
        }
    }

    /// Adds the matches of a block, whether it counts or not.
    pub(super) fn add_matches<'a>(
        &mut self,
        matches: impl Iterator<Item = (&'a [usize], &'a FinishedMatch)>,
        value: BlockValue,
    ) {
        self.clipped += u64::from(value.clipped);
        for (seating, result) in matches {
            self.matches += 1;
            for (bot, _) in seating.iter().zip(&result.faults).filter(|(_, failed)| **failed) {
                match *bot {
                    OLD => self.faults.old += 1,
                    NEW => self.faults.new += 1,
                    _ => self.faults.field += 1,
                }
            }
            if result.is_forfeited_by_all() {
                self.double_forfeits += 1;
                continue;
            }
            let seat = seating.iter().position(|bot| *bot == NEW);
            let value = BlockValue::of(self.measure, std::iter::once((seating, result)));
            if let (Some(seat), Some(value)) = (seat.and_then(|seat| self.seats.get_mut(seat)), value) {
                *seat = (seat.0 + 1, seat.1 + value.share);
            }
        }
    }

    pub(super) fn add_block(&mut self, block: CountedBlock) {
        self.blocks += 1;
        self.counted.push(block);
    }

    /// Returns whether the old version, and whether the new one, has failed in every match. Both are `false` before the first
    /// one.
    #[must_use]
    pub fn failing(&self) -> [bool; 2] {
        [self.faults.old, self.faults.new].map(|faults| self.matches > 0 && faults == self.matches)
    }

    /// Returns the share of matches whose difference in scores was clipped. `None` before the first match.
    #[must_use]
    pub fn clipped_share(&self) -> Option<f64> {
        (self.matches > 0).then(|| self.clipped as f64 / self.matches as f64)
    }
}

//! Tests whether a new version of a bot is better than the old one: plays blocks until the question is answered.
//!
//! A *block* is one map and seed with all rotations of a line-up, so that every bot plays in every seat once. Blocks count
//! in their order, whichever ends first. So how many matches run at once, in which order they end, and whether the test
//! was interrupted and continued never changes the answer.
//!
//! ```
//! use agon_core::{Derivation, Seed};
//! use agon_stats::{EloModel, EmptyCells};
//! use agon_tourney::{Comparison, ComparisonTerms, FinishedMatch, MatchEnd, Measure, NEW, Verdict};
//!
//! let terms = ComparisonTerms {
//!     seats: 2,
//!     seed: Seed(1),
//!     seeds: Derivation::Keyed,
//!     max_matches: 20_000,
//!     measure: Measure::Pairs { model: EloModel::Normalized },
//!     bounds: [0.0, 10.0],
//!     alpha: 0.05,
//!     beta: 0.05,
//!     equivalent: None,
//!     empty: EmptyCells::default(),
//! };
//! let mut comparison = Comparison::new(terms)?;
//! while let Some(next) = comparison.next() {
//!     // In this example, the new version always wins.
//!     let places = next.seating.iter().map(|bot| if *bot == NEW { 1 } else { 2 }).collect();
//!     let (scores, faults) = (vec![0; 2], vec![false; 2]);
//!     let result = FinishedMatch { places, scores, faults, fingerprint: next.id.0, ..FinishedMatch::default() };
//!     comparison.record(next.id, MatchEnd::Finished(result))?;
//! }
//! assert_eq!(comparison.findings().verdict, Verdict::Better);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what it defines |
//! | --- | --- |
//! | `terms` | [`ComparisonTerms`], [`Measure`]: what is asked, and when the test stops |
//! | `block` | [`BlockMatch`], [`FinishedMatch`]: who sits where, and how a match ended |
//! | `evidence` | [`BlockValue`]: what blocks are worth, and what they say together |
//! | `verdict` | [`Verdict`], [`Reason`] |
//! | `findings` | [`Findings`]: everything that is known so far |
//! | `relabelled` | [`relabelled()`]: the same blocks with exchanged labels |

mod block;
mod evidence;
mod findings;
mod relabelled;
mod terms;
mod verdict;

use crate::MatchId;
pub use block::{ATTEMPTS, BlockMatch, FinishedMatch, MatchEnd, NEW, OLD};
use block::{Numbering, OpenBlock, Settled, identity, place};
pub use evidence::BlockValue;
use evidence::Evidence;
pub use findings::{BotFaults, CountedBlock, CoursePoint, Findings};
pub use relabelled::relabelled;
use std::collections::{BTreeMap, BTreeSet};
pub use terms::{ComparisonTerms, Measure, TermsFlaw};
pub use verdict::{Reason, Verdict};

/// How many blocks may begin after one that is not settled. Without a limit, one long match would let all others run ahead
/// and be played for nothing if the test stops.
const AHEAD: u32 = 64;
/// The number of repetitions in a row after which there is nothing new to play.
pub const REPEATS: u32 = 10;
/// The number of blocks in a row that the host may spoil before the test stops.
pub const LEFT_OUT: u32 = 5;
/// The number of blocks after which the test stops if a version has failed in each of their matches, and of blocks in a row with
/// a match that all bots forfeit.
pub const FAILING: u64 = 5;

/// A test of a new version against an old one.
#[derive(Clone, Debug)]
pub struct Comparison {
    terms: ComparisonTerms,
    /// Whether the evidence may stop it.
    answers: bool,
    numbering: Numbering,
    /// The blocks that began and do not count yet.
    open: BTreeMap<u32, OpenBlock>,
    /// The first block that has not begun.
    next: u32,
    /// The first block that is not settled, or does not count yet because it comes after one that is not.
    front: u32,
    evidence: Evidence,
    answer: Option<(Verdict, Reason)>,
    sums: Findings,
    repetition: Repetition,
    left_out_in_row: u32,
    /// The blocks that were looked at, also if they do not count.
    blocks_played: u64,
    forfeited_in_row: u64,
    /// The attempt that counts of each block of which it is not the first one. `None`: the block is left out.
    later_attempts: BTreeMap<u32, Option<u32>>,
}

/// Knows what was played before.
#[derive(Clone, Debug, Default)]
struct Repetition {
    /// How blocks went.
    seen: BTreeSet<u64>,
    /// For each map and line-up, how its first block without a fault went.
    of_map: BTreeMap<u64, u64>,
    /// Whether a map was played again and another match came of it. Then equal blocks are chance.
    varies: bool,
    /// For each map and line-up, how its first block went, with faults or without, and whether it had one.
    of_map_with_faults: BTreeMap<u64, (u64, bool)>,
    /// Whether a map was played again and a fault came or was missing, or another one came. Then equal faults are chance.
    faults_vary: bool,
    /// Repetitions that do not count while bots seem to play the same again and again, and whether they have faults.
    held: Vec<(CountedBlock, BlockValue, bool)>,
    in_row: u32,
}

/// A report that a test cannot use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReportError {
    /// The test has no match with this number.
    #[error("the test has no match {0}")]
    NoMatch(MatchId),
    /// The result does not have an entry for each seat.
    #[error("match {0} does not have a result for each of its seats")]
    Seats(MatchId),
}

impl Comparison {
    /// Begins a test.
    ///
    /// # Errors
    /// If one of the terms makes no sense.
    pub fn new(terms: ComparisonTerms) -> Result<Self, TermsFlaw> {
        Self::begin(terms, true)
    }

    /// Begins a test that gives no answer, but plays as many blocks as are allowed. Their values are then in
    /// [`Findings::counted`].
    ///
    /// # Errors
    /// If one of the terms makes no sense.
    pub fn recording(terms: ComparisonTerms) -> Result<Self, TermsFlaw> {
        Self::begin(terms, false)
    }

    fn begin(terms: ComparisonTerms, answers: bool) -> Result<Self, TermsFlaw> {
        terms.check()?;
        let evidence = Evidence::new(&terms, true).ok_or(TermsFlaw::Bounds)?;
        let numbering = Numbering { seats: terms.seats, seed: terms.seed, seeds: terms.seeds };
        Ok(Self {
            numbering,
            open: BTreeMap::new(),
            next: 0,
            front: 0,
            sums: Findings::new(&terms, &evidence),
            evidence,
            answer: None,
            repetition: Repetition::default(),
            left_out_in_row: 0,
            blocks_played: 0,
            forfeited_in_row: 0,
            later_attempts: BTreeMap::new(),
            answers,
            terms,
        })
    }

    /// Returns what the test asks.
    #[must_use]
    pub fn terms(&self) -> &ComparisonTerms {
        &self.terms
    }

    /// Returns a match that may be played now, and hands it out. `None` if the test has stopped, or if nothing can begin
    /// before other matches end.
    #[expect(clippy::should_implement_trait, reason = "it may return more after `None`")]
    pub fn next(&mut self) -> Option<BlockMatch> {
        if self.answer.is_some() {
            return None;
        }
        let seats = self.terms.seats;
        for (block, open) in &mut self.open {
            if let Some((attempt, turn)) = open.hand_out(seats) {
                return Some(self.numbering.of(*block, attempt, turn));
            }
        }
        // Blocks of which a store knew results are open before their turn.
        while self.open.contains_key(&self.next) {
            self.next += 1;
        }
        if self.next >= self.terms.most_blocks() || self.next >= self.front.saturating_add(AHEAD) {
            return None;
        }
        let block = self.next;
        self.next += 1;
        let open = self.open.entry(block).or_insert_with(OpenBlock::new);
        let (attempt, turn) = open.hand_out(seats)?;
        Some(self.numbering.of(block, attempt, turn))
    }

    /// Returns a match by its number.
    #[must_use]
    pub fn find(&self, id: MatchId) -> Option<BlockMatch> {
        self.numbering.find(id).filter(|found| found.block < self.terms.most_blocks())
    }

    /// Takes what became of a match, whether it was handed out or not. Reports may come in any order. The first one for a
    /// match counts, and what comes after the answer changes nothing.
    ///
    /// # Errors
    /// If the test has no such match, or the report does not have an entry for each seat.
    pub fn record(&mut self, id: MatchId, end: MatchEnd) -> Result<(), ReportError> {
        // A store may have more blocks than are allowed now.
        let found = self.numbering.find(id).ok_or(ReportError::NoMatch(id))?;
        let seats = self.terms.seats;
        if let MatchEnd::Finished(FinishedMatch { places, scores, faults, .. }) = &end
            && [places.len(), scores.len(), faults.len()] != [seats; 3]
        {
            return Err(ReportError::Seats(id));
        }
        if found.block < self.front || found.block >= self.terms.most_blocks() {
            return Ok(());
        }
        let open = self.open.entry(found.block).or_insert_with(OpenBlock::new);
        open.note(found.attempt, found.turn, seats, end);
        self.count();
        Ok(())
    }

    /// Counts the settled blocks at the front.
    fn count(&mut self) {
        while self.answer.is_none() {
            let Some(settled) = self.open.get(&self.front).and_then(OpenBlock::settled) else { return };
            let Some(open) = self.open.remove(&self.front) else { return };
            let block = self.front;
            self.front += 1;
            self.next = self.next.max(self.front);
            self.sums.spoilt += open.spoilt();
            let attempt = open.attempt().map(|attempt| attempt as u32);
            if attempt != Some(0) {
                self.later_attempts.insert(block, attempt);
            }
            match settled {
                Settled::LeftOut => {
                    self.sums.left_out += 1;
                    self.left_out_in_row += 1;
                    if self.left_out_in_row >= LEFT_OUT {
                        self.answer = Some((Verdict::Undecided, Reason::Spoilt));
                    }
                }
                Settled::Played(matches) => {
                    self.left_out_in_row = 0;
                    self.count_played(block, &matches);
                }
            }
            if self.answer.is_none() && self.front >= self.terms.most_blocks() {
                self.answer = Some((Verdict::Undecided, Reason::Limit));
            }
        }
    }

    fn count_played(&mut self, block: u32, matches: &[FinishedMatch]) {
        let seatings: Vec<Vec<usize>> =
            (0..matches.len()).map(|turn| self.numbering.of(block, 0, turn).seating).collect();
        let with_seats = || seatings.iter().map(Vec::as_slice).zip(matches);
        // Every match has an entry for each seat, so it has a value.
        let Some(value) = BlockValue::of(self.terms.measure, with_seats()) else { return };
        let failed = matches.iter().any(|result| result.faults.contains(&true));
        self.sums.add_matches(with_seats(), value);
        self.blocks_played += 1;
        // That both fail says nothing about which is better, and without this match the block is not fair.
        let forfeited = matches.iter().any(FinishedMatch::is_forfeited_by_all);
        self.forfeited_in_row = if forfeited { self.forfeited_in_row + 1 } else { 0 };
        self.answer = self.failing();
        if forfeited {
            self.sums.forfeited_blocks += 1;
            return;
        }
        let map = matches.first().map_or(0, |result| result.map);
        // Rotations of a line-up are the same matches in another order. They begin with the old version in the first seat.
        let first = seatings.iter().position(|seating| seating.first() == Some(&OLD)).unwrap_or(0);
        let in_order = matches[first..].iter().chain(&matches[..first]);
        let line_up = seatings.get(first).map_or(&[][..], Vec::as_slice);
        let played = Played { where_from: place(map, line_up), identity: identity(in_order, line_up) };
        let seed = self.numbering.of(block, 0, 0).seed;
        let counted = CountedBlock { block, seed, map, value: value.share };
        for (counted, value) in self.repetition.sift(counted, value, played, failed) {
            self.sums.add_block(counted);
            let answer = self.evidence.add(value).filter(|_| self.answers);
            self.answer = self.answer.or(answer);
            self.sums.course.push(CoursePoint::of(&self.evidence));
            if self.answer.is_some() {
                break;
            }
        }
        self.sums.distinct_blocks = self.repetition.seen.len() as u64;
        self.sums.repeats = self.repetition.held.len() as u64;
        if self.answer.is_none() && self.repetition.in_row >= REPEATS {
            self.answer = Some((Verdict::Undecided, Reason::Exhausted));
        }
    }

    /// Returns the answer of a test in which one version, or both, fail again and again.
    fn failing(&self) -> Option<(Verdict, Reason)> {
        let failing = if self.blocks_played >= FAILING { self.sums.failing() } else { [false; 2] };
        match failing {
            [false, true] => Some((Verdict::NotBetter, Reason::Failing)),
            // Whatever does not fail is better than what does, so this says nothing of the new version.
            [true, _] => Some((Verdict::Undecided, Reason::Failing)),
            [false, false] => (self.forfeited_in_row >= FAILING).then_some((Verdict::Undecided, Reason::Failing)),
        }
    }

    /// Returns whether a match is one of those in the findings: its block was looked at, also if it repeats another one, and
    /// of several attempts to play the block, that of the match counts.
    #[must_use]
    pub fn has_counted(&self, id: MatchId) -> bool {
        self.numbering.find(id).is_some_and(|found| {
            let counted = self.later_attempts.get(&found.block).copied().unwrap_or(Some(0));
            found.block < self.front && counted == Some(found.attempt)
        })
    }

    /// Continues a test that has stopped because the host spoilt too many blocks in a row. Returns whether it had. The caller
    /// decides that the host may do better now.
    pub fn go_on(&mut self) -> bool {
        let was_spoilt = self.answer == Some((Verdict::Undecided, Reason::Spoilt));
        if was_spoilt {
            self.answer = None;
            self.left_out_in_row = 0;
            self.count();
        }
        was_spoilt
    }

    /// Returns whether the test has stopped.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.answer.is_some()
    }

    /// Returns everything that is known so far.
    #[must_use]
    pub fn findings(&self) -> Findings {
        let (verdict, reason) = self.answer.unwrap_or((Verdict::Undecided, Reason::Interrupted));
        self.sums.clone().answered(verdict, reason, &self.evidence)
    }
}

/// What is compared of blocks.
struct Played {
    /// The map and the line-up.
    where_from: u64,
    /// How the block went.
    identity: u64,
}

impl Repetition {
    /// Returns the blocks that count now, in their order: none for a repetition.
    ///
    /// A bot that plays the same on the same map again and again says nothing new, however often it is asked. That is so of a
    /// block in which a bot failed, too, unless the same map has ended otherwise: then bots fail by chance, or the host has a
    /// part in it. Such a block does not show that bots play otherwise, so blocks without a fault do not count for it.
    fn sift(
        &mut self,
        counted: CountedBlock,
        value: BlockValue,
        Played { where_from, identity }: Played,
        failed: bool,
    ) -> Vec<(CountedBlock, BlockValue)> {
        let new = self.seen.insert(identity);
        if !failed {
            self.varies |= *self.of_map.entry(where_from).or_insert(identity) != identity;
        }
        let (first, first_failed) = *self.of_map_with_faults.entry(where_from).or_insert((identity, failed));
        self.faults_vary |= first != identity && (failed || first_failed);
        let (varies, faults_vary) = (self.varies, self.faults_vary);
        let is_chance = |failed: bool| if failed { faults_vary } else { varies };
        if !new && !is_chance(failed) {
            self.held.push((counted, value, failed));
            self.in_row += 1;
            return Vec::new();
        }
        self.in_row = 0;
        let released = self.held.extract_if(.., |(_, _, failed)| is_chance(*failed));
        released.map(|(counted, value, _)| (counted, value)).chain([(counted, value)]).collect()
    }
}

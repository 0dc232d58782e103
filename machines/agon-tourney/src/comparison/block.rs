//! Blocks: which bot sits where, and how a block ended.

use crate::MatchId;
use agon_core::{Derivation, Fingerprint, Rng, Seed, forfeited_by_all};
use std::collections::BTreeSet;

/// How often a block is begun before it is left out. The host spoils every attempt but a first one.
pub const ATTEMPTS: u32 = 4;

/// The index of the old version in a line-up.
pub const OLD: usize = 0;
/// The index of the new version in a line-up.
pub const NEW: usize = 1;

/// One match of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockMatch {
    /// The number of the match. It says which block, attempt and turn the match belongs to.
    pub id: MatchId,
    /// The number of the block, from 0.
    pub block: u32,
    /// The number of the attempt to play this block, from 0.
    pub attempt: u32,
    /// The number of the match in the block, from 0.
    pub turn: usize,
    /// The bot in each seat: [`OLD`], [`NEW`], or a higher number for a bot of the field.
    pub seating: Vec<usize>,
    /// The seed of the block. All its matches have it.
    pub seed: Seed,
}

/// What became of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MatchEnd {
    /// It has a result.
    Finished(FinishedMatch),
    /// The host spoilt it. Its block is begun anew.
    Spoilt,
}

/// The result of a match, by seats.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FinishedMatch {
    /// The place of each seat. A smaller one is better, and equal ones are a tie.
    pub places: Vec<u32>,
    /// The score of each seat, in the game's own unit.
    pub scores: Vec<i64>,
    /// Whether the bot in each seat failed.
    pub faults: Vec<bool>,
    /// The number of turns.
    pub plies: u32,
    /// The fingerprint of the last position.
    pub fingerprint: u64,
    /// A number that two matches share if and only if they were played on the same map.
    pub map: u64,
}

impl FinishedMatch {
    /// Returns whether [all bots forfeited](forfeited_by_all) the match.
    #[must_use]
    pub fn is_forfeited_by_all(&self) -> bool {
        forfeited_by_all(self.places.iter().copied().zip(self.faults.iter().copied()))
    }
}

/// How the matches of a test are numbered, and who sits where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Numbering {
    pub(super) seats: usize,
    pub(super) seed: Seed,
    pub(super) seeds: Derivation,
}

impl Numbering {
    pub(super) fn of(self, block: u32, attempt: u32, turn: usize) -> BlockMatch {
        let first = (u64::from(block) * u64::from(ATTEMPTS) + u64::from(attempt)) * self.seats as u64;
        let seating = self.seating(block, turn);
        BlockMatch { id: MatchId(first + turn as u64 + 1), block, attempt, turn, seating, seed: self.seed_of(block) }
    }

    /// Returns the match with a number. `None` if a test has no such match.
    pub(super) fn find(self, id: MatchId) -> Option<BlockMatch> {
        let (index, seats) = (id.0.checked_sub(1)?, self.seats as u64);
        let attempts = u64::from(ATTEMPTS);
        let block = u32::try_from(index / seats / attempts).ok()?;
        let attempt = u32::try_from(index / seats % attempts).ok()?;
        Some(self.of(block, attempt, usize::try_from(index % seats).ok()?))
    }

    /// The first block has the seed of the test. The others have those of a series of games with this seed.
    fn seed_of(self, block: u32) -> Seed {
        if block == 0 { self.seed } else { self.seeds.seed(self.seed, "series", u64::from(block)) }
    }

    /// Returns the bot in each seat: the line-up of the block, moved on by one seat with each turn.
    ///
    /// With more than two bots, who follows whom could matter, and rotations do not change that. So each block has an
    /// order of its own, which the seed decides and no result. Between two equal versions, a block is then as likely to
    /// favour the one as the other.
    fn seating(self, block: u32, turn: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.seats).collect();
        if self.seats > 2 {
            Rng::new(self.seeds.seed(self.seed_of(block), "line-up", 0)).shuffle(&mut order);
        }
        order.rotate_left(turn % self.seats.max(1));
        order
    }
}

/// A block that has begun.
#[derive(Clone, Debug)]
pub(super) struct OpenBlock {
    /// The attempts so far, each with what became of its matches.
    attempts: Vec<Vec<Option<MatchEnd>>>,
    /// The matches that were handed out, of the last attempt that was begun.
    handed_out: (usize, BTreeSet<usize>),
}

/// What became of a block.
#[derive(Clone, Debug)]
pub(super) enum Settled {
    /// Every match has a result, in the order of turns.
    Played(Vec<FinishedMatch>),
    /// The host spoilt every attempt.
    LeftOut,
}

impl OpenBlock {
    pub(super) fn new() -> Self {
        Self { attempts: Vec::new(), handed_out: (0, BTreeSet::new()) }
    }

    /// Returns the number of the attempt that counts: the first one without a match that the host spoilt. `None` if the
    /// host spoilt all.
    pub(super) fn attempt(&self) -> Option<usize> {
        let spoilt = |ends: &Vec<Option<MatchEnd>>| ends.contains(&Some(MatchEnd::Spoilt));
        let first = self.attempts.iter().position(|ends| !spoilt(ends)).unwrap_or(self.attempts.len());
        (first < ATTEMPTS as usize).then_some(first)
    }

    /// Returns the attempt and the turn of a match that is to be played and was not handed out, and hands it out.
    pub(super) fn hand_out(&mut self, seats: usize) -> Option<(u32, usize)> {
        let attempt = self.attempt()?;
        if self.handed_out.0 != attempt {
            self.handed_out = (attempt, BTreeSet::new());
        }
        let ends = self.attempts.get(attempt);
        let known = |turn: &usize| ends.and_then(|ends| ends.get(*turn)).is_some_and(Option::is_some);
        let turn = (0..seats).find(|turn| !known(turn) && !self.handed_out.1.contains(turn))?;
        self.handed_out.1.insert(turn);
        Some((attempt as u32, turn))
    }

    /// Notes what became of a match. The first report of a match counts.
    pub(super) fn note(&mut self, attempt: u32, turn: usize, seats: usize, end: MatchEnd) {
        let attempt = attempt as usize;
        if self.attempts.len() <= attempt {
            self.attempts.resize(attempt + 1, vec![None; seats]);
        }
        self.attempts[attempt][turn].get_or_insert(end);
    }

    /// Returns the number of attempts that a spoilt match has ended. Whether a second match of such an attempt is played,
    /// and spoilt too, depends on what runs at the same time.
    pub(super) fn spoilt(&self) -> u64 {
        self.attempts.iter().filter(|ends| ends.contains(&Some(MatchEnd::Spoilt))).count() as u64
    }

    /// Returns what became of the block, if that is known.
    pub(super) fn settled(&self) -> Option<Settled> {
        let Some(attempt) = self.attempt() else { return Some(Settled::LeftOut) };
        let finished = |end: &Option<MatchEnd>| match end {
            Some(MatchEnd::Finished(result)) => Some(result.clone()),
            _ => None,
        };
        self.attempts.get(attempt)?.iter().map(finished).collect::<Option<Vec<_>>>().map(Settled::Played)
    }
}

/// Returns a number for a map and the line-up of the first match on it.
pub(super) fn place(map: u64, line_up: &[usize]) -> u64 {
    let mut sum = Fingerprint::new();
    sum.u64(map);
    for bot in line_up {
        sum.u64(*bot as u64);
    }
    sum.finish()
}

/// Returns a number for everything that is known of how a block went. Blocks with the same number are repetitions.
pub(super) fn identity<'m>(matches: impl Iterator<Item = &'m FinishedMatch>, line_up: &[usize]) -> u64 {
    let mut sum = Fingerprint::new();
    sum.u64(place(0, line_up));
    for result in matches {
        sum.u64(result.map).u64(result.fingerprint).u64(u64::from(result.plies));
        for place in &result.places {
            sum.u64(u64::from(*place));
        }
        for score in &result.scores {
            sum.u64(score.cast_unsigned());
        }
        for failed in &result.faults {
            sum.u64(u64::from(*failed));
        }
    }
    sum.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_finds_its_match_again() {
        for seats in [2, 3, 24] {
            let numbering = Numbering { seats, seed: Seed(7), seeds: Derivation::Keyed };
            let mut next = 1;
            for block in 0..5 {
                for attempt in 0..ATTEMPTS {
                    for turn in 0..seats {
                        let found = numbering.of(block, attempt, turn);
                        assert_eq!(found.id, MatchId(next));
                        assert_eq!(numbering.find(MatchId(next)), Some(found));
                        next += 1;
                    }
                }
            }
            assert_eq!(numbering.find(MatchId(0)), None);
            assert_eq!(numbering.find(MatchId(u64::MAX)), None);
        }
    }

    #[test]
    fn every_bot_takes_every_seat_once_in_a_block() {
        for seats in [2, 3, 5, 24] {
            let numbering = Numbering { seats, seed: Seed(3), seeds: Derivation::Keyed };
            let mut orders = BTreeSet::new();
            for block in 0..20 {
                let seatings: Vec<Vec<usize>> = (0..seats).map(|turn| numbering.of(block, 0, turn).seating).collect();
                for seat in 0..seats {
                    let bots: BTreeSet<usize> = seatings.iter().map(|seating| seating[seat]).collect();
                    assert_eq!(bots.len(), seats, "block {block}, seat {seat}");
                }
                orders.insert(seatings[0].clone());
            }
            assert_eq!(orders.len() == 1, seats == 2, "{seats} seats: {orders:?}");
        }
    }

    #[test]
    fn a_spoilt_match_begins_its_block_anew() {
        let finished = |plies| MatchEnd::Finished(FinishedMatch { plies, ..FinishedMatch::default() });
        let mut block = OpenBlock::new();
        assert_eq!((block.hand_out(2), block.hand_out(2), block.hand_out(2)), (Some((0, 0)), Some((0, 1)), None));
        block.note(0, 0, 2, finished(1));
        block.note(0, 1, 2, MatchEnd::Spoilt);
        assert_eq!((block.hand_out(2), block.hand_out(2), block.hand_out(2)), (Some((1, 0)), Some((1, 1)), None));
        block.note(1, 1, 2, finished(3));
        assert!(block.settled().is_none());
        block.note(1, 0, 2, finished(2));
        let Some(Settled::Played(results)) = block.settled() else { panic!("it is settled") };
        assert_eq!(results.iter().map(|result| result.plies).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(block.spoilt(), 1);
    }

    #[test]
    fn a_block_that_the_host_always_spoils_is_left_out() {
        let mut block = OpenBlock::new();
        // Later attempts may be known before earlier ones, as when a store is read.
        for attempt in (0..ATTEMPTS).rev() {
            assert!(block.settled().is_none());
            block.note(attempt, 1, 2, MatchEnd::Spoilt);
        }
        assert!(matches!(block.settled(), Some(Settled::LeftOut)));
        assert_eq!((block.hand_out(2), block.spoilt()), (None, u64::from(ATTEMPTS)));
    }
}

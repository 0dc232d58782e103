//! Snapshots of positions, so that going back in a match need not replay it from the start.

use crate::{Board, Mark};

/// The most snapshots that are kept, if nobody asks for more.
const MOST: usize = 16;
/// The number of turns between two snapshots at first.
const CLOSEST: u32 = 16;

/// A limited number of positions of one match, roughly evenly spread. When the list is full, every second snapshot is
/// dropped. Memory stays bounded, and going back replays at most a fixed share of the match.
#[derive(Clone)]
pub(crate) struct Snapshots {
    /// The distance in turns: the distance of a snapshot from the first one is a multiple of it.
    every: u32,
    /// The most snapshots that are kept.
    most: usize,
    /// The snapshots, in ascending order of turns. The first one is never dropped.
    kept: Vec<Snapshot>,
}

/// A position with its fingerprint.
#[derive(Clone)]
pub(crate) struct Snapshot {
    pub mark: Mark,
    pub board: Board,
}

impl Snapshots {
    /// Creates the list with its first snapshot. No one can go back beyond it.
    pub(crate) fn new(board: &Board) -> Self {
        Self { every: CLOSEST, most: MOST, kept: vec![Snapshot::new(board)] }
    }

    /// Sets the most snapshots that are kept, at least two. The more there are, the fewer turns are replayed to go back.
    /// Those beyond the number are dropped. The distance between snapshots never shrinks again.
    pub(crate) fn keep(&mut self, most: usize) {
        self.most = most.max(2);
        while self.kept.len() > self.most {
            self.thin_out();
        }
    }

    /// Doubles the distance between snapshots and drops those in between.
    fn thin_out(&mut self) {
        self.every = self.every.saturating_mul(2);
        let (every, first) = (self.every, self.first());
        self.kept.retain(|snapshot| (snapshot.board.plies() - first).is_multiple_of(every));
    }

    /// Keeps this position if a snapshot is due. Drops the snapshots of another line of play.
    pub(crate) fn note(&mut self, board: &Board) {
        let plies = board.plies();
        if !self.is_due(plies) {
            return;
        }
        let taken = Snapshot::new(board);
        match self.kept.binary_search_by_key(&plies, |snapshot| snapshot.board.plies()) {
            Ok(i) if self.kept[i].mark == taken.mark => return,
            Ok(i) => self.kept.truncate(i.max(1)),
            Err(i) if i < self.kept.len() => return,
            Err(_) => {}
        }
        while self.kept.len() >= self.most {
            self.thin_out();
        }
        if self.is_due(plies) {
            self.kept.push(taken);
        }
    }

    fn is_due(&self, plies: u32) -> bool {
        let first = self.first();
        plies > first && (plies - first).is_multiple_of(self.every)
    }

    /// Returns the last snapshot after at most `plies` turns for which `fits` holds.
    pub(crate) fn last(&self, plies: u32, fits: impl Fn(&Snapshot) -> bool) -> Option<&Snapshot> {
        self.kept.iter().rev().find(|snapshot| snapshot.board.plies() <= plies && fits(snapshot))
    }

    /// Drops the snapshots after more than `plies` turns, except the first one.
    pub(crate) fn forget_after(&mut self, plies: u32) {
        let left = self.kept.partition_point(|snapshot| snapshot.board.plies() <= plies);
        self.kept.truncate(left.max(1));
    }

    /// Returns the number of turns before the first snapshot.
    pub(crate) fn first(&self) -> u32 {
        self.kept[0].board.plies()
    }
}

impl Snapshot {
    fn new(board: &Board) -> Self {
        Self { mark: board.fingerprint(), board: board.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_spec::{MatchSpec, SeatSpec};
    use agon_toy::Position as Toy;

    fn toy(plies: u32) -> Board {
        let seats = ["a", "b"].map(SeatSpec::of_words);
        let spec = MatchSpec::new("toy", "spec", "heap 9\nmost 3\n", seats);
        Board::start::<Toy>(&spec).unwrap().after(plies)
    }

    fn numbers(snapshots: &Snapshots) -> Vec<u32> {
        snapshots.kept.iter().map(|snapshot| snapshot.board.plies()).collect()
    }

    #[test]
    fn few_are_kept_of_a_long_match_and_they_are_spread() {
        let mut snapshots = Snapshots::new(&toy(0));
        for plies in 1..100_000 {
            snapshots.note(&toy(plies));
            assert!(snapshots.kept.len() <= MOST);
        }
        let numbers = numbers(&snapshots);
        assert!(numbers.len() > MOST / 3, "{numbers:?}");
        assert!(numbers.windows(2).all(|pair| pair[1] - pair[0] == numbers[1]), "{numbers:?}");
        assert_eq!(snapshots.last(50_000, |_| true).map(|s| 50_000 - s.board.plies() < numbers[1]), Some(true));
        snapshots.forget_after(0);
        assert_eq!(snapshots.kept.len(), 1);
    }

    #[test]
    fn as_many_are_kept_as_were_asked_for() {
        let mut snapshots = Snapshots::new(&toy(0));
        snapshots.keep(100);
        (1..=80 * CLOSEST).for_each(|plies| snapshots.note(&toy(plies)));
        assert_eq!(numbers(&snapshots), (0..=80).map(|n| n * CLOSEST).collect::<Vec<_>>());
    }

    #[test]
    fn a_smaller_number_holds_at_once() {
        let mut snapshots = Snapshots::new(&toy(0));
        snapshots.keep(100);
        (1..=80 * CLOSEST).for_each(|plies| snapshots.note(&toy(plies)));
        snapshots.keep(5);
        assert_eq!(numbers(&snapshots), [0, 32, 64].map(|n| n * CLOSEST));
        (80 * CLOSEST + 1..=1_000 * CLOSEST).for_each(|plies| {
            snapshots.note(&toy(plies));
            assert!(snapshots.kept.len() <= 5);
        });
        snapshots.keep(0);
        assert_eq!(snapshots.kept.len(), 2, "the first one and another");
    }
}

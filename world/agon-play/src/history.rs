//! The turns of a running match, kept to look at them when it is over.

use agon_referee::PlyRecord;

/// The maximum memory of the turns in bytes, approximately. There must be a limit because bots decide how large the
/// record of a turn is.
const KEPT: usize = 64 << 20;

/// The turns of a match, unless they are too large to keep.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct History {
    turns: Vec<PlyRecord>,
    count: usize,
    weight: usize,
}

impl History {
    /// Adds a turn.
    pub fn add(&mut self, record: &PlyRecord) {
        self.count += 1;
        self.weight = self.weight.saturating_add(record.weight());
        if self.weight <= KEPT {
            self.turns.push(record.clone());
        } else {
            // Some of the turns are useless: a position follows from all turns before it.
            self.turns = Vec::new();
        }
    }

    /// Returns all turns. `None` if they were too large to keep.
    pub fn turns(&self) -> Option<&[PlyRecord]> {
        (self.turns.len() == self.count).then_some(&self.turns)
    }

    /// Returns the number of turns that were added, kept or not.
    pub fn count(&self) -> usize {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::Seat;
    use agon_referee::EntryRecord;

    #[test]
    fn turns_are_kept_until_they_are_too_large() {
        let orders = std::iter::repeat_n("a lawful order", 100_000).collect();
        let turn = PlyRecord {
            entries: vec![EntryRecord { orders, ..EntryRecord::new(Seat::new(0)) }],
            ..PlyRecord::default()
        };
        let mut history = History::default();
        while history.turns().is_some() {
            history.add(&turn);
            assert!(history.count() < KEPT / 1_000_000, "they are too large by now");
        }
        let few = history.count();
        assert!(few > 10, "{few}");
        history.add(&PlyRecord::default());
        assert_eq!((history.turns(), history.count()), (None, few + 1));
    }
}

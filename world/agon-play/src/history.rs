//! The turns of a match that is being played, for whoever wants to look at them when it is over.

use agon_referee::PlyRecord;

/// About as many bytes of memory at most are taken by them: bots decide how large the record of a turn is.
const KEPT: usize = 64 << 20;

/// The turns of a match, unless they are too large to be kept.
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
            // A part of them is of no use: a position comes from all turns before it.
            self.turns = Vec::new();
        }
    }

    /// All of them; `None` if they were too large.
    pub fn turns(&self) -> Option<&[PlyRecord]> {
        (self.turns.len() == self.count).then_some(&self.turns)
    }

    /// How many there were.
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

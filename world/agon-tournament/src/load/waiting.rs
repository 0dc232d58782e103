//! The matches that a run has drawn and that are not over.

use std::collections::BTreeMap;

/// The matches that a run has drawn and that are not over. It is asked for their number at every claim, and there may be tens of
/// thousands while many machines play, so it counts them as they come and go.
#[derive(Default)]
pub(super) struct WaitingMatches {
    /// With their bots, and whether they are played last.
    matches: BTreeMap<u64, (Vec<u32>, bool)>,
    /// How many are played last.
    last: usize,
}

impl WaitingMatches {
    /// Adds a match.
    pub(super) fn insert(&mut self, id: u64, bots: Vec<u32>, is_last: bool) {
        self.remove(id);
        self.last += usize::from(is_last);
        self.matches.insert(id, (bots, is_last));
    }

    /// Takes a match out, if it is there.
    pub(super) fn remove(&mut self, id: u64) {
        if let Some((_, true)) = self.matches.remove(&id) {
            self.last -= 1;
        }
    }

    /// Notes that a match is played last.
    pub(super) fn play_last(&mut self, id: u64) {
        if let Some((_, last @ false)) = self.matches.get_mut(&id) {
            *last = true;
            self.last += 1;
        }
    }

    /// Notes that the matches of a bot are played last. Returns those that were not.
    pub(super) fn play_last_of(&mut self, bot: u32) -> Vec<u64> {
        let own = self.matches.iter().filter(|(_, (bots, last))| !last && bots.contains(&bot));
        let own: Vec<u64> = own.map(|(id, _)| *id).collect();
        own.iter().for_each(|id| self.play_last(*id));
        own
    }

    pub(super) fn contains(&self, id: u64) -> bool {
        self.matches.contains_key(&id)
    }

    pub(super) fn len(&self) -> usize {
        self.matches.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.matches.is_empty()
    }

    /// Returns how many are played in their turn, and how many last.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.matches.len() - self.last, self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_follow_every_change() {
        let mut waiting = WaitingMatches::default();
        (1..=6).for_each(|id| waiting.insert(id, vec![0, id as u32 % 3], id == 6));
        assert_eq!(waiting.counts(), (5, 1));
        waiting.insert(6, vec![0, 0], true);
        waiting.play_last(6);
        waiting.play_last(7);
        assert_eq!(waiting.counts(), (5, 1));
        assert_eq!(waiting.play_last_of(1), [1, 4]);
        assert_eq!(waiting.play_last_of(1), [] as [u64; 0]);
        assert_eq!(waiting.counts(), (3, 3));
        waiting.insert(4, vec![0, 1], false);
        waiting.remove(6);
        waiting.remove(6);
        waiting.remove(5);
        assert_eq!((waiting.counts(), waiting.len()), ((3, 1), 4));
        (1..=6).for_each(|id| waiting.remove(id));
        assert!(waiting.is_empty() && waiting.counts() == (0, 0) && !waiting.contains(1));
    }
}

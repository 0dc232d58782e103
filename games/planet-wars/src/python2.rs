//! The order in which a dictionary of CPython 2 yields small whole numbers.
//!
//! The official server kept the orders of a turn in such dictionaries, and sent the new fleets to bots in their order.
//! Only the order of `F` lines depends on this.

use alloc::vec::Vec;

const EMPTY: u32 = u32::MAX;
const SMALLEST: usize = 8;
const PERTURB_SHIFT: u32 = 5;

/// The keys of a dictionary from which no key was ever removed.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    slots: Vec<u32>,
    old: Vec<u32>,
    used: usize,
}

impl Keys {
    /// Removes all keys and resets the size of the table.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.slots.resize(SMALLEST, EMPTY);
        self.used = 0;
    }

    /// Inserts a key, or finds it if it is there.
    pub fn insert(&mut self, key: u32) {
        if self.slots.is_empty() {
            self.clear();
        }
        let slot = find(&self.slots, key);
        if self.slots[slot] == key {
            return;
        }
        self.slots[slot] = key;
        self.used += 1;
        // The table stays less than two thirds full. When it grows, it gets more than four times as many slots as
        // keys.
        if self.used * 3 >= self.slots.len() * 2 {
            let size = (self.used * 4 + 1).next_power_of_two();
            core::mem::swap(&mut self.slots, &mut self.old);
            self.slots.clear();
            self.slots.resize(size, EMPTY);
            for &key in self.old.iter().filter(|k| **k != EMPTY) {
                let slot = find(&self.slots, key);
                self.slots[slot] = key;
            }
        }
    }

    /// The place of an inserted key in the iteration. Smaller ranks come first.
    pub fn rank(&self, key: u32) -> u32 {
        find(&self.slots, key) as u32
    }
}

/// The slot of `key`, or the empty slot where it would be inserted.
fn find(slots: &[u32], key: u32) -> usize {
    let mask = slots.len() - 1;
    let mut at = key as usize;
    let mut perturb = key as usize;
    loop {
        let slot = at & mask;
        if slots[slot] == key || slots[slot] == EMPTY {
            return slot;
        }
        at = at.wrapping_mul(5).wrapping_add(perturb).wrapping_add(1);
        perturb >>= PERTURB_SHIFT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iteration(keys: &[u32]) -> Vec<u32> {
        let mut table = Keys::default();
        keys.iter().for_each(|k| table.insert(*k));
        let mut sorted = keys.to_vec();
        sorted.sort_by_key(|k| table.rank(*k));
        sorted.dedup();
        sorted
    }

    #[test]
    fn small_numbers_come_in_order() {
        assert_eq!(iteration(&[3, 1, 2, 3]), [1, 2, 3]);
    }

    #[test]
    fn numbers_that_collide_depend_on_who_came_first() {
        // Both want slot 0 of 8; the second one goes to slot 8 * 5 + 8 + 1 = 49, which is 1.
        assert_eq!(iteration(&[0, 8, 2]), [0, 8, 2]);
        assert_eq!(iteration(&[8, 0, 2]), [8, 0, 2]);
    }

    #[test]
    fn a_table_that_is_two_thirds_full_grows_to_more_than_four_times_its_keys() {
        // The sixth key makes the table grow to 32 slots, so 8 and 16 move behind 4.
        assert_eq!(iteration(&[16, 8, 0, 4, 2]), [16, 8, 2, 4, 0]);
        assert_eq!(iteration(&[16, 8, 0, 4, 2, 1]), [0, 1, 2, 4, 8, 16]);
    }
}

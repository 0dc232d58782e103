//! What was answered a short time ago.

use std::collections::{BTreeMap, VecDeque};

/// The last things of a kind, by key. The oldest are forgotten.
#[derive(Clone, Debug)]
pub(crate) struct Recent<K, V> {
    by_key: BTreeMap<K, V>,
    order: VecDeque<K>,
    most: usize,
}

impl<K: Ord + Clone, V> Recent<K, V> {
    pub(crate) fn new(most: usize) -> Self {
        Self { by_key: BTreeMap::new(), order: VecDeque::new(), most }
    }

    pub(crate) fn add(&mut self, key: K, value: V) {
        if self.by_key.insert(key.clone(), value).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > self.most
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_key.remove(&oldest);
        }
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.by_key.get(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_are_forgotten() {
        let mut recent = Recent::new(2);
        for (key, value) in [(1, 'a'), (2, 'b'), (1, 'c'), (3, 'd')] {
            recent.add(key, value);
        }
        assert_eq!((recent.get(&1), recent.get(&2), recent.get(&3)), (None, Some(&'b'), Some(&'d')));
    }
}

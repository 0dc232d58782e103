//! The actions of a turn that the rules refused. Only people who look at the match learn of them.

use crate::{Order, order::mistake};
use agon_core::RefusedCommand;
use alloc::vec::Vec;

/// The largest number of entries that name their action. Further actions are only counted, one entry for each code.
const NAMED: usize = 64;

/// The refused actions of one turn, in order. Equal actions in a row are one entry.
#[derive(Clone, Default)]
pub(crate) struct RefusedActions {
    entries: Vec<RefusedCommand<Order>>,
}

impl RefusedActions {
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }

    pub(crate) fn entries(&self) -> &[RefusedCommand<Order>] {
        &self.entries
    }

    /// Adds an action that was refused `times` times with `code`, when `after` actions stood. Returns `false` if no
    /// refusal has this code.
    pub(crate) fn add(&mut self, after: u32, action: Option<Order>, code: u8, times: u32) -> bool {
        let Some(why) = mistake(code) else { return false };
        let entry = RefusedCommand { after, order: action, code, why, times };
        let repeated = self.entries.last().is_some_and(|last| RefusedCommand { times, ..*last } == entry);
        let named = action.is_some() && self.entries.len() < NAMED;
        let same = if repeated {
            self.entries.last_mut()
        } else if named {
            None
        } else {
            self.entries.iter_mut().find(|entry| entry.order.is_none() && entry.code == code)
        };
        match same {
            Some(same) => same.times = same.times.saturating_add(times),
            None if named => self.entries.push(entry),
            None => self.entries.push(RefusedCommand { order: None, after: 0, ..entry }),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::geometry::pt;

    #[test]
    fn equal_actions_in_a_row_are_one_entry() {
        let mut refused = RefusedActions::default();
        for action in [Order::Capture, Order::Capture, Order::Shield, Order::Capture] {
            assert!(refused.add(0, Some(action), 2, 1));
        }
        assert!(!refused.add(0, Some(Order::Turbo), 0, 1) && !refused.add(0, Some(Order::Turbo), 12, 1));
        let entries: Vec<_> = refused.entries().iter().map(|e| (e.order, e.times)).collect();
        assert_eq!(entries, [(Some(Order::Capture), 2), (Some(Order::Shield), 1), (Some(Order::Capture), 1)]);
    }

    #[test]
    fn any_number_of_actions_takes_little_room() {
        let mut refused = RefusedActions::default();
        for i in 0..10_000 {
            refused.add(i, Some(Order::Move(pt(i as i32, 0))), 1 + (i % 11) as u8, 1);
        }
        refused.add(0, None, 3, u32::MAX);
        assert_eq!(refused.entries().len(), NAMED + 11);
        let counts = refused.entries().iter().filter(|e| e.code != 3).map(|e| e.times);
        assert_eq!(counts.sum::<u32>(), (0..10_000).filter(|i| i % 11 != 2).count() as u32);
        assert_eq!(
            refused.entries().iter().find(|e| e.order.is_none() && e.code == 3).map(|e| e.times),
            Some(u32::MAX)
        );
    }
}

//! What a player did in its last turn, for the questions of its opponent (`hist_*`): the difference of two end states.

use crate::{ACTION_POINTS, CAPTURE_COST, LINK_COST, NEUTRALISATION_COST, SHIELD_COST, chart::PortalId, web::refill};
use agon_core::{Fingerprint, sort_few};
use alloc::vec::Vec;

/// The most portals that one turn can capture.
pub(crate) const MOST_CAPTURED: usize = (ACTION_POINTS / CAPTURE_COST) as usize;
/// The most portals that one turn can neutralise.
pub(crate) const MOST_NEUTRALISED: usize = (ACTION_POINTS / NEUTRALISATION_COST) as usize;
/// The most links that one turn can make.
pub(crate) const MOST_LINKED: usize = (ACTION_POINTS / LINK_COST) as usize;
/// The most shields that one turn can place.
pub(crate) const MOST_SHIELDED: usize = (ACTION_POINTS / SHIELD_COST) as usize;

/// The changes that one turn made. New fields follow from the new links.
pub(crate) struct History {
    /// The portals that the player owns now and did not own before.
    pub captured: Vec<u16>,
    /// The portals that the opponent owned and no longer owns, including those that the player then captured.
    pub neutralised: Vec<u16>,
    /// The new links. The smaller number of each comes first.
    pub linked: Vec<[u16; 2]>,
    /// One entry for each additional shield, regardless of the player that placed the earlier ones.
    pub shielded: Vec<u16>,
    /// While the turn runs: the number of shields that each of `neutralised` had.
    former_shields: Vec<u8>,
}

impl History {
    /// Reserves enough for all that the action points of a turn can buy.
    pub(crate) fn new() -> Self {
        Self {
            captured: Vec::with_capacity(MOST_CAPTURED),
            neutralised: Vec::with_capacity(MOST_NEUTRALISED),
            linked: Vec::with_capacity(MOST_LINKED),
            shielded: Vec::with_capacity(MOST_SHIELDED),
            former_shields: Vec::with_capacity(MOST_NEUTRALISED),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.captured.clear();
        self.neutralised.clear();
        self.linked.clear();
        self.shielded.clear();
        self.former_shields.clear();
    }

    #[inline]
    pub(crate) fn link(&mut self, a: PortalId, b: PortalId) {
        self.linked.push([a.min(b) as u16, a.max(b) as u16]);
    }

    #[inline]
    pub(crate) fn neutralise(&mut self, portal: PortalId, shields: u8) {
        self.neutralised.push(portal as u16);
        self.former_shields.push(shields);
    }

    pub(crate) fn take_back_neutralise(&mut self) {
        self.neutralised.pop();
        self.former_shields.pop();
    }

    /// Ends the turn: puts everything in the order of the lists.
    #[inline]
    pub(crate) fn close(&mut self) {
        // A portal with 2 shields that was neutralised, captured and given 3 shields is one entry: the counts are
        // compared.
        for (portal, shields) in self.neutralised.iter().zip(&self.former_shields) {
            for _ in 0..*shields {
                match self.shielded.iter().position(|p| p == portal) {
                    Some(i) => self.shielded.swap_remove(i),
                    None => break,
                };
            }
        }
        self.former_shields.clear();
        for list in [&mut self.captured, &mut self.neutralised, &mut self.shielded] {
            sort_few(list);
        }
        sort_few(&mut self.linked);
    }

    pub(crate) fn mix(&self, f: &mut Fingerprint) {
        for list in [&self.captured, &self.neutralised, &self.shielded] {
            f.len(list.len());
            list.iter().for_each(|p| {
                f.u32(u32::from(*p));
            });
        }
        f.len(self.linked.len());
        self.linked.iter().for_each(|[a, b]| {
            f.u32(u32::from(*a)).u32(u32::from(*b));
        });
    }
}

impl Clone for History {
    fn clone(&self) -> Self {
        let mut copy = Self::new();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, source: &Self) {
        refill(&mut self.captured, &source.captured);
        refill(&mut self.neutralised, &source.neutralised);
        refill(&mut self.linked, &source.linked);
        refill(&mut self.shielded, &source.shielded);
        refill(&mut self.former_shields, &source.former_shields);
    }
}

impl PartialEq for History {
    fn eq(&self, other: &Self) -> bool {
        self.captured == other.captured
            && self.neutralised == other.neutralised
            && self.linked == other.linked
            && self.shielded == other.shielded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shields_are_compared_with_those_that_were_there() {
        let mut history = History::new();
        history.neutralise(7, 2);
        history.shielded.extend([7, 3, 7, 7]);
        history.close();
        assert_eq!(history.shielded, [3, 7]);
        let mut history = History::new();
        history.neutralise(7, 6);
        history.shielded.extend([7, 7]);
        history.close();
        assert!(history.shielded.is_empty());
    }
}

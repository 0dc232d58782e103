//! The list of single fleets, in the order in which they are sent to bots.
//!
//! The rules need only the [calendar of arrivals](crate::Arrivals). This list is for state texts, frames and playback
//! strings. Simulations switch it off.

use crate::{
    map::Fleet,
    python2::Keys,
    rules::{FleetOrder, Rules, SamePair, ZeroShips},
};
use alloc::vec::Vec;

/// An order that was executed in this turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub side: u8,
    pub ships: i32,
    pub source: u16,
    pub destination: u16,
    pub trip: i32,
    /// The index of the order among those of its player.
    pub index: u32,
    rank: [u32; 2],
}

impl Launch {
    pub fn new(side: usize, index: usize, ships: i32, [source, destination]: [usize; 2], trip: i32) -> Self {
        Self {
            side: side as u8,
            ships,
            source: source as u16,
            destination: destination as u16,
            trip,
            index: index as u32,
            rank: [0; 2],
        }
    }

    fn pair(&self) -> u32 {
        u32::from(self.source) << 16 | u32::from(self.destination)
    }
}

/// Working memory for [`muster`].
#[derive(Debug, Default)]
pub(crate) struct Muster {
    /// The orders of this turn. Player 1's come first.
    pub launches: Vec<Launch>,
    keys: Keys,
}

/// Turns the orders of this turn into fleets. The rule set decides whether they are merged, how they are sorted, and
/// whether empty ones are dropped.
pub(crate) fn muster(fleets: &mut Vec<Fleet>, work: &mut Muster, rules: &Rules) {
    let Muster { launches, keys } = work;
    let as_given = rules.fleet_order != FleetOrder::Python2;
    if as_given {
        for (position, launch) in launches.iter_mut().enumerate() {
            launch.rank = [position as u32, 0];
        }
    } else {
        rank_as_python2(launches, keys);
    }
    if rules.same_pair == SamePair::Merged {
        // Equal pairs have equal ranks in a dictionary. In the other case the first launch of a pair gives the rank.
        sort(launches, |l| [l.pair(), l.rank[0], l.rank[1], l.index]);
        launches.dedup_by(|later, first| {
            let same = later.pair() == first.pair();
            if same {
                first.ships += later.ships;
            }
            same
        });
    }
    if !(as_given && rules.same_pair == SamePair::Separate) {
        sort(launches, |l| [l.rank[0], l.rank[1], l.index, 0]);
    }
    for launch in launches.iter().filter(|l| l.ships > 0 || rules.zero_ships == ZeroShips::Fleet) {
        fleets.push(Fleet {
            owner: launch.side + 1,
            ships: launch.ships,
            source: launch.source,
            destination: launch.destination,
            total: launch.trip,
            remaining: launch.trip,
        });
    }
    launches.clear();
}

/// Sorts the launches. All orders share this one function, whose code is long.
fn sort(launches: &mut [Launch], key: fn(&Launch) -> [u32; 4]) {
    launches.sort_unstable_by_key(key);
}

/// Ranks the launches as the server's dictionaries do: one dictionary of sources for both players, and in it one of
/// destinations for each source.
fn rank_as_python2(launches: &mut [Launch], keys: &mut Keys) {
    // The server alternates between the lines of player 1 and those of player 2.
    sort(launches, |l| [l.index, l.side.into(), 0, 0]);
    keys.clear();
    launches.iter().for_each(|l| keys.insert(l.source.into()));
    launches.iter_mut().for_each(|l| l.rank[0] = keys.rank(l.source.into()));
    // A planet has one owner, so all orders from one source are of one player, and `index` keeps their order.
    sort(launches, |l| [l.rank[0], l.index, 0, 0]);
    for same_source in launches.chunk_by_mut(|a, b| a.source == b.source) {
        keys.clear();
        same_source.iter().for_each(|l| keys.insert(l.destination.into()));
        same_source.iter_mut().for_each(|l| l.rank[1] = keys.rank(l.destination.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    fn order_of(rules: Rules, orders: &[(usize, usize, usize, i32)]) -> Vec<(u16, u16, i32)> {
        let mut work = Muster::default();
        let mut counts = [0; 2];
        for &(side, source, destination, ships) in orders {
            work.launches.push(Launch::new(side, counts[side], ships, [source, destination], 3));
            counts[side] += 1;
        }
        let mut fleets = Vec::new();
        muster(&mut fleets, &mut work, &rules);
        fleets.iter().map(|f| (f.source, f.destination, f.ships)).collect()
    }

    #[test]
    fn by_the_specification_every_order_is_a_fleet_in_the_order_of_the_bots() {
        let orders = [(0, 9, 1, 5), (0, 1, 2, 0), (0, 9, 1, 6), (1, 0, 9, 7)];
        assert_eq!(order_of(Rules::SPEC, &orders), [(9, 1, 5), (9, 1, 6), (0, 9, 7)]);
        assert_eq!(order_of(Rules::PLAYGAME, &orders), [(9, 1, 5), (1, 2, 0), (9, 1, 6), (0, 9, 7)]);
    }

    #[test]
    fn the_server_merges_and_sorts_by_its_dictionary() {
        // Source 0 of player 2 takes slot 0; the second order of player 1, source 8, collides with it.
        let orders = [(0, 1, 2, 5), (0, 8, 1, 3), (0, 1, 2, 6), (1, 0, 9, 7), (1, 0, 4, 0)];
        assert_eq!(order_of(Rules::ORIGINAL, &orders), [(0, 9, 7), (1, 2, 11), (8, 1, 3)]);
    }

    #[test]
    fn merging_without_a_dictionary_keeps_the_place_of_the_first() {
        let rules = Rules { same_pair: SamePair::Merged, ..Rules::SPEC };
        let orders = [(0, 9, 1, 5), (0, 1, 2, 3), (0, 9, 1, 6)];
        assert_eq!(order_of(rules, &orders), [(9, 1, 11), (1, 2, 3)]);
    }
}

//! Which bot of a block sits where.

use crate::{Entrant, Seatings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Returns every order in which the bots of a block play, beginning with `first`.
pub(crate) fn orders(seatings: Seatings, first: Vec<Entrant>) -> Vec<Vec<Entrant>> {
    match seatings {
        Seatings::One => vec![first],
        Seatings::Balanced => (0..first.len())
            .map(|turn| {
                let mut order = first.clone();
                order.rotate_left(turn);
                order
            })
            .collect(),
        Seatings::All => {
            let mut places: Vec<usize> = (0..first.len()).collect();
            let mut all = vec![first.clone()];
            while next_permutation(&mut places) {
                all.push(places.iter().map(|place| first[*place]).collect());
            }
            all
        }
    }
}

/// Changes `places` into its successor in lexicographic order. Returns `false` after the last one.
fn next_permutation(places: &mut [usize]) -> bool {
    let Some(pivot) = places.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let swap = places.iter().rposition(|place| *place > places[pivot]).unwrap_or(pivot);
    places.swap(pivot, swap);
    places[pivot + 1..].reverse();
    true
}

/// How often each bot has been in each seat.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SeatCounts(BTreeMap<Entrant, Vec<u32>>);

impl SeatCounts {
    /// Returns `bots` in the order in which their numbers of matches in each seat become most even, and counts it.
    pub(crate) fn assign(&mut self, bots: &[Entrant]) -> Vec<Entrant> {
        let costs: Vec<Vec<i64>> = bots
            .iter()
            .map(|bot| {
                let counts = self.0.entry(*bot).or_insert_with(|| vec![0; bots.len()]);
                // The sum of squares grows by this much. It is the smallest where the counts stay even.
                counts.iter().map(|count| 2 * i64::from(*count) + 1).collect()
            })
            .collect();
        let mut order = bots.to_vec();
        for (bot, seat) in bots.iter().zip(cheapest(&costs)) {
            order[seat] = *bot;
            if let Some(count) = self.0.get_mut(bot).and_then(|counts| counts.get_mut(seat)) {
                *count += 1;
            }
        }
        order
    }
}

/// Returns for each row the column that it gets, so that the sum of costs is minimal. The matrix is square.
///
/// The Hungarian method with potentials, as in Kuhn (1955) and Munkres (1957); n³ steps.
fn cheapest(costs: &[Vec<i64>]) -> Vec<usize> {
    let n = costs.len();
    // Row 0 and column 0 do not exist: they mark what has no partner yet.
    let (mut row_potential, mut column_potential) = (vec![0_i64; n + 1], vec![0_i64; n + 1]);
    let mut row_of = vec![0_usize; n + 1];
    for row in 1..=n {
        let mut slack = vec![i64::MAX; n + 1];
        let mut reached = vec![false; n + 1];
        let mut before = vec![0_usize; n + 1];
        row_of[0] = row;
        let mut column = 0;
        while row_of[column] != 0 {
            reached[column] = true;
            let current = row_of[column];
            let (mut step, mut nearest) = (i64::MAX, 0);
            for next in (1..=n).filter(|next| !reached[*next]) {
                let cost = costs[current - 1][next - 1] - row_potential[current] - column_potential[next];
                if cost < slack[next] {
                    slack[next] = cost;
                    before[next] = column;
                }
                if slack[next] < step {
                    step = slack[next];
                    nearest = next;
                }
            }
            for other in 0..=n {
                if reached[other] {
                    row_potential[row_of[other]] += step;
                    column_potential[other] -= step;
                } else if slack[other] != i64::MAX {
                    slack[other] -= step;
                }
            }
            column = nearest;
        }
        while column != 0 {
            row_of[column] = row_of[before[column]];
            column = before[column];
        }
    }
    let mut columns = vec![0; n];
    for column in 1..=n {
        columns[row_of[column] - 1] = column - 1;
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entrants(numbers: impl IntoIterator<Item = u32>) -> Vec<Entrant> {
        numbers.into_iter().map(Entrant).collect()
    }

    #[test]
    fn every_seating_is_a_table() {
        let numbers = |seatings| {
            orders(seatings, entrants([5, 7, 9]))
                .iter()
                .map(|order| order.iter().map(|e| e.0).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        assert_eq!(numbers(Seatings::One), [[5, 7, 9]]);
        assert_eq!(numbers(Seatings::Balanced), [[5, 7, 9], [7, 9, 5], [9, 5, 7]]);
        assert_eq!(numbers(Seatings::All), [[5, 7, 9], [5, 9, 7], [7, 5, 9], [7, 9, 5], [9, 5, 7], [9, 7, 5]]);
    }

    proptest! {
        #[test]
        fn the_assignment_is_the_cheapest(costs in (1_usize..6).prop_flat_map(|n| {
            prop::collection::vec(prop::collection::vec(0_i64..20, n), n)
        })) {
            let n = costs.len();
            let sum = |columns: &[usize]| columns.iter().enumerate().map(|(row, c)| costs[row][*c]).sum::<i64>();
            let found = cheapest(&costs);
            let mut places: Vec<usize> = (0..n).collect();
            let mut best = sum(&places);
            while next_permutation(&mut places) {
                best = best.min(sum(&places));
            }
            prop_assert_eq!(sum(&found), best);
        }

        #[test]
        fn seats_stay_even(draws in prop::collection::vec(prop::sample::subsequence((0_u32..6).collect::<Vec<_>>(), 4), 1..60)) {
            let mut counts = SeatCounts::default();
            let mut seen = vec![[0_u32; 4]; 6];
            for bots in draws {
                for (seat, bot) in counts.assign(&entrants(bots)).iter().enumerate() {
                    seen[bot.index()][seat] += 1;
                }
            }
            for bot in seen {
                let (low, high) = (bot.iter().min(), bot.iter().max());
                prop_assert!(high.zip(low).is_some_and(|(high, low)| high - low <= 3), "{:?}", bot);
            }
        }
    }
}

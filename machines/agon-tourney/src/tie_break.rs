//! What separates bots with equal points.

use crate::{Entrant, ledger::Recorded};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What separates bots with equal points. Every match counts as one comparison of each pair of its bots: the one with
/// the better place has beaten the other. Bots with equal places are level, unless nobody has won the match, because all
/// bots have forfeited it: then both have lost it, as in the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TieBreak {
    /// The sum of the opponents' points, once for each match against them. A bye counts as an opponent with the bot's
    /// own points.
    Buchholz,
    /// The sum of the points of beaten opponents, and half of those of opponents with an equal place.
    SonnebornBerger,
    /// The comparisons won among the bots that are still equal, and half of those that are drawn. It decides only if
    /// each of these bots has met each other one.
    DirectEncounter,
    /// The number of matches that the bot alone has won.
    Wins,
}

impl TieBreak {
    /// Returns the name as text for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Buchholz => "Buchholz",
            Self::SonnebornBerger => "Sonneborn-Berger",
            Self::DirectEncounter => "direct encounter",
            Self::Wins => "wins",
        }
    }
}

/// Returns pairs of different seats.
fn pairs(seats: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..seats).flat_map(move |a| (0..seats).filter(move |b| *b != a).map(move |b| (a, b)))
}

/// Returns the sums of the opponents' points.
pub(crate) fn buchholz<'a>(
    matches: impl Iterator<Item = Recorded<'a>>,
    points: &[i64],
    byes: impl Iterator<Item = Entrant>,
) -> Vec<f64> {
    let mut sums = vec![0_i64; points.len()];
    for played in matches {
        for (a, b) in pairs(played.seats.len()) {
            let sum = &mut sums[played.seats[a].index()];
            *sum = sum.saturating_add(points[played.seats[b].index()]);
        }
    }
    for entrant in byes {
        let sum = &mut sums[entrant.index()];
        *sum = sum.saturating_add(points[entrant.index()]);
    }
    sums.into_iter().map(|sum| sum as f64).collect()
}

/// Returns the sums of the points of beaten opponents, and half of those of level ones.
pub(crate) fn sonneborn_berger<'a>(matches: impl Iterator<Item = Recorded<'a>>, points: &[i64]) -> Vec<f64> {
    let mut halves = vec![0_i64; points.len()];
    for played in matches {
        for (a, b) in pairs(played.seats.len()) {
            let share = played.comparison(a, b).saturating_mul(points[played.seats[b].index()]);
            let sum = &mut halves[played.seats[a].index()];
            *sum = sum.saturating_add(share);
        }
    }
    halves.into_iter().map(|half| half as f64 / 2.0).collect()
}

/// Returns the comparisons won among the bots of the same group. `groups` has the group of each bot. `None` for a bot
/// that is alone, or in whose group two bots have not met.
pub(crate) fn direct_encounter<'a>(matches: impl Iterator<Item = Recorded<'a>>, groups: &[usize]) -> Vec<Option<f64>> {
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    for group in groups {
        *sizes.entry(*group).or_default() += 1;
    }
    let mut halves = vec![0_i64; groups.len()];
    let mut met: BTreeMap<usize, std::collections::BTreeSet<(Entrant, Entrant)>> = BTreeMap::new();
    for played in matches {
        for (a, b) in pairs(played.seats.len()) {
            let (one, other) = (played.seats[a], played.seats[b]);
            let group = groups[one.index()];
            if group == groups[other.index()] {
                halves[one.index()] += played.comparison(a, b);
                met.entry(group).or_default().insert((one, other));
            }
        }
    }
    let all_met = |group: &usize| {
        let size = sizes.get(group).copied().unwrap_or_default();
        size > 1 && met.get(group).is_some_and(|pairs| pairs.len() == size * (size - 1))
    };
    halves.iter().zip(groups).map(|(half, group)| all_met(group).then_some(*half as f64 / 2.0)).collect()
}

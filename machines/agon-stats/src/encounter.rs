//! Games of two bots, and their sums: all that a model of two asks of a league.

use std::ops::Range;

/// The games of two bots with the same roles.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Encounter {
    /// The number of the bot that has the first seat.
    pub first: u32,
    /// The number of the other bot.
    pub second: u32,
    /// The number of the advantage that counts for the first one: 0 in most leagues, or the number of the map.
    pub advantage: u32,
    /// Games that the first one has won.
    pub wins: f64,
    /// Drawn games.
    pub draws: f64,
    /// Games that the first one has lost.
    pub losses: f64,
}

/// Which advantages are fitted beside the strengths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Advantage {
    /// None: seats are not distinguished.
    #[default]
    None,
    /// One number for each [`Encounter::advantage`] below this count.
    Numbered(u32),
}

impl Advantage {
    /// Returns the number of advantages.
    pub(crate) fn count(self) -> usize {
        match self {
            Self::None => 0,
            Self::Numbered(count) => count as usize,
        }
    }
}

/// Returns whether an encounter says something about a league with so many bots.
#[inline]
pub(crate) fn usable(encounter: &Encounter, bots: usize, advantage: Advantage) -> bool {
    let Encounter { first, second, advantage: number, wins, draws, losses } = *encounter;
    let known =
        (first.max(second) as usize) < bots && (advantage == Advantage::None || (number as usize) < advantage.count());
    let games = wins + draws + losses;
    let counts = wins >= 0.0 && draws >= 0.0 && losses >= 0.0 && games > 0.0 && games.is_finite();
    first != second && known && counts
}

/// Who had which role. Games with equal roles have the same expectation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Roles {
    pub(crate) first: u32,
    pub(crate) second: u32,
    pub(crate) advantage: u32,
}

/// What is known of games with the same roles.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Sums {
    pub(crate) games: f64,
    /// The points of the first one.
    pub(crate) points: f64,
    /// The squared points of each game.
    pub(crate) squares: f64,
}

impl Sums {
    /// Returns the sums of a single game in which the first one had so many half points.
    fn of_one(half_points: u32) -> Self {
        let points = f64::from(half_points) / 2.0;
        Self { games: 1.0, points, squares: points * points }
    }

    /// Returns the half points of the first one, if this is a single game.
    fn half_points_of_one(&self) -> Option<u32> {
        let half_points = 2.0 * self.points;
        // Nobody can guess a result, so nothing branches on it.
        let possible = (half_points == 0.0) | (half_points == 1.0) | (half_points == 2.0);
        let is_one = (self.games == 1.0) & possible & (self.squares == self.points * self.points);
        is_one.then_some(half_points as u32)
    }

    /// Adds other games, each of them `weight` times.
    pub(crate) fn add(&mut self, other: &Self, weight: f64) {
        self.games += weight * other.games;
        self.points += weight * other.points;
        self.squares += weight * other.squares;
    }
}

/// Returns the roles and sums of an encounter. Without advantages both orders of two bots are the same.
#[inline]
pub(crate) fn sums(encounter: &Encounter, advantage: Advantage) -> (Roles, Sums) {
    let Encounter { first, second, advantage: number, wins, draws, losses } = *encounter;
    let games = wins + draws + losses;
    if advantage != Advantage::None {
        let (points, squares) = (wins + draws / 2.0, wins + draws / 4.0);
        return (Roles { first, second, advantage: number }, Sums { games, points, squares });
    }
    let won = if first < second { wins } else { losses };
    let (points, squares) = (won + draws / 2.0, won + draws / 4.0);
    (Roles { first: first.min(second), second: first.max(second), advantage: 0 }, Sums { games, points, squares })
}

/// The games of a league, added up.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Meetings {
    /// In ascending order.
    pub(crate) roles: Vec<Roles>,
    pub(crate) sums: Vec<Sums>,
    /// Where the meetings of each first bot begin, and where those of the last one end.
    starts: Vec<usize>,
}

/// Up to so many places there is one for each pair of bots, however few games there are.
const FEW: usize = 1 << 12;

/// Beyond so many places there never is one for each pair.
const MOST: usize = 1 << 21;

/// The most pairs of a bucket: 400 kB of sums, which fit into the L2 cache.
const BUCKET: usize = 1 << 14;

/// The pairs of some first bots.
#[derive(Default)]
struct Bucket {
    firsts: Range<usize>,
    pairs: usize,
    /// Single games: four times the place of the pair, plus the half points of the first bot.
    games: Vec<u32>,
    /// All other encounters, with the place of the pair.
    sums: Vec<(u32, Sums)>,
}

impl Meetings {
    /// Adds up encounters, in an order that depends on them and on nothing else. Those that are not [`usable`] are left out.
    pub(crate) fn of(bots: usize, advantage: Advantage, encounters: impl Iterator<Item = Encounter>) -> Self {
        let places = match advantage.count() {
            0 => bots.saturating_mul(bots.saturating_sub(1)) / 2,
            1 => bots.saturating_mul(bots),
            _ => usize::MAX,
        };
        let expected = encounters.size_hint().1.unwrap_or(0);
        let counted = encounters.filter(|encounter| usable(encounter, bots, advantage));
        let counted = counted.map(|encounter| sums(&encounter, advantage));
        if places <= FEW || places <= MOST && places / 4 <= expected {
            Self::in_buckets(bots, advantage == Advantage::None, counted)
        } else {
            Self::sorted(bots, counted.collect())
        }
    }

    /// Adds up where many pairs have met: each pair has its place in the memory. Encounters are first grouped so that the sums of
    /// a group fit into the L2 cache. Until they are added up, that takes 4 bytes for each single game and 32 for each other
    /// encounter. `above` says that first bots have smaller numbers than second ones.
    fn in_buckets(bots: usize, above: bool, encounters: impl Iterator<Item = (Roles, Sums)>) -> Self {
        let least = |first: usize| if above { first + 1 } else { 0 };
        // The bucket of each first bot, and in it the place of its pair with bot 0, which need not exist.
        let (mut buckets, mut places) = (Vec::<Bucket>::new(), Vec::with_capacity(bots));
        for first in 0..bots {
            let pairs = bots - least(first);
            if buckets.last().is_none_or(|bucket| bucket.pairs + pairs > BUCKET) {
                buckets.push(Bucket { firsts: first..first, ..Bucket::default() });
            }
            let number = buckets.len() - 1;
            let bucket = &mut buckets[number];
            places.push((number, bucket.pairs.wrapping_sub(least(first))));
            bucket.firsts.end = first + 1;
            bucket.pairs += pairs;
        }
        let pairs = buckets.iter().map(|bucket| bucket.pairs).sum();
        let most = encounters.size_hint().1.map_or(pairs, |encounters| encounters.min(pairs));
        for (roles, own) in encounters {
            let (bucket, start) = places[roles.first as usize];
            let place = start.wrapping_add(roles.second as usize) as u32;
            match own.half_points_of_one() {
                Some(half_points) => buckets[bucket].games.push(4 * place + half_points),
                None => buckets[bucket].sums.push((place, own)),
            }
        }
        let mut meetings = Self { roles: Vec::with_capacity(most), sums: Vec::with_capacity(most), starts: Vec::new() };
        let mut table = Vec::new();
        for bucket in buckets {
            table.clear();
            table.resize(bucket.pairs, Sums::default());
            for game in &bucket.games {
                table[(game / 4) as usize].add(&Sums::of_one(game % 4), 1.0);
            }
            for (place, own) in &bucket.sums {
                table[*place as usize].add(own, 1.0);
            }
            let mut sums = table.iter();
            for first in bucket.firsts {
                meetings.starts.push(meetings.roles.len());
                for (second, own) in (least(first)..bots).zip(&mut sums) {
                    if own.games > 0.0 {
                        meetings.roles.push(Roles { first: first as u32, second: second as u32, advantage: 0 });
                        meetings.sums.push(*own);
                    }
                }
            }
        }
        meetings.starts.push(meetings.roles.len());
        meetings
    }

    /// Adds up where few have met. Games are sorted by the first bot, so that each step afterwards works on a small part of
    /// the memory.
    fn sorted(bots: usize, encounters: Vec<(Roles, Sums)>) -> Self {
        let mut starts = vec![0_usize; bots + 1];
        encounters.iter().for_each(|(roles, _)| starts[roles.first as usize + 1] += 1);
        for bot in 0..bots {
            starts[bot + 1] += starts[bot];
        }
        let mut next = starts.clone();
        let mut order = vec![0_u32; encounters.len()];
        for (number, (roles, _)) in (0_u32..).zip(&encounters) {
            let place = &mut next[roles.first as usize];
            order[*place] = number;
            *place += 1;
        }
        let mut meetings = Self::default();
        for bot in 0..bots {
            meetings.starts.push(meetings.roles.len());
            let own = &mut order[starts[bot]..starts[bot + 1]];
            own.sort_by_key(|number| {
                let roles = &encounters[*number as usize].0;
                (roles.second, roles.advantage)
            });
            for number in own.iter() {
                let (roles, sums) = &encounters[*number as usize];
                if meetings.roles.last() != Some(roles) {
                    meetings.roles.push(*roles);
                    meetings.sums.push(Sums::default());
                }
                if let Some(last) = meetings.sums.last_mut() {
                    last.add(sums, 1.0);
                }
            }
        }
        meetings.starts.push(meetings.roles.len());
        meetings
    }

    /// Returns every bot with the range of the meetings in which it is the first one.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        self.starts.windows(2).map(|ends| ends[0]..ends[1]).enumerate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_leave_no_pair_out() {
        // Every pair of a league of several buckets, once as a single game and once as several.
        let bots = 300_u32;
        let pairs =
            (0..bots).flat_map(|first| (0..bots).filter(move |second| *second != first).map(move |o| (first, o)));
        let games = |(first, second): (u32, u32)| {
            let [wins, draws, losses] =
                [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][((first + second) % 3) as usize];
            let one = Encounter { first, second, wins, draws, losses, ..Encounter::default() };
            [one, Encounter { wins: 2.0, draws: f64::from(first), losses: 0.25, ..one }]
        };
        let encounters: Vec<Encounter> = pairs.flat_map(games).collect();
        for advantage in [Advantage::None, Advantage::Numbered(1)] {
            let counted = || encounters.iter().map(|encounter| sums(encounter, advantage));
            let ours = Meetings::in_buckets(bots as usize, advantage == Advantage::None, counted());
            assert_eq!(ours, Meetings::sorted(bots as usize, counted().collect()));
        }
    }

    #[test]
    fn both_ways_of_adding_up_are_the_same() {
        let results = [(0, 1, 1.0, 0.0), (2, 1, 0.0, 1.0), (1, 0, 3.0, 2.0), (0, 1, 0.0, 4.0), (2, 2, 1.0, 1.0)];
        let encounters = results.map(|(first, second, wins, losses)| Encounter {
            first,
            second,
            wins,
            losses,
            draws: 2.0,
            ..Encounter::default()
        });
        for advantage in [Advantage::None, Advantage::Numbered(1)] {
            let counted = || encounters.iter().filter(|e| usable(e, 3, advantage)).map(|e| sums(e, advantage));
            let sorted = Meetings::sorted(3, counted().collect());
            assert_eq!(Meetings::in_buckets(3, advantage == Advantage::None, counted()), sorted);
            let games: f64 = sorted.sums.iter().map(|sums| sums.games).sum();
            assert_eq!((games, sorted.roles.len()), (19.0, if advantage == Advantage::None { 2 } else { 3 }));
            for (first, range) in sorted.rows() {
                assert!(sorted.roles[range].iter().all(|roles| roles.first as usize == first));
            }
            assert_eq!(sorted.rows().map(|(_, range)| range.len()).sum::<usize>(), sorted.roles.len());
        }
    }
}

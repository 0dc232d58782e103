//! Games of two bots, and their sums: all that a model of two asks of a league.

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
pub(crate) fn usable(encounter: &Encounter, bots: usize, advantage: Advantage) -> bool {
    let Encounter { first, second, advantage: number, wins, draws, losses } = *encounter;
    let known =
        (first.max(second) as usize) < bots && (advantage == Advantage::None || (number as usize) < advantage.count());
    let games = wins + draws + losses;
    let counts = [wins, draws, losses].iter().all(|count| *count >= 0.0) && games > 0.0 && games.is_finite();
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
    /// Adds other games, each of them `weight` times.
    pub(crate) fn add(&mut self, other: &Self, weight: f64) {
        self.games += weight * other.games;
        self.points += weight * other.points;
        self.squares += weight * other.squares;
    }
}

/// Returns the roles and sums of an encounter. Without advantages both orders of two bots are the same.
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
}

/// Up to so many places there is one for each pair of bots, however few games there are.
const FEW: usize = 1 << 12;

/// Beyond so many places there never is one for each pair.
const MOST: usize = 1 << 21;

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
            Self::in_place(bots, advantage == Advantage::None, counted)
        } else {
            Self::sorted(bots, counted.collect())
        }
    }

    /// Adds up where many pairs have met: each pair has its place in the memory. `above` says that first bots have smaller
    /// numbers than second ones.
    fn in_place(bots: usize, above: bool, encounters: impl Iterator<Item = (Roles, Sums)>) -> Self {
        // The place of the pair of each first bot with bot 0, which need not exist.
        let (mut starts, mut end) = (Vec::with_capacity(bots), 0_usize);
        for first in 0..bots {
            let least = if above { first + 1 } else { 0 };
            starts.push(end.wrapping_sub(least));
            end += bots - least;
        }
        let place = |first: u32, second: u32| starts[first as usize].wrapping_add(second as usize);
        let mut all = vec![Sums::default(); end];
        encounters.for_each(|(roles, own)| all[place(roles.first, roles.second)].add(&own, 1.0));
        let met = all.iter().filter(|sums| sums.games > 0.0).count();
        let mut meetings = Self { roles: Vec::with_capacity(met), sums: Vec::with_capacity(met) };
        for first in 0..bots as u32 {
            for second in if above { first + 1 } else { 0 }..bots as u32 {
                let sums = all[place(first, second)];
                if sums.games > 0.0 {
                    meetings.roles.push(Roles { first, second, advantage: 0 });
                    meetings.sums.push(sums);
                }
            }
        }
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
        meetings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(Meetings::in_place(3, advantage == Advantage::None, counted()), sorted);
            let games: f64 = sorted.sums.iter().map(|sums| sums.games).sum();
            assert_eq!((games, sorted.roles.len()), (19.0, if advantage == Advantage::None { 2 } else { 3 }));
        }
    }
}

//! What cannot be played, and how many matches a tournament has.

mod too_many;

use crate::{Kind, Seatings, Seeding, Spec};
use agon_core::Flaw;
use agon_stats::Rating;
use serde::{Deserialize, Serialize};

/// The most matches that a tournament may have.
pub const MOST_MATCHES: u64 = 10_000_000;

/// The most bots that a tournament may have.
const MOST_ENTRANTS: u32 = 10_000;

/// The most bots of a Swiss tournament. The time of a draw grows with the third power of their number.
const MOST_SWISS: u32 = 1_000;

/// The most bots of a ladder. The time of a draw grows with the square of their number.
const MOST_LADDER: u32 = 1_000;

/// The most rounds of a ladder that may run at once.
const MOST_WINDOW: u32 = 1_000;

/// The largest `best-of` of an encounter.
const MOST_GAMES: u32 = 99;

/// The largest mean and deviation of a rating before the first match.
const MOST_RATING: f64 = 1e6;

/// The smallest deviation of a rating before the first match. Far below, the product of two of them is 0, and so is
/// what a ladder divides by.
const LEAST_DEVIATION: f64 = 1e-6;

/// The most seats of a match. A [`SeatResult`](crate::SeatResult) has no worse place.
const MOST_SEATS: u32 = crate::SeatResult::WORST_PLACE as u32;

/// How many matches a tournament has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MatchCount {
    /// The number of matches if every encounter ends as early as it can.
    pub least: u64,
    /// The number of matches if every encounter takes as long as it can.
    pub most: u64,
}

impl MatchCount {
    /// Returns the number of matches if it does not depend on results.
    #[must_use]
    pub fn exact(self) -> Option<u64> {
        (self.least == self.most).then_some(self.most)
    }
}

impl Spec {
    /// Checks that the tournament can be played.
    ///
    /// # Errors
    /// Returns what is wrong, with its numbers, and as the hint what to write instead.
    pub fn check(&self) -> Result<(), Flaw> {
        if self.entrants < 2 {
            return Err(
                Flaw::new(format!("{} cannot play a tournament", bots(self.entrants))).hint("name at least two bots")
            );
        }
        if self.entrants > MOST_ENTRANTS {
            return Err(Flaw::new(format!("{} are too many", bots(self.entrants)))
                .hint(format!("at most {MOST_ENTRANTS} bots can play")));
        }
        if self.seats < 2 || self.seats > MOST_SEATS {
            return Err(Flaw::new(format!("a match of {} seats cannot be scheduled", self.seats))
                .hint(format!("choose a map with 2 to {MOST_SEATS} seats")));
        }
        if self.entrants < self.seats {
            return Err(Flaw::new(format!("{} cannot fill the {} seats of a match", bots(self.entrants), self.seats))
                .hint("add bots, or choose maps with fewer seats"));
        }
        if self.rounds == 0 {
            return Err(Flaw::new("a tournament of 0 rounds has no match").hint("write `rounds = 1` or more"));
        }
        if self.maps == 0 {
            return Err(Flaw::new("the list of maps is empty").hint("name at least one map or generator"));
        }
        if let Seeding::Given(order) = &self.seeding {
            let mut sorted: Vec<u32> = order.iter().map(|entrant| entrant.0).collect();
            sorted.sort_unstable();
            if !sorted.iter().copied().eq(0..self.entrants) {
                return Err(Flaw::new(format!(
                    "the seeding lists {} bots, not each of the {} bots once",
                    order.len(),
                    self.entrants
                )));
            }
        }
        let sound = |rating: &Rating| {
            // Far beyond these bounds, squares overflow.
            rating.mean.abs() <= MOST_RATING && (LEAST_DEVIATION..=MOST_RATING).contains(&rating.deviation)
        };
        if let Some(bot) = self.ratings.iter().position(|rating| !sound(rating)) {
            return Err(Flaw::new(format!("the rating of bot {} is not possible", bot + 1))
                .hint(format!("a deviation is at least {LEAST_DEVIATION}, and no number exceeds {MOST_RATING}")));
        }
        if self.ratings.len() > self.entrants as usize {
            return Err(Flaw::new(format!("there are {} ratings of {}", self.ratings.len(), bots(self.entrants))));
        }
        self.check_kind()?;
        let number = self.most_matches();
        match number {
            Some(number) if number <= u128::from(MOST_MATCHES) => Ok(()),
            _ => Err(self.too_many(number)),
        }
    }

    fn check_kind(&self) -> Result<(), Flaw> {
        match self.kind {
            Kind::RoundRobin => Ok(()),
            Kind::Swiss if self.entrants > MOST_SWISS => {
                Err(Flaw::new(format!("{} are too many for the Swiss system", bots(self.entrants)))
                    .hint(format!("at most {MOST_SWISS} bots can play in it")))
            }
            Kind::Swiss => Ok(()),
            Kind::SingleElimination { best_of, .. } | Kind::DoubleElimination { best_of } => {
                self.check_encounters(best_of)
            }
            Kind::Groups { groups, advance, best_of, .. } => {
                self.check_groups(groups, advance).and_then(|()| self.check_encounters(best_of))
            }
            Kind::Ladder { uniform_percent, window } => self.check_ladder(uniform_percent, window),
            Kind::Gauntlet { challengers } => {
                if challengers == 0 {
                    return Err(Flaw::new("a gauntlet without challengers has no match")
                        .hint("write `challengers = 1` or more"));
                }
                let others = self.entrants.saturating_sub(challengers);
                if others < self.seats - 1 {
                    return Err(Flaw::new(format!(
                        "a gauntlet of {challengers} challengers leaves {} for the other {} of a match",
                        bots(others),
                        seats(self.seats - 1)
                    ))
                    .hint("name fewer challengers, or add bots"));
                }
                Ok(())
            }
        }
    }

    /// Returns how many matches the tournament has.
    ///
    /// # Errors
    /// Returns the same as [`Spec::check`].
    pub fn matches(&self) -> Result<MatchCount, Flaw> {
        self.check()?;
        let most = self.most_matches().and_then(|number| u64::try_from(number).ok()).unwrap_or(MOST_MATCHES);
        let least = match self.kind {
            // The winner of each encounter wins more than half of the games.
            Kind::SingleElimination { best_of, .. } | Kind::DoubleElimination { best_of } => {
                self.encounters().0 as u64 * u64::from(best_of / 2 + 1)
            }
            Kind::Groups { best_of, .. } => {
                let most_of_knockout = self.encounters().1 as u64 * 2 * u64::from(best_of);
                most - most_of_knockout + self.encounters().0 as u64 * u64::from(best_of / 2 + 1)
            }
            _ => most,
        };
        Ok(MatchCount { least, most })
    }

    /// Returns a number of matches among which every bot of a ladder plays at least once, wherever they begin, whatever
    /// others do and however long matches take. It counts from the moment in which a bot has come. `None` for other
    /// kinds.
    #[must_use]
    pub fn longest_wait(&self) -> Option<u64> {
        let draws = matches!(self.kind, Kind::Ladder { .. }).then(|| crate::ladder::longest_wait(self.entrants))?;
        draws.checked_mul(u64::try_from(self.block_size()?).ok()?)
    }

    /// Returns how many maps at the end of the list are never played, because each round is on the next map of the list and
    /// there are fewer rounds. 0 for kinds with encounters, where every game is on the next map.
    #[must_use]
    pub fn unplayed_maps(&self) -> u32 {
        match self.kind {
            Kind::RoundRobin | Kind::Gauntlet { .. } | Kind::Swiss | Kind::Ladder { .. } => {
                self.maps.saturating_sub(self.rounds)
            }
            Kind::SingleElimination { .. } | Kind::DoubleElimination { .. } | Kind::Groups { .. } => 0,
        }
    }

    /// Returns the least and the largest number of encounters of an elimination.
    fn encounters(&self) -> (u128, u128) {
        let entrants = match self.kind {
            Kind::Groups { groups, advance, .. } => groups * advance,
            _ => self.entrants,
        };
        let losers = u128::from(entrants - 1);
        match self.kind {
            Kind::Groups { third_place: true, .. } if entrants > 3 => (losers + 1, losers + 1),
            // Everybody but the winner loses twice, and the winner at most once.
            Kind::DoubleElimination { .. } => (2 * losers, 2 * losers + 1),
            Kind::SingleElimination { third_place: true, .. } if self.entrants > 3 => (losers + 1, losers + 1),
            _ => (losers, losers),
        }
    }

    /// Returns the number of matches of all groups. `None` if it exceeds 128 bits.
    fn group_matches(&self) -> Option<u128> {
        let Kind::Groups { groups, .. } = self.kind else { return Some(0) };
        let (size, larger) = (u128::from(self.entrants / groups), u128::from(self.entrants % groups));
        let pairs = larger * choose(size + 1, 2)? + (u128::from(groups) - larger) * choose(size, 2)?;
        let seatings = if self.seatings == Seatings::One { 1 } else { 2 };
        pairs.checked_mul(u128::from(self.rounds))?.checked_mul(seatings)
    }

    fn check_groups(&self, groups: u32, advance: u32) -> Result<(), Flaw> {
        if groups == 0 || self.entrants / groups < 2 {
            let most = self.entrants / 2;
            return Err(Flaw::new(format!("{} do not fill {groups} groups of at least 2", bots(self.entrants)))
                .hint(format!("write `groups = {most}`, or another number from 1 to {most}")));
        }
        let smallest = self.entrants / groups;
        if advance == 0 || advance > smallest || groups * advance < 2 {
            let least = if groups == 1 { 2 } else { 1 };
            return Err(Flaw::new(format!("{} cannot advance from a group of {smallest}", bots(advance)))
                .hint(format!("write `advance = {least}`, or another number from {least} to {smallest}")));
        }
        Ok(())
    }

    fn check_ladder(&self, uniform_percent: u32, window: u32) -> Result<(), Flaw> {
        if self.entrants > MOST_LADDER {
            return Err(Flaw::new(format!("{} are too many for a ladder", bots(self.entrants)))
                .hint(format!("at most {MOST_LADDER} bots can play in one")));
        }
        if !(1..=100).contains(&uniform_percent) {
            return Err(Flaw::new(format!("a ladder cannot draw {uniform_percent} % of its rounds uniformly"))
                .hint("write `uniform-percent = 20`, or another number from 1 to 100"));
        }
        if !(1..=MOST_WINDOW).contains(&window) {
            return Err(Flaw::new(format!("a ladder cannot draw {window} rounds ahead"))
                .hint(format!("write `window = 64`, or another number from 1 to {MOST_WINDOW}")));
        }
        Ok(())
    }

    fn check_encounters(&self, best_of: u32) -> Result<(), Flaw> {
        if self.seats != 2 {
            return Err(Flaw::new(format!("an elimination is for games of two, not for {} seats", self.seats))
                .hint("write `kind = \"swiss\"`, or choose maps with 2 seats"));
        }
        match best_of {
            1..=MOST_GAMES => Ok(()),
            _ => Err(Flaw::new(format!("an encounter cannot be the best of {best_of} games"))
                .hint(format!("write `best-of = 3`, or another number from 1 to {MOST_GAMES}"))),
        }
    }

    /// Returns in which seatings a block is played. The bots of an encounter take turns in beginning.
    pub(crate) fn played_seatings(&self) -> Seatings {
        match self.kind {
            Kind::SingleElimination { .. } | Kind::DoubleElimination { .. } | Kind::Groups { .. } => Seatings::One,
            Kind::RoundRobin | Kind::Gauntlet { .. } | Kind::Swiss | Kind::Ladder { .. } => self.seatings,
        }
    }

    /// Returns the number of matches of one block. `None` if it exceeds 128 bits.
    pub(crate) fn block_size(&self) -> Option<u128> {
        match self.played_seatings() {
            Seatings::All => (1..=u128::from(self.seats)).try_fold(1_u128, u128::checked_mul),
            Seatings::Balanced => Some(u128::from(self.seats)),
            Seatings::One => Some(1),
        }
    }

    /// Returns the number of blocks that contain one certain bot: the first one if `challenger`, else the last. `None`
    /// if it depends on results or exceeds 128 bits.
    pub(crate) fn blocks_of(&self, challenger: bool) -> Option<u128> {
        let (n, k) = (u128::from(self.entrants), u128::from(self.seats));
        let once = match self.kind {
            Kind::RoundRobin => choose(n - 1, k - 1)?,
            Kind::Gauntlet { challengers } if challenger => choose(n - u128::from(challengers), k - 1)?,
            Kind::Gauntlet { challengers } => {
                let h = u128::from(challengers);
                h.checked_mul(choose(n - h - 1, k - 2)?)?
            }
            Kind::Swiss
            | Kind::SingleElimination { .. }
            | Kind::DoubleElimination { .. }
            | Kind::Groups { .. }
            | Kind::Ladder { .. } => {
                return None;
            }
        };
        once.checked_mul(u128::from(self.rounds))
    }

    /// Returns the largest number of matches. `None` if it exceeds 128 bits.
    fn most_matches(&self) -> Option<u128> {
        let (n, k) = (u128::from(self.entrants), u128::from(self.seats));
        let blocks = match self.kind {
            Kind::RoundRobin => choose(n, k)?,
            Kind::Gauntlet { challengers } => {
                let h = u128::from(challengers);
                h.checked_mul(choose(n - h, k - 1)?)?
            }
            Kind::Swiss => n / k,
            Kind::Ladder { .. } => 1,
            Kind::SingleElimination { best_of, .. } | Kind::DoubleElimination { best_of } => {
                return self.encounters().1.checked_mul(2 * u128::from(best_of));
            }
            Kind::Groups { best_of, .. } => {
                let knockout = self.encounters().1.checked_mul(2 * u128::from(best_of))?;
                return self.group_matches()?.checked_add(knockout);
            }
        };
        blocks.checked_mul(u128::from(self.rounds))?.checked_mul(self.block_size()?)
    }
}

/// Returns in how many ways `k` of `n` things can be chosen. `None` if it exceeds 128 bits.
fn choose(n: u128, k: u128) -> Option<u128> {
    if k > n {
        return Some(0);
    }
    let k = k.min(n - k);
    // After step i the value is the number of ways to choose i of n, so each division is exact.
    (1..=k).try_fold(1_u128, |ways, i| Some(ways.checked_mul(n - k + i)? / i))
}

fn bots(number: u32) -> String {
    format!("{number} {}", if number == 1 { "bot" } else { "bots" })
}

fn seats(number: u32) -> String {
    format!("{number} {}", if number == 1 { "seat" } else { "seats" })
}

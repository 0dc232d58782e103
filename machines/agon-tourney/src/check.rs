//! What cannot be played, and how many matches a tournament has.

mod too_many;

use crate::{Seatings, Seeding, Spec};
use agon_core::Flaw;
use agon_stats::Rating;
use serde::{Deserialize, Serialize};

/// The most matches that a tournament may have.
pub const MOST_MATCHES: u64 = 10_000_000;

/// The most bots that a tournament may have.
const MOST_ENTRANTS: u32 = 10_000;

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
        self.kind.rules().check(self)?;
        let number = self.most_matches();
        match number {
            Some(number) if number <= u128::from(MOST_MATCHES) => Ok(()),
            _ => Err(self.too_many(number)),
        }
    }

    /// Returns how many matches the tournament has.
    ///
    /// # Errors
    /// Returns the same as [`Spec::check`].
    pub fn matches(&self) -> Result<MatchCount, Flaw> {
        self.check()?;
        let number = |count: u128| u64::try_from(count).unwrap_or(MOST_MATCHES);
        let [least, most] = self.kind.rules().matches(self).unwrap_or([MOST_MATCHES.into(); 2]).map(number);
        Ok(MatchCount { least, most })
    }

    /// Returns a number of matches among which every bot of a ladder plays at least once, wherever they begin, whatever
    /// others do and however long matches take. It counts from the moment in which a bot has come. `None` for other
    /// kinds.
    #[must_use]
    pub fn longest_wait(&self) -> Option<u64> {
        self.kind.rules().longest_wait(self)?.checked_mul(u64::try_from(self.block_size()?).ok()?)
    }

    /// Returns how many maps at the end of the list are never played, because each round is on the next map of the list and
    /// there are fewer rounds. 0 for kinds with encounters, where every game is on the next map.
    #[must_use]
    pub fn unplayed_maps(&self) -> u32 {
        if self.kind.rules().has_encounters() { 0 } else { self.maps.saturating_sub(self.rounds) }
    }

    /// Returns in which seatings a block is played. The bots of an encounter take turns in beginning.
    pub(crate) fn played_seatings(&self) -> Seatings {
        if self.kind.rules().has_encounters() { Seatings::One } else { self.seatings }
    }

    /// Returns the number of matches of one block. `None` if it exceeds 128 bits.
    pub(crate) fn block_size(&self) -> Option<u128> {
        match self.played_seatings() {
            Seatings::All => (1..=u128::from(self.seats)).try_fold(1_u128, u128::checked_mul),
            Seatings::Balanced => Some(u128::from(self.seats)),
            Seatings::One => Some(1),
        }
    }

    /// Returns the number of matches of so many blocks in each round. `None` if it exceeds 128 bits.
    pub(crate) fn in_all_rounds(&self, blocks: u128) -> Option<u128> {
        blocks.checked_mul(u128::from(self.rounds))?.checked_mul(self.block_size()?)
    }

    /// Returns the largest number of matches. `None` if it exceeds 128 bits.
    fn most_matches(&self) -> Option<u128> {
        self.kind.rules().matches(self).map(|[_, most]| most)
    }
}

/// Returns in how many ways `k` of `n` things can be chosen. `None` if it exceeds 128 bits.
pub(crate) fn choose(n: u128, k: u128) -> Option<u128> {
    if k > n {
        return Some(0);
    }
    let k = k.min(n - k);
    // After step i the value is the number of ways to choose i of n, so each division is exact.
    (1..=k).try_fold(1_u128, |ways, i| Some(ways.checked_mul(n - k + i)? / i))
}

pub(crate) fn bots(number: u32) -> String {
    format!("{number} {}", if number == 1 { "bot" } else { "bots" })
}

pub(crate) fn seats(number: u32) -> String {
    format!("{number} {}", if number == 1 { "seat" } else { "seats" })
}

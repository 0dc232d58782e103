//! Scores, places, and why a match ended.

use alloc::vec::Vec;
use core::fmt;
use serde::{Deserialize, Serialize};

/// The scores and places of a match, and why it ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Standing {
    /// The score of each seat, in the game's own unit (ships, points, tiles).
    pub scores: Vec<i64>,
    /// The place of each seat. The winner has place 1. Equal seats share the better place (1, 1, 3). If no seat has
    /// place 1, no seat won: two seats that both lost have places 2 and 2.
    pub places: Vec<u8>,
    /// Why the match ended, or [`Ending::Unfinished`].
    pub ending: Ending,
}

/// Why a match ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The match has not ended. It is still running or was aborted.
    Unfinished,
    /// The match reached its limit of rounds or turns.
    Limit,
    /// At most one seat is left on the board.
    Elimination,
    /// No lawful move is left.
    Complete,
    /// A seat failed, and by the rules that ended the match.
    Forfeit,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unfinished => "unfinished",
            Self::Limit => "limit reached",
            Self::Elimination => "elimination",
            Self::Complete => "no move left",
            Self::Forfeit => "forfeit",
        })
    }
}

impl Standing {
    /// Creates a standing from scores. A higher score gets a better place, and equal scores share a place.
    #[must_use]
    pub fn by_score(scores: Vec<i64>, ending: Ending) -> Self {
        let places = scores.iter().map(|s| place(&scores, |other| other > s)).collect();
        Self { scores, places, ending }
    }

    /// Returns the index of the seat that alone has place 1, or `None` if no seat or several seats have it.
    #[must_use]
    pub fn sole_winner(&self) -> Option<usize> {
        let mut first = self.places.iter().enumerate().filter(|(_, p)| **p == 1);
        let winner = first.next()?.0;
        first.next().is_none().then_some(winner)
    }
}

/// Returns whether a match was forfeited by all of its bots: each of them failed, and none of them alone has the first
/// place. Whatever the game's rules make of that, a draw for example, nobody has won it. `seats` has the place of each
/// seat, and whether its bot failed.
///
/// A bot that alone has the first place has won, although it failed too: some games go on without bots that failed, and
/// these keep what they have reached.
#[must_use]
pub fn forfeited_by_all(seats: impl IntoIterator<Item = (u32, bool)>) -> bool {
    let (mut count, mut firsts) = (0_u32, 0_u32);
    for (place, failed) in seats {
        if !failed {
            return false;
        }
        count += 1;
        firsts += u32::from(place == 1);
    }
    count > 1 && firsts != 1
}

fn place(scores: &[i64], better: impl Fn(&i64) -> bool) -> u8 {
    1 + scores.iter().filter(|s| better(s)).count() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_is_forfeited_by_all_if_each_failed_and_none_alone_is_first() {
        for (places, failed, expected) in [
            (&[1, 1][..], &[true, true][..], true),
            (&[2, 2], &[true, true], true),
            (&[1, 1], &[true, false], false),
            (&[1, 1], &[false, false], false),
            (&[1, 2], &[false, true], false),
            // The game went on without them, and the first one has reached more.
            (&[1, 2], &[true, true], false),
            (&[1, 1, 3], &[true, true, true], true),
            (&[1, 1, 3], &[true, true, false], false),
            (&[1, 2, 2], &[true, true, true], false),
            (&[1, 1, 1, 1], &[true; 4], true),
            // Nobody else was there to whom it could have lost.
            (&[1], &[true], false),
            (&[], &[], false),
        ] {
            let seats = places.iter().copied().zip(failed.iter().copied());
            assert_eq!(forfeited_by_all(seats), expected, "{places:?} {failed:?}");
        }
    }
}

//! Scores, places, and why a match ended.

use alloc::vec::Vec;
use core::fmt;
use serde::{Deserialize, Serialize};

/// How a match stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Standing {
    /// One a seat, in the game's own unit (ships, points, tiles).
    pub scores: Vec<i64>,
    /// One a seat: 1 is the winner. Equal places share the better number (1, 1, 3). When nobody has place 1, nobody
    /// won (two seats that lost: 2, 2).
    pub places: Vec<u8>,
    /// Why it ended, or [`Ending::Unfinished`].
    pub ending: Ending,
}

/// Why a match ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// It has not: still running, or broken off.
    Unfinished,
    /// The limit of rounds or turns was reached.
    Limit,
    /// Nobody or only one seat is left on the board.
    Elimination,
    /// No lawful move is left.
    Complete,
    /// A failure ended it by the rules.
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
    /// The higher score has the better place; equal scores share it.
    #[must_use]
    pub fn by_score(scores: Vec<i64>, ending: Ending) -> Self {
        let places = scores.iter().map(|s| place(&scores, |other| other > s)).collect();
        Self { scores, places, ending }
    }

    /// Whether `seat` index `i` has place 1 and nobody shares it.
    #[must_use]
    pub fn sole_winner(&self) -> Option<usize> {
        let mut first = self.places.iter().enumerate().filter(|(_, p)| **p == 1);
        let winner = first.next()?.0;
        first.next().is_none().then_some(winner)
    }
}

fn place(scores: &[i64], better: impl Fn(&i64) -> bool) -> u8 {
    1 + scores.iter().filter(|s| better(s)).count() as u8
}

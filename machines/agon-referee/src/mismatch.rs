//! Disagreements between a record and the rules.

use crate::Mark;
use agon_core::{Failure, Seat, Seats};
use core::fmt;

/// Where a record and the rules disagree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// The recorded turn is not the next turn of the match.
    WrongPly {
        /// The number of the next turn.
        expected: u32,
        /// The number of the recorded turn.
        recorded: u32,
    },
    /// The record has a turn after the end of the match.
    AfterTheEnd {
        /// The number of the recorded turn.
        ply: u32,
    },
    /// The record has decisions of other seats than the rules await.
    WrongSeats {
        /// The turn, counted from 1.
        ply: u32,
        /// The seats that the rules await.
        awaited: Seats,
        /// The seats that have entries in the record.
        recorded: Seats,
    },
    /// The record has an order that the game does not know.
    UnknownOrder {
        /// The turn, counted from 1.
        ply: u32,
        /// The seat that gave the order.
        seat: Seat,
        /// Why the order cannot be read.
        why: String,
    },
    /// The rules judge the orders of a seat differently from the record.
    Judgement {
        /// The turn, counted from 1.
        ply: u32,
        /// The seat that gave the orders.
        seat: Seat,
        /// The failure in the record. `None` if the seat did not fail.
        recorded: Option<Failure>,
        /// The failure by the rules. `None` if the orders are lawful.
        judged: Option<Failure>,
    },
    /// The turn leads to another position than the record says.
    Fingerprint {
        /// The turn, counted from 1.
        ply: u32,
        /// The fingerprint in the record.
        recorded: Mark,
        /// The fingerprint of the position to which the recorded orders lead.
        played: Mark,
    },
}

impl Mismatch {
    /// Returns the turn in which the record and the rules disagree, counted from 1.
    #[must_use]
    pub fn ply(&self) -> u32 {
        match self {
            Self::WrongPly { expected, .. } => *expected,
            Self::AfterTheEnd { ply }
            | Self::WrongSeats { ply, .. }
            | Self::UnknownOrder { ply, .. }
            | Self::Judgement { ply, .. }
            | Self::Fingerprint { ply, .. } => *ply,
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongPly { expected, recorded } => {
                write!(f, "turn {expected} is missing: the record continues with turn {recorded}")
            }
            Self::AfterTheEnd { ply } => write!(f, "turn {ply} is recorded after the end of the match"),
            Self::WrongSeats { ply, awaited, recorded } => {
                write!(f, "turn {ply}: seats {recorded:?} decided, but the rules await seats {awaited:?}")
            }
            Self::UnknownOrder { ply, seat, why } => {
                write!(f, "turn {ply}: an order of seat {seat} cannot be read: {why}")
            }
            Self::Judgement { ply, seat, recorded, judged } => {
                let (recorded, judged) = (in_words(*recorded), in_words(*judged));
                write!(
                    f,
                    "turn {ply}: the record calls the decision of seat {seat} {recorded}, the rules call it {judged}"
                )
            }
            Self::Fingerprint { ply, recorded, played } => {
                write!(f, "turn {ply}: the record leads to {recorded}, the rules lead to {played}")
            }
        }
    }
}

impl std::error::Error for Mismatch {}

fn in_words(failure: Option<Failure>) -> String {
    match failure {
        None => "lawful".into(),
        Some(Failure::Late) => "late".into(),
        Some(Failure::Gone) => "gone".into(),
        Some(Failure::Nonsense) => "nonsense".into(),
        Some(Failure::Unlawful(index)) => format!("unlawful from order {} on", u64::from(index) + 1),
    }
}

/// Why a recorded match cannot be shown at a turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeekError {
    /// The record has fewer turns.
    NoTurn {
        /// The requested turn.
        ply: u32,
        /// The number of turns in the record.
        turns: u32,
    },
    /// The record and the rules disagree in an earlier turn or in this one.
    Mismatch(Mismatch),
}

impl fmt::Display for SeekError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTurn { ply, turns } => write!(f, "there is no turn {ply}: the replay has {turns}"),
            Self::Mismatch(mismatch) => mismatch.fmt(f),
        }
    }
}

impl std::error::Error for SeekError {}

impl From<Mismatch> for SeekError {
    fn from(mismatch: Mismatch) -> Self {
        Self::Mismatch(mismatch)
    }
}

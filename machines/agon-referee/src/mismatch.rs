//! Where a record and the rules disagree.

use crate::Mark;
use agon_core::{Failure, Seat, Seats};
use core::fmt;

/// Where a record and the rules disagree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// The record's turn is not the next one.
    WrongPly {
        /// The number that comes next.
        expected: u32,
        /// The number in the record.
        recorded: u32,
    },
    /// A turn is recorded after the end of the match.
    AfterTheEnd {
        /// The number in the record.
        ply: u32,
    },
    /// Others decided than the rules await.
    WrongSeats {
        /// The turn, counted from 1.
        ply: u32,
        /// The seats that the rules await.
        awaited: Seats,
        /// The seats that have entries in the record.
        recorded: Seats,
    },
    /// An order that the game does not know.
    UnknownOrder {
        /// The turn, counted from 1.
        ply: u32,
        /// The seat that this is about.
        seat: Seat,
        /// Why it cannot be read.
        why: String,
    },
    /// The rules judge the orders differently.
    Judgement {
        /// The turn, counted from 1.
        ply: u32,
        /// The seat that this is about.
        seat: Seat,
        /// What the record says.
        recorded: Option<Failure>,
        /// What the rules say.
        judged: Option<Failure>,
    },
    /// The turn leads to another position.
    Fingerprint {
        /// The turn, counted from 1.
        ply: u32,
        /// What the record says.
        recorded: Mark,
        /// What the same orders lead to now.
        played: Mark,
    },
}

impl Mismatch {
    /// The turn in which the record and the rules disagree.
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
                write!(f, "turn {expected} is missing: the record goes on with turn {recorded}")
            }
            Self::AfterTheEnd { ply } => write!(f, "turn {ply} is recorded after the end of the match"),
            Self::WrongSeats { ply, awaited, recorded } => {
                write!(f, "turn {ply}: seats {recorded:?} decided, by the rules it was up to seats {awaited:?}")
            }
            Self::UnknownOrder { ply, seat, why } => {
                write!(f, "turn {ply}: an order of seat {seat} cannot be read: {why}")
            }
            Self::Judgement { ply, seat, recorded, judged } => {
                let (recorded, judged) = (in_words(*recorded), in_words(*judged));
                write!(f, "turn {ply}: the decision of seat {seat} is recorded as {recorded} and judged as {judged}")
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
    /// The record is shorter.
    NoTurn {
        /// The turn that was asked for.
        ply: u32,
        /// How many turns the record has.
        turns: u32,
    },
    /// On the way there the record and the rules disagree.
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

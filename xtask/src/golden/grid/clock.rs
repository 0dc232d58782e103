//! The delays of the bots as data, and two ways of timing them.

use agon_core::{Contest, Seat};
use agon_grid::Position;
use std::time::Duration;

/// Whose second starts when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// The judge reads one bot after the other: player 2's second starts when player 1 is done.
    OneAfterTheOther,
    /// Agon reads both at once: each has its own second from its own message (G19).
    BothAtOnce,
}

impl Clock {
    /// Who is late, given how long each bot takes from its message to its answer.
    pub fn late(self, delays: [Duration; 2]) -> [bool; 2] {
        let limit = Position::INFO.clock.hard.expect("Grid has a limit for a turn");
        let first = delays[0] > limit;
        let start = match self {
            Self::OneAfterTheOther => delays[0].min(limit),
            Self::BothAtOnce => Duration::ZERO,
        };
        [first, delays[1] > start + limit]
    }
}

/// How long a bot of the recordings sleeps before it answers, by the name of its misbehaviour.
pub fn delay(kind: &str) -> Duration {
    let tenths = match kind {
        "slow" => 6,
        "sleep" => 14,
        _ => kind.strip_prefix('s').and_then(|n| n.parse().ok()).unwrap_or(0),
    };
    Duration::from_millis(100 * tenths)
}

/// The seats for which this holds.
pub fn seats(flags: [bool; 2]) -> Vec<Seat> {
    [0, 1].into_iter().filter(|i| flags[*i]).map(Seat::new).collect()
}

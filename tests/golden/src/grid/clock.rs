//! The delays of the bots as data, and two ways to time them.

use agon_core::{Contest, Seat};
use agon_grid::Position;
use std::time::Duration;

/// When each player's second starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// The judge reads one bot after the other. Player 2's second starts when player 1 has answered.
    OneAfterTheOther,
    /// Agon reads both bots at the same time. Each bot has its own second, which starts at its own message (G19).
    BothAtOnce,
}

impl Clock {
    /// Returns which seats are late, given the time of each bot from its message to its answer.
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

/// Returns how long a bot of the recordings sleeps before it answers, by the name of its misbehaviour.
pub fn delay(kind: &str) -> Duration {
    let tenths = match kind {
        "slow" => 6,
        "sleep" => 14,
        _ => kind.strip_prefix('s').and_then(|n| n.parse().ok()).unwrap_or(0),
    };
    Duration::from_millis(100 * tenths)
}

/// Returns the seats whose flag is set.
pub fn seats(flags: [bool; 2]) -> Vec<Seat> {
    [0, 1].into_iter().filter(|i| flags[*i]).map(Seat::new).collect()
}

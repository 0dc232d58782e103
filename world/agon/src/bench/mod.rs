//! The benches measure what an exchange, a match and a turn cost, and compare this with the least that they can cost.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `row` | [`Row`], [`Report`]: figures, as a table and as JSON |
//! | `machine` | [`Machine`](machine::Machine): the machine of a measurement |
//! | `cost` | [`Meter`](cost::Meter): wall and CPU time of this process and its children |
//! | `rounds` | [`Rounds`](rounds::Rounds): repeated measurements, their median and their scatter |
//! | `bot` | [`InstantBot`]: a bot that answers immediately |
//! | `busy_bot` | [`BusyBot`]: bots that compute, in their own turn or outside of it |
//! | `duel` | [`Duel`](duel::Duel): matches of instant bots |
//! | `cup` | [`Cup`](cup::Cup): tournaments of two bots |
//! | `floor` | the bare ping-pong and the bare start of a process |
//! | `exchange`, `matches`, `sandbox`, `timeouts`, `fairness`, `sim`, `tournament`, `console` | the benches |
//! | `boards` | the maps that `sim` plays on |
//! | `wasm` | the instant bot in WASM, with the feature `wasm` |
//! | `allocations` | counts allocations |
//!
//! `docs/bench.md` says what each figure includes.

mod allocations;
mod boards;
mod bot;
mod busy_bot;
mod console;
mod cost;
mod cup;
mod duel;
mod exchange;
mod fairness;
mod floor;
mod machine;
mod matches;
mod rounds;
mod row;
mod sandbox;
mod sim;
mod timeouts;
mod tournament;
#[cfg(feature = "wasm")]
mod wasm;

pub use allocations::CountingAllocator;
pub use bot::InstantBot;
pub use busy_bot::BusyBot;
pub use machine::Machine as MachineLook;
pub use row::{Goal, Report, Row};
pub use timeouts::Timeouts;

use crate::error::{Error, Result, reason};
use agon_play::Cancel;
use agon_run::{Pinned, cores};
use std::time::Duration;

/// How thoroughly to measure, and on which core.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Whether to take a few seconds instead of a minute.
    pub quick: bool,
    /// The core for everything that runs on one core. `None` if the user chose no core.
    pub core: Option<usize>,
    /// Ends the bench.
    pub cancel: Cancel,
}

impl Effort {
    /// Returns `quick` for a quick run and `full` for a full one.
    fn choose<T>(&self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }

    /// Returns the core that the user chose, or else the last one, because the system's own work tends to run on the
    /// first one.
    fn core(&self) -> Option<usize> {
        self.core.or_else(|| cores().last().copied())
    }

    /// Keeps this thread and its children on that core. Returns `None` if the system cannot do this.
    fn pin(&self) -> Result<Option<Pinned>> {
        match (Pinned::to(&[self.core().unwrap_or(0)]), self.core) {
            (Ok(pinned), _) => Ok(Some(pinned)),
            (Err(_), None) => Ok(None),
            (Err(why), Some(core)) => Err(Error::user(format!("--core {core}: {}", reason(&why)))),
        }
    }
}

/// Runs `agon bench exchange`.
///
/// # Errors
/// A match cannot be played.
pub fn exchange(effort: &Effort) -> Result<Vec<Row>> {
    exchange::run(effort)
}

/// Runs `agon bench match`.
///
/// # Errors
/// A match cannot be played.
pub fn matches(effort: &Effort) -> Result<Vec<Row>> {
    matches::run(effort)
}

/// Runs `agon bench sim` for one game or for all games.
///
/// # Errors
/// A map cannot be used.
pub fn sim(effort: &Effort, game: Option<&str>) -> Result<Vec<Row>> {
    sim::run(effort, game)
}

/// Runs `agon bench sandbox`.
///
/// # Errors
/// A match cannot be played, or no sandbox works on this host.
pub fn sandbox(effort: &Effort) -> Result<Vec<Row>> {
    sandbox::run(effort)
}

/// Runs `agon bench timeouts`.
///
/// # Errors
/// A match cannot be played, or a bot fails for another reason than time.
pub fn timeouts(effort: &Effort, what: &Timeouts) -> Result<Vec<Row>> {
    what.run(effort)
}

/// Runs `agon bench fairness` for one of its games or for all of them.
///
/// # Errors
/// A match cannot be played, a bot fails, or this system cannot keep bots on cores.
pub fn fairness(effort: &Effort, game: Option<&str>) -> Result<Vec<Row>> {
    fairness::run(effort, game)
}

/// The games that `agon bench fairness` plays.
pub fn fairness_games() -> [&'static str; 3] {
    fairness::games()
}

/// Runs `agon bench tournament`.
///
/// # Errors
/// A tournament cannot be played, or a bot fails.
pub fn tournament(effort: &Effort) -> Result<Vec<Row>> {
    tournament::run(effort)
}

/// Runs `agon bench console`.
///
/// # Errors
/// The console cannot be started, or a bot in it does not answer.
pub fn console(effort: &Effort) -> Result<Vec<Row>> {
    console::run(effort)
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

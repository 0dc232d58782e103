//! Benches: what an exchange, a match and a turn cost, beside what they cannot cost less than.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `row` | [`Row`], [`Report`]: figures, as a table and as JSON |
//! | `machine` | [`Machine`](machine::Machine): where they were measured |
//! | `cost` | [`Meter`](cost::Meter): wall and CPU time of this process and its children |
//! | `rounds` | [`Rounds`](rounds::Rounds): medians, and whether the rounds agree |
//! | `bot` | [`InstantBot`]: a bot that answers at once |
//! | `duel` | [`Duel`](duel::Duel): matches of instant bots |
//! | `floor` | the bare ping-pong and the bare start of a process |
//! | `exchange`, `matches`, `sandbox`, `timeouts`, `sim` | the benches |
//! | `boards` | the maps that `sim` plays on |
//! | `wasm` | the instant bot in WASM, with the feature of that name |
//! | `allocations` | counts them |
//!
//! `docs/bench.md` says what each figure includes.

mod allocations;
mod boards;
mod bot;
mod cost;
mod duel;
mod exchange;
mod floor;
mod machine;
mod matches;
mod rounds;
mod row;
mod sandbox;
mod sim;
mod timeouts;
#[cfg(feature = "wasm")]
mod wasm;

pub use allocations::CountingAllocator;
pub use bot::InstantBot;
pub use machine::Machine as MachineLook;
pub use row::{Goal, Report, Row};
pub use timeouts::Timeouts;

use crate::error::{Error, Result, reason};
use agon_run::{CancelFlag, Pinned, cores};
use std::time::Duration;

/// How a bench is run.
#[derive(Clone, Debug)]
pub struct Effort {
    /// A few seconds instead of a minute.
    pub quick: bool,
    /// The core that everything runs on that is measured alone.
    pub core: Option<usize>,
    /// Ends the bench.
    pub cancel: CancelFlag,
}

impl Effort {
    /// `full`, or `quick` for a quick run.
    fn choose<T>(&self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }

    /// The core that was asked for, or else the last one: the system's own work tends to be on the first.
    fn core(&self) -> Option<usize> {
        self.core.or_else(|| cores().last().copied())
    }

    /// Keeps this thread and its children on that core; `None` where the system cannot.
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
/// A match that cannot be played.
pub fn exchange(effort: &Effort) -> Result<Vec<Row>> {
    exchange::run(effort)
}

/// Runs `agon bench match`.
///
/// # Errors
/// A match that cannot be played.
pub fn matches(effort: &Effort) -> Result<Vec<Row>> {
    matches::run(effort)
}

/// Runs `agon bench sim`, of one game or of all.
///
/// # Errors
/// A map that cannot be played on.
pub fn sim(effort: &Effort, game: Option<&str>) -> Result<Vec<Row>> {
    sim::run(effort, game)
}

/// Runs `agon bench sandbox`.
///
/// # Errors
/// A match that cannot be played, or a host without any sandbox.
pub fn sandbox(effort: &Effort) -> Result<Vec<Row>> {
    sandbox::run(effort)
}

/// Runs `agon bench timeouts`.
///
/// # Errors
/// A match that cannot be played, or a bot that fails otherwise than by time.
pub fn timeouts(effort: &Effort, what: &Timeouts) -> Result<Vec<Row>> {
    what.run(effort)
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

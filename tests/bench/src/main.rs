//! The benches measure what an exchange, a match and a turn cost, and compare this with the least that they can cost.
//! `cargo xtask bench` builds this program with optimisation and runs it.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `arguments` | [`Bench`](arguments::Bench): the benches by name, and their options |
//! | `row` | [`Row`], [`Report`](row::Report): figures, as a table and as JSON |
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
mod arguments;
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
mod matches;
mod rounds;
mod row;
mod sandbox;
mod sim;
mod timeouts;
mod tournament;
#[cfg(feature = "wasm")]
mod wasm;

use agon_cli::error::{Error, Result, reason};
use agon_play::Cancel;
use agon_run::{Pinned, cores};
use allocations::CountingAllocator;
use bot::InstantBot;
use busy_bot::BusyBot;
use row::{Goal, Row};
use std::{
    process::{ExitCode, Termination},
    time::Duration,
};

/// The benches report allocations. No other program of Agon pays for counting them.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The first argument with which this program is `agon`. The bench of the console measures it.
const AGON: &str = "agon";

fn main() -> ExitCode {
    // This comes first, because a bench measures how long the bot takes to start.
    if let Some(exit) = InstantBot::asked_for().map(InstantBot::run).or_else(|| BusyBot::asked_for().map(BusyBot::run))
    {
        return exit.report();
    }
    if std::env::args_os().nth(1).is_some_and(|word| word == AGON) {
        return agon_cli::agon(std::env::args_os().skip(2), None);
    }
    agon_play::helper();
    arguments::run()
}

/// How thoroughly to measure, and on which core.
#[derive(Clone, Debug)]
struct Effort {
    /// Whether to take a few seconds instead of a minute.
    quick: bool,
    /// The core for everything that runs on one core. `None` if the user chose no core.
    core: Option<usize>,
    /// Ends the bench.
    cancel: Cancel,
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

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

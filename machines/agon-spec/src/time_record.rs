//! Where the time of an answer went.

use agon_core::clock::print_rounded;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};

/// Where the time of an answer went, in microseconds. If no counters were read, only `wall_us` is known; it bounds all
/// the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TimeRecord {
    /// From the start of the clock to the last byte of the answer.
    pub wall_us: u64,
    /// The CPU time of all processes of the bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// The least wall time in which so much can be computed on the cores that the bot may use; missing: `cpu_us`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_us: Option<u64>,
    /// How long the bot could have run but did not get a core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runnable_us: Option<u64>,
    /// How much too late the referee itself looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag_us: Option<u64>,
    /// How much of it was not charged, because the host had taken it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_us: Option<u64>,
    /// Whether the bot was waiting for a core at the end. How long it had waited is not known, and not in `runnable_us`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waiting: bool,
}

impl TimeRecord {
    /// Whether counters were read for it.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        self.cpu_us.is_some()
    }

    /// What is left of the wall time after computing, waiting and lag: the bot slept, or waited for something else than
    /// a core, but for what [`waiting`](TimeRecord::waiting) leaves open. `None` without counters.
    #[must_use]
    pub fn idle_us(&self) -> Option<u64> {
        let busy = self.busy_us.or(self.cpu_us)?;
        let others = busy + self.runnable_us.unwrap_or(0) + self.lag_us.unwrap_or(0);
        Some(self.wall_us.saturating_sub(others))
    }
}

/// `it computed for 1.28s, waited 20.0ms for a core, and it slept or blocked for 10.0ms`.
impl fmt::Display for TimeRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |micros: u64| print_rounded(Duration::from_micros(micros));
        let (Some(cpu), Some(idle)) = (self.cpu_us, self.idle_us()) else {
            return f.write_str("what it did meanwhile was not measured");
        };
        write!(f, "it computed for {}", time(cpu))?;
        let cores = (cpu as f64 / self.busy_us.unwrap_or(cpu).max(1) as f64 * 10.0).round() / 10.0;
        if cores > 1.0 {
            write!(f, " (on {cores} cores at once)")?;
        }
        write!(f, ", waited {} for a core", time(self.runnable_us.unwrap_or(0)))?;
        // A referee is never there at the very instant.
        if let Some(lag) = self.lag_us.filter(|lag| *lag >= 1000) {
            write!(f, ", the referee looked {} late", time(lag))?;
        }
        match self.waiting {
            false => write!(f, ", and it slept or blocked for {}", time(idle)),
            true => write!(f, ", and it slept, blocked or waited on for {} more", time(idle)),
        }
    }
}

//! Where the time of an answer went.

use agon_core::clock::print_rounded;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};

/// Where the time of an answer went, in microseconds. If no counters were read, only `wall_us` is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TimeRecord {
    /// The wall time between the start of the clock and the last byte of the answer, in microseconds.
    pub wall_us: u64,
    /// The CPU time of all processes of the bot, in microseconds. The key is missing if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// The least wall time in which the bot can use this much CPU time on its cores, in microseconds. If the key is
    /// missing, it equals `cpu_us`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_us: Option<u64>,
    /// How long the bot was ready to run but had no core, in microseconds. The key is missing if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runnable_us: Option<u64>,
    /// How long the system held the whole bot in waits that nothing interrupts, in microseconds. The key is missing if it
    /// did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_us: Option<u64>,
    /// How late the referee looked, in microseconds. The key is missing if the referee was not late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag_us: Option<u64>,
    /// The time that the bot was not charged because the host took it, in microseconds. The key is missing if there was
    /// no such time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_us: Option<u64>,
    /// Whether the bot was waiting for a core at the end. The length of that wait is not known and not a part of
    /// `runnable_us`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waiting: bool,
    /// Whether `cpu_us` may be too little, because the bot may have had children that ended uncounted. The key is missing
    /// if it is not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
}

impl TimeRecord {
    /// Returns whether counters were read for the answer.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        self.cpu_us.is_some()
    }

    /// Returns the rest of the wall time after computing, waiting, blocking and lag. In this time the bot slept, or waited
    /// for something other than a core. If [`waiting`](TimeRecord::waiting) is set, it includes the last wait for a core.
    /// Returns `None` without counters.
    #[must_use]
    pub fn idle_us(&self) -> Option<u64> {
        let busy = self.busy_us.or(self.cpu_us)?;
        let others = [self.runnable_us, self.blocked_us, self.lag_us];
        Some(others.iter().flatten().fold(self.wall_us.saturating_sub(busy), |left, time| left.saturating_sub(*time)))
    }
}

/// Writes a sentence such as `it computed for 1.28s, waited 20.0ms for a core, and it slept or blocked for 10.0ms`.
impl fmt::Display for TimeRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |micros: u64| print_rounded(Duration::from_micros(micros));
        let (Some(cpu), Some(idle)) = (self.cpu_us, self.idle_us()) else {
            return f.write_str("what it did meanwhile was not measured");
        };
        write!(f, "it computed for {}{}", if self.partial { "at least " } else { "" }, time(cpu))?;
        let cores = (cpu as f64 / self.busy_us.unwrap_or(cpu).max(1) as f64 * 10.0).round() / 10.0;
        if cores > 1.0 {
            write!(f, " (on {cores} cores at once)")?;
        }
        write!(f, ", waited {} for a core", time(self.runnable_us.unwrap_or(0)))?;
        // A referee is always a little late, so a small lag says nothing.
        let lag = self.lag_us.filter(|lag| *lag >= 1000);
        for (spent, before, after) in
            [(self.blocked_us, "was blocked in the system for", ""), (lag, "the referee looked", " late")]
        {
            if let Some(spent) = spent {
                write!(f, ", {before} {}{after}", time(spent))?;
            }
        }
        match self.waiting {
            false => write!(f, ", and it slept or blocked for {}", time(idle)),
            true => write!(f, ", and it slept, blocked or waited on for {} more", time(idle)),
        }
    }
}

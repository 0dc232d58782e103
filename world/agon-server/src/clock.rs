//! The server's time, which tests replace.

use std::{fmt, time::SystemTime};

/// A clock.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Returns the time in milliseconds since 1970.
    fn now_ms(&self) -> i64;
}

/// The clock of the system.
#[derive(Clone, Copy, Default, Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }
}

//! The worker's time, which tests replace.

use std::{
    fmt, thread,
    time::{Duration, Instant},
};

/// How often a wait looks whether it is to end early.
const GLANCE: Duration = Duration::from_millis(50);

/// A clock that only goes forward, and waits.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Returns the time since some moment before.
    fn now(&self) -> Duration;

    /// Waits for so long, or until `ends` returns `true`. Returns whether the time is over.
    fn wait(&self, time: Duration, ends: &dyn Fn() -> bool) -> bool;
}

/// The clock of the system.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn wait(&self, time: Duration, ends: &dyn Fn() -> bool) -> bool {
        let until = Instant::now() + time;
        while !ends() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            thread::sleep(left.min(GLANCE));
        }
        false
    }
}

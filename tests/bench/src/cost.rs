//! Measures wall time, CPU time and memory.

use nix::sys::resource::{UsageWho, getrusage};
use std::{
    ops::Sub,
    time::{Duration, Instant},
};

/// The wall time, and the CPU time of this process and of the children that it has waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cost {
    pub wall: Duration,
    pub cpu: Duration,
}

impl Cost {
    /// Returns the wall time and the CPU time of each of `count` repetitions, in microseconds.
    pub fn each(self, count: u32) -> [f64; 2] {
        [self.wall, self.cpu].map(|time| super::micros(time) / f64::from(count))
    }
}

/// Returns what a long run costs more than a short one, so that start and end cancel out. The result is never negative.
impl Sub for Cost {
    type Output = Self;

    fn sub(self, short: Self) -> Self {
        Self { wall: self.wall.saturating_sub(short.wall), cpu: self.cpu.saturating_sub(short.cpu) }
    }
}

/// A measurement that is running.
#[derive(Clone, Copy, Debug)]
pub struct Meter {
    wall: Instant,
    cpu: Duration,
}

impl Meter {
    pub fn start() -> Self {
        Self { cpu: cpu(), wall: Instant::now() }
    }

    pub fn stop(self) -> Cost {
        Cost { wall: self.wall.elapsed(), cpu: cpu().saturating_sub(self.cpu) }
    }
}

/// Returns the CPU time of this process and of the children that it has waited for.
fn cpu() -> Duration {
    // Neither call can fail with these arguments.
    [UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN]
        .into_iter()
        .filter_map(|who| getrusage(who).ok())
        .flat_map(|usage| [usage.user_time(), usage.system_time()])
        .map(|time| Duration::new(time.tv_sec().unsigned_abs(), time.tv_usec().unsigned_abs() as u32 * 1000))
        .sum()
}

/// Resets the peak of this process's resident memory, if the system can, and returns the current value in bytes.
pub fn reset_peak() -> f64 {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    peak_memory()
}

/// Returns the peak of this process's resident memory since the last reset, in bytes. Returns 0 if the system does not
/// report it.
pub fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    kib.unwrap_or(0.0) * 1024.0
}

/// Returns the CPU time of this thread alone, with a resolution of one nanosecond.
pub fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

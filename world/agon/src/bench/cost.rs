//! What something costs: wall and CPU time.

use nix::sys::resource::{UsageWho, getrusage};
use std::{
    ops::Sub,
    time::{Duration, Instant},
};

/// Wall time, and CPU time of this process together with the children that were waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cost {
    pub wall: Duration,
    pub cpu: Duration,
}

impl Cost {
    /// Of one in `count`, in microseconds: wall and CPU.
    pub fn each(self, count: u32) -> [f64; 2] {
        [self.wall, self.cpu].map(|time| super::micros(time) / f64::from(count))
    }
}

/// What a long run costs beyond a short one: start and end drop out. Never below zero.
impl Sub for Cost {
    type Output = Self;

    fn sub(self, short: Self) -> Self {
        Self { wall: self.wall.saturating_sub(short.wall), cpu: self.cpu.saturating_sub(short.cpu) }
    }
}

/// A running measurement.
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

/// CPU time of this process and of its children that were waited for.
fn cpu() -> Duration {
    // Neither call can fail with these arguments.
    [UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN]
        .into_iter()
        .filter_map(|who| getrusage(who).ok())
        .flat_map(|usage| [usage.user_time(), usage.system_time()])
        .map(|time| Duration::new(time.tv_sec().unsigned_abs(), time.tv_usec().unsigned_abs() as u32 * 1000))
        .sum()
}

/// Forgets how much memory this process had at most, where the system can, and tells how much it has: resident bytes.
pub fn reset_peak() -> f64 {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    peak_memory()
}

/// How much memory this process had at most since then: resident bytes. 0 where the system does not tell.
pub fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    kib.unwrap_or(0.0) * 1024.0
}

/// CPU time of this thread alone, to the nanosecond.
pub fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

//! Reports on the clock, and on how exactly Agon can account for a bot's time.

use super::protection::{Protection, State};
use agon_sandbox::sessions_share_cores;
use std::{
    fs, thread,
    time::{Duration, Instant},
};

/// The quality of this host's clock.
#[derive(Clone, PartialEq, Debug)]
pub struct Clocks {
    source: Option<String>,
    /// The smallest difference between two readings, in nanoseconds.
    step_ns: u64,
    /// How late a sleep of one millisecond ends: the median and the maximum of several, in microseconds.
    late_us: [u64; 2],
}

impl Clocks {
    /// Measures the clock. This takes about 50 milliseconds.
    pub fn look() -> Self {
        let source = fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource").ok();
        let step = (0..1000).map(|_| {
            let from = Instant::now();
            let mut step = from.elapsed();
            while step.is_zero() {
                step = from.elapsed();
            }
            step.as_nanos() as u64
        });
        let step_ns = step.min().unwrap_or(0);
        let asked = Duration::from_millis(1);
        let mut late: Vec<u64> = (0..40)
            .map(|_| {
                let from = Instant::now();
                thread::sleep(asked);
                from.elapsed().saturating_sub(asked).as_micros() as u64
            })
            .collect();
        late.sort_unstable();
        let late_us = [late[late.len() / 2], late[late.len() - 1]];
        Self { source: source.map(|source| source.trim().to_owned()), step_ns, late_us }
    }

    pub fn document(&self) -> agon_spec::Clocks {
        let [late_p50_us, late_max_us] = self.late_us;
        agon_spec::Clocks { source: self.source.clone(), step_ns: self.step_ns, late_p50_us, late_max_us }
    }

    pub fn text(&self) -> String {
        let source = self.source.as_deref().unwrap_or("of the system");
        let [usual, most] = self.late_us;
        format!("clock     {source}, steps of {} ns; woken {usual} us late, at most {most} us\n", self.step_ns)
    }
}

/// Returns three protections: whether time that the host takes from a bot can be given back, whether a match can keep
/// a core to itself, and whether the referee goes before bots.
pub fn protections() -> Vec<Protection> {
    let waits = fs::read_to_string("/proc/self/schedstat").ok().filter(|text| text.split(' ').count() == 3);
    let fair = if waits.is_some() {
        Protection::new("fair clocks", State::Active, "the kernel reports how long a bot waited for a core")
    } else {
        let why =
            "the kernel does not report how long a bot waited for a core: only delays of Agon itself are given back";
        Protection::new("fair clocks", State::Partial, why)
            .remedy(cfg!(target_os = "linux").then_some("a kernel with CONFIG_SCHEDSTATS"))
    };
    let cores = agon_run::cores().len();
    let quiet = match cores {
        0 => Protection::new("cores", State::Missing, "this system cannot keep a match on a core"),
        1 => Protection::new("cores", State::Partial, "there is only one core, so other programs take time from bots"),
        cores => {
            Protection::new("cores", State::Active, format!("matches can be kept on any of {cores} cores (--pin)"))
        }
    };
    vec![fair, quiet, priority()]
}

/// Whether the referee gets a core soon beside bots with many threads.
fn priority() -> Protection {
    if sessions_share_cores() {
        let why = "each bot has a session of its own, and the scheduler divides cores between sessions: a bot with many threads \
                   gets no more of a core than the referee";
        return Protection::new("priority", State::Active, why);
    }
    let why = "the scheduler does not divide cores between sessions: beside a bot with many threads the referee may wait 0.1 s for \
               a core, which is charged to nobody";
    let remedy = "`sysctl kernel.sched_autogroup_enabled=1`, where no control group divides cores";
    Protection::new("priority", State::Partial, why).remedy(cfg!(target_os = "linux").then_some(remedy))
}

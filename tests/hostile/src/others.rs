//! Tells whether programs of others kept the cores of this machine busy.

use std::{
    fs,
    time::{Duration, Instant},
};

/// Others count as busy if they use more than this part of a core.
const SHARE: u32 = 4;
/// CPU time that they may use in any case. The system counts in steps of 10 ms.
const SLACK: Duration = Duration::from_millis(50);

/// The CPU time that was used on this machine up to a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CpuUse {
    at: Instant,
    /// By all programs, and by other machines on the same hardware.
    all: Duration,
    /// By this process and its descendants that were waited for.
    ours: Duration,
}

impl CpuUse {
    /// Returns the CPU time that was used up to now. `None` if the system does not report it.
    pub(crate) fn now() -> Option<Self> {
        let all = busy(&fs::read_to_string("/proc/stat").ok()?)?;
        Some(Self { at: Instant::now(), all, ours: own(libc::RUSAGE_SELF) + own(libc::RUSAGE_CHILDREN) })
    }

    /// Whether others were busy from `self` to `now`.
    pub(crate) fn others_were_busy(&self, now: &Self) -> bool {
        let ours = now.ours.saturating_sub(self.ours);
        let others = now.all.saturating_sub(self.all).saturating_sub(ours);
        others > SLACK.max((now.at - self.at) / SHARE)
    }
}

/// Reads the busy time of all cores from the text of `/proc/stat`.
fn busy(stat: &str) -> Option<Duration> {
    let mut fields = stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace().map(str::parse::<u64>);
    // User, nice, system, idle, waiting for disks, interrupts (two), stolen. The guests behind them are users too.
    let mut ticks = 0;
    for field in 0..8 {
        let count = fields.next()?.ok()?;
        ticks += if [3, 4].contains(&field) { 0 } else { count };
    }
    // SAFETY: numbers alone.
    let per_second = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).ok().filter(|ticks| *ticks > 0)?;
    Some(Duration::from_millis(ticks * 1000 / per_second))
}

/// Returns the CPU time of this process, or of its descendants that were waited for.
fn own(whose: libc::c_int) -> Duration {
    // SAFETY: zeros are a valid `rusage`, and the kernel writes one.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(whose, &raw mut usage);
        usage
    };
    // The types of the fields differ between systems.
    let time = |time: libc::timeval| {
        Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or_default())
            + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or_default())
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_is_not_busy() {
        let ticks = |text: &str| busy(text).map(|time| time.as_millis() / 10);
        assert_eq!(ticks("cpu  1 20 300 7000 9000 4 50 600 1 1\ncpu0 1 1\n"), Some(1 + 20 + 300 + 4 + 50 + 600));
        for text in ["", "cpu 1 2 3", "intr 5", "cpu  1 2 3 4 5 x 7 8"] {
            assert_eq!(busy(text), None, "{text}");
        }
    }

    #[test]
    fn our_time_is_not_that_of_others() {
        let at = Instant::now();
        let used = |seconds: u64, all: u64, ours: u64| CpuUse {
            at: at + Duration::from_secs(seconds),
            all: Duration::from_millis(all),
            ours: Duration::from_millis(ours),
        };
        let before = used(0, 1000, 100);
        assert!(!before.others_were_busy(&used(2, 5000, 4100)));
        assert!(!before.others_were_busy(&used(2, 5000, 3700)), "less than a quarter of two seconds");
        assert!(before.others_were_busy(&used(2, 5000, 3500)));
        assert!(!before.others_were_busy(&used(0, 1040, 100)), "the system counts in steps");
    }

    #[test]
    fn the_cpu_time_of_this_machine_is_known() {
        let use_of_machine = CpuUse::now().expect("Linux");
        assert!(use_of_machine.all > Duration::ZERO);
    }
}

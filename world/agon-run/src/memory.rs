//! Checks how much memory bots use. This is the fallback where no control group limits them. It is not exact: between
//! two checks a bot can exceed its limit by tens of megabytes.

#[cfg(target_os = "linux")]
use agon_sandbox::resident_bytes;
use std::time::Duration;

/// The time between two checks.
const PAUSE: Duration = Duration::from_millis(10);

/// The limit, and the time of the next check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryWatch {
    pub limit_mib: u32,
    /// The time of the next check, since the start of the match.
    pub due: Duration,
}

impl MemoryWatch {
    pub(crate) fn new(limit_mib: u32) -> Self {
        Self { limit_mib, due: PAUSE }
    }

    /// Whether a check is due. If so, this also sets the time of the next one.
    pub(crate) fn is_due(&mut self, now: Duration) -> bool {
        let due = self.due <= now;
        if due {
            self.due = now + PAUSE;
        }
        due
    }

    /// Whether the descendants of a process use more memory than allowed. If `counts` is set, the memory of the
    /// process itself is included. `spare_mib` MiB are allowed beyond the limit.
    pub(crate) fn exceeded_by(&self, (process, counts): (i32, bool), spare_mib: u32) -> bool {
        resident_bytes(process, counts) > (u64::from(self.limit_mib) + u64::from(spare_mib)) << 20
    }
}

/// Other systems do not report this, so that no bot exceeds its limit.
#[cfg(not(target_os = "linux"))]
fn resident_bytes(_process: i32, _counts: bool) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_a_pause_apart() {
        let mut watch = MemoryWatch::new(1);
        assert!(!watch.is_due(Duration::from_millis(9)));
        assert!(watch.is_due(Duration::from_millis(50)));
        assert!(!watch.is_due(Duration::from_millis(59)));
        assert!(watch.is_due(Duration::from_millis(60)));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn we_use_more_than_a_megabyte_and_less_than_a_terabyte() {
        let us = std::process::id() as i32;
        let ours = std::hint::black_box(vec![1u8; 2 << 20]);
        assert!(MemoryWatch::new(1).exceeded_by((us, true), 0));
        drop(ours);
        // A child of its own, because other tests of this process have children too.
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep starts");
        let alone = child.id() as i32;
        assert!(!MemoryWatch::new(1).exceeded_by((alone, false), 0), "a process without children");
        child.kill().and_then(|()| child.wait()).expect("it ends");
        assert!(!MemoryWatch::new(1 << 20).exceeded_by((us, true), 0));
        assert!(!MemoryWatch::new(1).exceeded_by((us, true), 1 << 20));
        assert!(!MemoryWatch::new(1).exceeded_by((i32::MAX, true), 0), "a process that is gone uses nothing");
    }
}

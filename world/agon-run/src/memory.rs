//! A watch of the memory that bots have in use. It is the honest fallback where nothing stronger limits them: between
//! two looks a bot can take tens of megabytes more than it may.

#[cfg(target_os = "linux")]
use agon_sandbox::resident_bytes;
use std::time::Duration;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// When to look, and what is allowed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryWatch {
    /// In MiB.
    pub limit_mib: u32,
    /// When to look next.
    pub due: Duration,
}

impl MemoryWatch {
    pub(crate) fn new(limit_mib: u32) -> Self {
        Self { limit_mib, due: PAUSE }
    }

    /// Whether it is time for a look; then the next one is planned.
    pub(crate) fn is_due(&mut self, now: Duration) -> bool {
        let due = self.due <= now;
        if due {
            self.due = now + PAUSE;
        }
        due
    }

    /// Whether the children of a process, and theirs, have more in use than allowed; and the process itself, if that
    /// counts. `spare_mib` are allowed to this one beyond the limit.
    pub(crate) fn exceeded_by(&self, (process, counts): (i32, bool), spare_mib: u32) -> bool {
        resident_bytes(process, counts) > (u64::from(self.limit_mib) + u64::from(spare_mib)) << 20
    }
}

/// The system does not tell.
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
        assert!(!watch.is_due(Duration::from_millis(19)));
        assert!(watch.is_due(Duration::from_millis(50)));
        assert!(!watch.is_due(Duration::from_millis(69)));
        assert!(watch.is_due(Duration::from_millis(70)));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn we_use_more_than_a_megabyte_and_less_than_a_terabyte() {
        let us = std::process::id() as i32;
        assert!(MemoryWatch::new(1).exceeded_by((us, true), 0));
        // Not us: other tests of this process have children.
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep starts");
        let alone = child.id() as i32;
        assert!(!MemoryWatch::new(1).exceeded_by((alone, false), 0), "a process without children");
        child.kill().and_then(|()| child.wait()).expect("it ends");
        assert!(!MemoryWatch::new(1 << 20).exceeded_by((us, true), 0));
        assert!(!MemoryWatch::new(1).exceeded_by((us, true), 1 << 20));
        assert!(!MemoryWatch::new(1).exceeded_by((i32::MAX, true), 0), "a process that is gone uses nothing");
    }
}

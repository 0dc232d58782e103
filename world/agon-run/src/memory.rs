//! A watch of the memory that bots have in use. It is the honest fallback where nothing stronger limits them: between
//! two looks a bot can take tens of megabytes more than it may.

use std::time::Duration;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(20);
/// The most processes of one bot that are counted.
#[cfg(target_os = "linux")]
const PROCESSES: usize = 64;

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
    /// counts.
    pub(crate) fn exceeded_by(&self, (process, counts): (i32, bool)) -> bool {
        resident_bytes(process, counts) > u64::from(self.limit_mib) << 20
    }
}

/// Resident memory of the children of a process and theirs, and of the process itself if that counts. 0 where the
/// system does not tell.
#[cfg(target_os = "linux")]
fn resident_bytes(process: i32, counts: bool) -> u64 {
    let page = rustix::param::page_size() as u64;
    let mut tree = vec![process];
    let mut bytes = 0u64;
    let mut at = 0;
    while at < tree.len() && at < PROCESSES {
        let id = tree[at];
        at += 1;
        let Ok(sizes) = std::fs::read_to_string(format!("/proc/{id}/statm")) else { continue };
        let resident: u64 = sizes.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
        if counts || id != process {
            bytes = bytes.saturating_add(resident.saturating_mul(page));
        }
        let Ok(children) = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")) else { continue };
        tree.extend(children.split_whitespace().filter_map(|child| child.parse::<i32>().ok()));
    }
    bytes
}

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
        assert!(MemoryWatch::new(1).exceeded_by((us, true)));
        assert!(!MemoryWatch::new(1).exceeded_by((us, false)), "a process without children");
        assert!(!MemoryWatch::new(1 << 20).exceeded_by((us, true)));
        assert!(!MemoryWatch::new(1).exceeded_by((i32::MAX, true)), "a process that is gone uses nothing");
    }
}

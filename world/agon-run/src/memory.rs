//! Watches the memory of bots without a sandbox. Those in a sandbox are watched by it.

use rustix::process::Pid;
use std::io;

#[cfg(target_os = "linux")]
pub(crate) use agon_sandbox::MemoryWatch;

/// The watch over a process group.
#[cfg(target_os = "linux")]
pub(crate) fn watch(leader: Pid, limit_mib: u32) -> io::Result<Option<MemoryWatch>> {
    MemoryWatch::of_group(leader, limit_mib).map(Some)
}

/// Never exists: other systems do not report how much memory is in use, so no bot exceeds its limit.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub(crate) enum MemoryWatch {}

#[cfg(not(target_os = "linux"))]
impl MemoryWatch {
    pub(crate) fn is_exceeded(&self) -> bool {
        match *self {}
    }

    pub(crate) fn peak(&self) -> u64 {
        match *self {}
    }

    pub(crate) fn limit(&self) -> u64 {
        match *self {}
    }

    pub(crate) fn end(&self) {
        match *self {}
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn watch(_: Pid, _: u32) -> io::Result<Option<MemoryWatch>> {
    Ok(None)
}

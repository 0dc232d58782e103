//! Handles of processes, which never mean another process that has got the same ID.

use crate::start::timespec;
use rustix::{
    event::{PollFd, PollFlags, poll},
    fd::{AsRawFd, OwnedFd},
    process::{Pid, PidfdFlags, pidfd_open},
};
use std::time::Duration;

/// Opens a handle of a descendant of this process. The process may have ended, and its ID may belong to another
/// process by now. That process has a different parent, so `parent` is compared. `parent` is `None` for a child of
/// this process, which keeps its ID until it is waited for.
pub(crate) fn handle(pid: i32, parent: Option<i32>) -> Option<OwnedFd> {
    let handle = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
    let is_it = parent.is_none_or(|parent| parent_by(&handle).or_else(|| parent_of(pid)) == Some(parent));
    is_it.then_some(handle)
}

/// The present parent of a process, by its handle. `None` if the process is gone, or before Linux 6.13.
fn parent_by(handle: &OwnedFd) -> Option<i32> {
    /// `PIDFD_GET_INFO` for the structure in its first version.
    const GET_INFO: u32 = 3 << 30 | (size_of::<Info>() as u32) << 16 | 0xff << 8 | 11;
    // `struct pidfd_info` in its first version.
    #[repr(C)]
    #[derive(Default)]
    struct Info {
        mask: u64,
        cgroup: u64,
        process: u32,
        thread_group: u32,
        parent: u32,
        users_and_groups: [u32; 8],
        exit_code: i32,
    }
    const { assert!(size_of::<Info>() == 64) };
    let mut info = Info::default();
    // SAFETY: the kernel writes a structure of the size that the request has.
    let done = unsafe { libc::ioctl(handle.as_raw_fd(), GET_INFO as _, &raw mut info) };
    i32::try_from(info.parent).ok().filter(|parent| done == 0 && *parent > 0)
}

/// Whether the process of a handle has not ended.
pub(crate) fn runs(process: &OwnedFd) -> bool {
    let at_once = timespec(Duration::ZERO);
    poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&at_once)).is_ok_and(|ended| ended == 0)
}

/// The present parent of a process.
fn parent_of(pid: i32) -> Option<i32> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the process may contain any byte. A letter and the ID of the parent follow it.
    text.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_somebody_elses_gives_no_handle() {
        let us = std::process::id() as i32;
        let mut child = std::process::Command::new("sleep").arg("100").spawn().expect("a program of every system");
        let pid = child.id() as i32;
        assert_eq!(parent_of(pid), Some(us));
        let known = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).expect("it runs");
        assert!(parent_by(&known).is_none_or(|parent| parent == us));
        assert!(handle(pid, Some(us)).is_some() && handle(pid, None).is_some());
        assert!(handle(pid, Some(us + 1)).is_none() && handle(0, None).is_none());
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
        assert!(handle(pid, Some(us)).is_none() && parent_by(&known).is_none());
    }
}

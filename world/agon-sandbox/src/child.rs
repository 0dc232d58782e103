//! A child process that the fork server has made. The standard library's `Child` cannot be made for such a process.

use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
    process::{Pid, PidfdFlags, Signal, WaitOptions, kill_process, pidfd_open, waitpid},
};
use std::{
    io,
    os::unix::process::ExitStatusExt,
    process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus},
    thread,
    time::{Duration, Instant},
};

/// A child of this process, with three pipes. As in the standard library, dropping this value neither kills the child
/// nor waits for it.
#[derive(Debug)]
pub struct Child {
    /// The pipe to the child's stdin. `None` after it was taken or closed.
    pub stdin: Option<ChildStdin>,
    /// The pipe from the child's stdout. `None` after it was taken.
    pub stdout: Option<ChildStdout>,
    /// The pipe from the child's stderr. `None` after it was taken.
    pub stderr: Option<ChildStderr>,
    pid: Pid,
    ended: Option<ExitStatus>,
}

impl Child {
    pub(crate) fn new(pid: Pid, stdin: ChildStdin, stdout: ChildStdout, stderr: ChildStderr) -> Self {
        Self { stdin: Some(stdin), stdout: Some(stdout), stderr: Some(stderr), pid, ended: None }
    }

    /// The process ID of the child. No other process gets this ID until the child was [waited for](Child::wait).
    #[must_use]
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Closes the child's stdin, waits until the child has ended, and returns how it ended. The wait has no bound, so
    /// use this for programs that may take any time.
    ///
    /// # Errors
    /// Something else in this process has already waited for the child.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        self.stdin = None;
        if let Some(ended) = self.ended {
            return Ok(ended);
        }
        loop {
            if let Some(ended) = wait(self.pid, WaitOptions::empty())? {
                self.ended = Some(ended);
                return Ok(ended);
            }
        }
    }

    /// Like [`wait`](Self::wait), but waits for at most `time`. Returns `None` if the child still runs then.
    ///
    /// # Errors
    /// Something else in this process has already waited for the child.
    pub fn wait_for(&mut self, time: Duration) -> io::Result<Option<ExitStatus>> {
        self.stdin = None;
        if let Some(ended) = self.ended {
            return Ok(Some(ended));
        }
        self.ended = wait(self.pid, WaitOptions::NOHANG)?;
        if self.ended.is_none() {
            wait_for_end(self.pid, time);
            self.ended = wait(self.pid, WaitOptions::NOHANG)?;
        }
        Ok(self.ended)
    }

    /// Sends a signal, unless the child was waited for.
    pub(crate) fn signal(&self, signal: Signal) {
        if self.ended.is_none() {
            let _ = kill_process(self.pid, signal);
        }
    }
}

/// Waits for a child of this process.
fn wait(child: Pid, options: WaitOptions) -> io::Result<Option<ExitStatus>> {
    match waitpid(Some(child), options) {
        Ok(ended) => Ok(ended.map(|(_, status)| ExitStatus::from_raw(status.as_raw()))),
        Err(Errno::INTR) => Ok(None),
        Err(e) => Err(e.into()),
    }
}

/// Waits for at most `time` until a child of this process has ended. Does not reap the child.
pub(crate) fn wait_for_end(child: Pid, time: Duration) {
    let until = Instant::now() + time;
    // If this process has no free descriptor for a handle, it asks every millisecond.
    let handle = pidfd_open(child, PidfdFlags::empty()).ok();
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        match &handle {
            Some(handle) => {
                let timeout = crate::start::timespec(left);
                match poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&timeout)) {
                    Err(Errno::INTR) => {}
                    _ => return,
                }
            }
            None if has_ended(child) => return,
            None => thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Whether a child of this process has ended. Does not reap the child, so that it keeps its process ID.
pub(crate) fn has_ended(child: Pid) -> bool {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    // An error means that something else has reaped it.
    waitid(WaitId::Pid(child), options).map_or(true, |status| status.is_some())
}

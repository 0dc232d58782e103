//! A process that the fork server has made for us. The standard library has no `Child` for one that it has not started.

use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
    process::{Pid, PidfdFlags, WaitOptions, pidfd_open, waitpid},
};
use std::{
    io,
    os::unix::process::ExitStatusExt,
    process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus},
    thread,
    time::{Duration, Instant},
};

/// A child of this process, with three pipes. Like that of the standard library it is neither killed nor waited for when
/// this is dropped.
#[derive(Debug)]
pub struct Child {
    /// To its stdin.
    pub stdin: Option<ChildStdin>,
    /// From its stdout.
    pub stdout: Option<ChildStdout>,
    /// From its stderr.
    pub stderr: Option<ChildStderr>,
    pid: Pid,
    ended: Option<ExitStatus>,
}

impl Child {
    pub(crate) fn new(pid: Pid, stdin: ChildStdin, stdout: ChildStdout, stderr: ChildStderr) -> Self {
        Self { stdin: Some(stdin), stdout: Some(stdout), stderr: Some(stderr), pid, ended: None }
    }

    /// Its number. It is nobody else's until it was [waited for](Child::wait).
    #[must_use]
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Closes its stdin and waits until it has ended: how it did. Without a bound: for a program that may take as long
    /// as it likes.
    ///
    /// # Errors
    /// If somebody else has waited for it.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        self.stdin = None;
        if let Some(ended) = self.ended {
            return Ok(ended);
        }
        loop {
            if let Some(ended) = self.reap(WaitOptions::empty())? {
                return Ok(ended);
            }
        }
    }

    /// As [`wait`](Self::wait), for at most this time; `None` if it has not ended by then.
    ///
    /// # Errors
    /// If somebody else has waited for it.
    pub fn wait_for(&mut self, time: Duration) -> io::Result<Option<ExitStatus>> {
        self.stdin = None;
        if let Some(ended) = self.ended {
            return Ok(Some(ended));
        }
        if let Some(ended) = self.reap(WaitOptions::NOHANG)? {
            return Ok(Some(ended));
        }
        wait_for_end(self.pid, time);
        self.reap(WaitOptions::NOHANG)
    }

    fn reap(&mut self, options: WaitOptions) -> io::Result<Option<ExitStatus>> {
        match waitpid(Some(self.pid), options) {
            Ok(Some((_, status))) => {
                self.ended = Some(ExitStatus::from_raw(status.as_raw()));
                Ok(self.ended)
            }
            Ok(None) | Err(Errno::INTR) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }
}

/// Waits until a child of this process has ended, without reaping it, for at most this time.
pub(crate) fn wait_for_end(child: Pid, time: Duration) {
    let until = Instant::now() + time;
    // Without a descriptor left for it, as where they are used up, it is asked again and again.
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

/// Whether a child of this process has ended. It is not reaped: its number stays its own.
pub(crate) fn has_ended(child: Pid) -> bool {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    // An error says that somebody else has reaped it.
    waitid(WaitId::Pid(child), options).map_or(true, |status| status.is_some())
}

//! A process that the fork server has made for us. The standard library has no `Child` for one that it has not started.

use rustix::{
    io::Errno,
    process::{Pid, WaitOptions, waitpid},
};
use std::{
    io,
    os::unix::process::ExitStatusExt,
    process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus},
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

    /// Closes its stdin and waits until it has ended: how it did.
    ///
    /// # Errors
    /// If somebody else has waited for it.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        self.stdin = None;
        if let Some(ended) = self.ended {
            return Ok(ended);
        }
        loop {
            match waitpid(Some(self.pid), WaitOptions::empty()) {
                Ok(Some((_, status))) => {
                    let status = ExitStatus::from_raw(status.as_raw());
                    self.ended = Some(status);
                    return Ok(status);
                }
                Ok(None) | Err(Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
        }
    }
}

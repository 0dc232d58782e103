//! The file descriptors of a bot.

use agon_core::Seat;
use rustix::{fd::OwnedFd, io};
use std::process::{ChildStderr, ChildStdin, ChildStdout};

/// The file descriptors of a bot. They are separate from its state because the poll set borrows them.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub seat: Seat,
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
    /// Readable when the process ends. `None` if the system has no such descriptor; then the runner asks regularly.
    pub ended: Option<OwnedFd>,
}

/// Which of a bot's pipes are still in use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    pub stdin: bool,
    pub stdout: bool,
    pub stderr: bool,
}

impl Pipes {
    /// Makes reads and writes return at once.
    pub(crate) fn unblock(&self) -> io::Result<()> {
        if let Some(stdin) = &self.stdin {
            io::ioctl_fionbio(stdin, true)?;
        }
        if let Some(stdout) = &self.stdout {
            io::ioctl_fionbio(stdout, true)?;
        }
        if let Some(stderr) = &self.stderr {
            io::ioctl_fionbio(stderr, true)?;
        }
        Ok(())
    }

    /// Closes the pipes that are no longer in use.
    pub(crate) fn close(&mut self, open: Open) {
        if !open.stdin {
            self.stdin = None;
        }
        if !open.stdout {
            self.stdout = None;
        }
        if !open.stderr {
            self.stderr = None;
        }
    }

    /// Whether the bot has read everything that was written to it. `true` if the system cannot report that.
    pub(crate) fn is_drained(&self) -> bool {
        self.stdin.as_ref().is_none_or(|stdin| io::ioctl_fionread(stdin).unwrap_or(0) == 0)
    }
}

/// Reads once from a pipe. Returns `None` if nothing has arrived, and 0 at the end of the pipe.
pub(crate) fn read(pipe: impl rustix::fd::AsFd, buffer: &mut [u8]) -> Option<usize> {
    loop {
        match io::read(&pipe, &mut *buffer) {
            Ok(bytes) => return Some(bytes),
            Err(io::Errno::INTR) => {}
            Err(io::Errno::AGAIN) => return None,
            // A pipe that cannot be read is treated as one that has ended.
            Err(_) => return Some(0),
        }
    }
}

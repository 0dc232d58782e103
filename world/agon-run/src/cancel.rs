//! Stops matches from another thread or from a signal handler.

#[cfg(target_os = "linux")]
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    io,
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A flag that stops every match that has a clone of it. A match that waits for a bot or a person stops too, without
/// delay.
#[derive(Clone, Debug)]
pub struct CancelFlag(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    cancelled: AtomicBool,
    /// The read end of a pipe. It is readable from the moment that the flag is set, because nothing ever reads from
    /// it.
    wakeup: OwnedFd,
    wake: OwnedFd,
}

impl CancelFlag {
    /// Makes a flag that is not set.
    ///
    /// # Errors
    /// The system has no free file descriptors.
    pub fn new() -> std::io::Result<Self> {
        let (wakeup, wake) = wake_pipe()?;
        Ok(Self(Arc::new(Shared { cancelled: AtomicBool::new(false), wakeup, wake })))
    }

    /// Sets the flag. A signal handler may call this: it does one atomic store and one `write`.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Release);
        // If the pipe is full, it is readable already, so that a failed write does no harm.
        let _ = io::write(&self.0.wake, b"!");
    }

    /// Whether the flag is set.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }

    /// A descriptor to poll, which is readable once the flag is set.
    pub(crate) fn wakeup(&self) -> BorrowedFd<'_> {
        self.0.wakeup.as_fd()
    }
}

/// Makes a pipe whose second end wakes a thread that polls the first one. Neither end blocks, and no child process
/// inherits them.
pub(crate) fn wake_pipe() -> std::io::Result<(OwnedFd, OwnedFd)> {
    // `pipe2` sets both flags in the same call. macOS does not have it.
    #[cfg(target_os = "linux")]
    return Ok(pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?);
    #[cfg(not(target_os = "linux"))]
    {
        let (wakeup, wake) = rustix::pipe::pipe()?;
        for end in [&wakeup, &wake] {
            rustix::io::fcntl_setfd(end, rustix::io::FdFlags::CLOEXEC)?;
            io::ioctl_fionbio(end, true)?;
        }
        Ok((wakeup, wake))
    }
}

//! Stops matches from elsewhere.

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

/// A flag that ends every match that was given a clone of it: at once, also in the middle of a wait.
#[derive(Clone, Debug)]
pub struct CancelFlag(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    cancelled: AtomicBool,
    /// Readable as soon as the flag is set, and for ever: nobody reads from it.
    wakes: OwnedFd,
    wake: OwnedFd,
}

impl CancelFlag {
    /// A flag that is not set.
    ///
    /// # Errors
    /// If the system has no more descriptors.
    pub fn new() -> std::io::Result<Self> {
        let (wakes, wake) = wake_pipe()?;
        Ok(Self(Arc::new(Shared { cancelled: AtomicBool::new(false), wakes, wake })))
    }

    /// Sets the flag. Safe to call from a signal handler: one atomic store and one write.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Release);
        // A full pipe is readable as well: nothing is lost if this write is.
        let _ = io::write(&self.0.wake, b"!");
    }

    /// Whether the flag is set.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }

    /// Readable once the flag is set.
    pub(crate) fn wakes(&self) -> BorrowedFd<'_> {
        self.0.wakes.as_fd()
    }
}

/// A pipe that wakes whoever polls its first end: neither end ever blocks, and no program inherits one.
pub(crate) fn wake_pipe() -> std::io::Result<(OwnedFd, OwnedFd)> {
    // Where the system can (not on macOS), both flags are set as the pipe is made.
    #[cfg(target_os = "linux")]
    return Ok(pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?);
    #[cfg(not(target_os = "linux"))]
    {
        let (wakes, wake) = rustix::pipe::pipe()?;
        for end in [&wakes, &wake] {
            rustix::io::fcntl_setfd(end, rustix::io::FdFlags::CLOEXEC)?;
            io::ioctl_fionbio(end, true)?;
        }
        Ok((wakes, wake))
    }
}

//! The three streams outside of a bot.

use std::io;

/// Where a bot's bytes come from and go to.
pub trait Streams: Send + 'static {
    /// The next bytes for its stdin, 0 at the end. Waits for them.
    ///
    /// # Errors
    /// Those of the system.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize>;

    /// Everything of this to its stdout.
    ///
    /// # Errors
    /// Those of the system.
    fn write_stdout(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Everything of this to its stderr.
    ///
    /// # Errors
    /// Those of the system.
    fn write_stderr(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// The bot has closed its stdout: nothing more is said.
    fn close_stdout(&mut self);
}

/// Those of this process.
#[derive(Clone, Copy, Debug)]
pub struct Standard;

impl Streams for Standard {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::retry_on_intr(|| rustix::io::read(rustix::stdio::stdin(), &mut *into))?)
    }

    fn write_stdout(&mut self, bytes: &[u8]) -> io::Result<()> {
        write_all(rustix::stdio::stdout(), bytes)
    }

    fn write_stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        write_all(rustix::stdio::stderr(), bytes)
    }

    fn close_stdout(&mut self) {
        // The number must not become free for something else, so that a pipe that nobody reads takes its place.
        if let Ok((_, write)) = rustix::pipe::pipe() {
            let _ = rustix::stdio::dup2_stdout(&write);
        }
    }
}

fn write_all(to: std::os::fd::BorrowedFd<'_>, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = rustix::io::retry_on_intr(|| rustix::io::write(to, bytes))?;
        bytes = &bytes[written..];
    }
    Ok(())
}

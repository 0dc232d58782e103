//! The external streams of a bot.

use std::io;

/// The source and the destinations of a bot's bytes.
pub trait Streams: Send + 'static {
    /// Waits for the next bytes for the bot's stdin and reads them. Returns their number, 0 at the end.
    ///
    /// # Errors
    /// If the system cannot read.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize>;

    /// Writes all bytes to the bot's stdout.
    ///
    /// # Errors
    /// If the system cannot write.
    fn write_stdout(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Writes all bytes to the bot's stderr.
    ///
    /// # Errors
    /// If the system cannot write.
    fn write_stderr(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Closes the bot's stdout. Nothing is written to it afterwards.
    fn close_stdout(&mut self);
}

/// The streams of this process.
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
        // The number of the descriptor must not become free, so replace it with a pipe that has no reader.
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

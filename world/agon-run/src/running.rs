//! A program outside of a match, for whoever talks to one bot.

use crate::{Program, StartError, seat::Held};
use std::process::{ChildStderr, ChildStdin, ChildStdout};

/// A program that runs. It is killed, with all that it has started, when this is dropped.
#[derive(Debug)]
pub struct Running {
    /// To its stdin.
    pub stdin: Option<ChildStdin>,
    /// From its stdout.
    pub stdout: Option<ChildStdout>,
    /// From its stderr.
    pub stderr: Option<ChildStderr>,
    held: Held,
}

impl Program {
    /// Starts it, in its sandbox if it has one, and waits until it is there. It dies with the thread that calls this.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn run(&self) -> Result<Running, StartError> {
        let mut held = Held::arrive(self.start()?)?;
        let (stdin, stdout, stderr) = held.pipes();
        Ok(Running { stdin, stdout, stderr, held })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stdin = None;
        self.held.kill();
        let _ = self.held.wait();
    }
}

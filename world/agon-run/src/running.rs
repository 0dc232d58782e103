//! A program outside of a match, for callers that talk to a single bot.

use crate::{Program, StartError, seat::Held};
use std::{
    io,
    process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus},
};

/// A running program. Dropping this value kills the program and all processes that it has started.
#[derive(Debug)]
pub struct Running {
    /// The pipe to the program's stdin. `None` after the caller has taken it.
    pub stdin: Option<ChildStdin>,
    /// The pipe from the program's stdout. `None` after the caller has taken it.
    pub stdout: Option<ChildStdout>,
    /// The pipe from the program's stderr. `None` after the caller has taken it.
    pub stderr: Option<ChildStderr>,
    held: Held,
}

impl Program {
    /// Starts the program, in its sandbox if it has one, and waits until it runs. If there is a
    /// [helper program](agon_sandbox::helper()), the program dies with the thread that calls this.
    ///
    /// # Errors
    /// The program or its sandbox cannot be started.
    pub fn run(&self) -> Result<Running, StartError> {
        let mut held = Held::arrive(self.start()?)?;
        let (stdin, stdout, stderr) = held.pipes();
        Ok(Running { stdin, stdout, stderr, held })
    }
}

impl Running {
    /// Returns how the program has ended, or `None` while it runs. The processes that it has started still run until
    /// this value is dropped, unless there is a [helper program](agon_sandbox::helper()).
    ///
    /// # Errors
    /// Something else in this process has waited for the program.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.held.ended()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stdin = None;
        self.held.kill();
        let _ = self.held.wait();
    }
}

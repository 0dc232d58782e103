//! A program outside of a match, for callers that talk to a single bot.

use crate::{Program, StartError, held::Held, memory::MemoryWatch};
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

    /// Limits the memory of a program without a sandbox, in MiB. If all its processes together use more, they are killed. Has
    /// no effect on systems that do not report memory, and in a sandbox, which has its own limit.
    ///
    /// # Errors
    /// The system starts no thread for the watch.
    pub fn limit_memory(&mut self, limit_mib: u32) -> io::Result<()> {
        self.held.limit_memory(limit_mib)
    }

    /// Whether the program was killed because it used more memory than it may.
    #[must_use]
    pub fn ran_out_of_memory(&self) -> bool {
        self.held.memory().is_some_and(MemoryWatch::is_exceeded)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stdin = None;
        self.held.kill();
        let _ = self.held.wait();
    }
}

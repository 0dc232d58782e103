//! Shells as bots, for tests.

use crate::reach::Reach;
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    io::{BufRead, BufReader},
    os::unix::process::CommandExt,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// A shell that leads a process group. The group ends when this is dropped.
pub(crate) struct Shell(Child);

impl Shell {
    pub(crate) fn new(script: &str) -> Self {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        Self(command.spawn().expect("a shell"))
    }

    /// A shell that has started and waits for input.
    pub(crate) fn asleep() -> Self {
        let mut shell = Self::new("echo; read x");
        let output = shell.0.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut String::new()).expect("its line");
        assert!(in_the_end(|| !crate::counters::is_ready(shell.id())));
        shell
    }

    pub(crate) fn id(&self) -> i32 {
        self.0.id() as i32
    }

    pub(crate) fn reach(&self) -> Reach {
        Reach::of_group(Pid::from_child(&self.0))
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.wait();
    }
}

/// Looks until something is so. No machine is busy for as long as this may take.
pub(crate) fn in_the_end(mut is_so: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while !is_so() {
        if start.elapsed() > Duration::from_secs(60) {
            return false;
        }
        std::thread::yield_now();
    }
    true
}

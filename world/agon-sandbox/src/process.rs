//! A program that runs in a sandbox.

use crate::{
    child::Child,
    freeze::Freezer,
    helper::END,
    memory_watch::{Killing, MemoryWatch},
    process_handle::runs,
    program_cgroup::ProgramCgroup,
    usage::Processes,
};
use rustix::{
    fd::OwnedFd,
    process::{Pid, Signal, kill_process_group, pidfd_send_signal},
};
use std::{io, process::ExitStatus, sync::Arc, time::Duration};

/// How long a process may take to end after it was killed.
pub(crate) const KILLED: Duration = Duration::from_secs(5);

/// A program in a sandbox. [`SandboxedProcess::kill`] kills it, and so does the end of the thread that has started it.
#[derive(Debug)]
pub struct SandboxedProcess {
    /// The child process that was started. It ends in the same way as the program, and has the program's three pipes.
    pub child: Child,
    /// The ID of the program's own process, as the host sees it.
    pub pid: i32,
    /// The ID of the process that reaps: all processes of the program are its descendants, and it is none of them.
    pub reaper: i32,
    /// A handle of the program's own process. `None` if the system had none left.
    pub(crate) bot: Option<Arc<OwnedFd>>,
    /// A handle of the process that reaps. `None` if the system had none left.
    pub(crate) first: Option<Arc<OwnedFd>>,
    /// Whether the end of the process that reaps kills all others, because it is the first of its namespace. If not, it
    /// has to be asked to kill them.
    pub(crate) own_world: bool,
    /// Whether it may be several processes at once.
    pub(crate) several: bool,
    /// How many threads it may have, if it is a bot at `restricted`, where the kernel may count those of its user.
    pub(crate) most_threads: Option<u32>,
    /// Kills it if it uses too much memory. `None` if its memory is not limited.
    pub(crate) memory: Option<MemoryWatch>,
    /// The control groups of the program. `None` if it has none.
    pub(crate) cgroup: Option<ProgramCgroup>,
}

impl SandboxedProcess {
    /// Kills every process in the sandbox, including those that have left their group and session.
    pub fn kill(&self) {
        if self.own_world {
            match &self.first {
                // The process that waits for the first process reaps it, and then ends by itself.
                Some(init) => drop(pidfd_send_signal(init, Signal::KILL)),
                None => drop(kill_process_group(self.child.pid(), Signal::KILL)),
            }
            // The process that waits may have been stopped with all others of the group.
            self.cgroup.iter().for_each(ProgramCgroup::thaw);
            return;
        }
        if let Some(cgroup) = &self.cgroup {
            cgroup.kill();
        }
        self.kill_bot();
        match &self.first {
            Some(keeper) => drop(pidfd_send_signal(keeper, END)),
            None => self.child.signal(END),
        }
    }

    /// Kills the program and its group, without the help of any other process.
    fn kill_bot(&self) {
        // While the program runs, no other group has its number.
        if let (Some(bot), Some(group)) = (self.bot.as_ref().filter(|bot| runs(bot)), Pid::from_raw(self.pid)) {
            let _ = kill_process_group(group, Signal::KILL);
            let _ = pidfd_send_signal(bot, Signal::KILL);
        }
    }

    /// Limits the memory of a program whose [confinement](crate::Confinement::memory_mib) does not limit it, in MiB. If the program
    /// uses more, it is killed.
    ///
    /// # Errors
    /// The system starts no thread for the watch.
    pub fn limit_memory(&mut self, limit_mib: u32) -> io::Result<()> {
        // Several processes are found when they are counted and killed.
        let processes = if self.several { Processes::tree(self.reaper, false) } else { Processes::one(self.pid) };
        let processes = match self.most_threads {
            Some(most) => processes.limit_threads(most),
            None => processes,
        };
        let bot = self.bot.clone().filter(|_| !self.several);
        let first = self.first.clone();
        let killing = Killing {
            bot,
            cgroup_kill: self.cgroup.as_ref().and_then(ProgramCgroup::killing_file),
            first: first.map(|first| (first, if self.own_world { Signal::KILL } else { END })),
            group: None,
        };
        let cgroup_memory = if self.several { self.cgroup.as_ref().and_then(ProgramCgroup::memory_file) } else { None };
        self.memory = Some(MemoryWatch::new(processes, cgroup_memory, killing, limit_mib)?);
        Ok(())
    }

    /// The watch over its memory. `None` if its [memory](crate::Confinement::memory_mib) is not limited.
    #[must_use]
    pub fn memory(&self) -> Option<&MemoryWatch> {
        self.memory.as_ref()
    }

    /// Waits until the program has ended, and returns how. Call this after the program was [killed](Self::kill) or has
    /// closed its pipes. The wait is bounded: if the process that reports the end does not answer, for example because
    /// somebody has stopped it, it is killed too.
    ///
    /// # Errors
    /// Something else has waited for the process, or it cannot be killed.
    pub fn reap(&mut self) -> io::Result<ExitStatus> {
        // From then on its IDs may belong to other processes.
        if let Some(memory) = &self.memory {
            memory.end();
        }
        if let Some(ended) = self.child.wait_for(KILLED)? {
            return Ok(ended);
        }
        self.child.signal(Signal::KILL);
        if !self.own_world {
            self.kill_bot();
        }
        self.child.wait_for(KILLED)?.ok_or_else(|| io::ErrorKind::TimedOut.into())
    }

    /// Whether the program was killed because it used more [memory](crate::Confinement::memory_mib) than it may, or the kernel
    /// has killed a process of its control group for that.
    #[must_use]
    pub fn ran_out_of_memory(&self) -> bool {
        self.memory.as_ref().is_some_and(MemoryWatch::is_exceeded)
            || self.cgroup.as_ref().is_some_and(ProgramCgroup::ran_out_of_memory)
    }

    /// Returns the CPU time of all its processes, including those that have ended. `None` if no control group counts it.
    #[must_use]
    pub fn cpu_time(&self) -> Option<Duration> {
        self.cgroup.as_ref()?.cpu_time()
    }

    /// Whether the program may start processes of its own.
    #[must_use]
    pub fn may_be_several(&self) -> bool {
        self.several
    }

    /// Returns what stops the program and lets it continue. It outlives the program, and then does nothing.
    #[must_use]
    pub fn freezer(&self) -> Freezer {
        Freezer {
            bot: self.bot.clone(),
            first: self.first.clone().filter(|_| self.several && self.own_world),
            reaper: self.first.clone(),
            cgroup: self.cgroup.as_ref().and_then(ProgramCgroup::freezing_file),
        }
    }
}

//! Watches how much memory programs use, and kills those that use more than they may.
//!
//! The thread that [scans](memory_scanner) programs does nothing else, so that neither a referee that is busy nor a terminal
//! that is slow delays a scan.

use crate::{memory_scanner, program_cgroup::memory_in_use, shared_user::Excess, usage::Processes};
use rustix::{
    fd::OwnedFd,
    process::{Pid, Signal, kill_process, kill_process_group, pidfd_send_signal},
};
use std::{
    fs, io,
    path::PathBuf,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

const MIB: u64 = 1 << 20;
/// The longest time between two scans of a program that runs.
const LONGEST: Duration = Duration::from_millis(10);
/// The shortest time between two scans of a program.
const SHORTEST: Duration = Duration::from_millis(1);
/// How much memory a program may take in a millisecond, in bytes. With few pages left to its limit, it is scanned sooner.
const PER_MILLISECOND: u64 = 12 * MIB;

/// A program whose memory is watched. Dropping this value ends the watch.
#[derive(Debug)]
pub struct MemoryWatch {
    watched: Arc<Watched>,
}

#[derive(Debug)]
pub(crate) struct Watched {
    /// Whether the kernel limits the memory of the program too. Then no scan is urgent.
    is_bounded: bool,
    limit: u64,
    peak: AtomicU64,
    exceeded: AtomicBool,
    /// What else it had too much of, so that it was killed.
    excess: OnceLock<Excess>,
    /// Locked during a scan. `None` once the watch has ended, so that no descriptor stays open until the thread next wakes.
    program: Mutex<Option<Program>>,
}

/// What a scan reads, and what ends the program.
#[derive(Debug)]
struct Program {
    processes: Processes,
    /// What the kernel counts for their control group, if it does.
    cgroup_memory: Option<PathBuf>,
    killing: Killing,
}

/// What ends all processes of a program.
#[derive(Default, Debug)]
pub(crate) struct Killing {
    /// The program's own process, if there is a handle of it. It takes the memory, so it is killed first: the others have to
    /// wait for a core behind its threads before they can end it.
    pub bot: Option<Arc<OwnedFd>>,
    /// The file that kills a control group, if it has one.
    pub cgroup_kill: Option<PathBuf>,
    /// The process that reaps all others, and the signal after which it ends them.
    pub first: Option<(Arc<OwnedFd>, Signal)>,
    /// The group of its processes, which a child of this process leads. That child was not waited for.
    pub group: Option<Pid>,
}

impl MemoryWatch {
    /// Watches a child of this process that leads a process group, together with all its descendants. If they use more than
    /// `limit_mib` MiB, the group is killed.
    ///
    /// The watch must [end](Self::end) before the child is waited for: from then on its ID may belong to another process.
    ///
    /// # Errors
    /// The system starts no thread for the watch.
    pub fn of_group(leader: Pid, limit_mib: u32) -> io::Result<Self> {
        let killing = Killing { group: Some(leader), ..Killing::default() };
        Self::new(Processes::tree(leader.as_raw_nonzero().get(), true), None, killing, limit_mib)
    }

    pub(crate) fn new(
        processes: Processes,
        cgroup_memory: Option<PathBuf>,
        killing: Killing,
        limit_mib: u32,
    ) -> io::Result<Self> {
        let watched = Arc::new(Watched::new(processes, cgroup_memory, killing, limit_mib));
        // A program that was just executed uses nothing yet.
        memory_scanner::begin(watched.clone(), pause(watched.limit, 0))?;
        Ok(Self { watched })
    }

    /// Whether the program used more memory than it may, so that it was killed.
    #[must_use]
    pub fn is_exceeded(&self) -> bool {
        self.watched.exceeded.load(Ordering::Acquire)
    }

    /// Returns what the program had too much of beside memory, so that it was killed. Only what shares its user with other programs
    /// is watched so.
    #[must_use]
    pub fn excess(&self) -> Option<Excess> {
        self.watched.excess.get().copied()
    }

    /// Returns the most memory that the program was seen to use, in bytes. While the program runs, a scan comes at most 10 ms
    /// after the one before. If that one took longer, the pause is as long as it took, and a hundred times as long if the kernel
    /// limits the memory too.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.watched.peak.load(Ordering::Relaxed)
    }

    /// Returns the limit of the program in bytes.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.watched.limit
    }

    /// Ends the watch. When this returns, no scan of the program is under way.
    pub fn end(&self) {
        let program = self.watched.program.lock().unwrap_or_else(PoisonError::into_inner).take();
        if program.is_some() {
            memory_scanner::end(&self.watched);
        }
    }
}

impl Drop for MemoryWatch {
    fn drop(&mut self) {
        self.end();
    }
}

impl Watched {
    pub(crate) fn new(processes: Processes, cgroup_memory: Option<PathBuf>, killing: Killing, limit_mib: u32) -> Self {
        let limit = u64::from(limit_mib) * MIB;
        Self {
            is_bounded: cgroup_memory.is_some(),
            limit,
            peak: AtomicU64::new(0),
            exceeded: AtomicBool::new(false),
            excess: OnceLock::new(),
            program: Mutex::new(Some(Program { processes, cgroup_memory, killing })),
        }
    }

    /// Scans the program, and returns the time until the next scan. `None` if there is none, because the watch has ended or the program
    /// was killed.
    pub(crate) fn scan(&self) -> Option<Duration> {
        let mut program = self.program.lock().unwrap_or_else(PoisonError::into_inner);
        let program = program.as_mut()?;
        let mut used = program.processes.in_use();
        // Pages that several processes share are counted once for each of them, but only once for their group.
        if used > self.limit
            && let Some(counted) =
                program.cgroup_memory.as_ref().and_then(|file| memory_in_use(&fs::read_to_string(file).ok()?))
        {
            used = used.min(counted);
        }
        self.peak.fetch_max(used, Ordering::Relaxed);
        if used > self.limit {
            self.exceeded.store(true, Ordering::Release);
            program.killing.kill(&program.processes);
            return None;
        }
        if let Some(excess) = program.processes.excess() {
            let _ = self.excess.set(excess);
            program.killing.kill(&program.processes);
            return None;
        }
        Some(if self.is_bounded { LONGEST } else { pause(self.limit, used) })
    }

    /// The minimum pause after a scan, as a multiple of the scan's duration. Scans take the time of whatever has a core, which may be
    /// the opponent.
    pub(crate) fn minimum_rest(&self) -> u32 {
        if self.is_bounded { 100 } else { 1 }
    }
}

/// The time until the next scan of a program that uses this much of its limit.
fn pause(limit: u64, used: u64) -> Duration {
    // Half of what it may exceed the limit by. The other half is for the time that the scan comes late.
    let beyond = (limit / 10).max(32 * MIB) / 2;
    let room = limit.saturating_sub(used).saturating_add(beyond);
    Duration::from_micros(room.saturating_mul(1000) / PER_MILLISECOND).clamp(SHORTEST, LONGEST)
}

impl Killing {
    fn kill(&self, processes: &Processes) {
        match &self.bot {
            Some(bot) => drop(pidfd_send_signal(bot, Signal::KILL)),
            None => processes.kill_descendants(),
        }
        if let Some(file) = &self.cgroup_kill {
            let _ = fs::write(file, "1");
        }
        if let Some((first, signal)) = &self.first {
            let _ = pidfd_send_signal(first, *signal);
        }
        if let Some(group) = self.group {
            let _ = kill_process_group(group, Signal::KILL);
            let _ = kill_process(group, Signal::KILL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    #[test]
    fn scans_come_sooner_close_to_the_limit() {
        let limit = 400 * MIB;
        assert_eq!(pause(limit, 0), LONGEST);
        assert_eq!(pause(limit, limit / 2), LONGEST);
        assert!(pause(limit, limit - 40 * MIB) < LONGEST);
        assert!(pause(limit, limit) < pause(limit, limit - 10 * MIB));
        // At the assumed rate, the next scan comes before the limit is exceeded by a tenth.
        let taken = pause(limit, limit).as_micros() as u64 * PER_MILLISECOND / 1000;
        assert!(taken < limit / 10 && pause(MIB, MIB) >= SHORTEST);
    }

    /// A shell that leads a process group and uses more than 4 MiB, directly or in a child.
    fn shell(words: &str) -> Child {
        use std::os::unix::process::CommandExt;
        Command::new("sh").args(["-c", words]).process_group(0).spawn().expect("every system has it")
    }

    #[test]
    fn a_program_over_its_limit_is_killed_and_others_are_not() {
        let big = "x=xxxxxxxx; while :; do [ ${#x} -gt 8000000 ] || x=$x$x; done";
        for words in [big.to_owned(), format!("sh -c '{big}' & wait")] {
            let mut child = shell(&words);
            let watch = MemoryWatch::of_group(Pid::from_child(&child), 4).expect("a thread");
            // It ends only if it is killed.
            child_ends(&mut child);
            assert!(watch.is_exceeded() && watch.peak() > 4 * MIB, "{words}: {}", watch.peak());
        }
        let mut child = shell("exec sleep 100");
        let watch = MemoryWatch::of_group(Pid::from_child(&child), 64).expect("a thread");
        while watch.peak() == 0 {
            std::thread::yield_now();
        }
        assert!(!watch.is_exceeded() && watch.peak() < 64 * MIB);
        watch.end();
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
    }

    /// Waits for the end of a child without taking its ID from the watch.
    fn child_ends(child: &mut Child) {
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(Pid::from_child(child)), options).expect("it is ours");
    }
}

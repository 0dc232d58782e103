//! The control groups of one program.

use crate::{cgroup::Cgroups, script::ScriptLimits};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The memory that the processes which watch over a program may use, in MiB.
const WATCHERS_MIB: u64 = 8;
/// How long a group may take to become empty after its processes were killed.
const EMPTYING: Duration = Duration::from_secs(2);

/// The groups of one program. Dropping this value kills the processes in the groups and removes them.
#[derive(Debug)]
pub(crate) struct ProgramCgroup {
    /// The folders of the groups, one in each hierarchy.
    pub folders: Vec<PathBuf>,
    /// The group of version 2, which can be stopped and killed as a whole.
    whole: Option<PathBuf>,
    /// The file that counts processes which were killed because they ran out of memory.
    killed: Option<PathBuf>,
    /// The file that says what kinds of memory the group uses.
    memory: Option<PathBuf>,
}

impl ProgramCgroup {
    /// Makes groups with these limits, as far as the host allows. `None` if it allows no group.
    pub(crate) fn new(limits: &ScriptLimits) -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let here = Cgroups::here();
        let name = format!("agon-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let mut cgroup = Self { folders: Vec::new(), whole: None, killed: None, memory: None };
        // The scratch space is memory too, and has its own limit. A single process therefore reaches its own limit
        // first: its request for memory fails, but the kernel does not kill it.
        let beside = u64::from(limits.scratch_mib) * 2 + WATCHERS_MIB;
        let memory = limits.memory_mib.map(|mib| ((u64::from(mib) + beside) << 20).to_string());
        // Two more for the processes that watch over the program.
        let tasks = (u64::from(limits.threads) + u64::from(limits.processes) + 2).to_string();
        if let Some(folder) = cgroup.make(here.unified.as_deref(), &name) {
            if here.counts {
                if let Some(memory) = &memory {
                    set(&folder, "memory.max", memory)?;
                    let _ = set(&folder, "memory.swap.max", "0");
                }
                set(&folder, "pids.max", &tasks)?;
                cgroup.killed = Some(folder.join("memory.events"));
                cgroup.memory = Some(folder.join("memory.stat"));
            }
            cgroup.whole = Some(folder);
        }
        if !here.counts {
            if let (Some(memory), Some(folder)) = (&memory, cgroup.make(here.memory.as_deref(), &name)) {
                set(&folder, "memory.limit_in_bytes", memory)?;
                // The limit of memory and swap together, if the kernel counts swap.
                let _ = set(&folder, "memory.memsw.limit_in_bytes", memory);
                cgroup.killed = Some(folder.join("memory.oom_control"));
                cgroup.memory = Some(folder.join("memory.stat"));
            }
            if let Some(folder) = cgroup.make(here.pids.as_deref(), &name) {
                set(&folder, "pids.max", &tasks)?;
            }
        }
        (!cgroup.folders.is_empty()).then_some(cgroup)
    }

    fn make(&mut self, parent: Option<&Path>, name: &str) -> Option<PathBuf> {
        let folder = parent?.join(name);
        fs::create_dir(&folder).ok()?;
        self.folders.push(folder.clone());
        Some(folder)
    }

    /// Kills every process in the group, if the kernel can do that in one go.
    pub(crate) fn kill(&self) {
        if let Some(file) = self.killing_file() {
            let _ = fs::write(file, "1");
        }
    }

    /// The file that kills every process in the group when `1` is written to it.
    pub(crate) fn killing_file(&self) -> Option<PathBuf> {
        Some(self.whole.as_ref()?.join("cgroup.kill"))
    }

    /// The file that stops every process in the group when `1` is written to it, and lets them continue with `0`.
    pub(crate) fn freezing_file(&self) -> Option<PathBuf> {
        Some(self.whole.as_ref()?.join("cgroup.freeze"))
    }

    /// Lets every process in the group continue.
    pub(crate) fn thaw(&self) {
        if let Some(file) = self.freezing_file() {
            let _ = fs::write(file, "0");
        }
    }

    /// Returns the CPU time of all processes that are or were in the group. `None` if the kernel does not count it.
    pub(crate) fn cpu_time(&self) -> Option<Duration> {
        cpu_usage(&fs::read_to_string(self.whole.as_ref()?.join("cpu.stat")).ok()?)
    }

    /// The file from which [`memory_in_use`] reads. `None` if the kernel does not count the memory of the group.
    pub(crate) fn memory_file(&self) -> Option<PathBuf> {
        self.memory.clone()
    }

    /// Whether the kernel has killed a process in the group because it ran out of memory.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        self.killed.as_ref().and_then(|file| fs::read_to_string(file).ok()).is_some_and(|text| oom_kills(&text) > 0)
    }
}

/// The number of killed processes, from `memory.events` or `memory.oom_control`.
fn oom_kills(text: &str) -> u64 {
    text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok()).unwrap_or(0)
}

/// The memory that the processes in a group use, in bytes, from its `memory.stat` in either version: anonymous and shared
/// pages, those of the scratch space included, and page tables. What several processes share counts once.
pub(crate) fn memory_in_use(text: &str) -> Option<u64> {
    let counts = |name: &str| matches!(name, "anon" | "rss" | "shmem" | "pagetables" | "swap");
    let values = text.lines().filter_map(|line| line.split_once(' ')).filter(|(name, _)| counts(name));
    values.map(|(_, value)| value.trim().parse::<u64>().ok()).reduce(|sum, value| Some(sum? + value?)).flatten()
}

/// The CPU time from `cpu.stat`.
fn cpu_usage(text: &str) -> Option<Duration> {
    let micros = text.lines().find_map(|line| line.strip_prefix("usage_usec "))?;
    Some(Duration::from_micros(micros.trim().parse().ok()?))
}

fn set(folder: &Path, file: &str, value: &str) -> Option<()> {
    fs::write(folder.join(file), value).ok()
}

/// A group can be removed only after its last process is gone, which takes a moment after the kill.
impl Drop for ProgramCgroup {
    fn drop(&mut self) {
        self.kill();
        let until = Instant::now() + EMPTYING;
        for folder in &self.folders {
            while let Err(error) = fs::remove_dir(folder) {
                if error.kind() != io::ErrorKind::ResourceBusy || Instant::now() > until {
                    break;
                }
                thread::yield_now();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_read_in_microseconds() {
        let text = "usage_usec 1700250\nuser_usec 1600000\nsystem_usec 100250\n";
        assert_eq!(cpu_usage(text), Some(Duration::from_micros(1_700_250)));
        assert_eq!(cpu_usage("user_usec 1\n"), None);
    }

    #[test]
    fn memory_in_use_is_read_in_both_versions() {
        let second = "anon 5000\nfile 900\nkernel 70\npagetables 30\nshmem 200\nanon_thp 0\n";
        assert_eq!(memory_in_use(second), Some(5230));
        let first = "cache 900\nrss 5000\nrss_huge 0\nshmem 200\nmapped_file 7\nswap 4\ntotal_rss 6000\n";
        assert_eq!(memory_in_use(first), Some(5204));
        assert_eq!(memory_in_use(""), None);
    }

    #[test]
    fn kills_are_counted_in_both_versions() {
        assert_eq!(oom_kills("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"), 3);
        assert_eq!(oom_kills("low 0\nhigh 0\nmax 7\noom 1\noom_kill 1\noom_group_kill 0\n"), 1);
        assert_eq!(oom_kills(""), 0);
    }
}

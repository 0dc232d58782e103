//! Control groups, if the host offers them to this user. The kernel counts the memory and the processes of a whole
//! tree in a group exactly, and can stop and kill all of them in one go.
//!
//! Version 2 is used if a folder of it is delegated to this user, as `systemd-run --user --scope -p Delegate=yes agon
//! …` does. Version 1 is used if the user may write to it, as root may. Without either, limits for each process and
//! regular checks of memory take their place.

use crate::script::ScriptLimits;
use rustix::fs::{Access, access};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

/// The memory that the processes which watch over a program may use, in MiB.
const WATCHERS_MIB: u64 = 8;
/// The age from which an empty group whose owner is gone may be removed.
const ABANDONED: Duration = Duration::from_secs(60);
/// How long a group may take to become empty after its processes were killed.
const EMPTYING: Duration = Duration::from_secs(2);

/// The control groups that the host offers to this user.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cgroups {
    /// A folder of version 2 in which this user can make groups.
    pub unified: Option<PathBuf>,
    /// Whether groups in `unified` count memory and processes.
    pub counts: bool,
    /// A folder of version 1 whose groups count memory.
    pub memory: Option<PathBuf>,
    /// A folder of version 1 whose groups count processes.
    pub pids: Option<PathBuf>,
}

impl Cgroups {
    /// The control groups of this process. The first call finds them, and later calls return the same result. If only this
    /// process and its children are in its own folder of version 2, they move into a new folder below. Only then can the
    /// kernel count the memory of other groups there.
    #[must_use]
    pub fn here() -> &'static Self {
        static FOUND: OnceLock<Cgroups> = OnceLock::new();
        FOUND.get_or_init(|| {
            let read = |file: &str| fs::read_to_string(file).unwrap_or_default();
            let mut found = Self::find(&read("/proc/self/mountinfo"), &read("/proc/self/cgroup"));
            for folder in [&found.unified, &found.memory, &found.pids].into_iter().flatten() {
                sweep(folder, Path::new("/proc"), ABANDONED);
            }
            if let Some(own) = &found.unified {
                found.counts = settle(own, std::process::id(), is_ours);
            }
            found
        })
    }

    /// Whether a group can limit the memory of a whole process tree exactly.
    #[must_use]
    pub fn limits_memory(&self) -> bool {
        self.counts || self.memory.is_some()
    }

    /// Whether a group can count the CPU time of a whole process tree, including processes that have ended.
    #[must_use]
    pub fn counts_cpu(&self) -> bool {
        self.unified.is_some()
    }

    /// Finds the groups from two files of the kernel: `mounts` is `mountinfo`, which says where hierarchies are
    /// mounted, and `places` is `cgroup`, which says where this process is in each.
    fn find(mounts: &str, places: &str) -> Self {
        let mut found = Self::default();
        for mount in mounts.lines() {
            let Some((head, tail)) = mount.split_once(" - ") else { continue };
            let (mut head, mut tail) = (head.split(' ').skip(3), tail.split(' '));
            let (Some(root), Some(point)) = (head.next(), head.next()) else { continue };
            let (kind, options) = (tail.next().unwrap_or_default(), tail.nth(1).unwrap_or_default());
            let place = |wanted: &str| {
                let line = places.lines().find_map(|line| {
                    let (_, rest) = line.split_once(':')?;
                    let (controllers, path) = rest.split_once(':')?;
                    controllers.split(',').any(|controller| controller == wanted).then_some(path)
                })?;
                let below = Path::new(line).strip_prefix(root).ok()?;
                usable(Path::new(point).join(below))
            };
            match kind {
                "cgroup2" => found.unified = found.unified.or_else(|| place("")),
                "cgroup" => {
                    for option in options.split(',') {
                        match option {
                            "memory" => found.memory = found.memory.or_else(|| place("memory")),
                            "pids" => found.pids = found.pids.or_else(|| place("pids")),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }
}

/// The folder, if this user can make groups in it and move processes into them.
fn usable(folder: PathBuf) -> Option<PathBuf> {
    let writable = |path: &Path| access(path, Access::WRITE_OK).is_ok();
    (writable(&folder) && writable(&folder.join("cgroup.procs"))).then_some(folder)
}

/// Removes the groups that a killed process of Agon has left behind. An empty group takes memory of the kernel, and
/// its name may be needed again. A group that is in use cannot be removed. A new group is kept, because it may be
/// about to be used.
fn sweep(folder: &Path, processes: &Path, age: Duration) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix("agon-")).and_then(|rest| rest.split_once('-'));
        let Some((owner, _)) = owner.filter(|(owner, _)| owner.parse::<u32>().is_ok()) else { continue };
        let old = |made: io::Result<SystemTime>| made.is_ok_and(|made| made.elapsed().is_ok_and(|past| past >= age));
        if !processes.join(owner).exists() && old(entry.metadata().and_then(|about| about.modified())) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// How often processes are looked for that were started while others moved.
const MOVES: u32 = 3;

/// Makes the kernel count memory and processes of the groups below a folder. Version 2 allows that only if no process
/// is in the folder itself. Returns whether the kernel counts them.
fn settle(own: &Path, pid: u32, is_ours: impl Fn(u32) -> bool) -> bool {
    let words = |file: &str| -> Vec<String> {
        let text = fs::read_to_string(own.join(file)).unwrap_or_default();
        text.split_whitespace().map(str::to_owned).collect()
    };
    let wanted = ["memory", "pids"];
    let has = |file: &str| {
        let there = words(file);
        wanted.iter().all(|controller| there.iter().any(|word| word == controller))
    };
    if has("cgroup.subtree_control") {
        return true;
    }
    // The fork server is a child of this process and in the same group.
    let all_ours = |there: &[String]| {
        let ours = |word: &String| word.parse().is_ok_and(|process| process == pid || is_ours(process));
        there.iter().all(ours) && there.contains(&pid.to_string())
    };
    if !has("cgroup.controllers") || !all_ours(&words("cgroup.procs")) {
        return false;
    }
    let below = own.join(format!("agon-{pid}-referee"));
    if fs::create_dir(&below).is_err() {
        return false;
    }
    for _ in 0..MOVES {
        for process in words("cgroup.procs") {
            // Who has ended since cannot be moved and need not be.
            let _ = fs::write(below.join("cgroup.procs"), process);
        }
        if fs::write(own.join("cgroup.subtree_control"), "+memory +pids").is_ok() {
            return true;
        }
    }
    false
}

/// Whether a process is a child of this one.
fn is_ours(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok());
    parent == Some(std::process::id())
}

/// The groups of one program. Dropping this value kills the processes in the groups and removes them.
#[derive(Debug)]
pub(crate) struct Group {
    /// The folders of the groups, one in each hierarchy.
    pub folders: Vec<PathBuf>,
    /// The group of version 2, which can be stopped and killed as a whole.
    whole: Option<PathBuf>,
    /// The file that counts processes which were killed because they ran out of memory.
    killed: Option<PathBuf>,
    /// The file that says what kinds of memory the group uses.
    memory: Option<PathBuf>,
}

impl Group {
    /// Makes groups with these limits, as far as the host allows. `None` if it allows no group.
    pub(crate) fn new(limits: &ScriptLimits) -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let here = Cgroups::here();
        let name = format!("agon-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let mut group = Self { folders: Vec::new(), whole: None, killed: None, memory: None };
        // The scratch space is memory too, and has its own limit. A single process therefore reaches its own limit
        // first: its request for memory fails, but the kernel does not kill it.
        let beside = u64::from(limits.scratch_mib) * 2 + WATCHERS_MIB;
        let memory = limits.memory_mib.map(|mib| ((u64::from(mib) + beside) << 20).to_string());
        // Two more for the processes that watch over the program.
        let tasks = (u64::from(limits.threads) + u64::from(limits.processes) + 2).to_string();
        if let Some(folder) = group.make(here.unified.as_deref(), &name) {
            if here.counts {
                if let Some(memory) = &memory {
                    set(&folder, "memory.max", memory)?;
                    let _ = set(&folder, "memory.swap.max", "0");
                }
                set(&folder, "pids.max", &tasks)?;
                group.killed = Some(folder.join("memory.events"));
                group.memory = Some(folder.join("memory.stat"));
            }
            group.whole = Some(folder);
        }
        if !here.counts {
            if let (Some(memory), Some(folder)) = (&memory, group.make(here.memory.as_deref(), &name)) {
                set(&folder, "memory.limit_in_bytes", memory)?;
                // The limit of memory and swap together, if the kernel counts swap.
                let _ = set(&folder, "memory.memsw.limit_in_bytes", memory);
                group.killed = Some(folder.join("memory.oom_control"));
                group.memory = Some(folder.join("memory.stat"));
            }
            if let Some(folder) = group.make(here.pids.as_deref(), &name) {
                set(&folder, "pids.max", &tasks)?;
            }
        }
        (!group.folders.is_empty()).then_some(group)
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
impl Drop for Group {
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
    fn the_kernels_texts_lead_to_folders() {
        let top = std::env::temp_dir().join(format!("agon-cgroup-{}", std::process::id()));
        let _ = fs::remove_dir_all(&top);
        let shown = top.display();
        for folder in ["unified/user/me", "memory/me", "pids"] {
            fs::create_dir_all(top.join(folder)).expect("a folder");
            fs::write(top.join(folder).join("cgroup.procs"), "1\n").expect("a file");
        }
        let mounts = format!(
            "31 23 0:26 / {shown}/unified rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n\
             32 23 0:27 / {shown}/memory rw - cgroup cgroup rw,memory\n\
             33 23 0:28 /jail {shown}/pids rw - cgroup cgroup rw,pids\n\
             34 23 0:29 / {shown}/cpu rw - cgroup cgroup rw,cpu,cpuacct\n24 1 8:1 / / rw - ext4 /dev/vda rw\n"
        );
        let found = Cgroups::find(&mounts, "3:memory:/me\n2:pids:/jail\n1:name=systemd:/\n0::/user/me\n");
        let expected = Cgroups {
            unified: Some(top.join("unified/user/me")),
            counts: false,
            memory: Some(top.join("memory/me")),
            pids: Some(top.join("pids")),
        };
        assert_eq!(found, expected);
        assert_eq!(Cgroups::find(&mounts, "0::/elsewhere\n"), Cgroups::default(), "a folder that is not there");
        assert_eq!(Cgroups::find("", ""), Cgroups::default());
        let _ = fs::remove_dir_all(&top);
    }

    #[test]
    fn groups_of_the_dead_are_swept_away() {
        let top = std::env::temp_dir().join(format!("agon-sweep-{}", std::process::id()));
        let _ = fs::remove_dir_all(&top);
        for name in
            ["proc/7", "groups/agon-7-0", "groups/agon-8-0", "groups/agon-8-referee", "groups/agon-x-0", "groups/8"]
        {
            fs::create_dir_all(top.join(name)).expect("a folder");
        }
        let left = || {
            let entries = fs::read_dir(top.join("groups")).expect("a folder");
            let mut names: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
            names.sort();
            names
        };
        sweep(&top.join("groups"), &top.join("proc"), ABANDONED);
        assert_eq!(left().len(), 5, "what is new may be somebody's");
        sweep(&top.join("groups"), &top.join("proc"), Duration::ZERO);
        assert_eq!(left(), ["8", "agon-7-0", "agon-x-0"]);
        let _ = fs::remove_dir_all(&top);
    }

    #[test]
    fn only_a_folder_of_our_own_is_settled() {
        let top = std::env::temp_dir().join(format!("agon-settle-{}", std::process::id()));
        let _ = fs::remove_dir_all(&top);
        fs::create_dir_all(&top).expect("a folder");
        let write = |file: &str, text: &str| fs::write(top.join(file), text).expect("a file");
        let referee = |pid: u32| fs::read_to_string(top.join(format!("agon-{pid}-referee/cgroup.procs")));
        write("cgroup.controllers", "cpu memory pids\n");
        write("cgroup.subtree_control", "");
        write("cgroup.procs", "7\n8\n");
        assert!(!settle(&top, 7, |_| false), "somebody else is in it");
        assert!(!settle(&top, 9, |_| true), "this process is not in it");
        assert!(referee(7).is_err() && referee(9).is_err());
        write("cgroup.procs", "7\n");
        assert!(settle(&top, 7, |_| false));
        assert_eq!(referee(7).expect("it has moved"), "7");
        write("cgroup.procs", "6\n5\n");
        write("cgroup.subtree_control", "");
        assert!(settle(&top, 6, |process| process == 5));
        assert_eq!(referee(6).expect("both have moved"), "5", "the last one that was written");
        write("cgroup.subtree_control", "memory pids\n");
        assert!(settle(&top, 4, |_| false), "it counts already");
        write("cgroup.subtree_control", "");
        write("cgroup.controllers", "cpu\n");
        write("cgroup.procs", "9\n");
        assert!(!settle(&top, 9, |_| true), "there is nothing to count with");
        let _ = fs::remove_dir_all(&top);
    }

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

//! Control groups, if the host offers them to this user. The kernel counts the memory and the processes of a whole
//! tree in a group exactly, and can stop and kill all of them in one go.
//!
//! Version 2 is used if a folder of it is delegated to this user, as `systemd-run --user --scope -p Delegate=yes agon
//! …` does. Version 1 is used if the user may write to it, as root may. Without either, limits for each process and
//! regular checks of memory take their place.

use rustix::fs::{Access, access};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::OnceLock,
    time::{Duration, SystemTime},
};

/// The age from which an empty group whose owner is gone may be removed.
const ABANDONED: Duration = Duration::from_secs(60);

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
                found.counts = enable_controllers(own, std::process::id(), is_ours);
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
fn enable_controllers(own: &Path, pid: u32, is_ours: impl Fn(u32) -> bool) -> bool {
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
            // A process that has ended since cannot be moved and need not be.
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
    fn controllers_are_enabled_only_in_a_folder_of_our_own() {
        let top = std::env::temp_dir().join(format!("agon-controllers-{}", std::process::id()));
        let _ = fs::remove_dir_all(&top);
        fs::create_dir_all(&top).expect("a folder");
        let write = |file: &str, text: &str| fs::write(top.join(file), text).expect("a file");
        let referee = |pid: u32| fs::read_to_string(top.join(format!("agon-{pid}-referee/cgroup.procs")));
        write("cgroup.controllers", "cpu memory pids\n");
        write("cgroup.subtree_control", "");
        write("cgroup.procs", "7\n8\n");
        assert!(!enable_controllers(&top, 7, |_| false), "somebody else is in it");
        assert!(!enable_controllers(&top, 9, |_| true), "this process is not in it");
        assert!(referee(7).is_err() && referee(9).is_err());
        write("cgroup.procs", "7\n");
        assert!(enable_controllers(&top, 7, |_| false));
        assert_eq!(referee(7).expect("it has moved"), "7");
        write("cgroup.procs", "6\n5\n");
        write("cgroup.subtree_control", "");
        assert!(enable_controllers(&top, 6, |process| process == 5));
        assert_eq!(referee(6).expect("both have moved"), "5", "the last one that was written");
        write("cgroup.subtree_control", "memory pids\n");
        assert!(enable_controllers(&top, 4, |_| false), "it counts already");
        write("cgroup.subtree_control", "");
        write("cgroup.controllers", "cpu\n");
        write("cgroup.procs", "9\n");
        assert!(!enable_controllers(&top, 9, |_| true), "there is nothing to count with");
        let _ = fs::remove_dir_all(&top);
    }
}

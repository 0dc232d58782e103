//! What a host has that no bot may change: mounts, network cards, settings of the kernel, keys, objects of System V,
//! modules, control groups, the clock and the kernel's memory.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process,
};

/// Settings that the kernel changes itself, or that do something when they are read.
const VOLATILE: &[&str] = &[
    "fs/aio-nr",
    "fs/dentry-state",
    "fs/file-nr",
    "fs/inode-nr",
    "fs/inode-state",
    "fs/quota/",
    "kernel/ns_last_pid",
    "kernel/perf_cpu_time_max_percent",
    "kernel/perf_event_max_sample_rate",
    "kernel/pty/nr",
    "kernel/random/",
    "net/netfilter/nf_conntrack_count",
    "vm/stat_refresh",
];
/// The counters of memory that the kernel uses itself and that no end of a process gives back if they leak.
const KERNEL_MEMORY: &[&str] = &["SUnreclaim:", "KernelStack:", "VmallocUsed:", "Percpu:", "Shmem:"];
/// By how much the kernel's memory may grow, in KiB. Other programs of the host use it too.
const MAX_GROWTH_KIB: u64 = 128 << 10;
/// By how much the clock may differ from where it should be, in milliseconds. Servers of time correct it.
const MAX_CLOCK_STEP_MS: i128 = 1000;

/// The state of a host at one moment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Host {
    /// What must stay as it is: each thing with its state.
    things: BTreeMap<String, String>,
    kernel_kib: u64,
    /// What the clock showed when the machine started, in milliseconds.
    started_ms: i128,
}

impl Host {
    /// Reads the state, as far as this user may read it. `referees` own control groups that count too.
    pub(super) fn read(referees: &[u32]) -> Self {
        let mut things = BTreeMap::new();
        for line in text("/proc/self/mountinfo").lines() {
            if let Some((id, rest)) = line.split_once(' ') {
                things.insert(format!("mount {id}"), rest.to_owned());
            }
        }
        for card in names("/sys/class/net") {
            let about = ["flags", "mtu", "address"].map(|file| text(&format!("/sys/class/net/{card}/{file}")));
            things.insert(format!("network card {card}"), about.concat().replace('\n', " "));
        }
        read_settings(Path::new("/proc/sys"), "", &mut things);
        for kind in ["shm", "sem", "msg"] {
            for line in text(&format!("/proc/sysvipc/{kind}")).lines().skip(1) {
                let words: Vec<&str> = line.split_whitespace().take(3).collect();
                things.insert(format!("System V {kind} {}", words.join(" ")), String::new());
            }
        }
        for queue in names("/dev/mqueue") {
            things.insert(format!("message queue {queue}"), String::new());
        }
        for line in text("/proc/keys").lines() {
            // Keys with a time end by themselves.
            if let [id, _, _, "perm", _, user, _, kind, about, ..] = line.split_whitespace().collect::<Vec<_>>()[..] {
                things.insert(format!("key {id}"), format!("{kind} {about} of user {user}"));
            }
        }
        for (file, what) in [("/proc/modules", "module"), ("/proc/swaps", "swap")] {
            for name in text(file).lines().filter_map(|line| line.split_whitespace().next()) {
                things.insert(format!("{what} {name}"), String::new());
            }
        }
        for group in control_groups(referees) {
            things.insert(format!("control group {}", group.display()), String::new());
        }
        Self {
            things,
            kernel_kib: kernel_memory(),
            started_ms: clock(libc::CLOCK_REALTIME) - clock(libc::CLOCK_BOOTTIME),
        }
    }

    /// Forgets what differs from another moment at which no bot had played: it changes by itself.
    pub(super) fn forget_restless(&mut self, other: &Self) {
        self.things.retain(|name, state| other.things.get(name) == Some(state));
    }

    /// The number of things that must stay as they are.
    pub(super) fn len(&self) -> usize {
        self.things.len()
    }

    /// Returns what has changed since. `restless` are the things that [`forget_restless`](Self::forget_restless) forgot.
    pub(super) fn changes(&self, now: &Self, restless: &BTreeSet<String>) -> Vec<String> {
        let mut changes = Vec::new();
        for (name, state) in &self.things {
            match now.things.get(name) {
                Some(new) if new == state => {}
                Some(new) => changes.push(format!("{name} was `{}` and is `{}`", state.trim(), new.trim())),
                None => changes.push(format!("{name} is gone")),
            }
        }
        let is_new = |name: &&String| !self.things.contains_key(*name) && !restless.contains(*name);
        changes
            .extend(now.things.keys().filter(is_new).map(|name| format!("{name} is new: {}", now.things[name].trim())));
        let grown = now.kernel_kib.saturating_sub(self.kernel_kib);
        if grown > MAX_GROWTH_KIB {
            changes.push(format!("the kernel's memory grew by {grown} KiB"));
        }
        let step = now.started_ms - self.started_ms;
        if step.abs() > MAX_CLOCK_STEP_MS {
            changes.push(format!("the clock was set by {step} ms"));
        }
        changes
    }

    /// The names of what this state has and another one does not have, or has with another state.
    pub(super) fn differing(&self, other: &Self) -> BTreeSet<String> {
        let differs = |(name, state): &(&String, &String)| other.things.get(*name) != Some(*state);
        self.things.iter().filter(differs).map(|(name, _)| name.clone()).collect()
    }
}

/// Returns the numbers of all children of this process that have not ended.
pub(super) fn children() -> Vec<i32> {
    let us = process::id();
    let of_us = |name: &String| {
        let stat = text(&format!("/proc/{name}/stat"));
        // The name of the program stands in brackets and may contain anything.
        let mut words = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
        words.next().is_some_and(|state| state != "Z") && words.next().and_then(|word| word.parse().ok()) == Some(us)
    };
    names("/proc").into_iter().filter(of_us).filter_map(|name| name.parse().ok()).collect()
}

fn text(file: &str) -> String {
    fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

fn names(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

fn read_settings(folder: &Path, prefix: &str, things: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            read_settings(&entry.path(), &format!("{name}/"), things);
        } else if !VOLATILE.iter().any(|volatile| name.starts_with(volatile))
            && let Ok(bytes) = fs::read(entry.path())
        {
            things.insert(format!("setting {name}"), String::from_utf8_lossy(&bytes).into_owned());
        }
    }
}

/// Returns the control groups of bots of these referees.
fn control_groups(referees: &[u32]) -> Vec<PathBuf> {
    let prefixes: Vec<String> = referees.iter().map(|referee| format!("agon-{referee}-")).collect();
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let name = entry.file_name().to_string_lossy().into_owned();
                if prefixes.iter().any(|prefix| name.starts_with(prefix)) {
                    found.push(entry.path());
                }
                folders.push(entry.path());
            }
        }
    }
    found
}

fn kernel_memory() -> u64 {
    let text = text("/proc/meminfo");
    let value = |line: &str| line.split_whitespace().nth(1)?.parse::<u64>().ok();
    let counts = |line: &&str| KERNEL_MEMORY.iter().any(|name| line.starts_with(name));
    text.lines().filter(counts).filter_map(value).sum()
}

fn clock(clock: libc::clockid_t) -> i128 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one `timespec`.
    unsafe { libc::clock_gettime(clock, &mut time) };
    i128::from(time.tv_sec) * 1000 + i128::from(time.tv_nsec) / 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none() -> BTreeSet<String> {
        BTreeSet::new()
    }

    #[test]
    fn every_change_is_told() {
        let thing = |name: &str, state: &str| (name.to_owned(), state.to_owned());
        let before = Host {
            things: [thing("setting a", "1\n"), thing("mount 7", "/"), thing("module m", "")].into(),
            ..Host::default()
        };
        assert_eq!(before.changes(&before, &none()), [""; 0]);
        let mut now = before.clone();
        now.things = [thing("setting a", "2\n"), thing("module m", ""), thing("key 3", "user x")].into();
        now.kernel_kib = MAX_GROWTH_KIB + 1;
        now.started_ms = -MAX_CLOCK_STEP_MS - 1;
        let expected = [
            "mount 7 is gone",
            "setting a was `1` and is `2`",
            "key 3 is new: user x",
            "the kernel's memory grew by 131073 KiB",
            "the clock was set by -1001 ms",
        ];
        assert_eq!(before.changes(&now, &none()), expected);
        let restless = now.differing(&before);
        assert_eq!(restless, ["key 3", "setting a"].map(str::to_owned).into());
        let mut calm = before.clone();
        calm.forget_restless(&now);
        assert_eq!(calm.changes(&now, &restless), expected[3..], "what changes by itself is not watched");
    }

    #[test]
    fn an_object_that_is_left_on_this_host_is_seen() {
        let key = 0x4147_1000 + process::id() as i32;
        let before = Host::read(&[]);
        assert!(before.len() > 100, "{}", before.len());
        // SAFETY: makes a segment that nobody attaches, and removes it below.
        let segment = unsafe { libc::shmget(key, 4096, libc::IPC_CREAT | 0o600) };
        let after = Host::read(&[]);
        // SAFETY: numbers alone.
        unsafe { libc::shmctl(segment, libc::IPC_RMID, std::ptr::null_mut()) };
        assert!(segment >= 0);
        let seen = before.changes(&after, &none());
        assert!(seen.iter().any(|change| change.starts_with(&format!("System V shm {key} {segment}"))), "{seen:?}");
    }

    #[test]
    fn children_are_listed() {
        let mut child = process::Command::new("sleep").arg("100").spawn().unwrap();
        let listed = children().contains(&(child.id() as i32));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(listed && !children().contains(&(child.id() as i32)));
    }
}

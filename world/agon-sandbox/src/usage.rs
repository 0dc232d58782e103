//! How much memory processes use.

use crate::start::handle;
use rustix::process::{Signal, pidfd_send_signal};
use std::{
    fs::{self, File},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

/// At most this many processes of a tree are counted.
const PROCESSES: usize = 1024;

/// Processes whose memory is counted.
#[derive(Debug)]
pub(crate) enum Processes {
    /// One process, which cannot have children. The file is its `status`; it stays that of the process even if the
    /// process ends and another one gets its ID.
    One { process: i32, status: File },
    /// All descendants of a process.
    Descendants {
        of: i32,
        /// Whether the process itself counts.
        counts: bool,
    },
}

impl Processes {
    /// A process that cannot have children.
    pub(crate) fn one(process: i32) -> Self {
        match File::open(format!("/proc/{process}/status")) {
            Ok(status) => Self::One { process, status },
            // It has ended.
            Err(_) => Self::Descendants { of: process, counts: true },
        }
    }

    pub(crate) fn is_one(&self) -> bool {
        matches!(self, Self::One { .. })
    }

    /// All descendants of a process, and the process itself if it `counts`.
    pub(crate) fn tree(of: i32, counts: bool) -> Self {
        Self::Descendants { of, counts }
    }

    /// The memory that they have in use together, in bytes: anonymous, shared and swapped pages, and the page tables. Pages
    /// of files do not count, because the kernel can drop them. A process that is gone uses no memory.
    pub(crate) fn in_use(&self) -> u64 {
        match self {
            Self::One { process, status } => {
                let mut text = [0; 4096];
                let length = status.read_at(&mut text, 0).unwrap_or(0);
                if length == 0 {
                    return 0;
                }
                in_use(&String::from_utf8_lossy(&text[..length]))
                    .or_else(|| threads(*process).iter().find_map(|thread| of_thread(thread)))
                    .unwrap_or(0)
            }
            Self::Descendants { of, counts } => of_tree(*of, *counts),
        }
    }

    /// Kills all descendants of the process, but not the process itself.
    pub(crate) fn kill_descendants(&self) {
        let Self::Descendants { of, .. } = self else { return };
        visit(*of, |id, parent, _| {
            if id != *of
                && let Some(handle) = handle(id, Some(parent))
            {
                let _ = pidfd_send_signal(handle, Signal::KILL);
            }
        });
    }
}

/// The memory of all descendants of a process, and that of the process itself if it `counts`.
fn of_tree(process: i32, counts: bool) -> u64 {
    let mut bytes = 0u64;
    visit(process, |id, _, threads| {
        if counts || id != process {
            // Once the first thread has ended, only the others know the memory of the process.
            let of_process = fs::read_to_string(format!("/proc/{id}/status")).ok().and_then(|status| in_use(&status));
            let used = of_process.or_else(|| threads.iter().find_map(|thread| of_thread(thread)));
            bytes = bytes.saturating_add(used.unwrap_or(0));
        }
    });
    bytes
}

/// Visits a process and its descendants, each with its parent and the folders of its threads. The parent of the process
/// itself is 0.
fn visit(process: i32, mut visitor: impl FnMut(i32, i32, &[PathBuf])) {
    let mut tree = vec![(process, 0)];
    let mut at = 0;
    while at < tree.len() && at < PROCESSES {
        let (id, parent) = tree[at];
        at += 1;
        let threads = threads(id);
        visitor(id, parent, &threads);
        // The kernel lists the children of each thread separately.
        for thread in threads {
            let Ok(children) = fs::read_to_string(thread.join("children")) else { continue };
            tree.extend(children.split_whitespace().filter_map(|child| Some((child.parse::<i32>().ok()?, id))));
        }
    }
}

/// The folders of the threads of a process.
fn threads(process: i32) -> Vec<PathBuf> {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    threads.filter_map(Result::ok).map(|thread| thread.path()).collect()
}

fn of_thread(thread: &Path) -> Option<u64> {
    in_use(&fs::read_to_string(thread.join("status")).ok()?)
}

/// The memory in use, in bytes, from the `status` of a process or thread. `None` if it has no memory of its own any more.
fn in_use(status: &str) -> Option<u64> {
    let mut known = false;
    let mut kib = 0u64;
    for line in status.lines() {
        let Some((name, value)) = line.split_once(':') else { continue };
        if ["RssAnon", "RssShmem", "VmSwap", "VmPTE"].contains(&name) {
            known = true;
            let value = value.trim().strip_suffix(" kB").and_then(|value| value.trim().parse::<u64>().ok());
            kib = kib.saturating_add(value.unwrap_or(0));
        }
    }
    known.then(|| kib.saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_files_do_not_count() {
        let status = "Name:\tx\nVmRSS:\t    9000 kB\nRssAnon:\t    1000 kB\nRssFile:\t    7000 kB\nRssShmem:\t     500 kB\n\
                      VmPTE:\t      40 kB\nVmSwap:\t      60 kB\nThreads:\t1\n";
        assert_eq!(in_use(status), Some(1600 << 10));
        assert_eq!(in_use("Name:\tx\nState:\tZ (zombie)\n"), None);
    }
    use std::process::{Command, Stdio};

    #[test]
    fn children_of_every_thread_count() {
        let us = std::process::id() as i32;
        let ours = std::hint::black_box(vec![1u8; 2 << 20]);
        let own = Processes::tree(us, true).in_use();
        let one = Processes::one(us).in_use();
        drop(ours);
        assert!((1 << 20..1 << 40).contains(&own), "{own}");
        assert!((1 << 20..1 << 40).contains(&one), "{one}");
        for gone in [Processes::tree(i32::MAX, true), Processes::one(i32::MAX)] {
            assert_eq!(gone.in_use(), 0, "a process that is gone uses nothing");
        }
        // A child of a second thread. It runs until its stdin is closed, after the check.
        let mut child = std::thread::scope(|scope| {
            let child = scope.spawn(|| Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn());
            let child = child.join().expect("it does not panic").expect("every system has it");
            assert!(Processes::tree(us, false).in_use() > 0);
            child
        });
        let alone = Processes::one(child.id() as i32);
        assert!(alone.in_use() > 0);
        drop(child.stdin.take());
        child.wait().expect("it ends with its input");
        assert_eq!(alone.in_use(), 0, "it is gone");
    }
}

//! How much memory processes use.

use std::{fs, path::PathBuf};

/// At most this many processes of a tree are counted.
const PROCESSES: usize = 1024;

/// The memory that all descendants of a process have in use, in bytes: anonymous, shared and swapped pages, and the page
/// tables. Pages of files do not count, because the kernel can drop them. If `counts` is set, the process itself is
/// included. A process that is gone uses no memory.
#[must_use]
pub fn resident_bytes(process: i32, counts: bool) -> u64 {
    let mut tree = vec![process];
    let mut bytes = 0u64;
    let mut at = 0;
    while at < tree.len() && at < PROCESSES {
        let id = tree[at];
        at += 1;
        let of_process = fs::read_to_string(format!("/proc/{id}/status")).ok().and_then(|status| in_use(&status));
        // The kernel lists the children of each thread separately.
        let Ok(threads) = fs::read_dir(format!("/proc/{id}/task")) else { continue };
        let threads: Vec<_> = threads.filter_map(Result::ok).map(|thread| thread.path()).collect();
        if counts || id != process {
            // Once the first thread has ended, only the others know the memory of the process.
            let of_thread = |thread: &PathBuf| in_use(&fs::read_to_string(thread.join("status")).ok()?);
            let used = of_process.or_else(|| threads.iter().find_map(of_thread));
            bytes = bytes.saturating_add(used.unwrap_or(0));
        }
        for thread in threads {
            let Ok(children) = fs::read_to_string(thread.join("children")) else { continue };
            tree.extend(children.split_whitespace().filter_map(|child| child.parse::<i32>().ok()));
        }
    }
    bytes
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
        let own = resident_bytes(us, true);
        drop(ours);
        assert!((1 << 20..1 << 40).contains(&own), "{own}");
        assert_eq!(resident_bytes(i32::MAX, true), 0, "a process that is gone uses nothing");
        // A child of a second thread. It runs until its stdin is closed, after the check.
        let mut child = std::thread::scope(|scope| {
            let child = scope.spawn(|| Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn());
            let child = child.join().expect("it does not panic").expect("every system has it");
            assert!(resident_bytes(us, false) > 0);
            child
        });
        drop(child.stdin.take());
        child.wait().expect("it ends with its input");
    }
}

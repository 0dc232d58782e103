//! How much memory processes use.

use std::fs;

/// At most this many processes of a tree are counted.
const PROCESSES: usize = 1024;

/// The resident memory of all descendants of a process, in bytes. If `counts` is set, the process itself is included.
/// A process that is gone uses no memory.
#[must_use]
pub fn resident_bytes(process: i32, counts: bool) -> u64 {
    let page = rustix::param::page_size() as u64;
    let mut tree = vec![process];
    let mut bytes = 0u64;
    let mut at = 0;
    while at < tree.len() && at < PROCESSES {
        let id = tree[at];
        at += 1;
        let Ok(sizes) = fs::read_to_string(format!("/proc/{id}/statm")) else { continue };
        let resident: u64 = sizes.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
        if counts || id != process {
            bytes = bytes.saturating_add(resident.saturating_mul(page));
        }
        // The kernel lists the children of each thread separately.
        let Ok(threads) = fs::read_dir(format!("/proc/{id}/task")) else { continue };
        for thread in threads.filter_map(Result::ok) {
            let Ok(children) = fs::read_to_string(thread.path().join("children")) else { continue };
            tree.extend(children.split_whitespace().filter_map(|child| child.parse::<i32>().ok()));
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn children_of_every_thread_count() {
        let us = std::process::id() as i32;
        let own = resident_bytes(us, true);
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

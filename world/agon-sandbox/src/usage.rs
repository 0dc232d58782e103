//! How much memory processes have in use.

use std::fs;

/// The most processes of one tree that are counted.
const PROCESSES: usize = 1024;

/// Resident memory in bytes of all processes below this one, and of itself if that `counts`. A process that is gone has
/// none.
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
        // Every thread has children of its own.
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
        // A child of another thread than the first, that waits until we have looked.
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

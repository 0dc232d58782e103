//! Reads the files of `/proc` about processes and threads. Only Linux has them.
//!
//! A look at a bot with many threads reads hundreds of these files, and takes its opponent's time on a core that they share. So each
//! of them is read by as few calls of the system as possible, into memory on the stack.

use agon_sandbox::Shortage;
use rustix::{
    fs::{Mode, OFlags, open},
    io::{read, retry_on_intr},
};
use std::time::Duration;

/// At most this many threads of a process are read.
pub(crate) const MOST_THREADS: usize = 512;
/// The unit of times in `/proc/PID/stat`. It is the same on every Linux that Rust supports.
const TICK: Duration = Duration::from_millis(10);
/// More bytes than a `stat` or `schedstat` file has. The kernel writes these files whole into a buffer that has room for them.
const LINE: usize = 2048;

/// What a `stat` file says about a process or a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stat {
    /// Runs, or waits for a core.
    pub ready: bool,
    /// Is stopped, or has ended.
    pub stopped: bool,
    /// Waits in the kernel for something that only the end of the process can interrupt.
    pub blocked: bool,
    pub ending: bool,
    /// The number of threads.
    pub threads: u64,
    /// The CPU time of children that have ended and were waited for.
    pub children: Duration,
}

/// What a `schedstat` file says about a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SchedStat {
    /// The time on a core.
    pub cpu: Duration,
    /// The time spent waiting for a core.
    pub waited: Duration,
    /// How often it was given a core.
    pub runs: u64,
}

impl Stat {
    /// `None` if the process is gone.
    pub(crate) fn of_process(process: i32) -> Option<Self> {
        with_file(&format!("/proc/{process}/stat"), Self::parse)
    }

    /// `None` if the thread is gone.
    pub(crate) fn of_thread(process: i32, thread: i32) -> Option<Self> {
        with_file(&format!("/proc/{process}/task/{thread}/stat"), Self::parse)
    }

    /// The name of the process stands before the numbers and may contain any byte, even `)`.
    fn parse(text: &[u8]) -> Option<Self> {
        /// The flag of a process that is ending (`PF_EXITING`).
        const EXITING: u64 = 4;
        let name = text.iter().rposition(|byte| *byte == b')')?;
        let mut fields = std::str::from_utf8(text.get(name + 1..)?).ok()?.split_whitespace();
        let state = fields.next()?;
        // The state is field 3; flags, cutime, cstime and num_threads are 9, 16, 17 and 20.
        let number = |text: &str| text.parse::<u64>().ok();
        let flags = number(fields.nth(5)?)?;
        let (user, system) = (number(fields.nth(6)?)?, number(fields.next()?)?);
        let threads = number(fields.nth(2)?)?;
        Some(Self {
            ready: state == "R",
            stopped: matches!(state, "T" | "t" | "Z" | "X"),
            blocked: state == "D",
            ending: flags & EXITING != 0 || matches!(state, "Z" | "X"),
            threads,
            children: TICK.saturating_mul(u32::try_from(user.saturating_add(system)).ok()?),
        })
    }
}

impl SchedStat {
    /// `None` if the thread is gone, or if the system does not count this.
    pub(crate) fn of_thread(process: i32, thread: i32) -> Option<Self> {
        with_file(&format!("/proc/{process}/task/{thread}/schedstat"), Self::parse)
    }

    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let mut numbers = std::str::from_utf8(text).ok()?.split_whitespace().map(str::parse::<u64>);
        let mut next = || numbers.next()?.ok();
        Some(Self { cpu: Duration::from_nanos(next()?), waited: Duration::from_nanos(next()?), runs: next()? })
    }
}

/// The threads of a process. None if it is gone.
pub(crate) fn threads_of(process: i32) -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir(format!("/proc/{process}/task")).map_err(Shortage::noted);
    let entries = entries.into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).take(MOST_THREADS)
}

/// Adds the processes that a thread has started.
pub(crate) fn push_children(process: i32, thread: i32, to: &mut Vec<i32>) {
    let children = std::fs::read_to_string(format!("/proc/{process}/task/{thread}/children"));
    if let Ok(children) = children.map_err(Shortage::noted) {
        to.extend(children.split_whitespace().filter_map(|child| child.parse::<i32>().ok()));
    }
}

/// Reads a short file by one call. `None` if there is nothing to read, or for a [shortage](Shortage), which is noted.
fn with_file<T>(path: &str, parse: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
    let file =
        open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).inspect_err(|errno| Shortage::note(*errno)).ok()?;
    let mut text = [0; LINE];
    let length = retry_on_intr(|| read(&file, &mut text)).inspect_err(|errno| Shortage::note(*errno)).ok()?;
    parse(&text[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_contain_what_ends_a_name() {
        let rest = "1 1 1 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 3 0 100 1000 10 18446744073709551615";
        let stat = |name: &str, state: &str| Stat::parse(format!("12 ({name}) {state} {rest}\n").as_bytes());
        for name in ["bot", "a) R 1", "", "((", "x y"] {
            let read = stat(name, "S").expect("a line of the kernel");
            assert!(!read.ready && !read.stopped && !read.blocked && !read.ending, "{name}");
            assert_eq!((read.threads, read.children), (3, 15 * TICK), "{name}");
        }
        assert!(stat("bot", "R").is_some_and(|stat| stat.ready));
        assert!(stat("bot", "T").is_some_and(|stat| stat.stopped && !stat.ending));
        assert!(stat("bot", "D").is_some_and(|stat| stat.blocked));
        assert!(stat("bot", "Z").is_some_and(|stat| stat.stopped && stat.ending));
        for cut in ["", "12", "12 (bot", "12 (bot)", "12 (bot) R", "12 (bot) R 1 1 1 0 -1 4 1 2 3 4 5 6"] {
            assert_eq!(Stat::parse(cut.as_bytes()), None, "{cut}");
        }
    }

    #[test]
    fn times_are_in_nanoseconds() {
        let read = SchedStat::parse(b"1000 2000 3\n").expect("a line of the kernel");
        assert_eq!((read.cpu, read.waited, read.runs), (Duration::from_micros(1), Duration::from_micros(2), 3));
        assert_eq!((SchedStat::parse(b""), SchedStat::parse(b"1 2\n"), SchedStat::parse(b"x y z")), (None, None, None));
    }

    #[test]
    fn this_thread_is_read_like_any_other() {
        let us = std::process::id() as i32;
        let thread = rustix::thread::gettid().as_raw_nonzero().get();
        assert!(threads_of(us).any(|id| id == thread));
        assert!(Stat::of_thread(us, thread).is_some_and(|stat| stat.ready));
        assert!(Stat::of_process(us).is_some_and(|stat| stat.threads >= 1 && !stat.ending));
        assert!(SchedStat::of_thread(us, thread).is_some_and(|counted| counted.runs > 0));
        assert_eq!((Stat::of_process(i32::MAX), threads_of(i32::MAX).next()), (None, None));
    }
}

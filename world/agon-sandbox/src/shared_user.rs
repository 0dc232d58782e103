//! What the kernel counts for a user, and a bot uses up for another bot of the same user.
//!
//! Where a bot has a user or a user namespace of its own, the kernel counts its threads and its pending signals alone, and limits
//! both. Elsewhere one bot could leave nothing for the others. So the thread that scans its memory also counts these. A count
//! of the whole user never ends a bot: it must hold the signals itself.

use std::{fmt, fs};

/// The real-time signals, as bits of a set. Only these can be pending many times.
const REAL_TIME: u64 = u64::MAX << 31;

/// Why a bot was ended that shares its user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Excess {
    /// It had more threads than this.
    Threads(u32),
    /// It kept so many signals pending that nobody of its user could send another one.
    Signals(u64),
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Threads(most) => write!(f, "it had more than {most} threads"),
            Self::Signals(count) => {
                write!(f, "it left no room for signals of other programs: {count} of its user were pending")
            }
        }
    }
}

/// Returns whether a process has the user of this process, in the same user namespace. `false` if that is not known.
pub(crate) fn is_shared_with(process: i32) -> bool {
    let world = |process: &str| fs::read_link(format!("/proc/{process}/ns/user")).ok();
    let user = |process: &str| uid(&fs::read_to_string(format!("/proc/{process}/status")).ok()?);
    let (process, own) = (process.to_string(), "self");
    world(own).is_some_and(|own| world(&process) == Some(own)) && user(own).is_some() && user(&process) == user(own)
}

/// Returns what a process has too much of, from its `status`. `blocked` says whether one of its threads keeps a real-time signal
/// pending; it is asked only if it matters.
pub(crate) fn excess(status: &str, most_threads: u32, blocked: impl FnOnce() -> bool) -> Option<Excess> {
    let threads: u32 = field(status, "Threads")?.parse().ok()?;
    if threads > most_threads {
        return Some(Excess::Threads(most_threads));
    }
    let (pending, limit) = field(status, "SigQ")?.split_once('/')?;
    let (pending, limit): (u64, u64) = (pending.parse().ok()?, limit.parse().ok()?);
    (pending >= limit && blocked()).then_some(Excess::Signals(pending))
}

/// Returns whether a thread of a process blocks a real-time signal that is pending.
pub(crate) fn blocks_pending_signals(process: i32) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return false };
    let statuses = threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("status")).ok());
    statuses.into_iter().any(|status| blocks_pending_signal(&status))
}

fn blocks_pending_signal(status: &str) -> bool {
    let set = |name: &str| field(status, name).and_then(|bits| u64::from_str_radix(bits, 16).ok()).unwrap_or(0);
    (set("SigPnd") | set("ShdPnd")) & set("SigBlk") & REAL_TIME != 0
}

/// The effective user of a process, from its `status`.
fn uid(status: &str) -> Option<u32> {
    field(status, "Uid")?.split_whitespace().nth(1)?.parse().ok()
}

fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(threads: u32, pending: u64) -> String {
        format!("Name:\tbot\nUid:\t1000\t1001\t1000\t1000\nThreads:\t{threads}\nSigQ:\t{pending}/256\n")
    }

    #[test]
    fn threads_are_counted_by_process_and_signals_end_only_their_holder() {
        assert_eq!(excess(&status(65, 0), 65, || true), None);
        assert_eq!(excess(&status(66, 0), 65, || false), Some(Excess::Threads(65)));
        assert_eq!(excess(&status(1, 255), 65, || true), None, "there is room for one more");
        assert_eq!(excess(&status(1, 256), 65, || false), None, "others hold them");
        assert_eq!(excess(&status(1, 256), 65, || true), Some(Excess::Signals(256)));
        assert_eq!(excess("", 65, || true), None, "it is gone");
    }

    #[test]
    fn only_blocked_real_time_signals_can_fill_the_queue() {
        let status = |own: u64, shared: u64, blocked: u64| {
            blocks_pending_signal(&format!("SigPnd:\t{own:016x}\nShdPnd:\t{shared:016x}\nSigBlk:\t{blocked:016x}\n"))
        };
        // Signal 40 has bit 39, signal 10 has bit 9, and 32 is the first real-time signal.
        assert!(status(1 << 39, 0, 1 << 39) && status(0, 1 << 39, u64::MAX) && status(1 << 31, 0, 1 << 31));
        assert!(!status(1 << 39, 0, 0), "it comes as soon as the thread runs");
        assert!(!status(1 << 9, 0, 1 << 9), "it is pending at most once");
        assert!(!status(0, 0, u64::MAX) && !status(1 << 39, 0, 1 << 38));
    }

    #[test]
    fn this_process_shares_its_user_with_itself() {
        assert!(is_shared_with(std::process::id() as i32));
        assert!(!is_shared_with(i32::MAX));
        assert_eq!(uid(&status(1, 0)), Some(1001));
        assert!(!blocks_pending_signals(i32::MAX));
    }
}

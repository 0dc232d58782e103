//! Starts threads that watch bots. They may use all cores of this process, because a bot with many threads keeps its own
//! core busy, and they run soon after they wake.

use crate::slice::{ask_for_real_time, ask_for_short_slices, is_real_time};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::{io, panic::resume_unwind, sync::OnceLock, thread};

/// The size of a thread's stack in bytes.
const STACK: usize = 128 << 10;

/// How urgently a thread needs a core when it wakes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Priority {
    /// It runs at once, where the system grants that. It must never compute for long.
    RealTime,
    /// It runs soon, but shares its core with others like every thread.
    ShortSlices,
}

/// Lets the threads that watch bots use the cores that this thread may use now. A thread that is about to keep to fewer
/// cores calls this first. Only the first call counts.
pub fn use_these_cores() {
    cores();
}

/// Starts a thread that watches bots.
///
/// # Errors
/// The system starts no thread.
pub fn start(name: &str, priority: Priority, watch: impl FnOnce() + Send + 'static) -> io::Result<()> {
    cores();
    let run = move || {
        prepare(priority);
        watch();
    };
    thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(run).map(drop)
}

/// Does in a thread of its own what takes a while, and waits for it. The scheduler lets a thread that has used more than its
/// share of a core wait until all others on it have had as much: 1 ms beside a bot with 62 threads is a wait of 62 ms. This way
/// the debt ends with the new thread, and the caller has none.
///
/// A thread with a real-time priority has no debts, and does it itself: a new thread would have to wait for its first core.
pub fn do_aside<T: Send>(work: impl Fn() -> T + Sync) -> T {
    if is_real_time() {
        return work();
    }
    let run = || {
        prepare(Priority::RealTime);
        work()
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("aside".to_owned()).stack_size(STACK);
        match thread.spawn_scoped(scope, run) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // The system starts no thread.
            Err(_) => work(),
        }
    })
}

/// Makes this thread run soon after it wakes, on any core that is allowed.
fn prepare(priority: Priority) {
    if let Some(cores) = cores() {
        let _ = sched_setaffinity(None, cores);
    }
    if priority != Priority::RealTime || !ask_for_real_time() {
        ask_for_short_slices();
    }
}

/// The cores for these threads. `None` if the system does not report them.
fn cores() -> Option<&'static CpuSet> {
    static CORES: OnceLock<Option<CpuSet>> = OnceLock::new();
    CORES.get_or_init(|| sched_getaffinity(None).ok()).as_ref()
}

//! Starts threads that watch bots. They may use all cores of this process, because a bot with many threads keeps its own
//! core busy, and they run soon after they wake.

use crate::slice::{ask_for_real_time, ask_for_short_slices};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::{io, sync::OnceLock, thread};

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
        if let Some(cores) = cores() {
            let _ = sched_setaffinity(None, cores);
        }
        if priority != Priority::RealTime || !ask_for_real_time() {
            ask_for_short_slices();
        }
        watch();
    };
    thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(run).map(drop)
}

/// The cores for these threads. `None` if the system does not report them.
fn cores() -> Option<&'static CpuSet> {
    static CORES: OnceLock<Option<CpuSet>> = OnceLock::new();
    CORES.get_or_init(|| sched_getaffinity(None).ok()).as_ref()
}

//! Starts threads that watch bots. They may use all cores of this process, because a bot with many threads keeps its own
//! core busy, and they run soon after they wake.

use crate::{
    looks::cores,
    slice::{ask_for_real_time, ask_for_short_slices},
};
use rustix::thread::sched_setaffinity;
use std::{io, thread};

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

/// Starts a thread that watches bots.
///
/// # Errors
/// The system starts no thread.
pub fn start(name: &str, priority: Priority, watch: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let cores = cores();
    let run = move || {
        if let Some(cores) = cores {
            let _ = sched_setaffinity(None, cores);
        }
        if priority == Priority::ShortSlices || !ask_for_real_time() {
            ask_for_short_slices();
        }
        watch();
    };
    thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(run).map(drop)
}

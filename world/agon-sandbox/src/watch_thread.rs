//! Starts threads that watch bots. They may use all cores of this process, because a bot with many threads keeps its own
//! core busy, and they run soon after they wake: at once, where the system grants that, and otherwise in a
//! session of their own, if that gives them a larger share of a core.

use crate::{
    own_session,
    sessions::sessions_share_cores,
    slice::{AtOnce, ask_for_real_time, ask_for_short_slices, is_real_time},
};
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

/// The cores of a thread: of as many equal parts of all that it may use, the one with this number.
#[derive(Clone, Copy, Debug)]
pub struct CoreShare {
    /// From 0.
    pub number: usize,
    /// The number of parts. With fewer cores, each part is all of them.
    pub of: usize,
}

impl CoreShare {
    /// All cores.
    pub const ALL: Self = Self { number: 0, of: 1 };

    fn within(self, all: &CpuSet) -> CpuSet {
        let count = all.count() as usize;
        if count < self.of {
            return *all;
        }
        let begin = |part: usize| part * count / self.of;
        let (first, next) = (begin(self.number), begin(self.number + 1));
        let mut part = CpuSet::new();
        for core in (0..CpuSet::MAX_CPU).filter(|core| all.is_set(*core)).skip(first).take(next - first) {
            part.set(core);
        }
        part
    }
}

/// Lets the threads that watch bots use the cores that this thread may use now. A thread that is about to keep to fewer
/// cores calls this first. Only the first call counts.
pub fn use_these_cores() {
    cores();
}

/// Whether a thread with this priority will run at once whenever it wakes.
#[must_use]
pub fn runs_at_once(priority: Priority) -> bool {
    priority == Priority::RealTime && AtOnce::is_granted()
}

/// Starts a thread that watches bots. `watch` must not end, and must not use anything that belongs to a thread or a process, such
/// as `thread_local`, the ID of the process or its children: it may run in a process within the memory of this one.
///
/// # Errors
/// The system starts no thread.
pub fn start(name: &str, priority: Priority, share: CoreShare, watch: impl Fn() + Send + 'static) -> io::Result<()> {
    cores();
    let run = move || {
        if !prepare(priority, share) && sessions_share_cores() {
            own_session::run(|| {
                // A new process does not inherit it.
                ask_for_short_slices();
                watch();
            });
        }
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
        prepare(Priority::RealTime, CoreShare::ALL);
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

/// Makes this thread run soon after it wakes, on any core of this share. Returns whether it will run at once.
fn prepare(priority: Priority, share: CoreShare) -> bool {
    if let Some(cores) = cores() {
        let _ = sched_setaffinity(None, &share.within(cores));
    }
    let at_once = priority == Priority::RealTime && ask_for_real_time();
    if !at_once {
        ask_for_short_slices();
    }
    at_once
}

/// The cores for these threads. `None` if the system does not report them.
fn cores() -> Option<&'static CpuSet> {
    static CORES: OnceLock<Option<CpuSet>> = OnceLock::new();
    CORES.get_or_init(|| sched_getaffinity(None).ok()).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_share_the_cores_in_equal_parts() {
        let set = |cores: &[usize]| {
            let mut set = CpuSet::new();
            cores.iter().for_each(|core| set.set(*core));
            set
        };
        let share = |all: &[usize], number, of| CoreShare { number, of }.within(&set(all));
        assert_eq!(share(&[1, 4, 1023], 0, 1), set(&[1, 4, 1023]));
        assert_eq!(share(&[2, 3], 0, 2), set(&[2]));
        assert_eq!(share(&[2, 3], 1, 2), set(&[3]));
        assert_eq!(share(&[1, 4, 1023], 0, 2), set(&[1]));
        assert_eq!(share(&[1, 4, 1023], 1, 2), set(&[4, 1023]));
        assert_eq!(share(&[7], 1, 2), set(&[7]), "there are no two parts of one core");
    }
}

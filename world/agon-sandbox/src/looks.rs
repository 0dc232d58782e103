//! The thread that looks at the memory of programs: one for all, because a thread for each program would take longer to start and to
//! end than a short match.

use crate::memory_watch::Watched;
use rustix::{
    thread::{CpuSet, sched_getaffinity, sched_setaffinity},
    time::{ClockId, clock_gettime},
};
use std::{
    io,
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// The size of the thread's stack in bytes.
const STACK: usize = 128 << 10;

/// The programs at which the thread looks.
struct Looks {
    programs: Vec<Entry>,
    /// When the thread wakes. `None` while it waits for a program.
    wakes: Option<Instant>,
    /// The process in which the thread runs. 0 if there is none. A copy of a process has no copy of its threads.
    process: u32,
}

/// A program, and when it is looked at next.
struct Entry {
    program: Arc<Watched>,
    due: Instant,
}

static LOOKS: Mutex<Looks> = Mutex::new(Looks { programs: Vec::new(), wakes: None, process: 0 });
static COME: Condvar = Condvar::new();

fn lock() -> MutexGuard<'static, Looks> {
    LOOKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets the thread that looks at memory use the cores that this thread may use now: what takes memory keeps its own core busy. A
/// thread that is about to keep to fewer cores calls this first. Only the first call counts.
pub fn watch_memory_on_these_cores() {
    cores();
}

/// The cores for that thread. `None` if the system does not report them.
fn cores() -> Option<&'static CpuSet> {
    static CORES: OnceLock<Option<CpuSet>> = OnceLock::new();
    CORES.get_or_init(|| sched_getaffinity(None).ok()).as_ref()
}

/// Looks at a program from now on, for the first time after `pause`.
///
/// # Errors
/// The system starts no thread.
pub(crate) fn begin(program: Arc<Watched>, pause: Duration) -> io::Result<()> {
    let due = Instant::now() + pause;
    let cores = cores();
    let mut looks = lock();
    let process = std::process::id();
    if looks.process != process {
        let run = move || {
            if let Some(cores) = cores {
                let _ = sched_setaffinity(None, cores);
            }
            run();
        };
        thread::Builder::new().name("memory".to_owned()).stack_size(STACK).spawn(run)?;
        *looks = Looks { programs: Vec::new(), wakes: None, process };
    }
    looks.programs.push(Entry { program, due });
    let is_sooner = looks.wakes.is_none_or(|wakes| due < wakes);
    // The thread that is woken may take the core of this one, and needs the lock.
    drop(looks);
    if is_sooner {
        COME.notify_one();
    }
    Ok(())
}

/// Looks at a program no longer. A look may be under way.
pub(crate) fn end(program: &Arc<Watched>) {
    lock().programs.retain(|entry| !Arc::ptr_eq(&entry.program, program));
}

fn run() {
    let mut looks = lock();
    loop {
        let next = looks.programs.iter().min_by_key(|entry| entry.due);
        let Some((due, program)) = next.map(|entry| (entry.due, entry.program.clone())) else {
            looks.wakes = None;
            looks = COME.wait(looks).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        let left = due.saturating_duration_since(Instant::now());
        if !left.is_zero() {
            looks.wakes = Some(due);
            looks = COME.wait_timeout(looks, left).unwrap_or_else(PoisonError::into_inner).0;
            continue;
        }
        // Whoever begins or ends a watch does not wait for a look.
        drop(looks);
        let before = cpu_time();
        let pause = program.look();
        // However many processes a program has, looks at it take at most half of a core, and much less if the kernel limits its
        // memory too.
        let rest = cpu_time().saturating_sub(before).saturating_mul(program.least_rest());
        let due = pause.map(|pause| Instant::now() + pause.max(rest));
        looks = lock();
        let known = looks.programs.iter().position(|entry| Arc::ptr_eq(&entry.program, &program));
        match (known, due) {
            (Some(known), Some(due)) => looks.programs[known].due = due,
            (Some(known), None) => drop(looks.programs.swap_remove(known)),
            (None, _) => {}
        }
    }
}

/// The CPU time of this thread.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

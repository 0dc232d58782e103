//! The thread that scans the memory of programs: one for all, because a thread for each program would take longer to start and to end
//! than a short match.

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

/// The programs that the thread scans.
struct MemoryScanner {
    programs: Vec<Entry>,
    /// When the thread wakes. `None` while it waits for a program.
    wakeup: Option<Instant>,
    /// The process in which the thread runs. 0 if there is none. A copy of a process has no copy of its threads.
    process: u32,
}

/// A program, and when it is scanned next.
struct Entry {
    program: Arc<Watched>,
    due: Instant,
}

static SCANNER: Mutex<MemoryScanner> = Mutex::new(MemoryScanner { programs: Vec::new(), wakeup: None, process: 0 });
static ARRIVED: Condvar = Condvar::new();

fn lock() -> MutexGuard<'static, MemoryScanner> {
    SCANNER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets the thread that scans memory use the cores that this thread may use now: what takes memory keeps its own core busy. A
/// thread that is about to keep to fewer cores calls this first. Only the first call counts.
pub fn watch_memory_on_these_cores() {
    cores();
}

/// The cores for that thread. `None` if the system does not report them.
fn cores() -> Option<&'static CpuSet> {
    static CORES: OnceLock<Option<CpuSet>> = OnceLock::new();
    CORES.get_or_init(|| sched_getaffinity(None).ok()).as_ref()
}

/// Scans a program from now on, for the first time after `pause`.
///
/// # Errors
/// The system starts no thread.
pub(crate) fn begin(program: Arc<Watched>, pause: Duration) -> io::Result<()> {
    let due = Instant::now() + pause;
    let cores = cores();
    let mut scanner = lock();
    let process = std::process::id();
    if scanner.process != process {
        let run = move || {
            if let Some(cores) = cores {
                let _ = sched_setaffinity(None, cores);
            }
            run();
        };
        thread::Builder::new().name("memory".to_owned()).stack_size(STACK).spawn(run)?;
        *scanner = MemoryScanner { programs: Vec::new(), wakeup: None, process };
    }
    scanner.programs.push(Entry { program, due });
    let is_sooner = scanner.wakeup.is_none_or(|wakeup| due < wakeup);
    // The thread that is woken may take the core of this one, and needs the lock.
    drop(scanner);
    if is_sooner {
        ARRIVED.notify_one();
    }
    Ok(())
}

/// Scans a program no longer. A scan may be under way.
pub(crate) fn end(program: &Arc<Watched>) {
    lock().programs.retain(|entry| !Arc::ptr_eq(&entry.program, program));
}

fn run() {
    let mut scanner = lock();
    loop {
        let next = scanner.programs.iter().min_by_key(|entry| entry.due);
        let Some((due, program)) = next.map(|entry| (entry.due, entry.program.clone())) else {
            scanner.wakeup = None;
            scanner = ARRIVED.wait(scanner).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        let left = due.saturating_duration_since(Instant::now());
        if !left.is_zero() {
            scanner.wakeup = Some(due);
            scanner = ARRIVED.wait_timeout(scanner, left).unwrap_or_else(PoisonError::into_inner).0;
            continue;
        }
        // A thread that begins or ends a watch does not wait for a scan.
        drop(scanner);
        let before = cpu_time();
        let pause = program.scan();
        // However many processes a program has, its scans take at most half of a core, and much less if the kernel limits its
        // memory too.
        let rest = cpu_time().saturating_sub(before).saturating_mul(program.minimum_rest());
        let due = pause.map(|pause| Instant::now() + pause.max(rest));
        scanner = lock();
        let known = scanner.programs.iter().position(|entry| Arc::ptr_eq(&entry.program, &program));
        match (known, due) {
            (Some(known), Some(due)) => scanner.programs[known].due = due,
            (Some(known), None) => drop(scanner.programs.swap_remove(known)),
            (None, _) => {}
        }
    }
}

/// The CPU time of this thread.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

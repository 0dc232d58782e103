//! How much memory processes use.

use crate::{
    process_handle::handle,
    shared_user::{self, Excess},
};
use rustix::{
    io::Errno,
    process::{Signal, pidfd_send_signal},
};
use std::{
    fs::{self, File},
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::OnceLock,
    time::{Duration, Instant},
};

/// At most this many processes of a tree are counted.
const PROCESSES: usize = 1024;
/// Files of at most this many processes of a tree stay open.
const FILES: usize = 16;
/// The time between two searches for processes grows by this for each known thread, up to the longest time: each of its
/// threads may have started a process.
const SEARCH_FOR_EACH_THREAD: Duration = Duration::from_micros(60);
const LONGEST_BETWEEN_SEARCHES: Duration = Duration::from_millis(4);
/// After this time there is a search even if nothing says that a process has come.
const LONGEST_WITHOUT_SEARCH: Duration = Duration::from_millis(50);

/// Processes whose memory is counted.
#[derive(Debug)]
pub(crate) enum Processes {
    /// One process, which cannot have children. The file is its `status`; it stays that of the process even if the
    /// process ends and another one gets its ID.
    One { process: i32, status: File, last: Counted, shared: Option<SharedUser> },
    /// All descendants of a process.
    Descendants(ProcessTree),
}

/// What is watched of a process that shares its user with others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedUser {
    most_threads: u32,
    excess: Option<Excess>,
}

/// What was counted at the last scan. A process that has not run since then uses the same.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    /// The CPU time of all processes right before. `None` if one of them was gone.
    ran: Option<Duration>,
    bytes: u64,
}

/// All descendants of a process.
#[derive(Debug)]
pub(crate) struct ProcessTree {
    of: i32,
    /// Whether the process itself counts.
    counts: bool,
    known: Known,
}

/// What the last search for the processes of a tree has found.
#[derive(Debug, Default)]
struct Known {
    /// The `status` of each process that counts. Empty if these are too many, or if one of them was missed.
    processes: Vec<(i32, File)>,
    last: Counted,
    threads: u32,
    /// When it began. `None` before the first search.
    at: Option<Instant>,
    /// The newest task of the system at that moment. `None` if the system does not report it.
    newest_task: Option<i32>,
}

impl Processes {
    /// A process that cannot have children.
    pub(crate) fn one(process: i32) -> Self {
        match File::open(format!("/proc/{process}/status")) {
            Ok(status) => Self::One { process, status, last: Counted::default(), shared: None },
            // It has ended.
            Err(_) => Self::tree(process, true),
        }
    }

    /// Watches the threads and the pending signals of a single process, too, if it shares the user of this process.
    pub(crate) fn limit_threads(mut self, most_threads: u32) -> Self {
        if let Self::One { process, shared, .. } = &mut self
            && shared_user::is_shared_with(*process)
        {
            *shared = Some(SharedUser { most_threads, excess: None });
        }
        self
    }

    /// What a single process had too much of when it was last counted.
    pub(crate) fn excess(&self) -> Option<Excess> {
        match self {
            Self::One { shared, .. } => shared.as_ref()?.excess,
            Self::Descendants(_) => None,
        }
    }

    /// All descendants of a process, and the process itself if it `counts`.
    pub(crate) fn tree(of: i32, counts: bool) -> Self {
        Self::Descendants(ProcessTree { of, counts, known: Known::default() })
    }

    /// The memory that they have in use together, in bytes: anonymous, shared and swapped pages, and the page tables. Pages
    /// of files do not count, because the kernel can drop them. A process that is gone uses no memory.
    pub(crate) fn in_use(&mut self) -> u64 {
        match self {
            Self::One { process, status, last, shared } => {
                let ran = cpu_time_of(*process);
                if ran.is_none() || ran != last.ran {
                    let text = read_status(status);
                    *last = Counted { ran, bytes: memory_of(*process, &text) };
                    if let Some(SharedUser { most_threads, excess }) = shared {
                        let blocked = || shared_user::blocks_pending_signals(*process);
                        *excess = shared_user::excess(&text, *most_threads, blocked);
                    }
                }
                last.bytes
            }
            Self::Descendants(tree) => tree.in_use(),
        }
    }

    /// Kills all descendants of the process, but not the process itself.
    pub(crate) fn kill_descendants(&self) {
        let Self::Descendants(ProcessTree { of, .. }) = self else { return };
        visit(*of, |id, parent, _, _| {
            if id != *of
                && let Some(handle) = handle(id, Some(parent))
            {
                let _ = pidfd_send_signal(handle, Signal::KILL);
            }
            Ok(())
        });
    }
}

impl ProcessTree {
    fn in_use(&mut self) -> u64 {
        let (of, counts, known) = (self.of, self.counts, &mut self.known);
        let now = Instant::now();
        let ran = known.ran();
        if known.is_unchanged(ran, now) {
            return known.last.bytes;
        }
        let newest = newest_task();
        if known.is_complete(newest, now) {
            let bytes =
                known.processes.iter().fold(0_u64, |sum, (id, status)| sum.saturating_add(of_process(*id, status)));
            known.last = Counted { ran, bytes };
            return bytes;
        }
        *known = Known { at: Some(now), newest_task: newest, ..Known::default() };
        let mut last = Counted { ran: Some(Duration::ZERO), bytes: 0 };
        let mut count = 0;
        let missed = visit(of, |id, _, ran, threads| {
            known.threads += threads.len() as u32;
            if !counts && id == of {
                return Ok(());
            }
            let status = File::open(format!("/proc/{id}/status"))?;
            last.bytes = last.bytes.saturating_add(of_process(id, &status));
            last.ran = last.ran.zip(ran).map(|(sum, ran)| sum + ran);
            count += 1;
            if count <= FILES {
                known.processes.push((id, status));
            }
            Ok(())
        });
        if missed || count > FILES {
            known.processes.clear();
        }
        known.last = last;
        last.bytes
    }
}

impl Known {
    /// The CPU time of all known processes. `None` if one of them is gone.
    fn ran(&self) -> Option<Duration> {
        self.processes.iter().map(|(process, _)| cpu_time_of(*process)).sum()
    }

    /// Whether nothing can have changed since the last scan, because no known process has run. Nobody else can have started a
    /// process of this tree.
    fn is_unchanged(&self, ran: Option<Duration>, now: Instant) -> bool {
        let searched = self.at.filter(|_| !self.processes.is_empty());
        ran.is_some()
            && ran == self.last.ran
            && searched.is_some_and(|at| now.saturating_duration_since(at) < LONGEST_WITHOUT_SEARCH)
    }

    /// Whether the next search is not due yet. It is due later if no task seems to have come since the last one.
    fn is_complete(&self, newest_task: Option<i32>, now: Instant) -> bool {
        let Some(at) = self.at.filter(|_| !self.processes.is_empty()) else { return false };
        let pause = match newest_task.is_some() && newest_task == self.newest_task {
            true => LONGEST_WITHOUT_SEARCH,
            false => (SEARCH_FOR_EACH_THREAD * self.threads).min(LONGEST_BETWEEN_SEARCHES),
        };
        now.saturating_duration_since(at) < pause
    }
}

/// The CPU time of a process, exact to the nanosecond: of all its threads, also those that have ended. `None` if it is gone.
#[must_use]
pub fn cpu_time_of(process: i32) -> Option<Duration> {
    /// `CPUCLOCK_SCHED` of a process.
    const EXACT: libc::clockid_t = 2;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one structure.
    let done = unsafe { libc::clock_gettime(!process << 3 | EXACT, &raw mut time) };
    (done == 0).then(|| Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32))
}

/// The memory of a process. Zero if it is gone.
fn of_process(process: i32, status: &File) -> u64 {
    memory_of(process, &read_status(status))
}

/// Reads the `status` of a process. Empty if it is gone.
fn read_status(status: &File) -> String {
    let mut text = [0; 4096];
    let length = status.read_at(&mut text, 0).unwrap_or(0);
    String::from_utf8_lossy(&text[..length]).into_owned()
}

fn memory_of(process: i32, status: &str) -> u64 {
    if status.is_empty() {
        return 0;
    }
    // Once the first thread has ended, only the others know the memory of the process.
    in_use(status).or_else(|| threads(process).ok()?.iter().find_map(|thread| of_thread(thread))).unwrap_or(0)
}

/// The newest process or thread in the namespace of this process or in one below it. It changes whenever a program starts a
/// process, but another one may get the same number later. `None` if the system does not report it.
fn newest_task() -> Option<i32> {
    static LOAD: OnceLock<Option<File>> = OnceLock::new();
    let mut text = [0; 128];
    let load = LOAD.get_or_init(|| File::open("/proc/loadavg").ok()).as_ref()?;
    let length = load.read_at(&mut text, 0).ok()?;
    let newest = std::str::from_utf8(&text[..length]).ok()?.split_whitespace().nth(4)?.parse().ok();
    // Containers that make up this file write 0.
    newest.filter(|task| *task > 0)
}

/// Visits a process and its descendants, each with its parent, its CPU time before its threads were listed, and the folders of
/// its threads. The parent of the process itself is 0. Returns whether one may have been missed for another reason than its end, such as too many open files.
fn visit(process: i32, mut visitor: impl FnMut(i32, i32, Option<Duration>, &[PathBuf]) -> io::Result<()>) -> bool {
    let mut missed = false;
    let mut tree = vec![(process, 0)];
    let mut at = 0;
    while at < tree.len() && at < PROCESSES {
        let (id, parent) = tree[at];
        at += 1;
        let ran = cpu_time_of(id);
        let threads = threads(id).unwrap_or_else(|error| {
            missed |= !has_ended(&error);
            Vec::new()
        });
        missed |= visitor(id, parent, ran, &threads).is_err_and(|error| !has_ended(&error));
        // The kernel lists the children of each thread separately.
        for thread in threads {
            match fs::read_to_string(thread.join("children")) {
                Ok(children) => {
                    tree.extend(children.split_whitespace().filter_map(|child| Some((child.parse::<i32>().ok()?, id))));
                }
                Err(error) => missed |= !has_ended(&error),
            }
        }
    }
    missed
}

/// Whether a file of a process cannot be opened because the process has ended.
fn has_ended(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::NOENT | Errno::SRCH))
}

/// The folders of the threads of a process.
fn threads(process: i32) -> io::Result<Vec<PathBuf>> {
    let threads = fs::read_dir(format!("/proc/{process}/task"))?;
    Ok(threads.filter_map(Result::ok).map(|thread| thread.path()).collect())
}

fn of_thread(thread: &Path) -> Option<u64> {
    in_use(&fs::read_to_string(thread.join("status")).ok()?)
}

/// The memory in use, in bytes, from the `status` of a process or thread. `None` if it has no memory of its own any more.
fn in_use(status: &str) -> Option<u64> {
    let mut known = false;
    let mut kib = 0u64;
    for line in status.lines() {
        let Some((name, value)) = line.split_once(':') else { continue };
        if ["RssAnon", "RssShmem", "VmSwap", "VmPTE"].contains(&name) {
            known = true;
            let value = value.trim().strip_suffix(" kB").and_then(|value| value.trim().parse::<u64>().ok());
            kib = kib.saturating_add(value.unwrap_or(0));
        }
    }
    known.then(|| kib.saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_files_do_not_count() {
        let status = "Name:\tx\nVmRSS:\t    9000 kB\nRssAnon:\t    1000 kB\nRssFile:\t    7000 kB\nRssShmem:\t     500 kB\n\
                      VmPTE:\t      40 kB\nVmSwap:\t      60 kB\nThreads:\t1\n";
        assert_eq!(in_use(status), Some(1600 << 10));
        assert_eq!(in_use("Name:\tx\nState:\tZ (zombie)\n"), None);
    }
    use std::process::{Command, Stdio};

    #[test]
    fn children_of_every_thread_count() {
        let us = std::process::id() as i32;
        let ours = std::hint::black_box(vec![1u8; 2 << 20]);
        let own = Processes::tree(us, true).in_use();
        let one = Processes::one(us).in_use();
        drop(ours);
        assert!((1 << 20..1 << 40).contains(&own), "{own}");
        assert!((1 << 20..1 << 40).contains(&one), "{one}");
        for mut gone in [Processes::tree(i32::MAX, true), Processes::one(i32::MAX)] {
            assert_eq!(gone.in_use(), 0, "a process that is gone uses nothing");
        }
        // A child of a second thread. It runs until its stdin is closed, after the check.
        let mut child = std::thread::scope(|scope| {
            let child = scope.spawn(|| Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn());
            let child = child.join().expect("it does not panic").expect("every system has it");
            assert!(Processes::tree(us, false).in_use() > 0);
            child
        });
        let mut alone = Processes::one(child.id() as i32);
        assert!(alone.in_use() > 0);
        drop(child.stdin.take());
        child.wait().expect("it ends with its input");
        assert_eq!(alone.in_use(), 0, "it is gone");
    }

    #[test]
    fn a_child_of_a_known_process_counts_at_the_next_search() {
        // Its child uses more than 4 MiB, and it does not. It starts the child when it gets a line.
        let big = "exec 3<&0; read x
            sh -c 'x=xxxxxxxx; while [ ${#x} -lt 4194304 ]; do x=$x$x; done; read y <&3' &
            read z";
        let mut shell =
            Command::new("sh").args(["-c", big]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("a shell");
        let mut tree = Processes::tree(shell.id() as i32, true);
        assert!((1..4 << 20).contains(&tree.in_use()));
        use std::io::Write;
        shell.stdin.as_mut().expect("it is piped").write_all(b"go\n").expect("it listens");
        while tree.in_use() < 4 << 20 {
            assert!(shell.try_wait().is_ok_and(|ended| ended.is_none()), "it waits");
            std::thread::yield_now();
        }
        tree.kill_descendants();
        // The child was killed: nothing else ends it before the end of its input.
        while tree.in_use() >= 4 << 20 {
            std::thread::yield_now();
        }
        drop(shell.stdin.take());
        shell.wait().expect("it ends with its input");
    }

    #[test]
    fn a_search_is_due_when_a_process_may_have_come() {
        let file = || File::open("/proc/self/status").expect("it is there");
        let at = Instant::now();
        let known = |threads| Known {
            processes: vec![(1, file())],
            threads,
            at: Some(at),
            newest_task: Some(7),
            last: Counted::default(),
        };
        let after = |micros| at + Duration::from_micros(micros);
        assert!(known(1).is_complete(Some(7), after(49_999)));
        assert!(!known(1).is_complete(Some(7), after(50_000)), "its number may have come again");
        assert!(!known(1).is_complete(Some(8), after(1000)) && !known(1).is_complete(None, after(1000)));
        let untold = || Known { newest_task: None, ..known(1) };
        assert!(untold().is_complete(None, after(59)) && !untold().is_complete(None, after(60)));
        assert!(known(64).is_complete(Some(8), after(1000)), "many threads are searched less often");
        assert!(!known(64).is_complete(Some(8), after(4000)) && !known(10_000).is_complete(Some(8), after(4000)));
        assert!(!Known { processes: Vec::new(), ..known(64) }.is_complete(Some(7), at), "too many, or none yet");
        assert!(newest_task().is_none_or(|task| task > 0));
    }

    #[test]
    fn a_process_that_has_not_run_is_not_counted_again() {
        let at = Instant::now();
        let file = File::open("/proc/self/status").expect("it is there");
        let ran = Some(Duration::from_millis(3));
        let last = Counted { ran, bytes: 5 };
        let known = Known { processes: vec![(1, file)], last, at: Some(at), ..Known::default() };
        let after = |millis| at + Duration::from_millis(millis);
        assert!(known.is_unchanged(ran, after(49)));
        assert!(!known.is_unchanged(ran, after(50)), "sooner or later there is a search");
        assert!(!known.is_unchanged(Some(Duration::from_millis(4)), at) && !known.is_unchanged(None, at));
        assert!(!Known { processes: Vec::new(), ..known }.is_unchanged(ran, at), "too many, or none yet");
        let us = std::process::id() as i32;
        let before = cpu_time_of(us).expect("it runs");
        while cpu_time_of(us) == Some(before) {
            std::hint::spin_loop();
        }
        // No process has an ID that large.
        assert_eq!(cpu_time_of(1 << 22), None);
    }

    #[test]
    fn only_the_end_of_a_process_explains_that_its_files_are_missing() {
        let error = |errno: Errno| io::Error::from(errno);
        assert!(has_ended(&error(Errno::NOENT)) && has_ended(&error(Errno::SRCH)));
        assert!(!has_ended(&error(Errno::MFILE)) && !has_ended(&error(Errno::ACCESS)));
        let us = std::process::id() as i32;
        assert!(!visit(i32::MAX, |_, _, _, _| Err(error(Errno::SRCH))), "it is gone");
        assert!(visit(us, |_, _, _, _| Err(error(Errno::MFILE))), "nobody knows how much it uses");
    }
}

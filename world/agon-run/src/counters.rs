//! Reads the counters of processes and threads. Only Linux has them.

#[cfg(not(target_os = "linux"))]
use crate::usage::Snapshot;
#[cfg(not(target_os = "linux"))]
use std::time::Duration;

/// How far the threads of processes that were told to stop have done so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stillness {
    /// All are stopped, or gone.
    Stopped,
    /// The others wait in the kernel, where no signal reaches them. They stop before they compute again.
    Blocked,
    /// One may compute.
    Awake,
}

/// Measures how long this thread, the referee's, was ready to run but had no core.
#[derive(Debug, Default)]
pub(crate) struct OwnWait {
    #[cfg(target_os = "linux")]
    file: Option<std::fs::File>,
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{OwnWait, Stillness};
    use crate::{
        proc_files::{MOST_THREADS, SchedStat, Stat, push_children, threads_of},
        usage::{Process, Snapshot, Thread},
    };
    use agon_sandbox::{Shortage, cpu_time_of};
    use std::{fs, os::unix::fs::FileExt, time::Duration};

    /// At most this many processes of a bot are read.
    const MOST: usize = 512;

    impl OwnWait {
        pub(crate) fn read(&mut self) -> Option<Duration> {
            if self.file.is_none() {
                // The link is resolved when the file is opened, so that the file stays that of this thread.
                self.file = Some(fs::File::open("/proc/thread-self/schedstat").map_err(Shortage::noted).ok()?);
            }
            let mut text = [0; 96];
            let count = self.file.as_ref()?.read_at(&mut text, 0).ok()?;
            Some(SchedStat::parse(&text[..count])?.waited)
        }
    }

    /// The processes and threads of a bot. `None` if the system does not report them or the first process is gone.
    pub(crate) fn snapshot(at: Duration, process: i32) -> Option<Snapshot> {
        let ids = tree(process);
        let start = (std::time::Instant::now(), own_times(&ids));
        let mut threads = Vec::new();
        let mut processes = Vec::with_capacity(ids.len());
        for &id in &ids {
            let children = Stat::of_process(id).map_or(Duration::ZERO, |stat| stat.children);
            processes.push(Process { id, cpu: Duration::ZERO, children });
            for thread in threads_of(id) {
                if threads.len() < MOST_THREADS
                    && let Some(thread) = look(id, thread)
                {
                    threads.push(thread);
                }
            }
        }
        if threads.len() >= MOST_THREADS || ids.len() >= MOST {
            // One that is not seen may run.
            threads.iter_mut().for_each(|thread| thread.blocked = false);
        }
        threads.sort_unstable_by_key(|thread| thread.id);
        for process in &mut processes {
            process.cpu = cpu_time_of(process.id).unwrap_or_default();
        }
        if !processes.iter().any(|p| p.id == process) || cpu_time_of(process).is_none() {
            return None;
        }
        // The CPU time that the processes used during this snapshot shows how many threads ran.
        let gained = processes.iter().map(|process| process.cpu).sum::<Duration>().saturating_sub(start.1);
        let took = start.0.elapsed().as_nanos().max(1);
        let running = ((gained.as_nanos() + took / 2) / took) as u32;
        Some(Snapshot { at, group: None, processes, threads, running, keeper: 0, stolen: Vec::new() })
    }

    /// The CPU time of a process until now, and that of its children that have ended.
    pub(crate) fn process(id: i32) -> Process {
        let children = Stat::of_process(id).map_or(Duration::ZERO, |stat| stat.children);
        Process { id, cpu: cpu_time_of(id).unwrap_or_default(), children }
    }

    /// The CPU time of a process and all its descendants.
    pub(crate) fn cpu_time(process: i32) -> Duration {
        own_times(&tree(process))
    }

    /// Whether a thread of a process runs or waits for a core.
    pub(crate) fn is_ready(process: i32) -> bool {
        threads_of(process).any(|thread| Stat::of_thread(process, thread).is_some_and(|stat| stat.ready))
    }

    /// Whether every thread of a process is stopped, or gone. One thread is not enough: the first may have ended.
    pub(crate) fn is_stopped(process: i32) -> bool {
        stillness(&[process]) == Stillness::Stopped
    }

    /// How far these processes have stopped.
    pub(crate) fn stillness(processes: &[i32]) -> Stillness {
        let mut all = Stillness::Stopped;
        for process in processes {
            for thread in threads_of(*process) {
                match Stat::of_thread(*process, thread) {
                    Some(stat) if stat.blocked => all = Stillness::Blocked,
                    Some(stat) if !stat.stopped => return Stillness::Awake,
                    _ => {}
                }
            }
        }
        all
    }

    /// Whether a thread of these processes sleeps for a time of its own, while none waits for input. `false` if the system does
    /// not tell.
    pub(crate) fn is_napping(processes: &[i32]) -> bool {
        let wait = |(process, thread)| fs::read_to_string(format!("/proc/{process}/task/{thread}/wchan")).ok();
        let threads = processes.iter().flat_map(|process| threads_of(*process).map(move |thread| (process, thread)));
        let waits: Vec<String> = threads.filter_map(wait).collect();
        // The names of the functions of the kernel in which they wait.
        let any = |words: &[&str]| waits.iter().any(|wait| words.iter().any(|word| wait.contains(word)));
        any(&["nanosleep"]) && !any(&["read", "poll", "select"])
    }

    /// Whether a process is ending, or gone.
    pub(crate) fn is_ending(process: i32) -> bool {
        Stat::of_process(process).is_none_or(|stat| stat.ending)
    }

    /// The CPU time of these processes, without that of their children.
    pub(crate) fn own_times(processes: &[i32]) -> Duration {
        processes.iter().filter_map(|process| cpu_time_of(*process)).sum()
    }

    /// A process and all its descendants, whichever thread has started them.
    pub(crate) fn tree(process: i32) -> Vec<i32> {
        let mut tree = vec![process];
        let mut at = 0;
        while at < tree.len() && tree.len() < MOST {
            let id = tree[at];
            at += 1;
            threads_of(id).for_each(|thread| push_children(id, thread, &mut tree));
        }
        tree.truncate(MOST);
        tree
    }

    /// Stops a process by a signal to each of its threads. A signal to the process alone goes to its first thread. If that
    /// sleeps, it has to wait for a core behind all the other threads before any of them stops.
    pub(crate) fn stop_threads(process: i32) {
        for thread in threads_of(process) {
            // SAFETY: takes three numbers. A thread that has ended meanwhile is refused.
            let _ = unsafe { libc::syscall(libc::SYS_tgkill, process, thread, libc::SIGSTOP) };
        }
    }

    fn look(process: i32, id: i32) -> Option<Thread> {
        let SchedStat { cpu, waited, runs } = SchedStat::of_thread(process, id)?;
        let Stat { ready, blocked, .. } = Stat::of_thread(process, id)?;
        Some(Thread { id, process, cpu, waited, runs, ready, blocked, queued: Duration::ZERO })
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn we_are_seen_computing() {
            let us = std::process::id() as i32;
            let before = snapshot(Duration::ZERO, us).expect("this is Linux");
            let start = cpu_time_of(us).expect("we have a clock");
            while cpu_time_of(us).expect("we have a clock") - start < Duration::from_millis(3) {
                std::hint::spin_loop();
            }
            let now = snapshot(Duration::from_secs(1), us).expect("this is Linux");
            assert!(now.since(&before, 1).cpu >= Duration::from_millis(3), "{now:?}");
            assert!(now.threads.iter().any(|thread| thread.ready), "this thread runs");
            assert!(cpu_time(us) >= start);
            assert!(OwnWait::default().read().is_some());
        }

        extern "C" fn wait_for_a_signal(_: *mut libc::c_void) -> libc::c_int {
            // SAFETY: takes nothing.
            unsafe { libc::pause() }
        }

        #[test]
        fn a_thread_in_a_wait_that_nothing_interrupts_is_seen() {
            let us = std::process::id() as i32;
            let (tell, hear) = std::sync::mpsc::channel();
            let waiter = std::thread::spawn(move || {
                let _ = tell.send(rustix::thread::gettid().as_raw_nonzero().get());
                let mut stack = vec![0u128; 4096];
                let top = stack.as_mut_ptr_range().end.cast();
                let flags = libc::CLONE_VFORK | libc::SIGCHLD;
                // SAFETY: the child has memory of its own, and a stack in its copy of ours. It calls nothing but `pause`.
                let child = unsafe { libc::clone(wait_for_a_signal, top, flags, std::ptr::null_mut()) };
                // SAFETY: the child is that of this thread, and nobody else waits for it.
                unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) }
            });
            let id = hear.recv().expect("it tells its ID");
            let is_blocked = |now: Snapshot| now.threads.iter().any(|thread| thread.id == id && thread.blocked);
            while !snapshot(Duration::ZERO, us).is_some_and(is_blocked) {
                std::thread::yield_now();
            }
            let mut children = Vec::new();
            while children.is_empty() {
                push_children(us, id, &mut children);
            }
            // SAFETY: takes two numbers.
            unsafe { libc::kill(children[0], libc::SIGKILL) };
            assert_eq!(waiter.join().expect("it does not panic"), children[0]);
        }

        #[test]
        fn a_tree_includes_children_and_ends_with_its_process() {
            let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep starts");
            let id = child.id() as i32;
            // The kernel's list can miss a child while other children end, such as those of other tests.
            while !tree(std::process::id() as i32).contains(&id) {
                std::thread::yield_now();
            }
            assert!(snapshot(Duration::ZERO, id).is_some());
            assert!(!is_ending(id));
            child.kill().expect("it can be killed");
            while !is_ending(id) {
                std::thread::yield_now();
            }
            child.wait().expect("it ends");
            assert_eq!(snapshot(Duration::ZERO, id), None);
            assert!(is_ending(id), "it is gone");
        }
    }
}

#[cfg(target_os = "linux")]
pub(crate) use linux::{
    cpu_time, is_ending, is_napping, is_ready, is_stopped, own_times, process, snapshot, stillness, stop_threads, tree,
};

#[cfg(not(target_os = "linux"))]
impl OwnWait {
    pub(crate) fn read(&mut self) -> Option<Duration> {
        None
    }
}

/// The processes and threads of a bot. `None`, because the system does not report them.
#[cfg(not(target_os = "linux"))]
pub(crate) fn snapshot(_at: Duration, _process: i32) -> Option<Snapshot> {
    None
}

/// The CPU time of a process. Zero, because the system does not report it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn process(id: i32) -> crate::usage::Process {
    crate::usage::Process { id, ..Default::default() }
}

/// The CPU time of a process and all its descendants. Zero, because the system does not report it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn cpu_time(_process: i32) -> Duration {
    Duration::ZERO
}

/// The CPU time of these processes; none where the system does not tell.
#[cfg(not(target_os = "linux"))]
pub(crate) fn own_times(_processes: &[i32]) -> Duration {
    Duration::ZERO
}

/// Nothing: the signal to the process is enough.
#[cfg(not(target_os = "linux"))]
pub(crate) fn stop_threads(_process: i32) {}

/// Whether a thread of a process runs or waits for a core, as far as the system tells.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_ready(_process: i32) -> bool {
    false
}

/// Whether processes sleep for a time of their own. The system does not report it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_napping(_processes: &[i32]) -> bool {
    false
}

/// Whether a process is stopped. The system does not report it, so that every process counts as stopped.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_stopped(_process: i32) -> bool {
    true
}

/// How far processes have stopped. The system does not report it, so that all count as stopped.
#[cfg(not(target_os = "linux"))]
pub(crate) fn stillness(_processes: &[i32]) -> Stillness {
    Stillness::Stopped
}

/// Whether a process is ending. The system does not report it, so that no process counts as ending.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_ending(_process: i32) -> bool {
    false
}

/// A process and its descendants. The process alone, because the system does not report the others.
#[cfg(not(target_os = "linux"))]
pub(crate) fn tree(process: i32) -> Vec<i32> {
    vec![process]
}

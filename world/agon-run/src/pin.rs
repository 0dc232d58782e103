//! Keeps a match on chosen cores. A round trip between two processes on one core costs a tenth of a round trip between
//! two cores.

use std::io;

/// The numbers of the cores that this thread may run on. Empty if the system does not report them.
#[must_use]
pub fn cores() -> Vec<usize> {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getaffinity};
        let Ok(set) = sched_getaffinity(None) else { return Vec::new() };
        (0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect()
    }
    #[cfg(not(target_os = "linux"))]
    Vec::new()
}

/// A core that computes one thing at a time at full speed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PhysicalCore {
    /// The lowest number of its hardware threads on this machine, even if this program may not run on that thread.
    pub number: usize,
    /// The numbers of the hardware threads on which this program may run, in ascending order.
    pub threads: Vec<usize>,
}

/// Returns the physical cores that this program may keep busy. These are the cores of its affinity, but no more than a quota
/// of CPU time allows, rounded down. The hardware threads of one core count once if the host reports them. Under a quota the
/// last cores count, because the first ones serve most interrupts. The list is empty if the system reports no cores.
#[must_use]
pub fn physical_cores() -> Vec<PhysicalCore> {
    let quota = std::thread::available_parallelism().map_or(usize::MAX, usize::from);
    let siblings = |thread: usize| {
        let path = format!("/sys/devices/system/cpu/cpu{thread}/topology/thread_siblings_list");
        numbers(std::fs::read_to_string(path).ok()?.trim())
    };
    physical(&cores(), siblings, quota)
}

/// Groups hardware threads by core, and keeps at most `most` cores.
fn physical(threads: &[usize], siblings: impl Fn(usize) -> Option<Vec<usize>>, most: usize) -> Vec<PhysicalCore> {
    let mut all: Vec<PhysicalCore> = Vec::new();
    for &thread in threads {
        let number = siblings(thread).and_then(|siblings| siblings.into_iter().min()).unwrap_or(thread);
        match all.iter_mut().find(|core| core.number == number) {
            Some(core) => core.threads.push(thread),
            None => all.push(PhysicalCore { number, threads: vec![thread] }),
        }
    }
    all.split_off(all.len().saturating_sub(most))
}

/// Reads a list of the kernel such as `0-2,5`.
fn numbers(list: &str) -> Option<Vec<usize>> {
    let mut all = Vec::new();
    for part in list.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        all.extend(from.parse::<usize>().ok()?..=to.parse::<usize>().ok()?);
    }
    Some(all)
}

/// Keeps this thread, and every process that it starts, on chosen cores. Dropping this value gives the thread its
/// former cores back.
#[derive(Debug)]
#[must_use = "the thread leaves the chosen cores when this value is dropped"]
pub struct Pinned {
    #[cfg(target_os = "linux")]
    before: rustix::thread::CpuSet,
}

impl Pinned {
    /// Keeps this thread on the cores with these numbers (see [`cores`]).
    ///
    /// # Errors
    /// A number is too large for the system, this thread may run on none of the cores, or the system cannot keep a
    /// thread on chosen cores.
    pub fn to(cores: &[usize]) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        {
            use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
            if let Some(core) = cores.iter().find(|core| **core >= CpuSet::MAX_CPU) {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("there is no core {core}")));
            }
            let before = sched_getaffinity(None)?;
            let mut some = CpuSet::new();
            cores.iter().for_each(|core| some.set(*core));
            sched_setaffinity(None, &some)?;
            Ok(Self { before })
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = cores;
            Err(io::Error::new(io::ErrorKind::Unsupported, "this system cannot keep a match on some cores"))
        }
    }
}

#[cfg(target_os = "linux")]
impl Drop for Pinned {
    fn drop(&mut self) {
        // This fails only if the former cores are gone. Then the system has already moved the thread.
        let _ = rustix::thread::sched_setaffinity(None, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn core(number: usize, threads: &[usize]) -> PhysicalCore {
        PhysicalCore { number, threads: threads.to_vec() }
    }

    #[test]
    fn threads_of_one_core_count_once() {
        let pairs = |thread: usize| Some(vec![thread % 4, thread % 4 + 4]);
        let all = physical(&[0, 1, 2, 3, 4, 5, 6, 7], pairs, 9);
        assert_eq!(all, [core(0, &[0, 4]), core(1, &[1, 5]), core(2, &[2, 6]), core(3, &[3, 7])]);
        // Part of the machine: the core has the same number for everybody.
        assert_eq!(physical(&[2, 5, 6], pairs, 9), [core(2, &[2, 6]), core(1, &[5])]);
        assert_eq!(physical(&[3, 7], |_| None, 9), [core(3, &[3]), core(7, &[7])], "nobody tells");
    }

    #[test]
    fn a_quota_leaves_the_last_cores() {
        assert_eq!(physical(&[0, 1, 2, 3], |_| None, 2), [core(2, &[2]), core(3, &[3])]);
        assert_eq!(physical(&[], |_| None, 2), []);
    }

    #[test]
    fn lists_of_the_kernel() {
        assert_eq!(numbers("0-2,5"), Some(vec![0, 1, 2, 5]));
        assert_eq!(numbers("7"), Some(vec![7]));
        for bad in ["", "a", "1-", "1,,2"] {
            assert_eq!(numbers(bad), None, "{bad}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_program_has_a_core() {
        let all = physical_cores();
        assert!(!all.is_empty() && all.iter().all(|core| !core.threads.is_empty()), "{all:?}");
    }
}

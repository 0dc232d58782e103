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

//! Keeps a match on a few cores. On one, a round trip between processes costs a tenth of what it costs between two.

use std::io;

/// The cores that this thread may run on, by number. Empty where the system cannot tell.
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

/// Keeps this thread, and every process that it starts, on some cores until it is dropped.
#[derive(Debug)]
#[must_use = "the thread is set free when this is dropped"]
pub struct Pinned {
    #[cfg(target_os = "linux")]
    before: rustix::thread::CpuSet,
}

impl Pinned {
    /// Keeps this thread on the cores of these numbers (see [`cores`]).
    ///
    /// # Errors
    /// If there is none of them, or the system cannot pin.
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
        // Can only fail if the cores were taken away meanwhile; then the system has placed the thread itself.
        let _ = rustix::thread::sched_setaffinity(None, &self.before);
    }
}

//! What a host may be short of. A shortage says nothing about a program: the same program starts and plays as soon as there is
//! enough again.

use rustix::io::Errno;
use std::{
    error::Error,
    fmt, io,
    sync::atomic::{AtomicI32, AtomicU64, Ordering},
};

/// What a host has too little of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shortage {
    /// Open files, of this process or of the host.
    OpenFiles,
    /// Processes and threads, of this user, of a control group or of the host.
    Processes,
    /// Memory, of the host or of its kernel.
    Memory,
    /// Space on a disk, or what this user may have of it, in all or in one file.
    Space,
}

/// How often something could not be read or written for such a reason. Many readers leave out what they cannot read.
static MISSED: AtomicU64 = AtomicU64::new(0);
/// The error number of the last one.
static LAST: AtomicI32 = AtomicI32::new(0);

impl Shortage {
    /// What an error number of the system means. `None` if it means no shortage.
    #[must_use]
    pub fn of(errno: Errno) -> Option<Self> {
        Some(match errno {
            Errno::MFILE | Errno::NFILE => Self::OpenFiles,
            Errno::AGAIN => Self::Processes,
            Errno::NOMEM | Errno::NOBUFS | Errno::NOLCK => Self::Memory,
            Errno::NOSPC | Errno::DQUOT | Errno::FBIG => Self::Space,
            _ => return None,
        })
    }

    /// What the kind of an error means that has words of its own in place of a number.
    fn of_kind(kind: io::ErrorKind) -> Option<Self> {
        use io::ErrorKind::{FileTooLarge, OutOfMemory, QuotaExceeded, StorageFull};
        match kind {
            StorageFull | QuotaExceeded | FileTooLarge => Some(Self::Space),
            OutOfMemory => Some(Self::Memory),
            _ => None,
        }
    }

    /// The shortage among the causes of an error.
    #[must_use]
    pub fn among_causes(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut next = Some(error);
        while let Some(this) = next {
            let shortage = match this.downcast_ref::<io::Error>() {
                Some(error) => Errno::from_io_error(error).map_or_else(|| Self::of_kind(error.kind()), Self::of),
                None => this.downcast_ref::<Errno>().copied().and_then(Self::of),
            };
            if shortage.is_some() {
                return shortage;
            }
            next = this.source();
        }
        None
    }

    /// Notes that something could not be read or written, if that was for a shortage. `EAGAIN` is none here: a file such as
    /// `/proc/kmsg` returns it while there is nothing to read.
    pub fn note(errno: Errno) {
        if errno != Errno::AGAIN {
            Self::count(errno);
        }
    }

    fn count(errno: Errno) {
        if Self::of(errno).is_some() {
            LAST.store(errno.raw_os_error(), Ordering::Relaxed);
            MISSED.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Notes the same about an error of the standard library.
    pub fn note_error(error: &io::Error) {
        if let Some(errno) = Errno::from_io_error(error) {
            Self::note(errno);
        }
    }

    /// Notes a shortage, also of processes, and returns the error.
    pub fn noted(error: io::Error) -> io::Error {
        if let Some(errno) = Errno::from_io_error(&error) {
            Self::count(errno);
        }
        error
    }

    /// How often this process [noted](Self::note) a shortage.
    #[must_use]
    pub fn missed() -> u64 {
        MISSED.load(Ordering::Relaxed)
    }

    /// What this process was short of when it last noted that.
    #[must_use]
    pub fn last_missed() -> Self {
        Self::of(Errno::from_raw_os_error(LAST.load(Ordering::Relaxed).max(1))).unwrap_or(Self::OpenFiles)
    }
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OpenFiles => "open files",
            Self::Processes => "processes and threads",
            Self::Memory => "memory",
            Self::Space => "space on a disk",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cause, Refused, Step};

    #[test]
    fn every_shortage_is_told_from_other_errors() {
        for (errno, shortage) in [
            (Errno::MFILE, Some(Shortage::OpenFiles)),
            (Errno::NFILE, Some(Shortage::OpenFiles)),
            (Errno::AGAIN, Some(Shortage::Processes)),
            (Errno::NOMEM, Some(Shortage::Memory)),
            (Errno::NOBUFS, Some(Shortage::Memory)),
            (Errno::NOLCK, Some(Shortage::Memory)),
            (Errno::NOSPC, Some(Shortage::Space)),
            (Errno::DQUOT, Some(Shortage::Space)),
            (Errno::FBIG, Some(Shortage::Space)),
            (Errno::NOENT, None),
            (Errno::ACCESS, None),
            (Errno::NOEXEC, None),
            (Errno::SRCH, None),
        ] {
            assert_eq!(Shortage::of(errno), shortage, "{errno}");
            let refused = Refused { step: Step::Fork, what: String::new(), cause: Cause::Errno(errno) };
            assert_eq!(Shortage::among_causes(&refused), shortage, "{errno}");
            let error = io::Error::from(errno);
            assert_eq!(Shortage::among_causes(&error), shortage, "{errno}");
            if shortage == Some(Shortage::Space) {
                let told = io::Error::new(error.kind(), "the file is kept elsewhere");
                assert_eq!(Shortage::among_causes(&told), shortage, "{errno}");
            }
            let before = Shortage::missed();
            Shortage::noted(error);
            assert!(shortage.is_none() || Shortage::missed() > before);
        }
    }
}

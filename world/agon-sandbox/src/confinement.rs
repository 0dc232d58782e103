//! What a program inside may see and use.

use agon_spec::Isolation;
use std::path::PathBuf;

/// What a program inside may see and use. [`Confinement::new`] has the limits of a bot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Confinement {
    /// How it is kept inside: [`Isolation::Restricted`] or [`Isolation::Full`].
    pub level: Isolation,
    /// Absolute files and folders that it may read, at the same paths as outside, beside the system itself.
    pub read: Vec<PathBuf>,
    /// Folders that are searched for programs before those of the system.
    pub search: Vec<PathBuf>,
    /// Memory of its whole tree in MiB; `None` is unlimited.
    pub memory_mib: Option<u32>,
    /// How many processes it may be at once. With 1 it cannot start another one.
    pub processes: u32,
    /// How many threads it may have, all its processes together. Held at [`Isolation::Full`] and where a cgroup is.
    pub threads: u32,
    /// How many files, pipes and folders it may have open at once, in each process.
    pub open_files: u32,
    /// How large a file it may write, in MiB.
    pub file_mib: u32,
    /// How much fits into its private `/tmp`, and again into its home, in MiB. At [`Isolation::Restricted`] it has neither.
    pub scratch_mib: u32,
    /// A private copy of a folder to work in, for builds.
    pub work: Option<Work>,
}

/// A private, writable copy of a folder, in which a program works.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Work {
    /// What is copied.
    pub from: PathBuf,
    /// Where it appears, absolute; also the working directory.
    pub at: PathBuf,
    /// How much fits into it, the copy included, in MiB.
    pub mib: u32,
}

impl Confinement {
    /// The memory that a bot has if nobody says otherwise, in MiB.
    pub const MEMORY_MIB: u32 = 400;

    /// The limits of a bot: one process, [`MEMORY_MIB`](Self::MEMORY_MIB), 64 threads, 256 open files, 16 MiB of
    /// scratch space.
    #[must_use]
    pub fn new(level: Isolation) -> Self {
        Self {
            level,
            read: Vec::new(),
            search: Vec::new(),
            memory_mib: Some(Self::MEMORY_MIB),
            processes: 1,
            threads: 64,
            open_files: 256,
            file_mib: 16,
            scratch_mib: 16,
            work: None,
        }
    }
}

//! What a program in a sandbox may see and use.

use agon_spec::Isolation;
use std::path::PathBuf;

/// What a program in a sandbox may see and use. [`Confinement::new`] has the limits of a bot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Confinement {
    /// The level of isolation. At [`Isolation::None`] nothing else in here has a meaning, but for a job the limits.
    pub level: Isolation,
    /// Absolute paths of files and folders that the program may read, beside the system itself. They have the same
    /// paths in the sandbox.
    pub read: Vec<PathBuf>,
    /// The absolute path of the file that the program reads as its own program, if it is an interpreter. The start is
    /// refused unless the program can read it; at [`Isolation::None`] that is not checked. `None` for any other program.
    pub script: Option<PathBuf>,
    /// Folders that are searched for programs before those of the system.
    pub search: Vec<PathBuf>,
    /// The limit of memory for the whole process tree, in MiB. `None` is unlimited.
    pub memory_mib: Option<u32>,
    /// How much more address space than memory each of its processes may have, in MiB, if memory is limited. Runtimes
    /// reserve much more than they use, and what is only reserved is not counted.
    pub reserved_mib: u32,
    /// How many processes the program may consist of at the same time. With 1 it cannot start another one.
    pub processes: u32,
    /// How many threads all its processes together may have. Enforced at [`Isolation::Full`], and at
    /// [`Isolation::Restricted`] if the program has its own user or control group.
    pub threads: u32,
    /// How many files, pipes and folders each of its processes may have open at the same time.
    pub open_files: u32,
    /// The largest size of a file that it may write, in MiB.
    pub file_mib: u32,
    /// The size of its private `/tmp`, and also that of its home, in MiB. At [`Isolation::Restricted`] it has neither.
    pub scratch_mib: u32,
    /// A private copy of a folder to work in, for builds. `None` for bots.
    pub work: Option<Work>,
}

/// A private, writable copy of a folder, in which a program works.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Work {
    /// The folder that is copied.
    pub from: PathBuf,
    /// The absolute path of the copy in the sandbox. It is also the working directory.
    pub at: PathBuf,
    /// How much fits into the folder, including the copied files, in MiB.
    pub mib: u32,
}

impl Confinement {
    /// The default limit of memory for a bot, in MiB.
    pub const MEMORY_MIB: u32 = 400;

    /// The default of [`reserved_mib`](Self::reserved_mib).
    pub const RESERVED_MIB: u32 = 4096;

    /// The limits of a bot: one process, [`MEMORY_MIB`](Self::MEMORY_MIB) of memory, 64 threads, 256 open files, files
    /// of at most 16 MiB, and 16 MiB each for `/tmp` and home.
    #[must_use]
    pub fn new(level: Isolation) -> Self {
        Self {
            level,
            read: Vec::new(),
            script: None,
            search: Vec::new(),
            memory_mib: Some(Self::MEMORY_MIB),
            reserved_mib: Self::RESERVED_MIB,
            processes: 1,
            threads: 64,
            open_files: 256,
            file_mib: 16,
            scratch_mib: 16,
            work: None,
        }
    }
}

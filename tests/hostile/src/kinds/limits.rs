//! The limits of bots of the suite. Attacks use these numbers to go just beyond them.

/// The memory limit in MiB.
pub(crate) const MEMORY_MIB: u32 = 96;
/// The maximum number of threads.
pub(crate) const THREADS: u32 = 32;
/// The maximum number of open files, pipes and folders.
pub(crate) const DESCRIPTORS: u32 = 64;
/// The maximum size of a file in MiB.
pub(crate) const FILE_MIB: u32 = 8;
/// The size of a private folder in MiB.
pub(crate) const SCRATCH_MIB: u32 = 16;

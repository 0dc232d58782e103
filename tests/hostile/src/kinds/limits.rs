//! The limits of bots of the suite. Attacks use these numbers to go just beyond them.

/// Memory in MiB.
pub(crate) const MEMORY_MIB: u32 = 96;
/// Threads.
pub(crate) const THREADS: u32 = 32;
/// Open files, pipes and folders.
pub(crate) const DESCRIPTORS: u32 = 64;
/// The maximum size of a file in MiB.
pub(crate) const FILE_MIB: u32 = 8;
/// The size of a private folder in MiB.
pub(crate) const SCRATCH_MIB: u32 = 16;

//! What bots of the suite may use. Attacks know these numbers, so that they can go a little beyond them.

/// Memory in MiB.
pub(crate) const MEMORY_MIB: u32 = 96;
/// Threads.
pub(crate) const THREADS: u32 = 32;
/// Files, pipes and folders open at once.
pub(crate) const DESCRIPTORS: u32 = 64;
/// The largest file in MiB.
pub(crate) const FILE_MIB: u32 = 8;
/// What fits into a private place, in MiB.
pub(crate) const SCRATCH_MIB: u32 = 16;

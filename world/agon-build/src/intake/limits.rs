//! The limits on the size of a bot.

/// The limits on the size of a bot in a folder or an archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The maximum number of bytes of all files together.
    pub total: u64,
    /// The maximum number of bytes of one file.
    pub file: u64,
    /// The maximum number of bytes of an archive, packed.
    pub archive: u64,
    /// The maximum size of an unpacked bot, as a multiple of the size of its archive.
    pub ratio: u64,
    /// The number of bytes that an archive may unpack to regardless of [`ratio`](Self::ratio).
    pub ratio_floor: u64,
    /// The maximum number of files and folders together.
    pub entries: u32,
    /// The maximum number of parts in a path.
    pub depth: usize,
    /// The maximum number of bytes in the name of one file or folder.
    pub name: usize,
    /// The maximum number of bytes in a path.
    pub path: usize,
}

impl Limits {
    /// Returns the maximum number of bytes that an archive of `packed` bytes may unpack to.
    #[must_use]
    pub fn unpacked(&self, packed: u64) -> u64 {
        packed.saturating_mul(self.ratio).max(self.ratio_floor).min(self.total)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            total: 256 << 20,
            file: 128 << 20,
            archive: 128 << 20,
            ratio: 200,
            ratio_floor: 8 << 20,
            entries: 10_000,
            depth: 32,
            name: 255,
            path: 1000,
        }
    }
}

/// Writes a number of bytes in the largest unit that divides it exactly.
pub(crate) fn size(n: u64) -> String {
    match n {
        n if n >= 1 << 20 && n.is_multiple_of(1 << 20) => format!("{} MiB", n >> 20),
        n if n >= 1 << 10 && n.is_multiple_of(1 << 10) => format!("{} KiB", n >> 10),
        n => format!("{n} bytes"),
    }
}

//! How much a bot may bring.

/// How much a bot may bring, as a folder or unpacked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of all files together.
    pub total: u64,
    /// Bytes of one file.
    pub file: u64,
    /// Bytes of an archive, packed.
    pub archive: u64,
    /// How many times as large as its archive a bot may be.
    pub ratio: u64,
    /// So many bytes are never too many for the archive that they came from.
    pub ratio_floor: u64,
    /// Files and folders together.
    pub entries: u32,
    /// Folders inside folders.
    pub depth: usize,
    /// Bytes of the name of one file or folder.
    pub name: usize,
    /// Bytes of a path.
    pub path: usize,
}

impl Limits {
    /// How many bytes may come out of an archive of `packed` bytes.
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

/// `n` bytes in words, in the largest unit that fits without a rest.
pub(crate) fn size(n: u64) -> String {
    match n {
        n if n >= 1 << 20 && n.is_multiple_of(1 << 20) => format!("{} MiB", n >> 20),
        n if n >= 1 << 10 && n.is_multiple_of(1 << 10) => format!("{} KiB", n >> 10),
        n => format!("{n} bytes"),
    }
}

//! How large a bundle may be.

use agon_build::intake;

/// The limits of a bundle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The maximum number of bytes of the whole bundle, headers and padding included.
    pub bytes: u64,
    /// The maximum number of files.
    pub files: usize,
    /// The maximum number of bytes in a path.
    pub path: usize,
    /// The maximum number of bytes in the name of one file or folder.
    pub name: usize,
    /// The maximum number of parts in a path.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let intake::Limits { path, name, depth, .. } = intake::Limits::default();
        Self { bytes: 2 << 30, files: 10_000, path, name, depth }
    }
}

impl Limits {
    /// Returns these limits in the form that names are checked by.
    pub(crate) fn of_names(&self) -> intake::Limits {
        intake::Limits { path: self.path, name: self.name, depth: self.depth, ..intake::Limits::default() }
    }
}

/// Writes a number of bytes in the largest unit that divides it exactly.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [(u32, &str); 3] = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = UNITS.iter().find(|(shift, _)| bytes > 0 && bytes.is_multiple_of(1 << shift));
    unit.map_or_else(|| format!("{bytes} bytes"), |(shift, unit)| format!("{} {unit}", bytes >> shift))
}

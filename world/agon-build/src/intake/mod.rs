//! How the files of a bot get in: out of a folder or an archive, through one door.
//!
//! Everything goes through `Intake`, which writes into a folder of its own: it checks each name, counts entries and
//! bytes as they come, never follows a link and never writes to a file that exists. What does not pass is refused, never
//! repaired.

mod archive;
mod beneath;
mod folder;
mod junk;
mod limits;
mod name;
mod submission;
mod tarball;
mod tree;
mod zip;

pub use archive::{Packing, packing};
pub use limits::Limits;
pub use name::Name;
pub use submission::Submission;
pub use tree::{Entry, Tree};

pub(crate) use limits::size;
pub(crate) use name::shown;

use agon_core::Flaw;
use std::path::Path;

/// What a bot was given as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A folder.
    Folder,
    /// An archive, packed in this way.
    Archive(Packing),
    /// A program that is played as it is, as a `.jar`.
    File,
}

impl Kind {
    /// What lies at `path`, if it is a folder, or a file whose name ends like an archive or a `.jar`.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        if path.is_dir() {
            return Some(Self::Folder);
        }
        let name = path.file_name()?.to_str()?.to_lowercase();
        if !path.is_file() {
            None
        } else if name.ends_with(".jar") {
            Some(Self::File)
        } else {
            packing(&name).map(Self::Archive)
        }
    }
}

/// Copies what lies at `path` into the empty folder `into`.
///
/// # Errors
/// Whatever of it is refused, with its name and the way out; or it cannot be read or written.
pub fn take(path: &Path, kind: Kind, into: &Path, limits: Limits) -> Result<Tree, Flaw> {
    Submission::open(path, kind)?.take(into, limits)
}

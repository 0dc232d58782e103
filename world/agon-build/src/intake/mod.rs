//! The import of a bot's files from a folder or an archive.
//!
//! All files pass through `Intake`, which writes them into a folder of its own. It checks each name and counts entries
//! and bytes as they arrive. It never follows a link and never writes to an existing file. It refuses what is not
//! allowed and never repairs it.

mod archive;
mod beneath;
mod environment;
mod folder;
mod import;
mod junk;
mod limits;
mod link;
mod name;
mod submission;
mod tarball;
mod tree;
mod zip;

pub use archive::{Packing, packing};
pub use beneath::open_below;
pub use junk::{VENV, VENV_FOLDER, is_built, is_junk, is_of_environment};
pub use limits::Limits;
pub use name::Name;
pub use submission::Submission;
pub use tree::{Entry, SourceTree};

pub(crate) use limits::size;
pub(crate) use name::{changed_by_windows, shown};

use agon_core::Flaw;
use std::path::Path;

/// The form in which a bot is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A folder.
    Folder,
    /// An archive in this format.
    Archive(Packing),
    /// A program that runs without a build: a `.jar` file.
    File,
}

impl Kind {
    /// Returns the form of the bot at `path`. `None` if there is neither a folder nor a file with the ending of an
    /// archive or of a `.jar`.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        if path.is_dir() {
            return Some(Self::Folder);
        }
        let name = path.file_name()?.to_str()?.to_lowercase();
        // What other systems drop from a name hides no ending.
        let name = name.trim_end_matches(['.', ' ']);
        if !path.is_file() {
            None
        } else if name.ends_with(".jar") {
            Some(Self::File)
        } else {
            packing(name).map(Self::Archive)
        }
    }
}

/// Imports the bot at `path` into the empty folder `into`.
///
/// # Errors
/// If a file or folder is not allowed, in which case the error names it; if a limit is exceeded; or if a file cannot be
/// read or written.
pub fn take(path: &Path, kind: Kind, into: &Path, limits: Limits) -> Result<SourceTree, Flaw> {
    Submission::open(path, kind)?.take(into, limits)
}

//! Why a store cannot be used.

use rustix::io::Errno;
use std::{
    io,
    path::{Path, PathBuf},
};

/// The result type of this crate.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Why a store cannot be used, or a write was refused. Messages are lower-case fragments.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no file with this name.
    #[error("there is no store `{}`", .0.display())]
    Missing(PathBuf),
    /// Another process writes to the store.
    #[error("`{}` is in use by {}", .path.display(), owner_words(*.owner))]
    InUse {
        /// The store.
        path: PathBuf,
        /// The number of the other process, if it is known.
        owner: Option<u32>,
    },
    /// The file is something else.
    #[error("`{}` is not a store of Agon", .0.display())]
    NotAStore(PathBuf),
    /// The file has no tables: a program was ended before it had made them. Who opens the store to write makes them.
    #[error("`{}` is empty", .0.display())]
    Empty(PathBuf),
    /// A later version of Agon wrote the store.
    #[error("`{}` has the format {found} of a newer Agon; this one knows formats up to {known}", .path.display())]
    Newer {
        /// The store.
        path: PathBuf,
        /// The version of its format.
        found: u32,
        /// The newest version of the format that this program can read.
        known: u32,
    },
    /// A version of Agon that was never released wrote the store.
    #[error("`{}` has the format {found} of an earlier Agon; this one knows formats from {oldest}", .path.display())]
    Older {
        /// The store.
        path: PathBuf,
        /// The version of its format.
        found: u32,
        /// The oldest version of the format that this program can read.
        oldest: u32,
    },
    /// The file is cut off or overwritten.
    #[error("`{}` is damaged: {why}", .path.display())]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What SQLite says about it.
        why: String,
    },
    /// The disk has no room. What was acknowledged before is stored, and nothing else.
    #[error("`{}` cannot grow: the disk, or what this user may have of it, is full", .0.display())]
    Full(PathBuf),
    /// The host is short of something else.
    #[error("cannot {doing} `{}`: {why}", .path.display())]
    Short {
        /// The failed action, as in `open the store`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason, in the words of the system.
        why: String,
    },
    /// The system refuses something else.
    #[error("cannot {doing} `{}`: {why}", .path.display())]
    Io {
        /// The failed action, as in `open the store`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason, in the words of the system.
        why: String,
    },
    /// The connection to the store was lost while it wrote. Nobody knows whether it did. Ask again with the same match and
    /// token: what is stored is not stored twice.
    #[error("the connection to `{place}` was lost: {why}")]
    Lost {
        /// The store, without passwords.
        place: String,
        /// The reason, in the words of the system.
        why: String,
    },
    /// A store on another machine refuses something.
    #[error("cannot {doing} `{place}`: {why}")]
    Remote {
        /// The failed action, as in `open the store`.
        doing: &'static str,
        /// The store, without passwords.
        place: String,
        /// The reason, in the words of the store.
        why: String,
    },
    /// Another process leads the tournament in a store on another machine.
    #[error("{leader} leads this tournament in `{place}`")]
    Led {
        /// The store, without passwords.
        place: String,
        /// What is known of the other process.
        leader: String,
    },
    /// There is another match with the same id.
    #[error("match {0} was planned otherwise before")]
    OtherPlan(u64),
    /// There is no match with this id.
    #[error("there is no match {0}")]
    NoMatch(u64),
    /// There is no tournament with this name.
    #[error("there is no tournament `{0}` in the store")]
    NoTournament(String),
    /// There is no blob with this hash.
    #[error("there is no blob {0}")]
    NoBlob(crate::BlobHash),
    /// There is no bot with this number.
    #[error("there is no bot with the number {0}")]
    NoBot(u32),
    /// There is a bot with this name.
    #[error("there is a bot called `{0}` already")]
    SameName(String),
    /// A tournament cannot be copied to where one is.
    #[error("there is a tournament in the store already")]
    NotEmpty,
    /// A blob cannot be packed or unpacked.
    #[error("{0}")]
    Blob(String),
    /// The store was closed before the write reached the disk.
    #[error("the store was closed before everything was written")]
    Closed,
}

impl StoreError {
    /// Returns a hint on how to fix the problem, if there is a short one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::InUse { path, owner } => {
                let end = match owner {
                    Some(pid) => format!("or end it with `kill -INT {pid}`, which does the same as Ctrl-C"),
                    None => format!("`fuser {}` says which process it is", path.display()),
                };
                format!("wait until it ends, {end}; reading the store is possible meanwhile")
            }
            Self::Newer { .. } => "use the version of Agon that wrote it".to_owned(),
            Self::Older { .. } => "use the version of Agon that wrote it, or start over with `--restart`".to_owned(),
            Self::Empty(_) => "nothing was stored in it yet; repeat the command that created it".to_owned(),
            Self::NotAStore(path) if is_remote(path) => {
                "the tables there are of something else; name another schema: `?schema=NAME`".to_owned()
            }
            Self::NotAStore(_) => "move the file away, or choose another name for the tournament".to_owned(),
            Self::Damaged { path, .. } if is_remote(path) => {
                "restore the database from a copy, or begin in another schema: `?schema=NAME`".to_owned()
            }
            Self::Damaged { .. } => "restore the file from a copy, or start over with `--restart`".to_owned(),
            Self::Full(path) if is_remote(path) => {
                "make room on the disk of the server, then run it again: nothing that was shown is lost".to_owned()
            }
            Self::Full(_) => {
                "make room on the disk, or raise its quota or the limit of a file's size (`ulimit -f`), then run it again: nothing \
                 that was shown is lost"
                    .to_owned()
            }
            Self::Short { .. } => {
                "raise the limits of open files and processes (`ulimit -n`, `ulimit -u`), or close other programs, then run it \
                 again: nothing that was shown is lost"
                    .to_owned()
            }
            Self::Lost { .. } => {
                "see that it runs and can be reached, then run it again: nothing that was shown is lost".to_owned()
            }
            Self::Led { .. } => {
                "wait until it ends, or go on after it with `agon tournament run FILE --stand-by`; reading the store is possible \
                 meanwhile"
                    .to_owned()
            }
            _ => return None,
        })
    }

    pub(crate) fn io(doing: &'static str, path: &Path, why: &io::Error) -> Self {
        let full = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::FileTooLarge];
        if full.contains(&why.kind()) {
            return Self::Full(path.to_owned());
        }
        let short = [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM, Errno::NOBUFS, Errno::NOLCK];
        let is_short = Errno::from_io_error(why).is_some_and(|errno| short.contains(&errno));
        let text = why.to_string();
        let text = text.split(" (os error").next().unwrap_or_default();
        let mut chars = text.chars();
        let why = chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect());
        let path = path.to_owned();
        if is_short { Self::Short { doing, path, why } } else { Self::Io { doing, path, why } }
    }
}

/// Returns whether this is the address of a database on a server.
fn is_remote(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.starts_with("postgres://") || text.starts_with("postgresql://"))
}

fn owner_words(owner: Option<u32>) -> String {
    owner.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

//! Why the database of a contest cannot be used.

/// Why the database of a contest cannot be used. Messages are lower-case fragments. No place in them has a password.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseError {
    /// The file is no store of Agon, or has no tables yet.
    #[error("`{place}` is not a store of Agon")]
    NotAStore {
        /// The store.
        place: String,
    },
    /// A later version of Agon has made the tables.
    #[error("`{place}` has a contest of a newer Agon (format {found}; this one knows formats up to {known})")]
    Newer {
        /// The store.
        place: String,
        /// The version of its tables.
        found: i64,
        /// The newest version that this program can use.
        known: i64,
    },
    /// Another process serves the contest.
    #[error("another process serves the contest in `{place}`")]
    InUse {
        /// The store.
        place: String,
    },
    /// The disk has no room.
    #[error("`{place}` cannot grow: the disk, or what this user may have of it, is full")]
    Full {
        /// The store.
        place: String,
    },
    /// Others have kept the file from being written for too long.
    #[error("`{place}` is busy")]
    Busy {
        /// The store.
        place: String,
    },
    /// The file is cut off or overwritten, or a value is not what it should be.
    #[error("`{place}` is damaged: {why}")]
    Damaged {
        /// The store.
        place: String,
        /// What is wrong.
        why: String,
    },
    /// The connection to the server of the database was lost. If it was while something was written, nobody knows whether it is.
    #[error("the connection to `{place}` was lost: {why}")]
    Lost {
        /// The store.
        place: String,
        /// The reason, in the words of the system.
        why: String,
    },
    /// The database refuses something else.
    #[error("cannot use `{place}`: {why}")]
    Failed {
        /// The store.
        place: String,
        /// The reason, in the words of the database.
        why: String,
    },
    /// A value has another type than was asked for.
    #[error("column {column} is not {wanted}")]
    Type {
        /// The number of the column, from 0.
        column: usize,
        /// The type that was asked for.
        wanted: &'static str,
    },
    /// A transaction was given up because its job panicked.
    #[error("a transaction was given up: {0}")]
    Panicked(String),
    /// A job asked the database for another transaction, for which it would have waited for ever.
    #[error("a transaction was asked for within another one")]
    Nested,
    /// The threads of the database have ended.
    #[error("the database is closed")]
    Closed,
}

impl DatabaseError {
    /// Returns a hint on how to fix the problem, if there is a short one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::NotAStore { .. } => "move the file away, or choose another name for the store",
            Self::Newer { .. } => "use the version of Agon that wrote it",
            Self::InUse { .. } => "end the other process, or serve another contest with `--store`",
            Self::Full { .. } => "make room on the disk, then start again: nothing that was acknowledged is lost",
            Self::Busy { .. } => "end other programs that use the file, such as a backup",
            Self::Damaged { .. } => "restore the file from a copy",
            Self::Lost { .. } => "see that the server of the database runs and can be reached",
            _ => return None,
        })
    }
}

//! Why something is not done.

use crate::{Refusal, database::DatabaseError};

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something is not done. Messages are lower-case fragments.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// The database of the contest cannot be used: the affair of the host, never of the person who asked.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The person who asked may not have it, or must ask otherwise.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

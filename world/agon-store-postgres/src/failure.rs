//! Why a statement failed, before it is known of which store.

use crate::place::Place;
use agon_store::StoreError;
use postgres::error::SqlState;
use std::path::PathBuf;

/// Why a statement failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The caller asked for something that is not possible. Nothing was changed.
    Refused(StoreError),
    /// PostgreSQL failed, or cannot be reached. What was not committed is lost.
    Postgres(postgres::Error),
    /// A value is not one that this program writes.
    Content(String),
    /// Another process has become the leader since.
    Overtaken,
}

impl From<postgres::Error> for Failure {
    fn from(why: postgres::Error) -> Self {
        Self::Postgres(why)
    }
}

impl From<StoreError> for Failure {
    fn from(why: StoreError) -> Self {
        Self::Refused(why)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(why: serde_json::Error) -> Self {
        Self::Content(why.to_string())
    }
}

impl Failure {
    /// Returns whether it may work on another connection, or a moment later.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Self::Postgres(why) if is_passing(why))
    }

    /// Returns the error of the store at this place.
    pub(crate) fn at(self, place: &Place) -> StoreError {
        let doing = "use the store";
        let path = || PathBuf::from(&place.shown);
        let is_passing = self.is_passing();
        match self {
            Self::Refused(error) => error,
            Self::Content(why) => StoreError::Damaged { path: path(), why },
            Self::Overtaken => {
                StoreError::Led { place: place.shown.clone(), leader: "a process that began later".to_owned() }
            }
            Self::Postgres(why) => match why.code() {
                Some(&SqlState::DISK_FULL) => StoreError::Full(path()),
                Some(&SqlState::DATA_CORRUPTED | &SqlState::INDEX_CORRUPTED) => {
                    StoreError::Damaged { path: path(), why: words(&why) }
                }
                _ if is_passing => StoreError::Lost { place: place.shown.clone(), why: words(&why) },
                _ => place.error(doing, words(&why)),
            },
        }
    }
}

/// Returns whether something may work on another connection, or a moment later.
pub(crate) fn is_passing(why: &postgres::Error) -> bool {
    let Some(code) = why.code() else {
        // Without an answer of the server the connection has failed, or the answer was not understood.
        return why.is_closed() || std::error::Error::source(why).is_some_and(|inner| inner.is::<std::io::Error>());
    };
    let passing = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::IDLE_SESSION_TIMEOUT,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
    ];
    // Class 08 is of connections, and 40 of transactions that must be made again.
    passing.contains(code) || code.code().starts_with("08") || code.code().starts_with("40")
}

/// Returns the words of an error without those of the driver.
pub(crate) fn words(why: &postgres::Error) -> String {
    let text = match (why.as_db_error(), std::error::Error::source(why)) {
        (Some(of_server), _) => of_server.message().to_owned(),
        (None, Some(inner)) => inner.to_string(),
        (None, None) => why.to_string(),
    };
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

//! Why a statement failed, before it is known of which file.

use crate::StoreError;
use rusqlite::{ErrorCode, types::Type};
use std::{io, path::Path};

/// Why a statement failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// The caller asked for something that is not possible. Nothing was changed.
    Refused(StoreError),
    /// SQLite failed. What was not committed is lost.
    Sqlite(rusqlite::Error),
    /// The system failed, for this reason.
    System(rusqlite::Error, io::Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(why: rusqlite::Error) -> Self {
        // SQLite has no codes for the reasons of the system, but leaves them where the system does.
        match why.sqlite_error_code() {
            Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) => Self::System(why, io::Error::last_os_error()),
            _ => Self::Sqlite(why),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(why: StoreError) -> Self {
        Self::Refused(why)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(why: serde_json::Error) -> Self {
        Self::Sqlite(rusqlite::Error::FromSqlConversionFailure(0, Type::Text, why.into()))
    }
}

impl Failure {
    /// Returns the error of the store at `path`.
    pub(super) fn at(self, path: &Path) -> StoreError {
        let why = match self {
            Self::Refused(error) => return error,
            Self::Sqlite(why) => why,
            Self::System(why, reason) => match StoreError::io("use the store", path, &reason) {
                StoreError::Io { .. } => why,
                short => return short,
            },
        };
        let path = path.to_owned();
        let text = match &why {
            rusqlite::Error::SqliteFailure(_, Some(text)) => text.clone(),
            other => other.to_string(),
        };
        match why.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => StoreError::NotAStore(path),
            Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path, why: text },
            Some(ErrorCode::DiskFull) => StoreError::Full(path),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::InUse { path, owner: None },
            // The tables are not those that this version has, or a value has another type.
            _ if is_of_content(&why) => StoreError::Damaged { path, why: text },
            _ => StoreError::Io { doing: "use the store", path, why: text },
        }
    }
}

fn is_of_content(why: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, QueryReturnedNoRows};
    let missing = |text: &str| text.starts_with("no such table") || text.starts_with("no such column");
    match why {
        FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | QueryReturnedNoRows => {
            true
        }
        rusqlite::Error::SqliteFailure(_, Some(text)) => missing(text),
        rusqlite::Error::SqlInputError { msg, .. } => missing(msg),
        _ => false,
    }
}

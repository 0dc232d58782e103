//! The tables, and how older ones become newer ones.

use super::failure::Failure;
use crate::StoreError;
use rusqlite::{Connection, params};
use std::{path::Path, time::SystemTime};

/// The version of the tables that this program writes.
pub const SCHEMA: u32 = 5;

/// The oldest version that this program reads. What came before was never released.
const FIRST: u32 = 2;

/// Marks a SQLite file as a store of Agon: `AGON` in ASCII.
const APPLICATION: i32 = 0x4147_4f4e;

/// One step for each version: the first makes the tables of [`FIRST`], the next turns them into those of the
/// version after.
const MIGRATIONS: [&str; (SCHEMA + 1 - FIRST) as usize] = [
    include_str!("schema-2.sql"),
    include_str!("schema-3.sql"),
    include_str!("schema-4.sql"),
    include_str!("schema-5.sql"),
];

/// What a file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// It has no tables yet.
    Empty,
    /// A store with tables of this version.
    Store(u32),
}

/// Finds out what a file is.
///
/// # Errors
/// If it is not a store, or one of a newer program, or of one that was never released.
pub(super) fn look(db: &Connection, path: &Path) -> Result<Found, StoreError> {
    let number = |pragma: &str| db.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
    let read = || -> rusqlite::Result<(i32, i32, bool)> {
        let tables: bool = db.query_row("SELECT EXISTS (SELECT * FROM sqlite_schema)", [], |row| row.get(0))?;
        Ok((number("application_id")?, number("user_version")?, tables))
    };
    match read().map_err(|why| Failure::from(why).at(path))? {
        (0, 0, false) => Ok(Found::Empty),
        (APPLICATION, version @ 1.., _) => {
            let found = u32::try_from(version).unwrap_or(0);
            if found > SCHEMA {
                return Err(StoreError::Newer { path: path.to_owned(), found, known: SCHEMA });
            }
            if found < FIRST {
                return Err(StoreError::Older { path: path.to_owned(), found, oldest: FIRST });
            }
            Ok(Found::Store(found))
        }
        _ => Err(StoreError::NotAStore(path.to_owned())),
    }
}

/// Makes the tables of an earlier version look like those of now, for a connection that only reads.
pub(super) fn adapt(db: &Connection, found: u32) -> rusqlite::Result<()> {
    let views = match found {
        SCHEMA.. => return Ok(()),
        4 => include_str!("older-with-earlier.sql"),
        _ => include_str!("older-without-earlier.sql"),
    };
    db.pragma_update(None, "temp_store", "MEMORY")?;
    db.execute_batch(include_str!("older.sql"))?;
    db.execute_batch(views)
}

/// Makes the tables, or brings older ones up to date. A file is changed as a whole or not at all.
pub(super) fn migrate(db: &mut Connection, found: Found) -> Result<(), Failure> {
    let done = match found {
        Found::Empty => FIRST - 1,
        Found::Store(version) => version,
    };
    if done == SCHEMA {
        return Ok(());
    }
    let change = db.transaction()?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    let now = i64::try_from(now).unwrap_or(i64::MAX);
    for (version, sql) in (FIRST..).zip(MIGRATIONS).skip((done + 1 - FIRST) as usize) {
        change.execute_batch(sql)?;
        let row = params![version, now, env!("CARGO_PKG_VERSION")];
        change.execute("INSERT INTO migrations (version, at_ms, agon) VALUES (?, ?, ?)", row)?;
    }
    change.pragma_update(None, "application_id", APPLICATION)?;
    change.pragma_update(None, "user_version", SCHEMA)?;
    Ok(change.commit()?)
}

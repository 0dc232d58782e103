//! A back end in one file, or in memory.

use super::{
    DatabaseError, Row, Sql, Value,
    pool::{Backend, Mode},
};
use crate::{Error, Result};
use rusqlite::{
    Connection, ErrorCode, OpenFlags, Statement,
    types::{ToSqlOutput, ValueRef},
};
use std::{fs, io, os::unix::fs::PermissionsExt, path::Path, thread, time::Duration};

/// Marks a file as a store of Agon: `AGON` in ASCII.
const APPLICATION: i32 = 0x4147_4f4e;
/// The time between two tries to begin while the store writes. The store writes in groups, with short times between them in which
/// others can: who sleeps for longer misses these.
const PAUSE: Duration = Duration::from_millis(1);
/// How many tries there are.
const TRIES: i32 = 20_000;
/// What a connection keeps of pages in memory, in KiB.
const CACHE_KIB: i32 = 2 << 10;

/// A connection to a file.
pub(super) struct Sqlite {
    db: Connection,
    place: String,
}

impl Sqlite {
    /// Opens the file of a store, which must be there and have its tables.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let place = path.display().to_string();
        let at = |why: rusqlite::Error| failure(&place, &why);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut db = Connection::open_with_flags(path, flags).map_err(at)?;
        set_up(&mut db).map_err(at)?;
        let application: i32 = db.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(at)?;
        if application != APPLICATION {
            return Err(DatabaseError::NotAStore { place }.into());
        }
        let mode: String = db.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)).map_err(at)?;
        if mode != "wal" {
            let why = "this file system has no shared memory".to_owned();
            return Err(DatabaseError::Failed { place, why }.into());
        }
        // Not `NORMAL`, which may lose with the power what was acknowledged.
        db.pragma_update(None, "synchronous", "FULL").map_err(at)?;
        // The log grows to this many pages before they are copied into the file, as the store has it.
        db.pragma_update(None, "wal_autocheckpoint", 256).map_err(at)?;
        db.pragma_update(None, "cache_size", -CACHE_KIB).map_err(at)?;
        Ok(Self { db, place })
    }

    /// Makes a database in memory.
    pub(super) fn memory() -> Result<Self> {
        let place = ":memory:".to_owned();
        let at = |why: rusqlite::Error| failure(&place, &why);
        let mut db = Connection::open_in_memory().map_err(at)?;
        set_up(&mut db).map_err(at)?;
        Ok(Self { db, place })
    }

    fn batch(&self, sql: &str) -> Result<()> {
        self.db.execute_batch(sql).map_err(|why| failure(&self.place, &why))
    }
}

/// Makes a store one that only its owner can read. SQLite gives the files beside it that it makes later the same rights.
pub(super) fn keep_private(path: &Path) -> Result<()> {
    for end in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        match fs::set_permissions(&name, fs::Permissions::from_mode(0o600)) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => {
                let place = Path::new(&name).display().to_string();
                return Err(DatabaseError::Failed { place, why: why.to_string() }.into());
            }
            _ => {}
        }
    }
    Ok(())
}

fn set_up(db: &mut Connection) -> rusqlite::Result<()> {
    db.busy_handler(Some(|tries| {
        thread::sleep(PAUSE);
        tries < TRIES
    }))?;
    db.set_prepared_statement_cache_capacity(128);
    db.pragma_update(None, "foreign_keys", true)?;
    // A file from a stranger must not run anything, and what is damaged must be seen.
    db.pragma_update(None, "trusted_schema", false)?;
    db.pragma_update(None, "cell_size_check", true)
}

impl Backend for Sqlite {
    fn begin(&mut self, mode: Mode) -> Result<()> {
        match mode {
            Mode::Read => self.batch("PRAGMA query_only = ON; BEGIN"),
            Mode::Write => self.batch("PRAGMA query_only = OFF; BEGIN IMMEDIATE"),
        }
    }

    fn commit(&mut self) -> Result<()> {
        self.batch("COMMIT")
    }

    fn rollback(&mut self) {
        if !self.db.is_autocommit() {
            // It fails only where SQLite has rolled back by itself.
            let _ = self.db.execute_batch("ROLLBACK");
        }
    }

    fn place(&self) -> String {
        self.place.clone()
    }
}

impl Sql for Sqlite {
    fn run(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        let place = &self.place;
        let at = |why: rusqlite::Error| failure(place, &why);
        let mut statement = self.db.prepare_cached(&numbered(sql)).map_err(at)?;
        bind(&mut statement, values).map_err(at)?;
        Ok(u64::try_from(statement.raw_execute().map_err(at)?).unwrap_or(u64::MAX))
    }

    fn rows(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
        let place = &self.place;
        let at = |why: rusqlite::Error| failure(place, &why);
        let mut statement = self.db.prepare_cached(&numbered(sql)).map_err(at)?;
        bind(&mut statement, values).map_err(at)?;
        let columns = statement.column_count();
        let mut rows = statement.raw_query();
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(at)? {
            let value = |column| row.get_ref(column).map_err(at).and_then(|value| read(place, column, value));
            found.push(Row((0..columns).map(value).collect::<Result<_>>()?));
        }
        Ok(found)
    }
}

fn bind(statement: &mut Statement<'_>, values: &[Value]) -> rusqlite::Result<()> {
    let wanted = statement.parameter_count();
    if wanted != values.len() {
        return Err(rusqlite::Error::InvalidParameterCount(values.len(), wanted));
    }
    for (at, value) in values.iter().enumerate() {
        let value = match value {
            Value::Null => ValueRef::Null,
            Value::Int(number) => ValueRef::Integer(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
        };
        statement.raw_bind_parameter(at + 1, ToSqlOutput::Borrowed(value))?;
    }
    Ok(())
}

fn read(place: &str, column: usize, value: ValueRef<'_>) -> Result<Value> {
    let damaged = |why: &str| DatabaseError::Damaged { place: place.to_owned(), why: format!("column {column} {why}") };
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Real(_) => return Err(damaged("has a number that is not whole").into()),
        ValueRef::Text(text) => {
            Value::Text(String::from_utf8(text.to_vec()).map_err(|_| damaged("has a text that is not UTF-8"))?)
        }
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
    })
}

/// Returns a statement with `?1` for `$1`: to SQLite, `$1` is a name and not a number.
fn numbered(sql: &str) -> String {
    let mut quoted = false;
    let mut letters = sql.chars().peekable();
    let mut text = String::with_capacity(sql.len());
    while let Some(letter) = letters.next() {
        quoted ^= letter == '\'';
        let is_place = letter == '$' && !quoted && letters.peek().is_some_and(char::is_ascii_digit);
        text.push(if is_place { '?' } else { letter });
    }
    text
}

fn failure(place: &str, why: &rusqlite::Error) -> Error {
    let place = place.to_owned();
    let error = match why.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => DatabaseError::Full { place },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => DatabaseError::Busy { place },
        Some(ErrorCode::NotADatabase) => DatabaseError::NotAStore { place },
        Some(ErrorCode::DatabaseCorrupt) => DatabaseError::Damaged { place, why: why.to_string() },
        _ => DatabaseError::Failed { place, why: why.to_string() },
    };
    error.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_values_are_numbered() {
        assert_eq!(numbered("SELECT $2, $1, '$1 it''s $1', $12"), "SELECT ?2, ?1, '$1 it''s $1', ?12");
        assert_eq!(numbered("SELECT '$' || $1"), "SELECT '$' || ?1");
    }
}

//! Opens the file of a store.

use super::{
    failure::Failure,
    lock::beside,
    schema::{self, Found, look},
};
use crate::{Result, StoreError};
use rusqlite::{Connection, OpenFlags};
use std::{
    fmt::Write,
    fs::{self, DirBuilder, File},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

/// How long a statement waits for a reader that is in the way. Readers are in the way only for moments.
const PATIENCE: Duration = Duration::from_secs(10);

/// Replays of a few kilobytes fit into large pages better than into usual ones.
const PAGE: u32 = 16 << 10;

/// What a connection keeps of pages in memory, in KiB.
const CACHE_KIB: i32 = 2 << 10;

/// Opens a store for writing. Creates it if there is none.
pub(super) fn for_writing(path: &Path) -> Result<Connection> {
    let at = |why: rusqlite::Error| Failure::from(why).at(path);
    let new = !path.exists();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(path, flags).map_err(at)?;
    prepare(&db).map_err(at)?;
    let found = look(&db, path)?;
    let set_up = |db: &mut Connection| -> Result<(), Failure> {
        if found == Found::Empty {
            db.pragma_update(None, "page_size", PAGE)?;
        }
        let mode: String = db.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
        if mode != "wal" {
            let why = "this file system has no shared memory".to_owned();
            return Err(StoreError::Io { doing: "write beside", path: path.to_owned(), why }.into());
        }
        // Not `NORMAL`, which may lose acknowledged results with the power.
        db.pragma_update(None, "synchronous", "FULL")?;
        // The log grows to this many pages before they are copied into the file.
        db.pragma_update(None, "wal_autocheckpoint", 256)?;
        bound_cache(db)?;
        schema::migrate(db, found)
    };
    set_up(&mut db).map_err(|why| why.at(path))?;
    if new {
        // The file is there after a loss of power only if its folder says so.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|why| StoreError::io("create the store", path, &why))?;
    }
    Ok(db)
}

/// A connection that changes nothing, and the folder of a copy if it reads one.
pub(super) struct ReadOnly {
    pub(super) db: Connection,
    copy: Option<PathBuf>,
}

impl Drop for ReadOnly {
    fn drop(&mut self) {
        if let Some(copy) = &self.copy {
            let _ = fs::remove_dir_all(copy);
        }
    }
}

/// Opens a store for reading, also while another process writes to it, and on media that cannot be written.
pub(super) fn for_reading(path: &Path) -> Result<ReadOnly> {
    if !path.exists() {
        return Err(StoreError::Missing(path.to_owned()));
    }
    let first = connect(path, "");
    let Err(StoreError::Io { .. }) = first else { return Ok(ReadOnly { db: first?, copy: None }) };
    // SQLite wants to write beside the file even to read it. What is not committed to the file itself is in the log
    // beside it.
    let log = beside(path, "-wal");
    if log.metadata().map_or(0, |about| about.len()) == 0 {
        return Ok(ReadOnly { db: connect(path, "?immutable=1")?, copy: None });
    }
    let folder = private_folder()?;
    let copied = fs::copy(path, folder.join("store")).and_then(|_| fs::copy(&log, folder.join("store-wal")));
    let opened = copied
        .map_err(|why| StoreError::io("copy the store to", &folder, &why))
        .and_then(|_| connect(&folder.join("store"), ""));
    match opened {
        Ok(db) => Ok(ReadOnly { db, copy: Some(folder) }),
        Err(why) => {
            let _ = fs::remove_dir_all(&folder);
            Err(why)
        }
    }
}

/// Creates a folder in which only this user can read.
fn private_folder() -> Result<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("agon-store-{}-{count}", std::process::id()));
    let created = DirBuilder::new().mode(0o700).create(&folder);
    created.map_err(|why| StoreError::io("copy the store to", &folder, &why))?;
    Ok(folder)
}

fn connect(path: &Path, options: &str) -> Result<Connection> {
    let at = |why: rusqlite::Error| Failure::from(why).at(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let db = Connection::open_with_flags(uri(path) + options, flags).map_err(at)?;
    prepare(&db).map_err(at)?;
    match look(&db, path)? {
        // What an earlier version has written reads as it is; only who writes must change the tables first.
        Found::Store(version) => {
            bound_cache(&db).and_then(|()| schema::adapt(&db, version)).map_err(at)?;
            Ok(db)
        }
        Found::Empty => Err(StoreError::Empty(path.to_owned())),
    }
}

/// Writes a path as SQLite reads it, with every unusual byte as `%XX`.
fn uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => uri.push(char::from(*byte)),
            other => drop(write!(uri, "%{other:02x}")),
        }
    }
    uri
}

fn prepare(db: &Connection) -> rusqlite::Result<()> {
    db.busy_timeout(PATIENCE)?;
    db.set_prepared_statement_cache_capacity(64);
    // A file from a stranger must not run anything, and what is damaged must be seen.
    db.pragma_update(None, "trusted_schema", false)?;
    db.pragma_update(None, "cell_size_check", true)
}

/// Limits what a connection keeps in memory. SQLite turns the size into a number of pages at once and keeps this number when the
/// size of a page changes, as it does when a file of larger pages is first read. So this comes after that.
fn bound_cache(db: &Connection) -> rusqlite::Result<()> {
    db.pragma_update(None, "cache_size", -CACHE_KIB)
}

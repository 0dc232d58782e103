//! A store that is only read.

use super::{failure::Failure, open, read};
use crate::{
    BlobHash, FileVersion, Progress, Records, Result, Snapshot, StoredBot, StoredEvent, StoredMap, StoredMatch,
};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// A store that is only read, also while another process writes to it, and on media that cannot be written.
pub struct SqliteReader {
    path: PathBuf,
    opened: open::ReadOnly,
}

impl SqliteReader {
    /// Opens the store at this path.
    ///
    /// # Errors
    /// If there is no store, or the file is not one, is damaged, or of a newer version.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self { path: path.to_owned(), opened: open::for_reading(path)? })
    }

    /// Stays with the store as it is now: nothing that is written later is seen, and all answers fit together.
    /// Meanwhile the log beside the store only grows, so this is for a reader that soon ends.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn freeze(&self) -> Result<()> {
        self.read(|db| {
            db.execute_batch("BEGIN")?;
            // Only the first statement that reads fixes what is seen.
            read::progress(db).map(drop)
        })
    }

    /// Returns the bytes with this hash. `None` if there are none.
    ///
    /// # Errors
    /// If the store cannot be read, or the bytes are damaged.
    pub fn get(&self, hash: BlobHash) -> Result<Option<Vec<u8>>> {
        self.read(|db| read::get(db, hash))
    }

    /// Reads the whole file and returns what is wrong with it, in the words of SQLite. Takes seconds for a gigabyte.
    ///
    /// # Errors
    /// If the file cannot be read at all.
    pub fn flaws(&self) -> Result<Vec<String>> {
        self.read(read::flaws)
    }

    fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T> {
        read(&self.opened.db).map_err(|why| why.at(&self.path))
    }
}

impl Records for SqliteReader {
    fn progress(&self) -> Result<Progress> {
        self.read(read::progress)
    }

    fn find(&self, id: u64) -> Result<Option<StoredMatch>> {
        self.read(|db| read::find(db, id))
    }

    fn matches(&self, after: u64, count: usize) -> Result<Vec<StoredMatch>> {
        self.read(|db| read::matches(db, after, count))
    }

    fn bots(&self) -> Result<Vec<StoredBot>> {
        self.read(read::bots)
    }

    fn files(&self) -> Result<Vec<FileVersion>> {
        self.read(read::files)
    }

    fn maps(&self) -> Result<Vec<StoredMap>> {
        self.read(read::maps)
    }

    fn amendments(&self) -> Result<Vec<String>> {
        self.read(read::amendments)
    }

    fn events(&self, count: usize) -> Result<Vec<StoredEvent>> {
        self.read(|db| read::events(db, count))
    }

    fn snapshot(&self, name: &str) -> Result<Option<Snapshot>> {
        self.read(|db| read::snapshot(db, name))
    }
}

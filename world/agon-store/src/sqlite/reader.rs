//! A store that is only read.

use super::{FIRST, failure::Failure, open, read, transfer};
use crate::{
    Artefact, Attempt, BlobHash, Claim, EarlierResult, FileVersion, Progress, Records, Result, Snapshot, StoreError,
    StoredBot, StoredEvent, StoredMap, StoredMatch, StoredWorker, TakePart,
};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// A store that is only read, also while another process writes to it, and on media that cannot be written.
pub struct SqliteReader {
    path: PathBuf,
    opened: open::ReadOnly,
    tournament: u32,
}

impl SqliteReader {
    /// Opens the store at this path, with its first tournament.
    ///
    /// # Errors
    /// If there is no store, or the file is not one, is damaged, or of a newer version.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self { path: path.to_owned(), opened: open::for_reading(path)?, tournament: FIRST })
    }

    /// Returns the names of the tournaments in the order in which they began. That of the first is empty.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn tournaments(&self) -> Result<Vec<String>> {
        Ok(self.read(read::tournaments)?.into_iter().map(|(_, name)| name).collect())
    }

    /// Reads the tournament with this name from now on.
    ///
    /// # Errors
    /// If there is none, or the store cannot be read.
    pub fn tournament(self, name: &str) -> Result<Self> {
        let found = self.read(read::tournaments)?.into_iter().find(|(_, known)| known == name);
        let (tournament, _) = found.ok_or_else(|| StoreError::NoTournament(name.to_owned()))?;
        Ok(Self { tournament, ..self })
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
            read::progress(db, self.tournament).map(drop)
        })
    }

    /// Returns the bytes with this hash. `None` if there are none.
    ///
    /// # Errors
    /// If the store cannot be read, or the bytes are damaged.
    pub fn get(&self, hash: BlobHash) -> Result<Option<Vec<u8>>> {
        self.read(|db| read::get(db, hash))
    }

    /// Returns whether there are bytes with this hash, without a look at them.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn has(&self, hash: BlobHash) -> Result<bool> {
        self.read(|db| read::has(db, hash))
    }

    /// Reads the whole file and returns what is wrong with it, in the words of SQLite. Takes seconds for a gigabyte.
    ///
    /// # Errors
    /// If the file cannot be read at all.
    pub fn flaws(&self) -> Result<Vec<String>> {
        self.read(read::flaws)
    }

    /// Tells every part of the tournament, as of one moment.
    ///
    /// # Errors
    /// If the store cannot be read, or a part is not taken.
    pub fn export(&self, take: TakePart<'_>) -> Result<()> {
        self.read(|db| transfer::export(db, self.tournament, take))
    }

    fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T> {
        read(&self.opened.db).map_err(|why| why.at(&self.path))
    }
}

impl Records for SqliteReader {
    fn progress(&self) -> Result<Progress> {
        self.read(|db| read::progress(db, self.tournament))
    }

    fn find(&self, id: u64) -> Result<Option<StoredMatch>> {
        self.read(|db| read::find(db, self.tournament, id))
    }

    fn matches(&self, after: u64, count: usize) -> Result<Vec<StoredMatch>> {
        self.read(|db| read::matches(db, self.tournament, after, count))
    }

    fn over_since(&self, after: u64, count: usize) -> Result<Vec<(u64, StoredMatch)>> {
        self.read(|db| read::over_since(db, self.tournament, after, count))
    }

    fn attempts(&self, id: u64) -> Result<Vec<Attempt>> {
        self.read(|db| read::attempts(db, self.tournament, id))
    }

    fn claims(&self) -> Result<Vec<Claim>> {
        self.read(|db| read::claims_that_hold(db, self.tournament))
    }

    fn workers(&self) -> Result<Vec<StoredWorker>> {
        self.read(read::workers)
    }

    fn artefact(&self, hash: BlobHash) -> Result<Option<Artefact>> {
        self.read(|db| read::artefact(db, hash))
    }

    fn bots(&self) -> Result<Vec<StoredBot>> {
        self.read(|db| read::bots(db, self.tournament))
    }

    fn files(&self) -> Result<Vec<FileVersion>> {
        self.read(|db| read::files(db, self.tournament))
    }

    fn maps(&self) -> Result<Vec<StoredMap>> {
        self.read(|db| read::maps(db, self.tournament))
    }

    fn amendments(&self) -> Result<Vec<String>> {
        self.read(|db| read::amendments(db, self.tournament))
    }

    fn earlier(&self) -> Result<Vec<EarlierResult>> {
        self.read(|db| read::earlier(db, self.tournament))
    }

    fn events(&self, count: usize) -> Result<Vec<StoredEvent>> {
        self.read(|db| read::events(db, self.tournament, count))
    }

    fn snapshot(&self, name: &str) -> Result<Option<Snapshot>> {
        self.read(|db| read::snapshot(db, self.tournament, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Completion, MatchQueue, Report, Sqlite, conformance};
    use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
    use std::fs;

    /// Opens a reader of a store with one match, which ends when the reader first prepares a statement on `table`.
    fn while_a_match_ends(path: &Path, table: &'static str) -> SqliteReader {
        let store = Sqlite::open(path).expect("a new store");
        store.enqueue(vec![conformance::planned(1)]).wait().expect("it is new");
        let mut reader = SqliteReader::open(path).expect("it can be read");
        let mut is_over = false;
        let prepare = move |about: AuthContext<'_>| {
            let reads = matches!(about.action, AuthAction::Read { table_name, .. } if table_name == table);
            if reads && !is_over {
                is_over = true;
                let ticket = store.complete(Report::unclaimed(1, conformance::result(1), Vec::new()));
                assert_eq!(ticket.wait(), Ok(Completion::Stored));
            }
            Authorization::Allow
        };
        reader.opened.db.authorizer(Some(prepare)).expect("it can be set");
        reader
    }

    #[test]
    fn a_match_that_ends_between_two_statements_is_found() {
        let folder = std::env::temp_dir().join(format!("agon-store-between-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");

        let reader = while_a_match_ends(&folder.join("find.agon"), "batches");
        let is_over = || reader.find(1).map(|found| found.map(|stored| stored.result.is_some()));
        assert_eq!([is_over(), is_over()], [Ok(Some(false)), Ok(Some(true))]);

        let reader = while_a_match_ends(&folder.join("matches.agon"), "batches");
        let are_over =
            || reader.matches(0, 9).map(|found| found.iter().map(|stored| stored.result.is_some()).collect());
        assert_eq!([are_over(), are_over()], [Ok(vec![false]), Ok(vec![true])]);

        let reader = while_a_match_ends(&folder.join("flaws.agon"), "progress");
        assert_eq!(reader.flaws(), Ok(Vec::new()));
        assert_eq!(reader.progress().map(|progress| progress.finished), Ok(1));
        drop(reader);
        fs::remove_dir_all(&folder).expect("it can be removed");
    }
}

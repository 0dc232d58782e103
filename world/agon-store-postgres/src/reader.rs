//! A store that is only read.

use crate::{db::Db, failure::Failure, lead, place::Place, read, schema, transfer};
use agon_store::{
    Artefact, Attempt, BlobHash, Claim, EarlierResult, FileVersion, Progress, Records, Result, Snapshot, StoreError,
    StoreReader, StoredBot, StoredEvent, StoredMap, StoredMatch, StoredWorker, TakePart,
};
use std::sync::{Mutex, PoisonError};

/// Each answer is of one moment, also if it needs several statements.
const MOMENT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// A store that is only read, also while another process leads its tournaments.
pub struct PostgresReader {
    place: Place,
    tournament: i32,
    opened: Mutex<Opened>,
}

struct Opened {
    db: Db,
    /// Whether all answers are of the same moment.
    is_frozen: bool,
}

impl PostgresReader {
    /// Opens the store at an address like `postgres://USER@HOST/DATABASE`, with its first tournament or that of
    /// `?tournament=NAME`.
    ///
    /// # Errors
    /// If there is no store, it is of a newer version, there is no such tournament, or the server cannot be reached.
    pub fn open(address: &str) -> Result<Self> {
        let place = Place::read(address)?;
        let opened = connect(&place).and_then(|mut db| {
            let number = lead::find(&mut db, &place.tournament)?;
            let tournament = number.ok_or_else(|| StoreError::NoTournament(place.tournament.clone()))?;
            Ok((tournament, Mutex::new(Opened { db, is_frozen: false })))
        });
        let (tournament, opened) = opened.map_err(|why| why.at(&place))?;
        Ok(Self { place, tournament, opened })
    }

    /// Returns the address of the store without passwords.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place.shown
    }

    /// Returns the names of the tournaments in the order in which they began. That of the first is empty.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn tournaments(&self) -> Result<Vec<String>> {
        self.read(read::tournaments)
    }

    /// Stays with the store as it is now: nothing that is written later is seen, and all answers fit together. Meanwhile the server
    /// keeps every old row, so this is for a reader that soon ends.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn freeze(&self) -> Result<()> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        // Only the first statement that reads fixes what is seen.
        let begun = opened.db.batch(MOMENT).and_then(|()| read::progress(&mut opened.db, self.tournament));
        begun.map_err(|why| why.at(&self.place))?;
        opened.is_frozen = true;
        Ok(())
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

    /// Returns what is wrong with the counts of matches.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn flaws(&self) -> Result<Vec<String>> {
        self.read(read::flaws)
    }

    /// Reads what is there at one moment. A connection that has broken is made again once, unless this reader is frozen.
    fn read<T>(&self, read: impl Fn(&mut Db) -> Result<T, Failure>) -> Result<T> {
        let Opened { db, is_frozen } = &mut *self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let found = if *is_frozen {
            read(db)
        } else {
            at_one_moment(db, &read).or_else(|why| {
                if !why.is_passing() {
                    return Err(why);
                }
                *db = connect(&self.place)?;
                at_one_moment(db, &read)
            })
        };
        found.map_err(|why| why.at(&self.place))
    }
}

fn at_one_moment<T>(db: &mut Db, read: &impl Fn(&mut Db) -> Result<T, Failure>) -> Result<T, Failure> {
    db.batch(MOMENT)?;
    let found = read(db);
    db.batch("ROLLBACK")?;
    found
}

fn connect(place: &Place) -> Result<Db, Failure> {
    let mut db = Db::connect(place)?;
    match schema::look(&mut db, place)? {
        0 => Err(StoreError::Empty(schema::path(place)).into()),
        _ => Ok(db),
    }
}

impl StoreReader for PostgresReader {
    fn freeze(&self) -> Result<()> {
        self.freeze()
    }

    fn get(&self, hash: BlobHash) -> Result<Option<Vec<u8>>> {
        self.get(hash)
    }

    fn has(&self, hash: BlobHash) -> Result<bool> {
        self.has(hash)
    }

    fn flaws(&self) -> Result<Vec<String>> {
        self.flaws()
    }

    fn export(&self, take: TakePart<'_>) -> Result<()> {
        let Opened { db, is_frozen } = &mut *self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever takes the parts cannot take them twice: a connection that breaks is an error.
        if *is_frozen {
            return transfer::export(db, self.tournament, take).map_err(|why| why.at(&self.place));
        }
        let told = db.batch(MOMENT).and_then(|()| transfer::export(db, self.tournament, take));
        let _ = db.batch("ROLLBACK");
        told.map_err(|why| why.at(&self.place))
    }
}

impl Records for PostgresReader {
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

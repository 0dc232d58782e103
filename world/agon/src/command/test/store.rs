//! Keeps the matches of a test: each is on disk before it counts.

use super::{
    contest::{Contest, Played},
    description::{Description, Kind},
};
use crate::{
    clean::clean,
    error::{Error, Result},
};
use agon_core::Seed;
use agon_spec::{FaultCause, SeatFault};
use agon_store::{
    BlobHash, BotVersion, Ending, FileVersion, MatchQueue, PlannedMatch, RecordedFault, RecordedResult, Records,
    Registry, Report, Sqlite, SqliteReader, StoreError, StoredMap, StoredMatch,
};
use agon_tournament::{now_ms, recorded};
use agon_tourney::{BlockMatch, FinishedMatch, MatchEnd, MatchId};
use std::path::Path;

/// How many matches are read from a store at once.
const READ_AT_ONCE: usize = 1000;

/// The store of a test.
pub struct TestStore {
    store: Sqlite,
    /// The versions of the bots.
    versions: Vec<u32>,
}

/// A match that a store has.
pub struct StoredEnd {
    pub id: MatchId,
    pub end: MatchEnd,
    /// The fault of each seat.
    pub faults: Vec<Option<SeatFault>>,
}

/// Returns the description of what a store is of. `None` if there is no store, or nothing has begun in it.
///
/// # Errors
/// The store cannot be read, or is of something else.
pub fn described(path: &Path, kind: Kind) -> Result<Option<Description>> {
    if !path.exists() {
        return Ok(None);
    }
    let files = match SqliteReader::open(path).and_then(|store| store.files()) {
        Ok(files) => files,
        Err(StoreError::Empty(_)) => return Ok(None),
        Err(why) => return Err(of_named_store(why)),
    };
    files.first().map(|file| Description::read(&file.text, path, kind)).transpose()
}

impl TestStore {
    /// Opens a store to continue its test, or begins a new one in it.
    ///
    /// # Errors
    /// The store cannot be used, or is of another test.
    pub fn open(path: &Path, contest: &Contest, description: &Description) -> Result<Self> {
        let store = Sqlite::open(path).map_err(of_named_store)?;
        let versions = begin(&store, path, contest, description)?;
        Ok(Self { store, versions })
    }

    /// Returns all matches that the store has, in the order of their numbers.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn matches(&self) -> Result<Vec<StoredEnd>> {
        let mut ends = Vec::new();
        let mut after = 0;
        loop {
            let matches = self.store.matches(after, READ_AT_ONCE).map_err(of_named_store)?;
            let Some(last) = matches.last() else { return Ok(ends) };
            after = last.planned.id;
            ends.extend(matches.into_iter().filter_map(end_of));
        }
    }

    /// Writes what became of these matches, and waits until it is on disk.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep(&self, matches: Vec<(BlockMatch, RecordedResult, u64)>) -> Result<()> {
        let plan = |next: &BlockMatch, map: u64| PlannedMatch {
            id: next.id.0,
            round: next.block.saturating_add(1),
            map: 0,
            map_seed: map,
            seed: next.seed.0,
            bots: next.seating.iter().map(|bot| *bot as u32).collect(),
            ..PlannedMatch::default()
        };
        let plans = matches.iter().map(|(next, _, map)| plan(next, *map)).collect();
        let report =
            |(next, result, _): (BlockMatch, RecordedResult, u64)| Report::unclaimed(next.id.0, result, Vec::new());
        let planned = self.store.enqueue(plans);
        let completed = self.store.complete_all(matches.into_iter().map(report).collect());
        self.store.hurry();
        planned.wait().and_then(|()| completed.wait()).map_err(of_named_store)?;
        Ok(())
    }

    /// Closes the store.
    ///
    /// # Errors
    /// Something cannot be written.
    pub fn close(self) -> Result<()> {
        self.store.close().map_err(of_named_store)
    }

    /// Makes the record of a match that has just ended.
    pub fn recorded(&self, next: &BlockMatch, played: &Played) -> RecordedResult {
        let versions = next.seating.iter().map(|bot| self.versions.get(*bot).copied().unwrap_or_default());
        let wall = played.result.wall;
        RecordedResult {
            started_ms: now_ms().saturating_sub(i64::try_from(wall.as_millis()).unwrap_or(i64::MAX)),
            wall_us: u64::try_from(wall.as_micros()).unwrap_or(u64::MAX),
            ..recorded(&played.result, versions)
        }
    }
}

/// Makes the record of a match that the host spoilt.
pub fn spoilt(why: &str) -> RecordedResult {
    let reason = why.to_owned();
    RecordedResult { ending: Ending::Spoilt, reason, started_ms: now_ms(), ..RecordedResult::default() }
}

/// Writes what the test is, or checks that the store is of this test. Returns the versions of the bots.
fn begin(store: &Sqlite, path: &Path, contest: &Contest, description: &Description) -> Result<Vec<u32>> {
    if let Some(file) = store.files().map_err(of_named_store)?.first() {
        Description::read(&file.text, path, description.kind())?.refuse_other(description, path)?;
    } else {
        let (text, agon) = (description.text(), env!("CARGO_PKG_VERSION").to_owned());
        let file = store.add_file(FileVersion { text, agon, at_ms: now_ms() });
        let map = store.add_map(StoredMap { name: contest.spec.map_name.clone(), content: None });
        store.hurry();
        file.wait().and_then(|()| map.wait()).map_err(of_named_store)?;
    }
    let known = store.bots().map_err(of_named_store)?;
    let mut versions = Vec::new();
    for (index, bot) in contest.bots.iter().enumerate() {
        // The description says that the bots are the same. A test that was killed while it began may lack some.
        if let Some(version) = known.get(index).and_then(|known| known.versions.last()) {
            versions.push(version.number);
            continue;
        }
        let number = match known.get(index) {
            Some(known) => known.number,
            None => hurried(store, store.add_bot(&bot.bot().name))?,
        };
        let hash = bot.hash().map(|hash| BlobHash::from_bytes(*hash.bytes()));
        let version = BotVersion { number: 0, hash, words: bot.bot().words.clone(), at_ms: now_ms() };
        versions.push(hurried(store, store.add_version(number, version))?);
    }
    Ok(versions)
}

fn hurried<T>(store: &Sqlite, ticket: agon_store::Ticket<T>) -> Result<T> {
    store.hurry();
    ticket.wait().map_err(of_named_store)
}

/// Returns what became of a match. `None` if it is not over.
fn end_of(stored: StoredMatch) -> Option<StoredEnd> {
    let (planned, result) = (stored.planned, stored.result?);
    let id = MatchId(planned.id);
    if result.ending != Ending::Finished {
        return Some(StoredEnd { id, end: MatchEnd::Spoilt, faults: Vec::new() });
    }
    let fault = |fault: &RecordedFault| SeatFault {
        kind: clean(&fault.kind),
        ply: fault.ply,
        text: clean(&fault.text),
        stderr: None,
        cause: fault.cause.as_deref().and_then(FaultCause::named),
        hint: None,
    };
    let seats = &result.seats;
    let finished = FinishedMatch {
        places: seats.iter().map(|seat| seat.place).collect(),
        scores: seats.iter().map(|seat| seat.score).collect(),
        faults: seats.iter().map(|seat| seat.fault.is_some()).collect(),
        plies: result.plies,
        fingerprint: result.fingerprint.unwrap_or_default(),
        map: planned.map_seed,
    };
    let faults = seats.iter().map(|seat| seat.fault.as_ref().map(fault)).collect();
    Some(StoredEnd { id, end: MatchEnd::Finished(finished), faults })
}

/// Converts an error of the store of a test, whose name the user chose.
fn of_named_store(why: StoreError) -> Error {
    let hint = match &why {
        StoreError::NotAStore(_) => Some("name another file; Agon writes over none that is not a store"),
        StoreError::Damaged { .. } => Some("restore the file from a copy, or name another store"),
        StoreError::Older { .. } => Some("use the version of Agon that wrote it, or name another store"),
        _ => None,
    };
    let error = Error::from(why);
    match hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// Returns the seed with which a test is continued, unless the user names one.
pub fn seed_of(described: Option<&Description>, wish: Option<u64>) -> Seed {
    wish.map(Seed).or_else(|| described.and_then(Description::seed)).unwrap_or_else(crate::seed::fresh)
}

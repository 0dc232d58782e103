//! The statements that read a store.

use super::{failure::Failure, text};
use crate::{
    BlobHash, BotTotals, BotVersion, EarlierResult, Ending, EventKind, FileVersion, MatchState, PlannedMatch, Progress,
    RecordedResult, Snapshot, StoredBot, StoredEvent, StoredMap, StoredMatch, blob::unpack,
};
use rusqlite::{
    Connection, OptionalExtension, Row, RowIndex, params,
    types::{FromSqlError, Type},
};
use std::ops::RangeInclusive;

type Found<T> = Result<T, Failure>;

pub(super) fn state_number(state: MatchState) -> u8 {
    match state {
        MatchState::Ready => 0,
        MatchState::Over(Ending::Finished) => 1,
        MatchState::Over(Ending::Spoilt) => 2,
        MatchState::Over(Ending::Void) => 3,
    }
}

fn state(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<MatchState> {
    Ok(match row.get(column)? {
        0 => MatchState::Ready,
        1 => MatchState::Over(Ending::Finished),
        2 => MatchState::Over(Ending::Spoilt),
        3 => MatchState::Over(Ending::Void),
        other => return Err(unknown(&format!("the state {other}"))),
    })
}

/// Returns the error of a value that this program does not know.
fn unknown(what: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Null, FromSqlError::Other(what.to_owned().into()).into())
}

fn unsigned(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::cast_unsigned)
}

fn hash(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<BlobHash>> {
    let bytes: Option<[u8; 32]> = row.get(column)?;
    Ok(bytes.map(BlobHash::from_bytes))
}

/// Reads a row of `matches`.
fn over_match(row: &Row<'_>) -> Found<StoredMatch> {
    let bots = row.get_ref("bots")?.as_str().map_err(rusqlite::Error::from)?;
    let numbers = bots.split(',').filter(|number| !number.is_empty()).map(str::parse);
    let planned = PlannedMatch {
        id: unsigned(row, "id")?,
        round: row.get("round")?,
        map: row.get("map")?,
        map_seed: unsigned(row, "map_seed")?,
        seed: unsigned(row, "seed")?,
        bots: numbers.collect::<Result<_, _>>().map_err(|_| unknown(bots))?,
        probability: row.get("probability")?,
        rank: row.get("rank")?,
    };
    let MatchState::Over(ending) = state(row, "state")? else {
        return Err(unknown("a result of a match to play").into());
    };
    let result = RecordedResult {
        ending,
        reason: row.get("reason")?,
        seats: text::seats(row.get_ref("seats")?.as_str().map_err(rusqlite::Error::from)?)?,
        plies: row.get("plies")?,
        fingerprint: row.get::<_, Option<i64>>("fingerprint")?.map(i64::cast_unsigned),
        replay: hash(row, "replay")?,
        log: hash(row, "log")?,
        started_ms: row.get("started_ms")?,
        wall_us: unsigned(row, "wall_us")?,
    };
    Ok(StoredMatch { planned, attempts: row.get("attempts")?, result: Some(result) })
}

/// Returns the match with this number if it is over.
pub(super) fn over(db: &Connection, id: u64) -> Found<Option<StoredMatch>> {
    let mut select = db.prepare_cached("SELECT * FROM matches WHERE id = ?")?;
    select.query([id.cast_signed()])?.next()?.map(over_match).transpose()
}

/// Reads with several statements that see the same store, also if another process writes to it meanwhile.
fn together<T>(db: &Connection, read: impl FnOnce() -> Found<T>) -> Found<T> {
    // There may be a transaction already: that of a frozen reader.
    let _snapshot = if db.is_autocommit() { Some(db.unchecked_transaction()?) } else { None };
    read()
}

/// Calls `take` with every match of these numbers that is to be played, with the number of its row and of its attempts.
pub(super) fn batches(
    db: &Connection,
    ids: RangeInclusive<i64>,
    take: &mut dyn FnMut(i64, PlannedMatch, u32),
) -> Found<()> {
    let mut is_over = db.prepare_cached("SELECT EXISTS (SELECT * FROM matches WHERE id = ?)")?;
    let mut select = db.prepare_cached("SELECT number, plans FROM batches WHERE last >= ? ORDER BY number")?;
    let mut rows = select.query([ids.start()])?;
    while let Some(row) = rows.next()? {
        let number = row.get(0)?;
        for (planned, attempts) in text::plans(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?)? {
            let id = planned.id.cast_signed();
            if ids.contains(&id) && !is_over.query_row([id], |row| row.get::<_, bool>(0))? {
                take(number, planned, attempts);
            }
        }
    }
    Ok(())
}

pub(super) fn find(db: &Connection, id: u64) -> Found<Option<StoredMatch>> {
    together(db, || {
        if let Some(stored) = over(db, id)? {
            return Ok(Some(stored));
        }
        let mut found = None;
        batches(db, id.cast_signed()..=id.cast_signed(), &mut |_, planned, attempts| {
            found = Some(StoredMatch { planned, attempts, result: None });
        })?;
        Ok(found)
    })
}

pub(super) fn matches(db: &Connection, after: u64, count: usize) -> Found<Vec<StoredMatch>> {
    let first = after.checked_add(1).and_then(|first| i64::try_from(first).ok());
    let (Some(first), most) = (first, i64::try_from(count).unwrap_or(i64::MAX)) else { return Ok(Vec::new()) };
    together(db, || {
        let mut select = db.prepare_cached("SELECT * FROM matches WHERE id >= ? ORDER BY id LIMIT ?")?;
        let mut rows = select.query([first, most])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(over_match(row)?);
        }
        let over = found.len();
        // Most of those to be played come after all that are over. So nothing is looked up for them in a full page.
        let last =
            if over < count { i64::MAX } else { found.last().map_or(0, |stored| stored.planned.id.cast_signed()) };
        batches(db, first..=last, &mut |_, planned, attempts| {
            found.push(StoredMatch { planned, attempts, result: None });
        })?;
        if found.len() > over {
            found.sort_by_key(|stored| stored.planned.id);
            found.truncate(count);
        }
        Ok(found)
    })
}

pub(super) fn progress(db: &Connection) -> Found<Progress> {
    let mut select = db.prepare_cached("SELECT state, number FROM progress")?;
    let rows = select.query_map([], |row| Ok((state(row, "state")?, unsigned(row, "number")?)))?;
    let mut progress = Progress::default();
    for row in rows {
        let (state, number) = row?;
        *progress.of(state) = number;
    }
    Ok(progress)
}

pub(super) fn get(db: &Connection, hash: BlobHash) -> Found<Option<Vec<u8>>> {
    let mut select = db.prepare_cached("SELECT size, packed FROM blobs WHERE hash = ?")?;
    let row = |row: &Row<'_>| Ok((unsigned(row, "size")?, row.get::<_, Vec<u8>>("packed")?));
    match select.query_row([&hash.bytes()[..]], row).optional()? {
        Some((size, packed)) => Ok(Some(unpack(hash, size, &packed)?)),
        None => Ok(None),
    }
}

pub(super) fn bots(db: &Connection) -> Found<Vec<StoredBot>> {
    let bot = |row: &Row<'_>| {
        let totals = BotTotals {
            played: unsigned(row, "played")?,
            faults: unsigned(row, "faults")?,
            time_us: unsigned(row, "time_us")?,
        };
        let (number, name, withdrawn) = (row.get("number")?, row.get("name")?, row.get("withdrawn")?);
        Ok(StoredBot { number, name, versions: Vec::new(), withdrawn, totals })
    };
    let mut select = db.prepare_cached("SELECT * FROM bots ORDER BY number")?;
    let mut bots: Vec<StoredBot> = select.query_map([], bot)?.collect::<Result<_, _>>()?;
    let version = |row: &Row<'_>| {
        let (number, words, at_ms) = (row.get("number")?, row.get("words")?, row.get("at_ms")?);
        Ok((row.get::<_, u32>("bot")?, BotVersion { number, hash: hash(row, "hash")?, words, at_ms }))
    };
    let mut select = db.prepare_cached("SELECT * FROM versions ORDER BY bot, number")?;
    for row in select.query_map([], version)? {
        let (bot, version) = row?;
        if let Some(bot) = bots.get_mut(bot as usize) {
            bot.versions.push(version);
        }
    }
    Ok(bots)
}

pub(super) fn files(db: &Connection) -> Found<Vec<FileVersion>> {
    let file =
        |row: &Row<'_>| Ok(FileVersion { text: row.get("text")?, agon: row.get("agon")?, at_ms: row.get("at_ms")? });
    let mut select = db.prepare_cached("SELECT * FROM files ORDER BY number")?;
    Ok(select.query_map([], file)?.collect::<Result<_, _>>()?)
}

pub(super) fn maps(db: &Connection) -> Found<Vec<StoredMap>> {
    let map = |row: &Row<'_>| Ok(StoredMap { name: row.get("name")?, content: hash(row, "content")? });
    let mut select = db.prepare_cached("SELECT * FROM maps ORDER BY number")?;
    Ok(select.query_map([], map)?.collect::<Result<_, _>>()?)
}

pub(super) fn events(db: &Connection, count: usize) -> Found<Vec<StoredEvent>> {
    let event = |row: &Row<'_>| {
        let kind: String = row.get("kind")?;
        let kind = EventKind::ALL.into_iter().find(|known| known.name() == kind).ok_or_else(|| unknown(&kind))?;
        let id = row.get::<_, Option<i64>>("match")?.map(i64::cast_unsigned);
        Ok(StoredEvent { kind, at_ms: row.get("at_ms")?, id, bot: row.get("bot")?, text: row.get("text")? })
    };
    let mut select = db.prepare_cached("SELECT * FROM events ORDER BY number DESC LIMIT ?")?;
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let mut events: Vec<StoredEvent> = select.query_map([count], event)?.collect::<Result<_, _>>()?;
    events.reverse();
    Ok(events)
}

pub(super) fn earlier(db: &Connection) -> Found<Vec<EarlierResult>> {
    // A store of an older version has no such table, and only who writes makes it.
    let there = "SELECT EXISTS (SELECT * FROM sqlite_schema WHERE name = 'earlier')";
    if !db.query_row(there, [], |row| row.get::<_, bool>(0))? {
        return Ok(Vec::new());
    }
    let mut select = db.prepare_cached("SELECT * FROM earlier ORDER BY number")?;
    let mut rows = select.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(EarlierResult { stored: over_match(row)?, at_ms: row.get("at_ms")? });
    }
    Ok(found)
}

pub(super) fn snapshot(db: &Connection, name: &str) -> Found<Option<Snapshot>> {
    let mut select = db.prepare_cached("SELECT * FROM snapshots WHERE name = ?")?;
    let row = |row: &Row<'_>| Ok(Snapshot { after: unsigned(row, "after")?, text: row.get("text")? });
    Ok(select.query_row(params![name], row).optional()?)
}

pub(super) fn amendments(db: &Connection) -> Found<Vec<String>> {
    let mut select = db.prepare_cached("SELECT text FROM amendments ORDER BY number")?;
    Ok(select.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Reads the whole file and returns what is wrong with it.
pub(super) fn flaws(db: &Connection) -> Found<Vec<String>> {
    let mut check = db.prepare("PRAGMA integrity_check(20)")?;
    let lines: Vec<String> = check.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut flaws: Vec<String> = lines.into_iter().filter(|line| line != "ok").collect();
    let counts = "SELECT EXISTS (SELECT * FROM progress p WHERE state <> 0
                  AND number <> (SELECT count(*) FROM matches m WHERE m.state = p.state))";
    let are_wrong = together(db, || {
        let mut ready = 0;
        batches(db, 1..=i64::MAX, &mut |_, _, _| ready += 1)?;
        Ok(ready != progress(db)?.ready || db.query_row(counts, [], |row| row.get::<_, bool>(0))?)
    })?;
    if are_wrong {
        flaws.push("the counts of matches are wrong".to_owned());
    }
    Ok(flaws)
}

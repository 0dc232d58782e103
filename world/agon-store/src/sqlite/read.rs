//! The statements that read a store.

use super::failure::Failure;
use crate::{
    BlobHash, BotTotals, BotVersion, Ending, EventKind, FileVersion, MatchState, PlannedMatch, Progress, RecordedFault,
    RecordedResult, RecordedSeat, Snapshot, StoredBot, StoredEvent, StoredMap, StoredMatch, blob::unpack,
};
use rusqlite::{
    Connection, OptionalExtension, Row, RowIndex, params,
    types::{FromSqlError, Type},
};

type Found<T> = Result<T, Failure>;

/// The columns of a planned match. A macro, so that the texts of the statements are made when this is compiled.
macro_rules! plan_columns {
    () => {
        "id, rank, round, map, seed, bots, probability, attempts, state, map_seed"
    };
}

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

/// Reads the columns of `plan_columns`, by their numbers: it is read for every result.
fn plan(row: &Row<'_>) -> rusqlite::Result<PlannedMatch> {
    let bots = row.get_ref(5)?.as_str()?;
    let numbers = bots.split(',').filter(|number| !number.is_empty()).map(str::parse);
    Ok(PlannedMatch {
        id: unsigned(row, 0)?,
        round: row.get(2)?,
        map: row.get(3)?,
        map_seed: unsigned(row, 9)?,
        seed: unsigned(row, 4)?,
        bots: numbers.collect::<Result<_, _>>().map_err(|_| unknown(bots))?,
        probability: row.get(6)?,
        rank: row.get(1)?,
    })
}

pub(super) fn planned(db: &Connection, id: u64) -> Found<Option<PlannedMatch>> {
    Ok(planned_and_state(db, id)?.map(|(planned, _)| planned))
}

pub(super) fn planned_and_state(db: &Connection, id: u64) -> Found<Option<(PlannedMatch, MatchState)>> {
    let mut select = db.prepare_cached(concat!("SELECT ", plan_columns!(), " FROM matches WHERE id = ?"))?;
    Ok(select.query_row([id.cast_signed()], |row| Ok((plan(row)?, state(row, 8)?))).optional()?)
}

/// Calls `take` with the matches that are to be played, in the order of play, until it returns `false`.
pub(super) fn ready(db: &Connection, take: &mut dyn FnMut(PlannedMatch, u32) -> bool) -> Found<()> {
    let mut select = db.prepare_cached(concat!(
        "SELECT ",
        plan_columns!(),
        " FROM matches INDEXED BY ready WHERE state = 0 ORDER BY rank, id"
    ))?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        if !take(plan(row)?, row.get(7)?) {
            break;
        }
    }
    Ok(())
}

/// Reads a result without its seats. The row is one of `results` and `matches`.
fn seatless(row: &Row<'_>) -> rusqlite::Result<RecordedResult> {
    let MatchState::Over(ending) = state(row, "state")? else { return Err(unknown("a result of a match to play")) };
    Ok(RecordedResult {
        ending,
        reason: row.get("reason")?,
        seats: Vec::new(),
        plies: row.get("plies")?,
        fingerprint: row.get::<_, Option<i64>>("fingerprint")?.map(i64::cast_unsigned),
        replay: hash(row, "replay")?,
        log: hash(row, "log")?,
        started_ms: row.get("started_ms")?,
        wall_us: unsigned(row, "wall_us")?,
    })
}

fn seat(row: &Row<'_>) -> rusqlite::Result<RecordedSeat> {
    let fault = match row.get("fault")? {
        Some(kind) => Some(RecordedFault { kind, ply: row.get("fault_ply")?, text: row.get("fault_text")? }),
        None => None,
    };
    Ok(RecordedSeat {
        version: row.get("version")?,
        score: row.get("score")?,
        place: row.get("place")?,
        fault,
        decisions: unsigned(row, "decisions")?,
        time_us: unsigned(row, "time_us")?,
        max_us: unsigned(row, "max_us")?,
    })
}

pub(super) fn result(db: &Connection, id: u64) -> Found<Option<RecordedResult>> {
    let select = "SELECT * FROM results JOIN matches ON match = id WHERE match = ?";
    let found = db.prepare_cached(select)?.query_row([id.cast_signed()], seatless).optional()?;
    let Some(mut result) = found else { return Ok(None) };
    let mut select = db.prepare_cached("SELECT * FROM seats WHERE match = ? ORDER BY seat")?;
    result.seats = select.query_map([id.cast_signed()], seat)?.collect::<Result<_, _>>()?;
    Ok(Some(result))
}

pub(super) fn find(db: &Connection, id: u64) -> Found<Option<StoredMatch>> {
    let Some(planned) = planned(db, id)? else { return Ok(None) };
    Ok(Some(StoredMatch { planned, attempts: super::write::attempts(db, id)?, result: result(db, id)? }))
}

pub(super) fn matches(db: &Connection, after: u64, count: usize) -> Found<Vec<StoredMatch>> {
    let (Ok(after), count) = (i64::try_from(after), i64::try_from(count).unwrap_or(i64::MAX)) else {
        return Ok(Vec::new());
    };
    let select = concat!(
        "SELECT ",
        plan_columns!(),
        ", results.* FROM matches LEFT JOIN results ON match = id WHERE id > ? ORDER BY id LIMIT ?"
    );
    let stored = |row: &Row<'_>| {
        let result = match state(row, "state")? {
            MatchState::Ready => None,
            MatchState::Over(_) => Some(seatless(row)?),
        };
        Ok(StoredMatch { planned: plan(row)?, attempts: row.get("attempts")?, result })
    };
    let mut select = db.prepare_cached(select)?;
    let mut found: Vec<StoredMatch> = select.query_map([after, count], stored)?.collect::<Result<_, _>>()?;
    let last = found.last().map_or(0, |stored| stored.planned.id.cast_signed());
    // Both are in the order of the matches: one pass joins them.
    let mut select = db.prepare_cached("SELECT * FROM seats WHERE match > ? AND match <= ? ORDER BY match, seat")?;
    let mut rows = select.query([after, last])?;
    let mut at = 0;
    while let Some(row) = rows.next()? {
        let id = unsigned(row, "match")?;
        while found.get(at).is_some_and(|stored| stored.planned.id < id) {
            at += 1;
        }
        if let Some(result) = found.get_mut(at).and_then(|stored| stored.result.as_mut()) {
            result.seats.push(seat(row)?);
        }
    }
    Ok(found)
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
    let counts = "SELECT EXISTS (SELECT * FROM progress p WHERE number <> (SELECT count(*) FROM matches m WHERE m.state = p.state))";
    if db.query_row(counts, [], |row| row.get(0))? {
        flaws.push("the counts of matches are wrong".to_owned());
    }
    Ok(flaws)
}

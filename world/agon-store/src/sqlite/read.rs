//! The statements that read a store.

use super::failure::Failure;
use crate::{
    Artefact, Attempt, AttemptEnd, Blob, BlobHash, BotTotals, BotVersion, Claim, EarlierResult, EventKind, FileVersion,
    MatchState, PlannedMatch, Progress, RecordedResult, Snapshot, StoredBot, StoredEvent, StoredMap, StoredMatch,
    StoredWorker,
    backend::{state_of, text},
};
use rusqlite::{
    Connection, OptionalExtension, Row, RowIndex, params,
    types::{FromSqlError, Type},
};
use std::{collections::BTreeMap, ops::RangeInclusive};

type Found<T> = Result<T, Failure>;

fn state(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<MatchState> {
    let number = row.get(column)?;
    state_of(number).ok_or_else(|| unknown(&format!("the state {number}")))
}

/// Returns the error of a value that this program does not know.
fn unknown(what: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Null, FromSqlError::Other(what.to_owned().into()).into())
}

fn unsigned(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::cast_unsigned)
}

fn hash(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<Option<BlobHash>> {
    let bytes: Option<[u8; 32]> = row.get(column)?;
    Ok(bytes.map(BlobHash::from_bytes))
}

/// Selects matches that are over, with the columns in the order in which [`over_match`] reads them. A store is opened by reading all
/// of them, and to look for twenty names in each row took as long as everything else.
macro_rules! select_over {
    ($more:literal, $which:literal) => {
        concat!(
            "SELECT id, round, map, map_seed, seed, bots, probability, rank, state, reason, seats, plies, fingerprint, replay, ",
            "log, started_ms, wall_us, worker, attempts, token, number",
            $more,
            " FROM ",
            $which
        )
    };
}

pub(super) use select_over;

/// Returns the claim with which a row of [`select_over`] was reported.
pub(super) fn token_of(row: &Row<'_>) -> Found<Option<u64>> {
    Ok(row.get::<_, Option<i64>>(19)?.map(i64::cast_unsigned))
}

/// Returns the number of a row of [`select_over`] among those that are over.
pub(super) fn number_of(row: &Row<'_>) -> Found<u64> {
    Ok(unsigned(row, 20)?)
}

/// Reads a row of [`select_over`].
pub(super) fn over_match(row: &Row<'_>) -> Found<StoredMatch> {
    let bots = row.get_ref(5)?.as_str().map_err(rusqlite::Error::from)?;
    let numbers = bots.split(',').filter(|number| !number.is_empty()).map(str::parse);
    let planned = PlannedMatch {
        id: unsigned(row, 0)?,
        round: row.get(1)?,
        map: row.get(2)?,
        map_seed: unsigned(row, 3)?,
        seed: unsigned(row, 4)?,
        bots: numbers.collect::<Result<_, _>>().map_err(|_| unknown(bots))?,
        probability: row.get(6)?,
        rank: row.get(7)?,
    };
    let MatchState::Over(ending) = state(row, 8)? else {
        return Err(unknown("a result of a match to play").into());
    };
    let result = RecordedResult {
        ending,
        reason: row.get(9)?,
        seats: text::seats(row.get_ref(10)?.as_str().map_err(rusqlite::Error::from)?)?,
        plies: row.get(11)?,
        fingerprint: row.get::<_, Option<i64>>(12)?.map(i64::cast_unsigned),
        replay: hash(row, 13)?,
        log: hash(row, 14)?,
        started_ms: row.get(15)?,
        wall_us: unsigned(row, 16)?,
        worker: row.get(17)?,
    };
    Ok(StoredMatch { planned, attempts: row.get(18)?, result: Some(result) })
}

/// Returns the match with this number if it is over.
pub(super) fn over(db: &Connection, tournament: u32, id: u64) -> Found<Option<StoredMatch>> {
    let mut select = db.prepare_cached(select_over!("", "matches WHERE tournament = ? AND id = ?"))?;
    select.query(params![tournament, id.cast_signed()])?.next()?.map(over_match).transpose()
}

/// Returns the result of the match with this number, and the token of the claim under which it was played.
pub(super) fn completed(db: &Connection, tournament: u32, id: u64) -> Found<Option<(Option<u64>, RecordedResult)>> {
    let mut select = db.prepare_cached(select_over!("", "matches WHERE tournament = ? AND id = ?"))?;
    let mut rows = select.query(params![tournament, id.cast_signed()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let token = row.get::<_, Option<i64>>(19)?.map(i64::cast_unsigned);
    Ok(over_match(row)?.result.map(|result| (token, result)))
}

/// Reads with several statements that see the same store, also if another process writes to it meanwhile.
pub(super) fn together<T>(db: &Connection, read: impl FnOnce() -> Found<T>) -> Found<T> {
    // There may be a transaction already: that of a frozen reader.
    let _snapshot = if db.is_autocommit() { Some(db.unchecked_transaction()?) } else { None };
    read()
}

const IS_OVER: &str = "SELECT EXISTS (SELECT * FROM matches WHERE tournament = ? AND id = ?)";

/// Calls `take` with every match of these numbers that is to be played, with the number of its row and of its attempts.
pub(super) fn batches(
    db: &Connection,
    tournament: u32,
    ids: RangeInclusive<i64>,
    take: &mut dyn FnMut(i64, PlannedMatch, u32),
) -> Found<()> {
    let mut is_over = db.prepare_cached(IS_OVER)?;
    let select = "SELECT number, plans FROM batches WHERE tournament = ? AND last >= ? ORDER BY number";
    let mut select = db.prepare_cached(select)?;
    let mut rows = select.query(params![tournament, ids.start()])?;
    while let Some(row) = rows.next()? {
        let number = row.get(0)?;
        for (planned, attempts) in text::plans(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?)? {
            let id = planned.id.cast_signed();
            if ids.contains(&id) && !is_over.query_row(params![tournament, id], |row| row.get::<_, bool>(0))? {
                take(number, planned, attempts);
            }
        }
    }
    Ok(())
}

pub(super) fn find(db: &Connection, tournament: u32, id: u64) -> Found<Option<StoredMatch>> {
    together(db, || {
        if let Some(stored) = over(db, tournament, id)? {
            return Ok(Some(stored));
        }
        let mut found = None;
        batches(db, tournament, id.cast_signed()..=id.cast_signed(), &mut |_, planned, attempts| {
            found = Some(StoredMatch { planned, attempts, result: None });
        })?;
        Ok(found)
    })
}

pub(super) fn matches(db: &Connection, tournament: u32, after: u64, count: usize) -> Found<Vec<StoredMatch>> {
    let first = after.checked_add(1).and_then(|first| i64::try_from(first).ok());
    let (Some(first), most) = (first, i64::try_from(count).unwrap_or(i64::MAX)) else { return Ok(Vec::new()) };
    together(db, || {
        let select = select_over!("", "matches WHERE tournament = ? AND id >= ? ORDER BY id LIMIT ?");
        let mut select = db.prepare_cached(select)?;
        let mut rows = select.query(params![tournament, first, most])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(over_match(row)?);
        }
        let over = found.len();
        // Most of those to be played come after all that are over. So nothing is looked up for them in a full page.
        let last =
            if over < count { i64::MAX } else { found.last().map_or(0, |stored| stored.planned.id.cast_signed()) };
        batches(db, tournament, first..=last, &mut |_, planned, attempts| {
            found.push(StoredMatch { planned, attempts, result: None });
        })?;
        if found.len() > over {
            found.sort_by_key(|stored| stored.planned.id);
            found.truncate(count);
        }
        Ok(found)
    })
}

/// Returns the numbers and the matches that are over, in the order in which they came to be so.
pub(super) fn over_since(db: &Connection, tournament: u32, after: u64, count: usize) -> Found<Vec<(u64, StoredMatch)>> {
    let (after, most) = (i64::try_from(after).unwrap_or(i64::MAX), i64::try_from(count).unwrap_or(i64::MAX));
    // Without the `+`, SQLite goes through every match of the tournament by its other index, and sorts them.
    let select = select_over!("", "matches WHERE number > ? AND +tournament = ? ORDER BY number LIMIT ?");
    let mut select = db.prepare_cached(select)?;
    let mut rows = select.query(params![after, tournament, most])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push((number_of(row)?, over_match(row)?));
    }
    Ok(found)
}

/// Returns the number of the match that came last to be over.
pub(super) fn last_result(db: &Connection) -> Found<u64> {
    Ok(db.query_row("SELECT last FROM numbers WHERE name = 'result'", [], |row| unsigned(row, 0))?)
}

/// Returns the numbers and names of the tournaments.
pub(super) fn tournaments(db: &Connection) -> Found<Vec<(u32, String)>> {
    let mut select = db.prepare_cached("SELECT number, name FROM tournaments ORDER BY number")?;
    Ok(select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?)
}

fn attempt(row: &Row<'_>) -> rusqlite::Result<Attempt> {
    let ended: String = row.get("ended")?;
    let end = AttemptEnd::ALL.into_iter().find(|known| known.name() == ended).ok_or_else(|| unknown(&ended))?;
    Ok(Attempt {
        id: unsigned(row, "match")?,
        token: row.get::<_, Option<i64>>("token")?.map(i64::cast_unsigned),
        worker: row.get("worker")?,
        began_ms: row.get("began_ms")?,
        ended_ms: row.get("ended_ms")?,
        end,
        why: row.get("why")?,
    })
}

/// Returns the attempts at all matches, oldest first.
pub(super) fn all_attempts(db: &Connection, tournament: u32) -> Found<Vec<Attempt>> {
    let mut select = db.prepare("SELECT * FROM attempts WHERE tournament = ? ORDER BY number")?;
    Ok(select.query_map([tournament], attempt)?.collect::<Result<_, _>>()?)
}

pub(super) fn attempts(db: &Connection, tournament: u32, id: u64) -> Found<Vec<Attempt>> {
    let select = "SELECT * FROM attempts WHERE tournament = ? AND match = ? ORDER BY number";
    let mut select = db.prepare_cached(select)?;
    Ok(select.query_map(params![tournament, id.cast_signed()], attempt)?.collect::<Result<_, _>>()?)
}

/// Returns the rows of claims, each with its first token and the claims that it lists.
pub(super) fn claims(db: &Connection, tournament: u32) -> Found<Vec<(u64, Vec<Claim>)>> {
    let mut select = db.prepare_cached("SELECT * FROM claims WHERE tournament = ? ORDER BY first")?;
    let mut rows = select.query([tournament])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let text = row.get_ref("matches")?.as_str().map_err(rusqlite::Error::from)?;
        let pairs: Vec<(u64, u64)> = serde_json::from_str(text).map_err(|why| unknown(&why.to_string()))?;
        let (worker, began_ms, until_ms) = (row.get("worker")?, row.get("began_ms")?, row.get("until_ms")?);
        let claim = |(token, id)| Claim { token, id, worker, began_ms, until_ms };
        found.push((unsigned(row, "first")?, pairs.into_iter().map(claim).collect()));
    }
    Ok(found)
}

/// Returns the claims of matches that are still to be played, in the order of their matches.
pub(super) fn claims_that_hold(db: &Connection, tournament: u32) -> Found<Vec<Claim>> {
    together(db, || {
        let mut is_over = db.prepare_cached(IS_OVER)?;
        // The last claim of a match is the one that holds.
        let mut held = BTreeMap::new();
        for claim in claims(db, tournament)?.into_iter().flat_map(|(_, claims)| claims) {
            let key = params![tournament, claim.id.cast_signed()];
            if !is_over.query_row(key, |row| row.get::<_, bool>(0))? {
                held.insert(claim.id, claim);
            }
        }
        Ok(held.into_values().collect())
    })
}

pub(super) fn workers(db: &Connection) -> Found<Vec<StoredWorker>> {
    let worker = |row: &Row<'_>| {
        let (number, name, facts, at_ms) = (row.get("number")?, row.get("name")?, row.get("facts")?, row.get("at_ms")?);
        Ok(StoredWorker { number, name, facts, at_ms })
    };
    let mut select = db.prepare_cached("SELECT * FROM workers ORDER BY number")?;
    Ok(select.query_map([], worker)?.collect::<Result<_, _>>()?)
}

pub(super) fn artefact(db: &Connection, hash: BlobHash) -> Found<Option<Artefact>> {
    let mut select = db.prepare_cached("SELECT size, pieces FROM artefacts WHERE hash = ?")?;
    let row = |row: &Row<'_>| Ok((unsigned(row, "size")?, row.get::<_, Vec<u8>>("pieces")?));
    let Some((size, pieces)) = select.query_row([&hash.bytes()[..]], row).optional()? else { return Ok(None) };
    let (pieces, rest) = pieces.as_chunks::<32>();
    if !rest.is_empty() {
        return Err(unknown("the pieces of an artefact").into());
    }
    Ok(Some(Artefact { hash, size, pieces: pieces.iter().copied().map(BlobHash::from_bytes).collect() }))
}

pub(super) fn progress(db: &Connection, tournament: u32) -> Found<Progress> {
    let mut select = db.prepare_cached("SELECT state, number FROM progress WHERE tournament = ?")?;
    let rows = select.query_map([tournament], |row| Ok((state(row, "state")?, unsigned(row, "number")?)))?;
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
        Some((size, packed)) => Ok(Some(Blob::from_packed(hash, size, packed).unpacked()?)),
        None => Ok(None),
    }
}

pub(super) fn has(db: &Connection, hash: BlobHash) -> Found<bool> {
    let mut select = db.prepare_cached("SELECT EXISTS (SELECT * FROM blobs WHERE hash = ?)")?;
    Ok(select.query_row([&hash.bytes()[..]], |row| row.get(0))?)
}

pub(super) fn bots(db: &Connection, tournament: u32) -> Found<Vec<StoredBot>> {
    let bot = |row: &Row<'_>| {
        let totals = BotTotals {
            played: unsigned(row, "played")?,
            faults: unsigned(row, "faults")?,
            time_us: unsigned(row, "time_us")?,
        };
        let (number, name, withdrawn) = (row.get("number")?, row.get("name")?, row.get("withdrawn")?);
        Ok(StoredBot { number, name, versions: Vec::new(), withdrawn, totals })
    };
    let mut select = db.prepare_cached("SELECT * FROM bots WHERE tournament = ? ORDER BY number")?;
    let mut bots: Vec<StoredBot> = select.query_map([tournament], bot)?.collect::<Result<_, _>>()?;
    let version = |row: &Row<'_>| {
        let (number, words, at_ms) = (row.get("number")?, row.get("words")?, row.get("at_ms")?);
        Ok((row.get::<_, u32>("bot")?, BotVersion { number, hash: hash(row, "hash")?, words, at_ms }))
    };
    let mut select = db.prepare_cached("SELECT * FROM versions WHERE tournament = ? ORDER BY bot, number")?;
    for row in select.query_map([tournament], version)? {
        let (bot, version) = row?;
        if let Some(bot) = bots.get_mut(bot as usize) {
            bot.versions.push(version);
        }
    }
    Ok(bots)
}

pub(super) fn files(db: &Connection, tournament: u32) -> Found<Vec<FileVersion>> {
    let file =
        |row: &Row<'_>| Ok(FileVersion { text: row.get("text")?, agon: row.get("agon")?, at_ms: row.get("at_ms")? });
    let mut select = db.prepare_cached("SELECT * FROM files WHERE tournament = ? ORDER BY number")?;
    Ok(select.query_map([tournament], file)?.collect::<Result<_, _>>()?)
}

pub(super) fn maps(db: &Connection, tournament: u32) -> Found<Vec<StoredMap>> {
    let map = |row: &Row<'_>| Ok(StoredMap { name: row.get("name")?, content: hash(row, "content")? });
    let mut select = db.prepare_cached("SELECT * FROM maps WHERE tournament = ? ORDER BY number")?;
    Ok(select.query_map([tournament], map)?.collect::<Result<_, _>>()?)
}

pub(super) fn events(db: &Connection, tournament: u32, count: usize) -> Found<Vec<StoredEvent>> {
    let event = |row: &Row<'_>| {
        let kind: String = row.get("kind")?;
        let kind = EventKind::ALL.into_iter().find(|known| known.name() == kind).ok_or_else(|| unknown(&kind))?;
        let id = row.get::<_, Option<i64>>("match")?.map(i64::cast_unsigned);
        Ok(StoredEvent { kind, at_ms: row.get("at_ms")?, id, bot: row.get("bot")?, text: row.get("text")? })
    };
    let select = "SELECT * FROM events WHERE tournament = ? ORDER BY number DESC LIMIT ?";
    let mut select = db.prepare_cached(select)?;
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let mut events: Vec<StoredEvent> =
        select.query_map(params![tournament, count], event)?.collect::<Result<_, _>>()?;
    events.reverse();
    Ok(events)
}

pub(super) fn earlier(db: &Connection, tournament: u32) -> Found<Vec<EarlierResult>> {
    let mut select = db.prepare_cached(select_over!(", at_ms", "earlier WHERE tournament = ? ORDER BY number"))?;
    let mut rows = select.query([tournament])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(EarlierResult { stored: over_match(row)?, at_ms: row.get(21)? });
    }
    Ok(found)
}

pub(super) fn snapshot(db: &Connection, tournament: u32, name: &str) -> Found<Option<Snapshot>> {
    let mut select = db.prepare_cached("SELECT * FROM snapshots WHERE tournament = ? AND name = ?")?;
    let row = |row: &Row<'_>| Ok(Snapshot { after: unsigned(row, "after")?, text: row.get("text")? });
    Ok(select.query_row(params![tournament, name], row).optional()?)
}

pub(super) fn amendments(db: &Connection, tournament: u32) -> Found<Vec<String>> {
    let mut select = db.prepare_cached("SELECT text FROM amendments WHERE tournament = ? ORDER BY number")?;
    Ok(select.query_map([tournament], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Reads the whole file and returns what is wrong with it.
pub(super) fn flaws(db: &Connection) -> Found<Vec<String>> {
    let mut check = db.prepare("PRAGMA integrity_check(20)")?;
    let lines: Vec<String> = check.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut flaws: Vec<String> = lines.into_iter().filter(|line| line != "ok").collect();
    let counts = "SELECT EXISTS (SELECT * FROM progress p WHERE tournament = ? AND state <> 0 AND number <>
                  (SELECT count(*) FROM matches m WHERE m.tournament = p.tournament AND m.state = p.state))";
    let are_wrong = together(db, || {
        for (tournament, _) in tournaments(db)? {
            let mut ready = 0;
            batches(db, tournament, 1..=i64::MAX, &mut |_, _, _| ready += 1)?;
            if ready != progress(db, tournament)?.ready || db.query_row(counts, [tournament], |row| row.get(0))? {
                return Ok(true);
            }
        }
        Ok(false)
    })?;
    if are_wrong {
        flaws.push("the counts of matches are wrong".to_owned());
    }
    Ok(flaws)
}

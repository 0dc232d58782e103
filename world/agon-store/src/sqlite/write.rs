//! The statements that change a store. A refused change has changed nothing.

use super::{failure::Failure, read, text, writer::State};
use crate::{
    Blob, BlobHash, BotChange, BotVersion, Completion, Decision, Ending, EventKind, FileVersion, MatchState,
    PlannedMatch, RecordedResult, Report, Snapshot, StoreError, StoredEvent, StoredMap,
};
use rusqlite::{Connection, Statement, params};

type Done<T = ()> = Result<T, Failure>;

pub(super) fn enqueue(db: &Connection, state: &mut State, matches: Vec<PlannedMatch>) -> Done {
    let new = state.waiting.new_among(db, matches)?;
    state.sums.count(MatchState::Ready, i64::try_from(new.len()).unwrap_or(i64::MAX));
    state.waiting.add(db, new)
}

/// Stores results, all or none.
pub(super) fn complete(db: &Connection, state: &mut State, reports: &[Report]) -> Done<Vec<Completion>> {
    for Report { id, .. } in reports {
        if state.waiting.get(*id).is_none() && read::over(db, *id)?.is_none() {
            return Err(StoreError::NoMatch(*id).into());
        }
    }
    let mut insert = db.prepare_cached(INSERT_MATCH)?;
    reports.iter().map(|report| complete_one(db, &mut insert, state, report)).collect()
}

fn complete_one(
    db: &Connection,
    insert: &mut Statement<'_>,
    state: &mut State,
    Report { id, result, blobs }: &Report,
) -> Done<Completion> {
    let Some((planned, attempts)) = state.waiting.remove(*id) else {
        let same = read::over(db, *id)?.and_then(|stored| stored.result).is_some_and(|before| before.agrees(result));
        return Ok(if same { Completion::Duplicate } else { Completion::Conflict });
    };
    for blob in blobs {
        put(db, blob)?;
    }
    insert_match(insert, &planned, attempts, result)?;
    state.sums.count(MatchState::Ready, -1);
    state.sums.count(MatchState::Over(result.ending), 1);
    if result.ending == Ending::Finished {
        state.sums.add(&planned.bots, result, 1);
    }
    Ok(Completion::Stored)
}

const INSERT_MATCH: &str = "INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/// Executes [`INSERT_MATCH`].
fn insert_match(insert: &mut Statement<'_>, planned: &PlannedMatch, attempts: u32, result: &RecordedResult) -> Done {
    let PlannedMatch { id, round, map, map_seed, seed, bots, probability, rank } = planned;
    let RecordedResult { ending, reason, seats, plies, fingerprint, replay, log, started_ms, wall_us } = result;
    let numbers = bots.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    insert.execute(params![
        id.cast_signed(),
        read::state_number(MatchState::Over(*ending)),
        rank,
        attempts,
        round,
        map,
        map_seed.cast_signed(),
        seed.cast_signed(),
        numbers,
        probability,
        reason,
        plies,
        fingerprint.map(u64::cast_signed),
        replay.as_ref().map(|hash| &hash.bytes()[..]),
        log.as_ref().map(|hash| &hash.bytes()[..]),
        started_ms,
        wall_us.cast_signed(),
        text::of_seats(seats)?
    ])?;
    Ok(())
}

/// Counts an attempt without a result. Returns the number of attempts.
pub(super) fn add_attempt(db: &Connection, state: &mut State, id: u64, why: &str, now_ms: i64) -> Done<u32> {
    if state.waiting.add_attempt(id) {
        let (kind, text) = (EventKind::Spoilt, why.to_owned());
        record(db, &StoredEvent { kind, at_ms: now_ms, id: Some(id), bot: None, text })?;
    }
    attempts(db, state, id)
}

pub(super) fn attempts(db: &Connection, state: &State, id: u64) -> Done<u32> {
    if let Some((_, attempts)) = state.waiting.get(id) {
        return Ok(attempts);
    }
    let stored = read::over(db, id)?;
    stored.map(|stored| stored.attempts).ok_or_else(|| StoreError::NoMatch(id).into())
}

pub(super) fn void(db: &Connection, state: &mut State, id: u64, why: &str, now_ms: i64) -> Done {
    let over = read::over(db, id)?;
    if over.is_none() && state.waiting.get(id).is_none() {
        return Err(StoreError::NoMatch(id).into());
    }
    let void = MatchState::Over(Ending::Void);
    if let Some(stored) = &over {
        let mut update = db.prepare_cached("UPDATE matches SET state = ?, reason = ? WHERE id = ?")?;
        update.execute(params![read::state_number(void), why, id.cast_signed()])?;
        state.sums.count(stored.state(), -1);
        if let Some(before) = stored.result.as_ref().filter(|before| before.ending == Ending::Finished) {
            state.sums.add(&stored.planned.bots, before, -1);
        }
    } else if let Some((planned, attempts)) = state.waiting.remove(id) {
        let (ending, reason) = (Ending::Void, why.to_owned());
        let result = RecordedResult { ending, reason, ..RecordedResult::default() };
        insert_match(&mut *db.prepare_cached(INSERT_MATCH)?, &planned, attempts, &result)?;
        state.sums.count(MatchState::Ready, -1);
    }
    state.sums.count(void, 1);
    record(db, &StoredEvent { kind: EventKind::Void, at_ms: now_ms, id: Some(id), bot: None, text: why.to_owned() })
}

pub(super) fn decide(db: &Connection, state: &mut State, decision: &Decision) -> Done {
    let mut again = Vec::new();
    for id in &decision.again {
        again.push(read::over(db, *id)?.ok_or(StoreError::NoMatch(*id))?);
    }
    match &decision.bot {
        Some(BotChange::Readmitted(bot)) => withdraw(db, *bot, None)?,
        Some(BotChange::Renamed(bot, name)) => rename(db, *bot, name)?,
        None => {}
    }
    for stored in &again {
        let id = stored.planned.id.cast_signed();
        let mut keep = db.prepare_cached("INSERT INTO earlier SELECT NULL, ?, * FROM matches WHERE id = ?")?;
        keep.execute(params![decision.event.at_ms, id])?;
        db.prepare_cached("DELETE FROM matches WHERE id = ?")?.execute([id])?;
        state.sums.count(stored.state(), -1);
        state.sums.count(MatchState::Ready, 1);
        if let Some(before) = stored.result.as_ref().filter(|before| before.ending == Ending::Finished) {
            state.sums.add(&stored.planned.bots, before, -1);
        }
    }
    let planned = again.into_iter().map(|stored| PlannedMatch { rank: 0, ..stored.planned });
    state.waiting.add_again(db, planned.collect())?;
    if let Some(amendment) = &decision.amendment {
        amend(db, amendment)?;
    }
    record(db, &decision.event)
}

pub(super) fn put(db: &Connection, blob: &Blob) -> Done<BlobHash> {
    let mut insert = db.prepare_cached("INSERT OR IGNORE INTO blobs (hash, size, packed) VALUES (?, ?, ?)")?;
    insert.execute(params![&blob.hash().bytes()[..], blob.size().cast_signed(), blob.packed()])?;
    Ok(blob.hash())
}

pub(super) fn add_file(db: &Connection, file: &FileVersion) -> Done {
    let row = params![file.text, file.agon, file.at_ms];
    db.execute("INSERT INTO files (text, agon, at_ms) VALUES (?, ?, ?)", row)?;
    Ok(())
}

pub(super) fn add_map(db: &Connection, map: &StoredMap) -> Done {
    let content = map.content.map(|hash| hash.bytes().to_vec());
    db.execute(
        "INSERT INTO maps (number, name, content) SELECT coalesce(max(number) + 1, 0), ?, ? FROM maps",
        params![map.name, content],
    )?;
    Ok(())
}

pub(super) fn add_bot(db: &Connection, name: &str) -> Done<u32> {
    let taken: bool = db.query_row("SELECT EXISTS (SELECT * FROM bots WHERE name = ?)", [name], |row| row.get(0))?;
    if taken {
        return Err(StoreError::SameName(name.to_owned()).into());
    }
    let insert = "INSERT INTO bots (number, name) SELECT coalesce(max(number) + 1, 0), ? FROM bots RETURNING number";
    Ok(db.query_row(insert, [name], |row| row.get(0))?)
}

pub(super) fn add_version(db: &Connection, bot: u32, version: &BotVersion) -> Done<u32> {
    check_bot(db, bot)?;
    let hash = version.hash.map(|hash| hash.bytes().to_vec());
    let insert = "INSERT INTO versions (bot, number, hash, words, at_ms)
                  SELECT ?1, coalesce(max(number) + 1, 1), ?2, ?3, ?4 FROM versions WHERE bot = ?1 RETURNING number";
    Ok(db.query_row(insert, params![bot, hash, version.words, version.at_ms], |row| row.get(0))?)
}

pub(super) fn withdraw(db: &Connection, bot: u32, why: Option<&str>) -> Done {
    check_bot(db, bot)?;
    db.execute("UPDATE bots SET withdrawn = ? WHERE number = ?", params![why, bot])?;
    Ok(())
}

fn rename(db: &Connection, bot: u32, name: &str) -> Done {
    check_bot(db, bot)?;
    let taken = "SELECT EXISTS (SELECT * FROM bots WHERE name = ? AND number <> ?)";
    if db.query_row(taken, params![name, bot], |row| row.get(0))? {
        return Err(StoreError::SameName(name.to_owned()).into());
    }
    db.execute("UPDATE bots SET name = ? WHERE number = ?", params![name, bot])?;
    Ok(())
}

fn check_bot(db: &Connection, bot: u32) -> Done {
    let known: bool = db.query_row("SELECT EXISTS (SELECT * FROM bots WHERE number = ?)", [bot], |row| row.get(0))?;
    if known { Ok(()) } else { Err(StoreError::NoBot(bot).into()) }
}

pub(super) fn record(db: &Connection, event: &StoredEvent) -> Done {
    let StoredEvent { kind, at_ms, id, bot, text } = event;
    let mut insert = db.prepare_cached("INSERT INTO events (kind, at_ms, match, bot, text) VALUES (?, ?, ?, ?, ?)")?;
    insert.execute(params![kind.name(), at_ms, id.map(u64::cast_signed), bot, text])?;
    Ok(())
}

pub(super) fn amend(db: &Connection, text: &str) -> Done {
    db.execute("INSERT INTO amendments (text) VALUES (?)", [text])?;
    Ok(())
}

pub(super) fn keep(db: &Connection, name: &str, snapshot: &Snapshot) -> Done {
    let row = params![name, snapshot.after.cast_signed(), snapshot.text];
    db.execute("INSERT OR REPLACE INTO snapshots (name, after, text) VALUES (?, ?, ?)", row)?;
    Ok(())
}

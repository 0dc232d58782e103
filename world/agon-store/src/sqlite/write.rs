//! The statements that change a store. A refused change has changed nothing.

use super::{failure::Failure, read, sums::Sums};
use crate::{
    Blob, BlobHash, BotVersion, Completion, Ending, EventKind, FileVersion, MatchState, PlannedMatch, RecordedResult,
    Snapshot, StoreError, StoredEvent, StoredMap,
};
use rusqlite::{Connection, OptionalExtension, params};

type Done<T = ()> = Result<T, Failure>;

pub(super) fn enqueue(db: &Connection, sums: &mut Sums, matches: &[PlannedMatch]) -> Done {
    let mut new = Vec::new();
    for planned in matches {
        match read::planned(db, planned.id)? {
            Some(before) if !before.agrees(planned) => return Err(StoreError::OtherPlan(planned.id).into()),
            Some(_) => {}
            None => new.push(planned),
        }
    }
    let mut insert = db.prepare_cached(
        "INSERT INTO matches (id, state, rank, attempts, round, map, map_seed, seed, bots, probability)
         VALUES (?, 0, ?, 0, ?, ?, ?, ?, ?, ?)",
    )?;
    for planned in &new {
        let PlannedMatch { id, round, map, map_seed, seed, bots, probability, rank } = planned;
        let bots = bots.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let (map_seed, seed) = (map_seed.cast_signed(), seed.cast_signed());
        insert.execute(params![id.cast_signed(), rank, round, map, map_seed, seed, bots, probability])?;
    }
    sums.count(MatchState::Ready, i64::try_from(new.len()).unwrap_or(i64::MAX));
    Ok(())
}

pub(super) fn complete(
    db: &Connection,
    sums: &mut Sums,
    id: u64,
    result: &RecordedResult,
    blobs: &[Blob],
) -> Done<Completion> {
    let Some((planned, state)) = read::planned_and_state(db, id)? else { return Err(StoreError::NoMatch(id).into()) };
    if state != MatchState::Ready {
        let same = read::result(db, id)?.is_some_and(|before| before.agrees(result));
        return Ok(if same { Completion::Duplicate } else { Completion::Conflict });
    }
    for blob in blobs {
        put(db, blob)?;
    }
    insert_result(db, id, &planned.bots, result)?;
    set_state(db, sums, id, MatchState::Ready, MatchState::Over(result.ending))?;
    if result.ending == Ending::Finished {
        sums.add(&planned.bots, result, 1);
    }
    Ok(Completion::Stored)
}

fn insert_result(db: &Connection, id: u64, bots: &[u32], result: &RecordedResult) -> Done {
    let RecordedResult { ending: _, reason, seats, plies, fingerprint, replay, log, started_ms, wall_us } = result;
    let hash = |hash: &Option<BlobHash>| hash.map(|hash| hash.bytes().to_vec());
    db.prepare_cached("INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?)")?.execute(params![
        id.cast_signed(),
        reason,
        plies,
        fingerprint.map(u64::cast_signed),
        hash(replay),
        hash(log),
        started_ms,
        wall_us.cast_signed()
    ])?;
    let mut insert = db.prepare_cached("INSERT INTO seats VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    for (number, (seat, bot)) in seats.iter().zip(bots).enumerate() {
        let fault = seat.fault.as_ref();
        insert.execute(params![
            id.cast_signed(),
            i64::try_from(number).unwrap_or(i64::MAX),
            bot,
            seat.version,
            seat.score,
            seat.place,
            fault.map(|fault| &fault.kind),
            fault.map(|fault| fault.ply),
            fault.map(|fault| &fault.text),
            seat.decisions.cast_signed(),
            seat.time_us.cast_signed(),
            seat.max_us.cast_signed()
        ])?;
    }
    Ok(())
}

/// Counts an attempt without a result. Returns the number of attempts.
pub(super) fn add_attempt(db: &Connection, id: u64, why: &str, now_ms: i64) -> Done<u32> {
    let changed = db
        .prepare_cached("UPDATE matches SET attempts = attempts + 1 WHERE id = ? AND state = 0")?
        .execute([id.cast_signed()])?;
    if changed == 1 {
        let (kind, text) = (EventKind::Spoilt, why.to_owned());
        record(db, &StoredEvent { kind, at_ms: now_ms, id: Some(id), bot: None, text })?;
    }
    attempts(db, id)
}

pub(super) fn attempts(db: &Connection, id: u64) -> Done<u32> {
    let attempts = db
        .prepare_cached("SELECT attempts FROM matches WHERE id = ?")?
        .query_row([id.cast_signed()], |row| row.get(0))
        .optional()?;
    attempts.ok_or_else(|| StoreError::NoMatch(id).into())
}

pub(super) fn rerank(db: &Connection, ids: &[u64], rank: u8) -> Done {
    let mut update = db.prepare_cached("UPDATE matches SET rank = ? WHERE id = ? AND state = 0")?;
    for id in ids {
        update.execute(params![rank, id.cast_signed()])?;
    }
    Ok(())
}

pub(super) fn void(db: &Connection, sums: &mut Sums, id: u64, why: &str, now_ms: i64) -> Done {
    let Some(stored) = read::find(db, id)? else { return Err(StoreError::NoMatch(id).into()) };
    set_state(db, sums, id, stored.state(), MatchState::Over(Ending::Void))?;
    match &stored.result {
        Some(before) => {
            if before.ending == Ending::Finished {
                sums.add(&stored.planned.bots, before, -1);
            }
            db.execute("UPDATE results SET reason = ? WHERE match = ?", params![why, id.cast_signed()])?;
        }
        None => {
            let result = RecordedResult { reason: why.to_owned(), ..RecordedResult::default() };
            insert_result(db, id, &[], &result)?;
        }
    }
    record(db, &StoredEvent { kind: EventKind::Void, at_ms: now_ms, id: Some(id), bot: None, text: why.to_owned() })
}

fn set_state(db: &Connection, sums: &mut Sums, id: u64, from: MatchState, to: MatchState) -> Done {
    let mut update = db.prepare_cached("UPDATE matches SET state = ? WHERE id = ?")?;
    update.execute(params![read::state_number(to), id.cast_signed()])?;
    sums.count(from, -1);
    sums.count(to, 1);
    Ok(())
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

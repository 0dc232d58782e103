//! The statements that change a store. A refused change has changed nothing.

use super::{failure::Failure, read, state::Scope};
use crate::{
    Artefact, Attempt, AttemptEnd, Blob, BlobHash, BotChange, BotVersion, Completion, Decision, Ending, FileVersion,
    MatchState, PlannedMatch, RecordedResult, Report, Snapshot, StoreError, StoredEvent, StoredMap, StoredMatch,
    backend::{state_number, text},
};
use rusqlite::{Connection, OptionalExtension, Statement, params};

type Done<T = ()> = Result<T, Failure>;

pub(super) fn enqueue(scope: &mut Scope<'_>, matches: Vec<PlannedMatch>) -> Done {
    let Scope { db, tournament, own, .. } = scope;
    let new = own.waiting.new_among(matches, &mut |id| read::over(db, *tournament, id))?;
    own.sums.count(MatchState::Ready, i64::try_from(new.len()).unwrap_or(i64::MAX));
    scope.add(new, false)
}

/// Stores results, all or none.
pub(super) fn complete(scope: &mut Scope<'_>, reports: &[Report]) -> Done<Vec<Completion>> {
    for Report { id, .. } in reports {
        if !is_known(scope, *id)? {
            return Err(StoreError::NoMatch(*id).into());
        }
    }
    let mut insert = scope.db.prepare_cached(INSERT_MATCH)?;
    reports.iter().map(|report| complete_one(scope, &mut insert, report)).collect()
}

/// Returns whether there is a match with this number, be it over or not.
fn is_known(scope: &Scope<'_>, id: u64) -> Done<bool> {
    Ok(scope.own.waiting.get(id).is_some() || read::over(scope.db, scope.tournament, id)?.is_some())
}

fn complete_one(scope: &mut Scope<'_>, insert: &mut Statement<'_>, report: &Report) -> Done<Completion> {
    let Report { id, token, result, blobs } = report;
    let Some((planned, attempts)) = scope.own.waiting.remove(*id) else {
        let before = read::completed(scope.db, scope.tournament, *id)?;
        let Some((stored_token, before)) = before else { return Err(StoreError::NoMatch(*id).into()) };
        if report.repeats(stored_token, &before) {
            return Ok(Completion::Duplicate);
        }
        note_late(scope, &Attempt::of_late(report, before.agrees(result)))?;
        return Ok(Completion::Late);
    };
    scope.own.end(*id);
    for blob in blobs {
        put(scope.db, blob)?;
    }
    insert_match(scope, insert, (&planned, attempts), *token, result)?;
    scope.own.sums.count(MatchState::Ready, -1);
    scope.own.sums.count(MatchState::Over(result.ending), 1);
    if result.ending == Ending::Finished {
        scope.own.sums.add(&planned.bots, result, 1);
    }
    Ok(Completion::Stored)
}

/// Notes a late result, once, and in place of what was noted of its claim before.
fn note_late(scope: &mut Scope<'_>, attempt: &Attempt) -> Done {
    let known = "SELECT number, ended FROM attempts WHERE tournament = ? AND match = ? AND token = ?";
    let token = attempt.token.map(u64::cast_signed);
    let key = params![scope.tournament, attempt.id.cast_signed(), token];
    let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?));
    let known = scope.db.prepare_cached(known)?.query_row(key, row).optional()?;
    match known {
        Some((_, ended)) if ended == AttemptEnd::Late.name() => return Ok(()),
        Some((number, _)) => drop(scope.db.execute("DELETE FROM attempts WHERE number = ?", [number])?),
        None => {}
    }
    insert_attempt(scope, attempt)
}

/// The columns of a match in the tables `matches` and `earlier`, but for their own numbers.
const COLUMNS: &str = "tournament, id, state, rank, attempts, round, map, map_seed, seed, bots, probability, reason, plies, \
     fingerprint, replay, log, started_ms, wall_us, seats, token, worker";

const INSERT_MATCH: &str =
    "INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/// Executes [`INSERT_MATCH`].
fn insert_match(
    scope: &mut Scope<'_>,
    insert: &mut Statement<'_>,
    (planned, attempts): (&PlannedMatch, u32),
    token: Option<u64>,
    result: &RecordedResult,
) -> Done {
    let PlannedMatch { id, round, map, map_seed, seed, bots, probability, rank } = planned;
    let RecordedResult { ending, reason, seats, plies, fingerprint, replay, log, started_ms, wall_us, worker } = result;
    let numbers = bots.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    insert.execute(params![
        scope.numbers.next_result().cast_signed(),
        scope.tournament,
        id.cast_signed(),
        state_number(MatchState::Over(*ending)),
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
        text::of_seats(seats)?,
        token.map(u64::cast_signed),
        worker,
    ])?;
    Ok(())
}

/// Ends the claim of a match that was played without a result. Returns the number of attempts that it has used.
pub(super) fn give_back(
    scope: &mut Scope<'_>,
    (id, token): (u64, u64),
    end: AttemptEnd,
    why: &str,
    now_ms: i64,
) -> Done<u32> {
    match scope.own.release(token) {
        Some(claim) => add_attempt(scope, &Attempt { end, why: why.to_owned(), ..Attempt::of_silence(&claim, now_ms) }),
        None => used(scope, id),
    }
}

/// Ends the claims that have run out. Returns the attempts that they have used.
pub(super) fn expire(scope: &mut Scope<'_>, now_ms: i64) -> Done<Vec<Attempt>> {
    let out = scope.own.run_out(now_ms);
    let attempts: Vec<Attempt> = out.iter().map(|claim| Attempt::of_silence(claim, now_ms)).collect();
    attempts.iter().try_for_each(|attempt| add_attempt(scope, attempt).map(drop))?;
    Ok(attempts)
}

/// Notes an attempt. Returns the number of attempts that the match has used.
pub(super) fn add_attempt(scope: &mut Scope<'_>, attempt: &Attempt) -> Done<u32> {
    if !is_known(scope, attempt.id)? {
        return Err(StoreError::NoMatch(attempt.id).into());
    }
    if attempt.end.is_used() {
        scope.own.waiting.add_attempt(attempt.id);
    }
    insert_attempt(scope, attempt)?;
    used(scope, attempt.id)
}

/// Stores an attempt and the event that tells of it.
fn insert_attempt(scope: &Scope<'_>, attempt: &Attempt) -> Done {
    note_attempt(scope, attempt)?;
    attempt.event().map_or(Ok(()), |event| record(scope, &event))
}

/// Stores an attempt.
pub(super) fn note_attempt(scope: &Scope<'_>, attempt: &Attempt) -> Done {
    let Attempt { id, token, worker, began_ms, ended_ms, end, why } = attempt;
    let mut insert = scope.db.prepare_cached("INSERT INTO attempts VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    insert.execute(params![
        scope.tournament,
        id.cast_signed(),
        token.map(u64::cast_signed),
        worker,
        began_ms,
        ended_ms,
        end.name(),
        why,
    ])?;
    Ok(())
}

/// Returns the number of attempts that a match has used.
fn used(scope: &Scope<'_>, id: u64) -> Done<u32> {
    if let Some((_, attempts)) = scope.own.waiting.get(id) {
        return Ok(attempts);
    }
    let stored = read::over(scope.db, scope.tournament, id)?;
    stored.map(|stored| stored.attempts).ok_or_else(|| StoreError::NoMatch(id).into())
}

pub(super) fn void(scope: &mut Scope<'_>, id: u64, why: &str, now_ms: i64) -> Done {
    let over = read::over(scope.db, scope.tournament, id)?;
    if over.is_none() && scope.own.waiting.get(id).is_none() {
        return Err(StoreError::NoMatch(id).into());
    }
    let void = MatchState::Over(Ending::Void);
    if let Some(stored) = &over {
        let number = scope.numbers.next_result().cast_signed();
        let update = "UPDATE matches SET number = ?, state = ?, reason = ? WHERE tournament = ? AND id = ?";
        let row = params![number, state_number(void), why, scope.tournament, id.cast_signed()];
        scope.db.prepare_cached(update)?.execute(row)?;
        scope.own.sums.count(stored.state(), -1);
        if let Some(before) = stored.result.as_ref().filter(|before| before.ending == Ending::Finished) {
            scope.own.sums.add(&stored.planned.bots, before, -1);
        }
    } else if let Some((planned, attempts)) = scope.own.waiting.remove(id) {
        scope.own.end(id);
        let (ending, reason) = (Ending::Void, why.to_owned());
        let result = RecordedResult { ending, reason, ..RecordedResult::default() };
        let mut insert = scope.db.prepare_cached(INSERT_MATCH)?;
        insert_match(scope, &mut insert, (&planned, attempts), None, &result)?;
        scope.own.sums.count(MatchState::Ready, -1);
    }
    scope.own.sums.count(void, 1);
    let (kind, text) = (crate::EventKind::Void, why.to_owned());
    record(scope, &StoredEvent { kind, at_ms: now_ms, id: Some(id), bot: None, text })
}

pub(super) fn decide(scope: &mut Scope<'_>, decision: &Decision) -> Done {
    let mut again = Vec::new();
    for id in &decision.again {
        again.push(read::over(scope.db, scope.tournament, *id)?.ok_or(StoreError::NoMatch(*id))?);
    }
    match &decision.bot {
        Some(BotChange::Readmitted(bot)) => withdraw(scope, *bot, None)?,
        Some(BotChange::Renamed(bot, name)) => rename(scope, *bot, name)?,
        None => {}
    }
    for stored in &again {
        keep_earlier(scope, stored.planned.id, decision.event.at_ms)?;
        scope.own.sums.count(stored.state(), -1);
        scope.own.sums.count(MatchState::Ready, 1);
        if let Some(before) = stored.result.as_ref().filter(|before| before.ending == Ending::Finished) {
            scope.own.sums.add(&stored.planned.bots, before, -1);
        }
    }
    let planned: Vec<PlannedMatch> =
        again.into_iter().map(|stored| PlannedMatch { rank: 0, ..stored.planned }).collect();
    if !planned.is_empty() {
        scope.own.play_again();
    }
    scope.add(planned, true)?;
    if let Some(amendment) = &decision.amendment {
        amend(scope, amendment)?;
    }
    record(scope, &decision.event)
}

/// Moves the result of a match to the earlier ones.
fn keep_earlier(scope: &Scope<'_>, id: u64, at_ms: i64) -> Done {
    let keep = format!(
        "INSERT INTO earlier (at_ms, {COLUMNS}) SELECT ?, {COLUMNS} FROM matches WHERE tournament = ? AND id = ?"
    );
    scope.db.prepare_cached(&keep)?.execute(params![at_ms, scope.tournament, id.cast_signed()])?;
    let delete = "DELETE FROM matches WHERE tournament = ? AND id = ?";
    scope.db.prepare_cached(delete)?.execute(params![scope.tournament, id.cast_signed()])?;
    Ok(())
}

/// Stores a match that is over, as another store had it. `earlier_ms` says when it was decided to play it again.
pub(super) fn put_over(
    scope: &mut Scope<'_>,
    stored: &StoredMatch,
    token: Option<u64>,
    earlier_ms: Option<i64>,
) -> Done {
    let StoredMatch { planned, attempts, result } = stored;
    let Some(result) = result else { return Err(StoreError::NoMatch(planned.id).into()) };
    let mut insert = scope.db.prepare_cached(INSERT_MATCH)?;
    insert_match(scope, &mut insert, (planned, *attempts), token, result)?;
    if let Some(at_ms) = earlier_ms {
        return keep_earlier(scope, planned.id, at_ms);
    }
    scope.own.sums.count(stored.state(), 1);
    if result.ending == Ending::Finished {
        scope.own.sums.add(&planned.bots, result, 1);
    }
    Ok(())
}

pub(super) fn put(db: &Connection, blob: &Blob) -> Done<BlobHash> {
    let mut insert = db.prepare_cached("INSERT OR IGNORE INTO blobs (hash, size, packed) VALUES (?, ?, ?)")?;
    insert.execute(params![&blob.hash().bytes()[..], blob.size().cast_signed(), blob.packed()])?;
    Ok(blob.hash())
}

pub(super) fn add_artefact(db: &Connection, Artefact { hash, size, pieces }: &Artefact) -> Done {
    for piece in pieces {
        if !read::has(db, *piece)? {
            return Err(StoreError::NoBlob(*piece).into());
        }
    }
    let pieces: Vec<u8> = pieces.iter().flat_map(|piece| *piece.bytes()).collect();
    let insert = "INSERT OR IGNORE INTO artefacts VALUES (?, ?, ?)";
    db.execute(insert, params![&hash.bytes()[..], size.cast_signed(), pieces])?;
    Ok(())
}

pub(super) fn add_worker(db: &Connection, name: &str, facts: &str, now_ms: i64) -> Done<u32> {
    let known = "SELECT number FROM workers WHERE name = ? AND facts = ?";
    if let Some(number) = db.query_row(known, [name, facts], |row| row.get(0)).optional()? {
        return Ok(number);
    }
    let insert = "INSERT INTO workers (name, facts, at_ms) VALUES (?, ?, ?) RETURNING number";
    Ok(db.query_row(insert, params![name, facts, now_ms], |row| row.get(0))?)
}

/// Returns the number of the tournament with this name, which begins if there is none.
pub(super) fn tournament(db: &Connection, name: &str) -> Done<u32> {
    if let Some((number, _)) = read::tournaments(db)?.into_iter().find(|(_, known)| known == name) {
        return Ok(number);
    }
    let insert = "INSERT INTO tournaments (name) VALUES (?) RETURNING number";
    let number: u32 = db.query_row(insert, [name], |row| row.get(0))?;
    for state in 0..4 {
        db.execute("INSERT INTO progress VALUES (?, ?, 0)", params![number, state])?;
    }
    Ok(number)
}

pub(super) fn add_file(scope: &Scope<'_>, file: &FileVersion) -> Done {
    let row = params![file.text, file.agon, file.at_ms, scope.tournament];
    scope.db.execute("INSERT INTO files (text, agon, at_ms, tournament) VALUES (?, ?, ?, ?)", row)?;
    Ok(())
}

pub(super) fn add_map(scope: &Scope<'_>, map: &StoredMap) -> Done {
    let content = map.content.map(|hash| hash.bytes().to_vec());
    scope.db.execute(
        "INSERT INTO maps SELECT ?1, coalesce(max(number) + 1, 0), ?2, ?3 FROM maps WHERE tournament = ?1",
        params![scope.tournament, map.name, content],
    )?;
    Ok(())
}

pub(super) fn add_bot(scope: &Scope<'_>, name: &str) -> Done<u32> {
    let taken = "SELECT EXISTS (SELECT * FROM bots WHERE tournament = ? AND name = ?)";
    if scope.db.query_row(taken, params![scope.tournament, name], |row| row.get(0))? {
        return Err(StoreError::SameName(name.to_owned()).into());
    }
    let insert = "INSERT INTO bots (tournament, number, name)
                  SELECT ?1, coalesce(max(number) + 1, 0), ?2 FROM bots WHERE tournament = ?1 RETURNING number";
    Ok(scope.db.query_row(insert, params![scope.tournament, name], |row| row.get(0))?)
}

pub(super) fn add_version(scope: &Scope<'_>, bot: u32, version: &BotVersion) -> Done<u32> {
    check_bot(scope, bot)?;
    let hash = version.hash.map(|hash| hash.bytes().to_vec());
    let insert = "INSERT INTO versions
                  SELECT ?1, ?2, coalesce(max(number) + 1, 1), ?3, ?4, ?5
                  FROM versions WHERE tournament = ?1 AND bot = ?2 RETURNING number";
    let row = params![scope.tournament, bot, hash, version.words, version.at_ms];
    Ok(scope.db.query_row(insert, row, |row| row.get(0))?)
}

pub(super) fn withdraw(scope: &Scope<'_>, bot: u32, why: Option<&str>) -> Done {
    check_bot(scope, bot)?;
    let update = "UPDATE bots SET withdrawn = ? WHERE tournament = ? AND number = ?";
    scope.db.execute(update, params![why, scope.tournament, bot])?;
    Ok(())
}

fn rename(scope: &Scope<'_>, bot: u32, name: &str) -> Done {
    check_bot(scope, bot)?;
    let taken = "SELECT EXISTS (SELECT * FROM bots WHERE tournament = ? AND name = ? AND number <> ?)";
    if scope.db.query_row(taken, params![scope.tournament, name, bot], |row| row.get(0))? {
        return Err(StoreError::SameName(name.to_owned()).into());
    }
    let update = "UPDATE bots SET name = ? WHERE tournament = ? AND number = ?";
    scope.db.execute(update, params![name, scope.tournament, bot])?;
    Ok(())
}

fn check_bot(scope: &Scope<'_>, bot: u32) -> Done {
    let known = "SELECT EXISTS (SELECT * FROM bots WHERE tournament = ? AND number = ?)";
    let known: bool = scope.db.query_row(known, params![scope.tournament, bot], |row| row.get(0))?;
    if known { Ok(()) } else { Err(StoreError::NoBot(bot).into()) }
}

pub(super) fn record(scope: &Scope<'_>, event: &StoredEvent) -> Done {
    let StoredEvent { kind, at_ms, id, bot, text } = event;
    let insert = "INSERT INTO events (kind, at_ms, match, bot, text, tournament) VALUES (?, ?, ?, ?, ?, ?)";
    let row = params![kind.name(), at_ms, id.map(u64::cast_signed), bot, text, scope.tournament];
    scope.db.prepare_cached(insert)?.execute(row)?;
    Ok(())
}

pub(super) fn amend(scope: &Scope<'_>, text: &str) -> Done {
    scope.db.execute("INSERT INTO amendments (text, tournament) VALUES (?, ?)", params![text, scope.tournament])?;
    Ok(())
}

pub(super) fn keep(scope: &Scope<'_>, name: &str, snapshot: &Snapshot) -> Done {
    let row = params![scope.tournament, name, snapshot.after.cast_signed(), snapshot.text];
    scope.db.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)", row)?;
    Ok(())
}

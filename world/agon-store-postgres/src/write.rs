//! The statements that change a store. A refused change has changed nothing. A change may be made again after its connection was
//! lost: what it took out of memory it keeps for then.

use crate::{db::Db, failure::Failure, nul::kept, read, state::Scope};
use agon_store::{
    Artefact, Attempt, AttemptEnd, Blob, BlobHash, BotChange, BotVersion, Claim, Completion, Decision, Ending,
    EventKind, FileVersion, MatchState, PlannedMatch, RecordedResult, Report, Snapshot, StoreError, StoredEvent,
    StoredMap, StoredMatch, backend::state_number,
};

type Done<T = ()> = Result<T, Failure>;

pub(crate) fn enqueue(scope: &mut Scope<'_>, matches: &[PlannedMatch]) -> Done {
    scope.flush()?;
    let Scope { db, tournament, led } = scope;
    let new = led.own.waiting.new_among(matches.to_vec(), &mut |id| read::over(db, *tournament, id))?;
    led.own.sums.count(MatchState::Ready, i64::try_from(new.len()).unwrap_or(i64::MAX));
    scope.add(new, false)
}

/// Stores results, all or none.
pub(crate) fn complete(scope: &mut Scope<'_>, reports: &[Report]) -> Done<Vec<Completion>> {
    for Report { id, .. } in reports {
        if !is_known(scope, *id)? {
            return Err(StoreError::NoMatch(*id).into());
        }
    }
    reports.iter().map(|report| complete_one(scope, report)).collect()
}

/// Returns whether there is a match with this number, be it over or not.
fn is_known(scope: &mut Scope<'_>, id: u64) -> Done<bool> {
    Ok(scope.led.own.waiting.get(id).is_some() || scope.over(id)?.is_some())
}

fn complete_one(scope: &mut Scope<'_>, report: &Report) -> Done<Completion> {
    let Report { id, token, result, blobs } = report;
    let Some((planned, attempts)) = scope.led.own.waiting.remove(*id) else {
        scope.flush()?;
        let before = read::completed(scope.db, scope.tournament, *id)?;
        let Some((stored_token, before)) = before else { return Err(StoreError::NoMatch(*id).into()) };
        if report.repeats(stored_token, &before) {
            return Ok(Completion::Duplicate);
        }
        note_late(scope, &Attempt::of_late(report, before.agrees(result)))?;
        return Ok(Completion::Late);
    };
    scope.led.own.end(*id);
    scope.push((&planned, attempts), *token, result, blobs)?;
    let sums = &mut scope.led.own.sums;
    sums.count(MatchState::Ready, -1);
    sums.count(MatchState::Over(result.ending), 1);
    if result.ending == Ending::Finished {
        sums.add(&planned.bots, result, 1);
    }
    Ok(Completion::Stored)
}

/// Notes a late result, once, and in place of what was noted of its claim before.
fn note_late(scope: &mut Scope<'_>, attempt: &Attempt) -> Done {
    let known = "SELECT number, ended FROM attempts WHERE tournament = $1 AND match = $2 AND token = $3";
    let token = attempt.token.map(u64::cast_signed);
    let known = scope.db.row(known, &[&scope.tournament, &attempt.id.cast_signed(), &token])?;
    if let Some(row) = known {
        let (number, ended): (i64, &str) = (row.try_get(0)?, row.try_get(1)?);
        if ended == AttemptEnd::Late.name() {
            return Ok(());
        }
        scope.db.execute("DELETE FROM attempts WHERE number = $1", &[&number])?;
    }
    insert_attempt(scope, attempt)
}

/// Ends the claim of a match that was played without a result. Returns the number of attempts that it has used.
pub(crate) fn give_back(
    scope: &mut Scope<'_>,
    (id, token): (u64, u64),
    taken: &mut Option<Claim>,
    (end, why): (AttemptEnd, &str),
    now_ms: i64,
) -> Done<u32> {
    *taken = scope.led.own.release(token).or(*taken);
    match taken {
        Some(claim) => add_attempt(scope, &Attempt { end, why: why.to_owned(), ..Attempt::of_silence(claim, now_ms) }),
        None => used(scope, id),
    }
}

/// Ends the claims that have run out. Returns the attempts that they have used.
pub(crate) fn expire(scope: &mut Scope<'_>, taken: &mut Vec<Claim>, now_ms: i64) -> Done<Vec<Attempt>> {
    taken.extend(scope.led.own.run_out(now_ms));
    let attempts: Vec<Attempt> = taken.iter().map(|claim| Attempt::of_silence(claim, now_ms)).collect();
    attempts.iter().try_for_each(|attempt| add_attempt(scope, attempt).map(drop))?;
    Ok(attempts)
}

/// Notes an attempt. Returns the number of attempts that the match has used.
pub(crate) fn add_attempt(scope: &mut Scope<'_>, attempt: &Attempt) -> Done<u32> {
    if !is_known(scope, attempt.id)? {
        return Err(StoreError::NoMatch(attempt.id).into());
    }
    if attempt.end.is_used() {
        scope.led.own.waiting.add_attempt(attempt.id);
    }
    insert_attempt(scope, attempt)?;
    used(scope, attempt.id)
}

/// Stores an attempt and the event that tells of it.
fn insert_attempt(scope: &mut Scope<'_>, attempt: &Attempt) -> Done {
    note_attempt(scope, attempt)?;
    attempt.event().map_or(Ok(()), |event| record(scope, &event))
}

/// Stores an attempt.
pub(crate) fn note_attempt(scope: &mut Scope<'_>, attempt: &Attempt) -> Done {
    let Attempt { id, token, worker, began_ms, ended_ms, end, why } = attempt;
    let insert = "INSERT INTO attempts (tournament, match, token, worker, began_ms, ended_ms, ended, why)
                  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let (token, worker) = (token.map(u64::cast_signed), worker.map(i64::from));
    scope.db.execute(
        insert,
        &[&scope.tournament, &id.cast_signed(), &token, &worker, began_ms, ended_ms, &end.name(), &kept(why)],
    )?;
    Ok(())
}

/// Returns the number of attempts that a match has used.
fn used(scope: &mut Scope<'_>, id: u64) -> Done<u32> {
    if let Some((_, attempts)) = scope.led.own.waiting.get(id) {
        return Ok(attempts);
    }
    scope.over(id)?.map(|stored| stored.attempts).ok_or_else(|| StoreError::NoMatch(id).into())
}

pub(crate) fn void(scope: &mut Scope<'_>, id: u64, why: &str, now_ms: i64) -> Done {
    let over = scope.over(id)?;
    let void = MatchState::Over(Ending::Void);
    if let Some(stored) = &over {
        let number = scope.led.next_result();
        let update = "UPDATE matches SET number = $1, state = $2, reason = $3 WHERE tournament = $4 AND id = $5";
        let state = i16::from(state_number(void));
        scope.db.execute(update, &[&number, &state, &kept(why), &scope.tournament, &id.cast_signed()])?;
        let sums = &mut scope.led.own.sums;
        sums.count(stored.state(), -1);
        if let Some(before) = stored.result.as_ref().filter(|before| before.ending == Ending::Finished) {
            sums.add(&stored.planned.bots, before, -1);
        }
    } else if let Some((planned, attempts)) = scope.led.own.waiting.remove(id) {
        scope.led.own.end(id);
        let result = RecordedResult { ending: Ending::Void, reason: why.to_owned(), ..RecordedResult::default() };
        scope.push((&planned, attempts), None, &result, &[])?;
        scope.led.own.sums.count(MatchState::Ready, -1);
    } else {
        return Err(StoreError::NoMatch(id).into());
    }
    scope.led.own.sums.count(void, 1);
    record(scope, &StoredEvent { kind: EventKind::Void, at_ms: now_ms, id: Some(id), bot: None, text: why.to_owned() })
}

pub(crate) fn decide(scope: &mut Scope<'_>, decision: &Decision) -> Done {
    let mut again = Vec::new();
    for id in &decision.again {
        again.push(scope.over(*id)?.ok_or(StoreError::NoMatch(*id))?);
    }
    match &decision.bot {
        Some(BotChange::Readmitted(bot)) => withdraw(scope, *bot, None)?,
        Some(BotChange::Renamed(bot, name)) => rename(scope, *bot, name)?,
        None => {}
    }
    for stored in &again {
        keep_earlier(scope, stored.planned.id, decision.event.at_ms)?;
        let sums = &mut scope.led.own.sums;
        sums.count(stored.state(), -1);
        sums.count(MatchState::Ready, 1);
        if let Some(before) = stored.result.as_ref().filter(|before| before.ending == Ending::Finished) {
            sums.add(&stored.planned.bots, before, -1);
        }
    }
    let planned: Vec<PlannedMatch> =
        again.into_iter().map(|stored| PlannedMatch { rank: 0, ..stored.planned }).collect();
    if !planned.is_empty() {
        scope.led.own.play_again();
    }
    scope.add(planned, true)?;
    if let Some(amendment) = &decision.amendment {
        amend(scope, amendment)?;
    }
    record(scope, &decision.event)
}

/// Moves the result of a match to the earlier ones.
fn keep_earlier(scope: &mut Scope<'_>, id: u64, at_ms: i64) -> Done {
    scope.flush()?;
    let id = id.cast_signed();
    // The columns of `earlier` are those of `matches` behind its own.
    let keep = "INSERT INTO earlier OVERRIDING SYSTEM VALUE
                SELECT nextval(pg_get_serial_sequence('earlier', 'place')), $3::bigint, * FROM matches
                WHERE tournament = $1 AND id = $2";
    scope.db.execute(keep, &[&scope.tournament, &id, &at_ms])?;
    scope.db.execute("DELETE FROM matches WHERE tournament = $1 AND id = $2", &[&scope.tournament, &id])?;
    Ok(())
}

/// Stores a match that is over, as another store had it. `earlier_ms` says when it was decided to play it again.
pub(crate) fn put_over(
    scope: &mut Scope<'_>,
    stored: &StoredMatch,
    token: Option<u64>,
    earlier_ms: Option<i64>,
) -> Done {
    let StoredMatch { planned, attempts, result } = stored;
    let Some(result) = result else { return Err(StoreError::NoMatch(planned.id).into()) };
    scope.push((planned, *attempts), token, result, &[])?;
    if let Some(at_ms) = earlier_ms {
        return keep_earlier(scope, planned.id, at_ms);
    }
    let sums = &mut scope.led.own.sums;
    sums.count(stored.state(), 1);
    if result.ending == Ending::Finished {
        sums.add(&planned.bots, result, 1);
    }
    Ok(())
}

pub(crate) fn put(db: &mut Db, blob: &Blob) -> Done<BlobHash> {
    let insert = "INSERT INTO blobs VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    db.execute(insert, &[&&blob.hash().bytes()[..], &blob.size().cast_signed(), &blob.packed()])?;
    Ok(blob.hash())
}

pub(crate) fn add_artefact(scope: &mut Scope<'_>, Artefact { hash, size, pieces }: &Artefact) -> Done {
    scope.flush()?;
    for piece in pieces {
        if !read::has(scope.db, *piece)? {
            return Err(StoreError::NoBlob(*piece).into());
        }
    }
    let pieces: Vec<u8> = pieces.iter().flat_map(|piece| *piece.bytes()).collect();
    let insert = "INSERT INTO artefacts VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    scope.db.execute(insert, &[&&hash.bytes()[..], &size.cast_signed(), &pieces])?;
    Ok(())
}

pub(crate) fn add_worker(db: &mut Db, name: &str, facts: &str, now_ms: i64) -> Done<u32> {
    let known = "SELECT number FROM workers
                 WHERE md5(name) = md5($1) AND md5(facts) = md5($2) AND name = $1 AND facts = $2";
    let insert = "INSERT INTO workers (name, facts, at_ms) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING number";
    let (name, facts) = (kept(name), kept(facts));
    let number: i32 = match db.row(known, &[&name, &facts])? {
        Some(row) => row.try_get(0)?,
        None => match db.row(insert, &[&name, &facts, &now_ms])? {
            Some(row) => row.try_get(0)?,
            // The leader of another tournament has added it meanwhile.
            None => db.value(known, &[&name, &facts])?,
        },
    };
    Ok(number.unsigned_abs())
}

pub(crate) fn add_file(scope: &mut Scope<'_>, file: &FileVersion) -> Done {
    let insert = "INSERT INTO files (tournament, text, agon, at_ms) VALUES ($1, $2, $3, $4)";
    scope.db.execute(insert, &[&scope.tournament, &kept(&file.text), &kept(&file.agon), &file.at_ms])?;
    Ok(())
}

pub(crate) fn add_map(scope: &mut Scope<'_>, map: &StoredMap) -> Done {
    let content = map.content.map(|hash| hash.bytes().to_vec());
    let insert = "INSERT INTO maps SELECT $1, coalesce(max(number) + 1, 0), $2, $3 FROM maps WHERE tournament = $1";
    scope.db.execute(insert, &[&scope.tournament, &kept(&map.name), &content])?;
    Ok(())
}

pub(crate) fn add_bot(scope: &mut Scope<'_>, name: &str) -> Done<u32> {
    let taken = "SELECT EXISTS (SELECT FROM bots WHERE tournament = $1 AND name = $2)";
    if scope.db.value(taken, &[&scope.tournament, &kept(name)])? {
        return Err(StoreError::SameName(name.to_owned()).into());
    }
    let insert = "INSERT INTO bots (tournament, number, name)
                  SELECT $1, coalesce(max(number) + 1, 0), $2 FROM bots WHERE tournament = $1 RETURNING number";
    number(scope.db.value(insert, &[&scope.tournament, &kept(name)])?)
}

pub(crate) fn add_version(scope: &mut Scope<'_>, bot: u32, version: &BotVersion) -> Done<u32> {
    check_bot(scope, bot)?;
    let hash = version.hash.map(|hash| hash.bytes().to_vec());
    let insert = "INSERT INTO versions SELECT $1, $2, coalesce(max(number) + 1, 1), $3, $4, $5
                  FROM versions WHERE tournament = $1 AND bot = $2 RETURNING number";
    let values: crate::db::Values<'_> =
        &[&scope.tournament, &i64::from(bot), &hash, &kept(&version.words), &version.at_ms];
    number(scope.db.value(insert, values)?)
}

fn number(value: i64) -> Done<u32> {
    u32::try_from(value).map_err(|_| Failure::Content(format!("the number {value}")))
}

pub(crate) fn withdraw(scope: &mut Scope<'_>, bot: u32, why: Option<&str>) -> Done {
    check_bot(scope, bot)?;
    let update = "UPDATE bots SET withdrawn = $1 WHERE tournament = $2 AND number = $3";
    scope.db.execute(update, &[&why.map(kept), &scope.tournament, &i64::from(bot)])?;
    Ok(())
}

fn rename(scope: &mut Scope<'_>, bot: u32, name: &str) -> Done {
    check_bot(scope, bot)?;
    let (key, name_kept) = (i64::from(bot), kept(name));
    let taken = "SELECT EXISTS (SELECT FROM bots WHERE tournament = $1 AND name = $2 AND number <> $3)";
    if scope.db.value(taken, &[&scope.tournament, &name_kept, &key])? {
        return Err(StoreError::SameName(name.to_owned()).into());
    }
    let update = "UPDATE bots SET name = $2 WHERE tournament = $1 AND number = $3";
    scope.db.execute(update, &[&scope.tournament, &name_kept, &key])?;
    Ok(())
}

fn check_bot(scope: &mut Scope<'_>, bot: u32) -> Done {
    let known = "SELECT EXISTS (SELECT FROM bots WHERE tournament = $1 AND number = $2)";
    let known: bool = scope.db.value(known, &[&scope.tournament, &i64::from(bot)])?;
    if known { Ok(()) } else { Err(StoreError::NoBot(bot).into()) }
}

pub(crate) fn record(scope: &mut Scope<'_>, event: &StoredEvent) -> Done {
    let StoredEvent { kind, at_ms, id, bot, text } = event;
    let insert = "INSERT INTO events (tournament, kind, at_ms, match, bot, text) VALUES ($1, $2, $3, $4, $5, $6)";
    let (id, bot) = (id.map(u64::cast_signed), bot.map(i64::from));
    scope.db.execute(insert, &[&scope.tournament, &kind.name(), at_ms, &id, &bot, &kept(text)])?;
    Ok(())
}

pub(crate) fn amend(scope: &mut Scope<'_>, text: &str) -> Done {
    let insert = "INSERT INTO amendments (tournament, text) VALUES ($1, $2)";
    scope.db.execute(insert, &[&scope.tournament, &kept(text)])?;
    Ok(())
}

pub(crate) fn keep(scope: &mut Scope<'_>, name: &str, snapshot: &Snapshot) -> Done {
    let insert = "INSERT INTO snapshots VALUES ($1, $2, $3, $4)
                  ON CONFLICT (tournament, name) DO UPDATE SET after = excluded.after, text = excluded.text";
    let after = snapshot.after.cast_signed();
    scope.db.execute(insert, &[&scope.tournament, &name, &after, &kept(&snapshot.text)])?;
    Ok(())
}

//! The statements that read a store.

use crate::{
    db::Db,
    failure::Failure,
    nul::restored,
    rows::{hash, maybe_small, maybe_unsigned, over_match, small, state, unknown, unsigned, words},
};
use agon_store::{
    Artefact, Attempt, AttemptEnd, Blob, BlobHash, BotTotals, BotVersion, Claim, EarlierResult, EventKind, FileVersion,
    PlannedMatch, Progress, RecordedResult, Snapshot, StoredBot, StoredEvent, StoredMap, StoredMatch, StoredWorker,
    backend::text,
};
use postgres::Row;
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

type Found<T> = Result<T, Failure>;

/// The most rows that a statement can be asked for.
fn most(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Returns the match with this number if it is over.
pub(crate) fn over(db: &mut Db, tournament: i32, id: u64) -> Found<Option<StoredMatch>> {
    let select = "SELECT * FROM matches WHERE tournament = $1 AND id = $2";
    db.row(select, &[&tournament, &id.cast_signed()])?.as_ref().map(over_match).transpose()
}

/// Returns the result of the match with this number, and the token of the claim under which it was played.
pub(crate) fn completed(db: &mut Db, tournament: i32, id: u64) -> Found<Option<(Option<u64>, RecordedResult)>> {
    let select = "SELECT * FROM matches WHERE tournament = $1 AND id = $2";
    let Some(row) = db.row(select, &[&tournament, &id.cast_signed()])? else { return Ok(None) };
    let token = maybe_unsigned(&row, "token")?;
    Ok(over_match(&row)?.result.map(|result| (token, result)))
}

/// Returns which of these matches are over.
fn over_among(db: &mut Db, tournament: i32, ids: &[i64]) -> Found<BTreeSet<i64>> {
    let select = "SELECT id FROM matches WHERE tournament = $1 AND id = ANY ($2)";
    db.query(select, &[&tournament, &ids])?.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Calls `take` with every match of these numbers that is to be played, with the number of its row and of its attempts.
pub(crate) fn batches(
    db: &mut Db,
    tournament: i32,
    ids: RangeInclusive<i64>,
    take: &mut dyn FnMut(i64, PlannedMatch, u32),
) -> Found<()> {
    let select = "SELECT number, plans FROM batches WHERE tournament = $1 AND last >= $2 ORDER BY number";
    for row in db.query(select, &[&tournament, ids.start()])? {
        let number = row.try_get(0)?;
        let plans = text::plans(row.try_get(1)?)?;
        let wanted: Vec<i64> =
            plans.iter().map(|(planned, _)| planned.id.cast_signed()).filter(|id| ids.contains(id)).collect();
        if wanted.is_empty() {
            continue;
        }
        let over = over_among(db, tournament, &wanted)?;
        for (planned, attempts) in plans {
            let id = planned.id.cast_signed();
            if ids.contains(&id) && !over.contains(&id) {
                take(number, planned, attempts);
            }
        }
    }
    Ok(())
}

pub(crate) fn find(db: &mut Db, tournament: i32, id: u64) -> Found<Option<StoredMatch>> {
    if let Some(stored) = over(db, tournament, id)? {
        return Ok(Some(stored));
    }
    let mut found = None;
    batches(db, tournament, id.cast_signed()..=id.cast_signed(), &mut |_, planned, attempts| {
        found = Some(StoredMatch { planned, attempts, result: None });
    })?;
    Ok(found)
}

pub(crate) fn matches(db: &mut Db, tournament: i32, after: u64, count: usize) -> Found<Vec<StoredMatch>> {
    let first = after.checked_add(1).and_then(|first| i64::try_from(first).ok());
    let Some(first) = first else { return Ok(Vec::new()) };
    let select = "SELECT * FROM matches WHERE tournament = $1 AND id >= $2 ORDER BY id LIMIT $3";
    let rows = db.query(select, &[&tournament, &first, &most(count)])?;
    let mut found: Vec<StoredMatch> = rows.iter().map(over_match).collect::<Result<_, _>>()?;
    let over = found.len();
    // Most of those to be played come after all that are over. So nothing is looked up for them in a full page.
    let last = if over < count { i64::MAX } else { found.last().map_or(0, |stored| stored.planned.id.cast_signed()) };
    batches(db, tournament, first..=last, &mut |_, planned, attempts| {
        found.push(StoredMatch { planned, attempts, result: None });
    })?;
    if found.len() > over {
        found.sort_by_key(|stored| stored.planned.id);
        found.truncate(count);
    }
    Ok(found)
}

/// Returns the numbers and the matches that are over, in the order in which they came to be so.
pub(crate) fn over_since(db: &mut Db, tournament: i32, after: u64, count: usize) -> Found<Vec<(u64, StoredMatch)>> {
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let select = "SELECT * FROM matches WHERE tournament = $1 AND number > $2 ORDER BY number LIMIT $3";
    let rows = db.query(select, &[&tournament, &after, &most(count)])?;
    rows.iter().map(|row| Ok((unsigned(row, "number")?, over_match(row)?))).collect()
}

/// Returns the names of the tournaments.
pub(crate) fn tournaments(db: &mut Db) -> Found<Vec<String>> {
    let rows = db.query("SELECT name FROM tournaments ORDER BY number", &[])?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

pub(crate) fn attempts(db: &mut Db, tournament: i32, id: u64) -> Found<Vec<Attempt>> {
    let select = "SELECT * FROM attempts WHERE tournament = $1 AND match = $2 ORDER BY number";
    db.query(select, &[&tournament, &id.cast_signed()])?.iter().map(attempt).collect()
}

/// Returns the attempts at all matches, oldest first.
pub(crate) fn all_attempts(db: &mut Db, tournament: i32) -> Found<Vec<Attempt>> {
    db.query("SELECT * FROM attempts WHERE tournament = $1 ORDER BY number", &[&tournament])?
        .iter()
        .map(attempt)
        .collect()
}

fn attempt(row: &Row) -> Found<Attempt> {
    let ended: &str = row.try_get("ended")?;
    let end = AttemptEnd::ALL.into_iter().find(|known| known.name() == ended).ok_or_else(|| unknown(ended))?;
    Ok(Attempt {
        id: unsigned(row, "match")?,
        token: maybe_unsigned(row, "token")?,
        worker: maybe_small(row, "worker")?,
        began_ms: row.try_get("began_ms")?,
        ended_ms: row.try_get("ended_ms")?,
        end,
        why: words(row, "why")?,
    })
}

/// Returns the rows of claims, each with its first token and the claims that it lists.
pub(crate) fn claims(db: &mut Db, tournament: i32) -> Found<Vec<(u64, Vec<Claim>)>> {
    let row = |row: &Row| {
        let pairs: Vec<(u64, u64)> = serde_json::from_str(row.try_get("matches")?)?;
        let (worker, began_ms, until_ms) = (small(row, "worker")?, row.try_get("began_ms")?, row.try_get("until_ms")?);
        let claim = |(token, id)| Claim { token, id, worker, began_ms, until_ms };
        Ok((unsigned(row, "first")?, pairs.into_iter().map(claim).collect()))
    };
    db.query("SELECT * FROM claims WHERE tournament = $1 ORDER BY first", &[&tournament])?.iter().map(row).collect()
}

/// Returns the claims of matches that are still to be played, in the order of their matches.
pub(crate) fn claims_that_hold(db: &mut Db, tournament: i32) -> Found<Vec<Claim>> {
    let all: Vec<Claim> = claims(db, tournament)?.into_iter().flat_map(|(_, claims)| claims).collect();
    let over = over_among(db, tournament, &all.iter().map(|claim| claim.id.cast_signed()).collect::<Vec<_>>())?;
    // The last claim of a match is the one that holds.
    let held: BTreeMap<u64, Claim> = all
        .into_iter()
        .filter(|claim| !over.contains(&claim.id.cast_signed()))
        .map(|claim| (claim.id, claim))
        .collect();
    Ok(held.into_values().collect())
}

pub(crate) fn workers(db: &mut Db) -> Found<Vec<StoredWorker>> {
    let worker = |row: &Row| {
        let number: i32 = row.try_get("number")?;
        Ok(StoredWorker {
            number: number.unsigned_abs(),
            name: words(row, "name")?,
            facts: words(row, "facts")?,
            at_ms: row.try_get("at_ms")?,
        })
    };
    db.query("SELECT * FROM workers ORDER BY number", &[])?.iter().map(worker).collect()
}

pub(crate) fn artefact(db: &mut Db, wanted: BlobHash) -> Found<Option<Artefact>> {
    let select = "SELECT size, pieces FROM artefacts WHERE hash = $1";
    let Some(row) = db.row(select, &[&&wanted.bytes()[..]])? else { return Ok(None) };
    let (pieces, rest) = row.try_get::<_, &[u8]>("pieces")?.as_chunks::<32>();
    if !rest.is_empty() {
        return Err(unknown("the pieces of an artefact"));
    }
    let pieces = pieces.iter().copied().map(BlobHash::from_bytes).collect();
    Ok(Some(Artefact { hash: wanted, size: unsigned(&row, "size")?, pieces }))
}

pub(crate) fn progress(db: &mut Db, tournament: i32) -> Found<Progress> {
    let mut progress = Progress::default();
    for row in db.query("SELECT state, number FROM progress WHERE tournament = $1", &[&tournament])? {
        *progress.of(state(&row)?) = unsigned(&row, "number")?;
    }
    Ok(progress)
}

pub(crate) fn get(db: &mut Db, wanted: BlobHash) -> Found<Option<Vec<u8>>> {
    let Some(row) = db.row("SELECT size, packed FROM blobs WHERE hash = $1", &[&&wanted.bytes()[..]])? else {
        return Ok(None);
    };
    Ok(Some(Blob::from_packed(wanted, unsigned(&row, "size")?, row.try_get("packed")?).unpacked()?))
}

pub(crate) fn has(db: &mut Db, wanted: BlobHash) -> Found<bool> {
    db.value("SELECT EXISTS (SELECT FROM blobs WHERE hash = $1)", &[&&wanted.bytes()[..]])
}

pub(crate) fn bots(db: &mut Db, tournament: i32) -> Found<Vec<StoredBot>> {
    let bot = |row: &Row| {
        let totals = BotTotals {
            played: unsigned(row, "played")?,
            faults: unsigned(row, "faults")?,
            time_us: unsigned(row, "time_us")?,
        };
        let withdrawn = row.try_get::<_, Option<String>>("withdrawn")?.map(restored);
        let (number, name) = (small(row, "number")?, words(row, "name")?);
        Ok(StoredBot { number, name, versions: Vec::new(), withdrawn, totals })
    };
    let rows = db.query("SELECT * FROM bots WHERE tournament = $1 ORDER BY number", &[&tournament])?;
    let mut bots: Vec<StoredBot> = rows.iter().map(bot).collect::<Found<_>>()?;
    for row in db.query("SELECT * FROM versions WHERE tournament = $1 ORDER BY bot, number", &[&tournament])? {
        let (number, words) = (small(&row, "number")?, words(&row, "words")?);
        let version = BotVersion { number, hash: hash(&row, "hash")?, words, at_ms: row.try_get("at_ms")? };
        if let Some(bot) = bots.get_mut(small(&row, "bot")? as usize) {
            bot.versions.push(version);
        }
    }
    Ok(bots)
}

pub(crate) fn files(db: &mut Db, tournament: i32) -> Found<Vec<FileVersion>> {
    let file = |row: &Row| {
        Ok(FileVersion { text: words(row, "text")?, agon: words(row, "agon")?, at_ms: row.try_get("at_ms")? })
    };
    db.query("SELECT * FROM files WHERE tournament = $1 ORDER BY number", &[&tournament])?.iter().map(file).collect()
}

pub(crate) fn maps(db: &mut Db, tournament: i32) -> Found<Vec<StoredMap>> {
    let map = |row: &Row| Ok(StoredMap { name: words(row, "name")?, content: hash(row, "content")? });
    db.query("SELECT * FROM maps WHERE tournament = $1 ORDER BY number", &[&tournament])?.iter().map(map).collect()
}

pub(crate) fn events(db: &mut Db, tournament: i32, count: usize) -> Found<Vec<StoredEvent>> {
    let event = |row: &Row| {
        let kind: &str = row.try_get("kind")?;
        let kind = EventKind::ALL.into_iter().find(|known| known.name() == kind).ok_or_else(|| unknown(kind))?;
        let (id, bot) = (maybe_unsigned(row, "match")?, maybe_small(row, "bot")?);
        Ok(StoredEvent { kind, at_ms: row.try_get("at_ms")?, id, bot, text: words(row, "text")? })
    };
    let select = "SELECT * FROM events WHERE tournament = $1 ORDER BY number DESC LIMIT $2";
    db.query(select, &[&tournament, &most(count)])?.iter().rev().map(event).collect()
}

pub(crate) fn earlier(db: &mut Db, tournament: i32) -> Found<Vec<EarlierResult>> {
    let earlier = |row: &Row| Ok(EarlierResult { stored: over_match(row)?, at_ms: row.try_get("decided_ms")? });
    let select = "SELECT * FROM earlier WHERE tournament = $1 ORDER BY place";
    db.query(select, &[&tournament])?.iter().map(earlier).collect()
}

pub(crate) fn snapshot(db: &mut Db, tournament: i32, name: &str) -> Found<Option<Snapshot>> {
    let select = "SELECT * FROM snapshots WHERE tournament = $1 AND name = $2";
    let Some(row) = db.row(select, &[&tournament, &name])? else { return Ok(None) };
    Ok(Some(Snapshot { after: unsigned(&row, "after")?, text: words(&row, "text")? }))
}

pub(crate) fn amendments(db: &mut Db, tournament: i32) -> Found<Vec<String>> {
    let select = "SELECT text FROM amendments WHERE tournament = $1 ORDER BY number";
    db.query(select, &[&tournament])?.iter().map(|row| words(row, "text")).collect()
}

/// Returns what is wrong with the counts of the store.
pub(crate) fn flaws(db: &mut Db) -> Found<Vec<String>> {
    let counts = "SELECT EXISTS (SELECT FROM progress p WHERE tournament = $1 AND state <> 0 AND number <>
                  (SELECT count(*) FROM matches m WHERE m.tournament = p.tournament AND m.state = p.state))";
    let numbers: Vec<i32> = db
        .query("SELECT number FROM tournaments ORDER BY number", &[])?
        .iter()
        .map(|row| Ok(row.try_get(0)?))
        .collect::<Found<_>>()?;
    for tournament in numbers {
        let mut ready = 0;
        batches(db, tournament, 1..=i64::MAX, &mut |_, _, _| ready += 1)?;
        if ready != progress(db, tournament)?.ready || db.value(counts, &[&tournament])? {
            return Ok(vec!["the counts of matches are wrong".to_owned()]);
        }
    }
    Ok(Vec::new())
}

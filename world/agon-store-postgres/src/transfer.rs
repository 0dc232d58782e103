//! A tournament on its way out of a database, and into one.

use crate::{
    db::Db,
    failure::Failure,
    nul::kept,
    read,
    rows::{hash, maybe_unsigned, over_match, unknown, unsigned},
    state::Scope,
    write,
};
use agon_store::{Blob, Copied, MatchState, Part, StoreError, StoreReader, StoredBot, TakePart, first_token};

/// How many rows are read together.
const PAGE: i64 = 1_000;

/// Tells every part of a tournament.
pub(crate) fn export(db: &mut Db, tournament: i32, take: TakePart<'_>) -> Result<(), Failure> {
    let opened: i64 = db.value("SELECT last_value FROM epochs", &[])?;
    let last: i64 = db.value("SELECT result FROM tournaments WHERE number = $1", &[&tournament])?;
    take(Part::Opened((u32::try_from(opened).unwrap_or(u32::MAX), last.cast_unsigned())))?;
    read::workers(db)?.into_iter().try_for_each(|worker| take(Part::Worker(worker)))?;
    let missing = || unknown("a hash is missing");
    for row in db.query("SELECT hash FROM blobs ORDER BY hash", &[])? {
        let hash = hash(&row, "hash")?.ok_or_else(missing)?;
        if let Some(row) = db.row("SELECT size, packed FROM blobs WHERE hash = $1", &[&&hash.bytes()[..]])? {
            take(Part::Blob(Blob::from_packed(hash, unsigned(&row, "size")?, row.try_get("packed")?)))?;
        }
    }
    for row in db.query("SELECT hash FROM artefacts ORDER BY hash", &[])? {
        let hash = hash(&row, "hash")?.ok_or_else(missing)?;
        read::artefact(db, hash)?.map_or(Ok(()), |found| take(Part::Artefact(found)))?;
    }
    read::maps(db, tournament)?.into_iter().try_for_each(|map| take(Part::Map(map)))?;
    read::bots(db, tournament)?.into_iter().try_for_each(|bot| take(Part::Bot(bot)))?;
    for row in db.query("SELECT * FROM earlier WHERE tournament = $1 ORDER BY place", &[&tournament])? {
        let (at_ms, token) = (row.try_get("decided_ms")?, maybe_unsigned(&row, "token")?);
        take(Part::Earlier { at_ms, token, stored: Box::new(over_match(&row)?) })?;
    }
    let mut after = 0_i64;
    loop {
        let select = "SELECT * FROM matches WHERE tournament = $1 AND number > $2 ORDER BY number LIMIT $3";
        let rows = db.query(select, &[&tournament, &after, &PAGE])?;
        let Some(last) = rows.last() else { break };
        after = last.try_get("number")?;
        for row in &rows {
            let (number, token) = (unsigned(row, "number")?, maybe_unsigned(row, "token")?);
            take(Part::Over { number, token, stored: Box::new(over_match(row)?) })?;
        }
    }
    let mut ready = Vec::new();
    read::batches(db, tournament, 1..=i64::MAX, &mut |_, planned, attempts| ready.push((planned, attempts)))?;
    take(Part::Ready(ready))?;
    read::all_attempts(db, tournament)?.into_iter().try_for_each(|attempt| take(Part::Attempt(attempt)))?;
    read::events(db, tournament, usize::MAX)?.into_iter().try_for_each(|event| take(Part::Event(event)))?;
    read::amendments(db, tournament)?.into_iter().try_for_each(|text| take(Part::Amendment(text)))?;
    for row in db.query("SELECT name FROM snapshots WHERE tournament = $1 ORDER BY name", &[&tournament])? {
        let name: String = row.try_get(0)?;
        if let Some(snapshot) = read::snapshot(db, tournament, &name)? {
            take(Part::Snapshot(name, snapshot))?;
        }
    }
    Ok(read::files(db, tournament)?.into_iter().try_for_each(|file| take(Part::File(file)))?)
}

/// Stores every part of a tournament that another store has.
pub(crate) fn import(scope: &mut Scope<'_>, source: &dyn StoreReader) -> Result<Copied, Failure> {
    let is_used =
        "SELECT EXISTS (SELECT FROM files WHERE tournament = $1) OR EXISTS (SELECT FROM bots WHERE tournament = $1)
                   OR EXISTS (SELECT FROM matches WHERE tournament = $1)
                   OR EXISTS (SELECT FROM batches WHERE tournament = $1) OR EXISTS (SELECT FROM workers)";
    if scope.db.value(is_used, &[&scope.tournament])? {
        return Err(StoreError::NotEmpty.into());
    }
    let (mut copied, mut failed, mut opened, mut last) = (Copied::default(), None, 0_u32, 0_u64);
    let taken = source.export(&mut |part| {
        copied.count(&part);
        if let Part::Opened(numbers) = part {
            (opened, last) = numbers;
        }
        put(scope, part).map_err(|why| {
            failed = Some(why);
            StoreError::Closed
        })
    });
    match (failed, taken) {
        (Some(why), _) => return Err(why),
        (None, taken) => taken?,
    }
    // Whoever reads on behind the last number of the source misses nothing.
    let next = scope.led.next_result().cast_unsigned().max(last.saturating_add(1));
    scope.led.go_to(next);
    // Neither this opening of the store nor a later one gives a token again.
    scope.led.skip_tokens(first_token(opened.saturating_add(1)));
    scope.db.value::<i64>(
        "SELECT setval('epochs', greatest(nextval('epochs'), $1))",
        &[&i64::from(opened.saturating_add(1))],
    )?;
    let follow = "SELECT setval(pg_get_serial_sequence('workers', 'number'), (SELECT coalesce(max(number), 0) + 1 FROM workers), false)";
    scope.db.value::<i64>(follow, &[])?;
    Ok(copied)
}

fn put(scope: &mut Scope<'_>, part: Part) -> Result<(), Failure> {
    match part {
        Part::Opened(_) => {}
        Part::Worker(worker) => {
            let number = i32::try_from(worker.number).map_err(|_| unknown(format!("worker {}", worker.number)))?;
            let insert = "INSERT INTO workers (number, name, facts, at_ms) VALUES ($1, $2, $3, $4)";
            scope.db.execute(insert, &[&number, &kept(&worker.name), &kept(&worker.facts), &worker.at_ms])?;
        }
        Part::Blob(blob) => drop(write::put(scope.db, &blob)?),
        Part::Artefact(artefact) => write::add_artefact(scope, &artefact)?,
        Part::Map(map) => write::add_map(scope, &map)?,
        Part::Bot(bot) => put_bot(scope, &bot)?,
        Part::Over { number, token, stored } => {
            scope.led.go_to(number);
            write::put_over(scope, &stored, token, None)?;
        }
        Part::Earlier { at_ms, token, stored } => write::put_over(scope, &stored, token, Some(at_ms))?,
        Part::Ready(matches) => {
            scope.led.own.sums.count(MatchState::Ready, i64::try_from(matches.len()).unwrap_or(i64::MAX));
            let used: Vec<(u64, u32)> = matches.iter().map(|(planned, attempts)| (planned.id, *attempts)).collect();
            scope.add(matches.into_iter().map(|(planned, _)| planned).collect(), false)?;
            for (id, attempts) in used {
                (0..attempts).for_each(|_| scope.led.own.waiting.add_attempt(id));
            }
        }
        Part::Attempt(attempt) => write::note_attempt(scope, &attempt)?,
        Part::Event(event) => write::record(scope, &event)?,
        Part::Amendment(text) => write::amend(scope, &text)?,
        Part::Snapshot(name, snapshot) => write::keep(scope, &name, &snapshot)?,
        Part::File(file) => write::add_file(scope, &file)?,
    }
    Ok(())
}

fn put_bot(scope: &mut Scope<'_>, bot: &StoredBot) -> Result<(), Failure> {
    write::add_bot(scope, &bot.name)?;
    bot.versions.iter().try_for_each(|version| write::add_version(scope, bot.number, version).map(drop))?;
    write::withdraw(scope, bot.number, bot.withdrawn.as_deref())
}

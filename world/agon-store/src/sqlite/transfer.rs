//! A tournament on its way out of a file, and into one.

use super::{failure::Failure, read, state::Scope, write};
use crate::{
    Attempt, Blob, BlobHash, Copied, MatchState, Part, Result, StoreError, StoreReader, StoredBot, TakePart,
    first_token,
};
use rusqlite::{Connection, params};

/// Tells every part of a tournament.
pub(super) fn export(db: &Connection, tournament: u32, take: TakePart<'_>) -> Result<(), Failure> {
    read::together(db, || {
        let opened = db.query_row("SELECT last FROM numbers WHERE name = 'opened'", [], |row| row.get(0))?;
        take(Part::Opened((opened, read::last_result(db)?)))?;
        for worker in read::workers(db)? {
            take(Part::Worker(worker))?;
        }
        let mut select = db.prepare("SELECT hash, size, packed FROM blobs ORDER BY number")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let hash = BlobHash::from_bytes(row.get(0)?);
            take(Part::Blob(Blob::from_packed(hash, row.get::<_, i64>(1)?.cast_unsigned(), row.get(2)?)))?;
        }
        let mut select = db.prepare("SELECT hash FROM artefacts ORDER BY hash")?;
        let hashes: Vec<[u8; 32]> = select.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        for hash in hashes {
            read::artefact(db, BlobHash::from_bytes(hash))?.map_or(Ok(()), |found| take(Part::Artefact(found)))?;
        }
        read::maps(db, tournament)?.into_iter().try_for_each(|map| take(Part::Map(map)))?;
        read::bots(db, tournament)?.into_iter().try_for_each(|bot| take(Part::Bot(bot)))?;
        let mut select = db.prepare(read::select_over!(", at_ms", "earlier WHERE tournament = ? ORDER BY number"))?;
        let mut rows = select.query([tournament])?;
        while let Some(row) = rows.next()? {
            let (at_ms, token) = (row.get(21)?, read::token_of(row)?);
            take(Part::Earlier { at_ms, token, stored: Box::new(read::over_match(row)?) })?;
        }
        let mut select = db.prepare(read::select_over!("", "matches WHERE tournament = ? ORDER BY number"))?;
        let mut rows = select.query([tournament])?;
        while let Some(row) = rows.next()? {
            let (number, token, stored) = (read::number_of(row)?, read::token_of(row)?, read::over_match(row)?);
            take(Part::Over { number, token, stored: Box::new(stored) })?;
        }
        let mut ready = Vec::new();
        read::batches(db, tournament, 1..=i64::MAX, &mut |_, planned, attempts| ready.push((planned, attempts)))?;
        take(Part::Ready(ready))?;
        let attempts: Vec<Attempt> = read::all_attempts(db, tournament)?;
        attempts.into_iter().try_for_each(|attempt| take(Part::Attempt(attempt)))?;
        read::events(db, tournament, usize::MAX)?.into_iter().try_for_each(|event| take(Part::Event(event)))?;
        read::amendments(db, tournament)?.into_iter().try_for_each(|text| take(Part::Amendment(text)))?;
        let mut select = db.prepare("SELECT name FROM snapshots WHERE tournament = ? ORDER BY name")?;
        let names: Vec<String> = select.query_map([tournament], |row| row.get(0))?.collect::<Result<_, _>>()?;
        for name in names {
            if let Some(snapshot) = read::snapshot(db, tournament, &name)? {
                take(Part::Snapshot(name, snapshot))?;
            }
        }
        read::files(db, tournament)?.into_iter().try_for_each(|file| take(Part::File(file)))?;
        Ok(())
    })
}

/// Stores every part of a tournament that another store has.
pub(super) fn import(scope: &mut Scope<'_>, source: &dyn StoreReader) -> Result<Copied, Failure> {
    let is_used = "SELECT EXISTS (SELECT * FROM files WHERE tournament = ?1) OR EXISTS (SELECT * FROM bots WHERE tournament = ?1)
                   OR EXISTS (SELECT * FROM matches WHERE tournament = ?1) OR EXISTS (SELECT * FROM batches WHERE tournament = ?1)
                   OR EXISTS (SELECT * FROM workers)";
    if scope.db.query_row(is_used, [scope.tournament], |row| row.get(0))? {
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
    // Neither this opening of the store nor a later one gives a token again.
    scope.numbers.skip_tokens(first_token(opened.saturating_add(1)));
    let raise = "UPDATE numbers SET last = max(last, ?) WHERE name = 'opened'";
    scope.db.execute(raise, [opened.saturating_add(1)])?;
    // Whoever reads on behind the last number of the source misses nothing.
    let next = scope.numbers.next_result().max(last.saturating_add(1));
    scope.numbers.go_to(next);
    Ok(copied)
}

fn put(scope: &mut Scope<'_>, part: Part) -> Result<(), Failure> {
    match part {
        Part::Opened(_) => {}
        Part::Worker(worker) => {
            let row = params![worker.number, worker.name, worker.facts, worker.at_ms];
            scope.db.execute("INSERT INTO workers (number, name, facts, at_ms) VALUES (?, ?, ?, ?)", row)?;
        }
        Part::Blob(blob) => drop(write::put(scope.db, &blob)?),
        Part::Artefact(artefact) => write::add_artefact(scope.db, &artefact)?,
        Part::Map(map) => write::add_map(scope, &map)?,
        Part::Bot(bot) => put_bot(scope, &bot)?,
        Part::Over { number, token, stored } => {
            scope.numbers.go_to(number);
            write::put_over(scope, &stored, token, None)?;
        }
        Part::Earlier { at_ms, token, stored } => write::put_over(scope, &stored, token, Some(at_ms))?,
        Part::Ready(matches) => {
            scope.own.sums.count(MatchState::Ready, i64::try_from(matches.len()).unwrap_or(i64::MAX));
            let used: Vec<(u64, u32)> = matches.iter().map(|(planned, attempts)| (planned.id, *attempts)).collect();
            scope.add(matches.into_iter().map(|(planned, _)| planned).collect(), false)?;
            for (id, attempts) in used {
                (0..attempts).for_each(|_| scope.own.waiting.add_attempt(id));
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

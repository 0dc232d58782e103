//! The tables, and how older ones become newer ones.

use crate::{db::Db, failure::Failure, place::Place};
use agon_store::StoreError;
use std::{path::PathBuf, time::SystemTime};

/// The version of the tables that this program writes.
pub(crate) const SCHEMA: i32 = 1;

/// One step for each version: the first makes the tables, the next turns them into those of the version after.
const MIGRATIONS: [&str; SCHEMA as usize] = [include_str!("schema-1.sql")];

/// The first key of the lock under which tables are made and tournaments begun: `AGON` in ASCII.
const LOCK: i32 = 0x4147_4f4e;

/// Returns the version of the tables. 0 if there are none.
///
/// # Errors
/// If the schema is of something else, or of a newer program.
pub(crate) fn look(db: &mut Db, place: &Place) -> Result<i32, Failure> {
    let any =
        "SELECT EXISTS (SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1)";
    let own = "SELECT EXISTS (SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
               WHERE nspname = $1 AND relname = 'migrations')";
    if !db.value::<bool>(own, &[&place.schema])? {
        let is_of_another = db.value(any, &[&place.schema])?;
        return if is_of_another { Err(StoreError::NotAStore(path(place)).into()) } else { Ok(0) };
    }
    let found: i32 = db.value("SELECT coalesce(max(version), 0) FROM migrations", &[])?;
    if found > SCHEMA {
        let (path, found, known) = (path(place), found.unsigned_abs(), SCHEMA.unsigned_abs());
        return Err(StoreError::Newer { path, found, known }.into());
    }
    Ok(found)
}

/// Makes the tables, or brings older ones up to date, as a whole or not at all. Others that do the same wait meanwhile.
pub(crate) fn migrate(db: &mut Db, place: &Place) -> Result<(), Failure> {
    if look(db, place)? == SCHEMA {
        return Ok(());
    }
    let encoding: String = db.value("SELECT current_setting('server_encoding')", &[])?;
    if encoding != "UTF8" {
        let why = format!("the database has the encoding {encoding}; make one with `createdb --encoding UTF8`");
        return Err(place.error("make the tables in", why).into());
    }
    in_turn(db, place, |db| {
        // `IF NOT EXISTS` needs the right to make schemas even where there is one.
        let known = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)";
        if !db.value::<bool>(known, &[&place.schema])? {
            db.batch(&format!("CREATE SCHEMA \"{}\"", place.schema))?;
        }
        // Another one may have made them meanwhile.
        let done = look(db, place)?;
        if done == 0 {
            db.batch(
                "CREATE TABLE migrations (version integer PRIMARY KEY, at_ms bigint NOT NULL, agon text NOT NULL);
                 COMMENT ON TABLE migrations IS 'Which program made which version of these tables.'",
            )?;
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
        let now = i64::try_from(now).unwrap_or(i64::MAX);
        for (version, sql) in (1..=SCHEMA).zip(MIGRATIONS).filter(|(version, _)| *version > done) {
            db.batch(sql)?;
            let insert = "INSERT INTO migrations VALUES ($1, $2, $3)";
            db.execute(insert, &[&version, &now, &env!("CARGO_PKG_VERSION")])?;
        }
        Ok(())
    })
}

/// Makes a change in a transaction, while nobody else makes one in this way.
pub(crate) fn in_turn<T>(
    db: &mut Db,
    place: &Place,
    change: impl FnOnce(&mut Db) -> Result<T, Failure>,
) -> Result<T, Failure> {
    db.batch("BEGIN")?;
    let lock = format!("SELECT pg_advisory_xact_lock({LOCK}, hashtext('{}'))", place.schema);
    match db.batch(&lock).and_then(|()| change(db)) {
        Ok(made) => db.batch("COMMIT").map(|()| made),
        Err(why) => {
            let _ = db.batch("ROLLBACK");
            Err(why)
        }
    }
}

/// Returns a place where errors have a path.
pub(crate) fn path(place: &Place) -> PathBuf {
    PathBuf::from(&place.shown)
}

//! The tables, and how older ones become newer ones.

use super::{
    DatabaseError,
    pool::{Backend, Mode},
};
use crate::Result;
use std::time::SystemTime;

/// The version of the tables that this program writes.
pub const SCHEMA: i64 = 1;

/// The statements of each version, by subject. The first make the tables, the next turn them into those of the version after.
/// A `;` ends each statement, at the end of its line.
const MIGRATIONS: [&[&str]; SCHEMA as usize] = [&[
    include_str!("schema-1.sql"),
    include_str!("../people/schema-1.sql"),
    include_str!("../submissions/schema-1.sql"),
]];

/// Makes the tables, or brings older ones up to date, as a whole or not at all. Others that do the same wait meanwhile. Returns the
/// version that there was, 0 if there were no tables.
///
/// # Errors
/// If the tables are of a newer version, or the database refuses something.
pub(super) fn migrate(backend: &mut dyn Backend) -> Result<i64> {
    backend.begin(Mode::Write)?;
    let made = steps(backend, &MIGRATIONS).and_then(|before| backend.commit().map(|()| before));
    if made.is_err() {
        backend.rollback();
    }
    made
}

fn steps(backend: &mut dyn Backend, migrations: &[&[&str]]) -> Result<i64> {
    let known = i64::try_from(migrations.len()).unwrap_or(i64::MAX);
    let table = "CREATE TABLE IF NOT EXISTS contest_schema (version BIGINT PRIMARY KEY, at_ms BIGINT NOT NULL, agon TEXT NOT NULL)";
    backend.run(table, &[])?;
    let found = backend.int("SELECT coalesce(max(version), 0) FROM contest_schema", &[])?;
    if found > known {
        return Err(DatabaseError::Newer { place: backend.place(), found, known }.into());
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    let now = i64::try_from(now).unwrap_or(i64::MAX);
    for (version, parts) in (1..).zip(migrations).filter(|(version, _)| *version > found) {
        for statement in parts.iter().flat_map(|part| statements(part)) {
            backend.run(&statement, &[])?;
        }
        let insert = "INSERT INTO contest_schema (version, at_ms, agon) VALUES ($1, $2, $3)";
        backend.run(insert, &[version.into(), now.into(), env!("CARGO_PKG_VERSION").into()])?;
    }
    Ok(found)
}

/// Returns the statements of a file, without comments.
fn statements(text: &str) -> impl Iterator<Item = String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("--"));
    let text = lines.collect::<Vec<_>>().join("\n");
    let parts: Vec<String> = text.split(";\n").map(|part| part.trim_end_matches(';').to_owned()).collect();
    parts.into_iter().filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Error,
        database::{Sql, sqlite::Sqlite},
    };

    const FIRST: &[&str] =
        &["-- Two tables.\nCREATE TABLE contest_a (\n    a TEXT\n);\nCREATE TABLE contest_b (b TEXT);\n"];
    const SECOND: &[&str] = &["ALTER TABLE contest_a ADD COLUMN c BIGINT;", "DROP TABLE contest_b;\n"];

    fn apply(backend: &mut Sqlite, migrations: &[&[&str]]) -> Result<()> {
        backend.begin(Mode::Write)?;
        let made = steps(backend, migrations).and_then(|_| backend.commit());
        if made.is_err() {
            backend.rollback();
        }
        made
    }

    fn versions(backend: &mut Sqlite) -> Vec<i64> {
        let rows = backend.rows("SELECT version FROM contest_schema ORDER BY version", &[]).expect("it is there");
        rows.iter().map(|row| row.int(0).expect("a number")).collect()
    }

    #[test]
    fn older_tables_become_newer_ones() {
        let mut backend = Sqlite::memory().expect("there is memory");
        apply(&mut backend, &[FIRST]).expect("they are new");
        backend.run("INSERT INTO contest_a (a) VALUES ('kept')", &[]).expect("it is there");
        for _ in 0..2 {
            apply(&mut backend, &[FIRST, SECOND]).expect("it is newer, or the same");
            assert_eq!(versions(&mut backend), [1, 2]);
        }
        let row = backend.row("SELECT a, c FROM contest_a", &[]).expect("it has the column").expect("a row");
        assert_eq!((row.text(0), row.optional_int(1)), (Ok("kept"), Ok(None)));
        assert!(backend.rows("SELECT b FROM contest_b", &[]).is_err());
    }

    #[test]
    fn tables_of_a_newer_program_are_left_alone() {
        let mut backend = Sqlite::memory().expect("there is memory");
        apply(&mut backend, &[FIRST, SECOND]).expect("they are new");
        let newer = DatabaseError::Newer { place: ":memory:".to_owned(), found: 2, known: 1 };
        assert_eq!(apply(&mut backend, &[FIRST]), Err(Error::Database(newer)));
        assert_eq!(versions(&mut backend), [1, 2]);
    }

    #[test]
    fn a_change_that_fails_changes_nothing() {
        let mut backend = Sqlite::memory().expect("there is memory");
        apply(&mut backend, &[FIRST]).expect("they are new");
        let wrong: &[&str] = &["DROP TABLE contest_b;\nCREATE TABLE contest_a (a TEXT);\n"];
        assert!(apply(&mut backend, &[FIRST, wrong]).is_err());
        assert_eq!(versions(&mut backend), [1]);
        backend.rows("SELECT b FROM contest_b", &[]).expect("it is still there");
    }

    #[test]
    fn every_statement_of_the_real_tables_is_found() {
        let all: Vec<String> =
            MIGRATIONS.iter().flat_map(|parts| parts.iter()).flat_map(|part| statements(part)).collect();
        let written = MIGRATIONS.concat().concat();
        let count = |word: &str| written.lines().filter(|line| line.starts_with(word)).count();
        assert_eq!(all.len(), count("CREATE ") + count("ALTER ") + count("DROP "));
        assert!(all.iter().all(|statement| statement.starts_with("CREATE ") && statement.contains(" contest_")));
    }
}

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
    // include_str!("../submissions/schema-1.sql"),
]];

/// Makes the tables, or brings older ones up to date, as a whole or not at all. Others that do the same wait meanwhile.
///
/// # Errors
/// If the tables are of a newer version, or the database refuses something.
pub(super) fn migrate(backend: &mut dyn Backend) -> Result<()> {
    backend.begin(Mode::Write)?;
    let made = steps(backend, &MIGRATIONS).and_then(|()| backend.commit());
    if made.is_err() {
        backend.rollback();
    }
    made
}

fn steps(backend: &mut dyn Backend, migrations: &[&[&str]]) -> Result<()> {
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
    Ok(())
}

/// Returns the statements of a file, without comments.
fn statements(text: &str) -> impl Iterator<Item = String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("--"));
    let text = lines.collect::<Vec<_>>().join("\n");
    let parts: Vec<String> = text.split(";\n").map(|part| part.trim_end_matches(';').to_owned()).collect();
    parts.into_iter().filter(|part| !part.is_empty())
}

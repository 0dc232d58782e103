//! Writes to the database of a contest, beside a store that is written, too, and says what is kept, until it is killed.
//!
//! Arguments: the store, and how many transactions there are in the end.

use agon_server::{Result, database::Database};
use agon_store::{MatchQueue, PlannedMatch, Records, Sqlite};
use std::{
    env,
    io::{Write, stdout},
    path::Path,
    thread,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = env::args().collect();
    let (store, most) = (words[1].as_str(), words[2].parse::<i64>()?);
    #[cfg(feature = "postgres")]
    if agon_store_postgres::is_address(store) {
        let _store = agon_store_postgres::Postgres::open(store)?;
        return write(&Database::postgres(store)?, most);
    }
    let path = Path::new(store);
    let store = Sqlite::open(path)?;
    let db = Database::sqlite(path)?;
    thread::scope(|scope| {
        scope.spawn(|| {
            let first = store.progress().map_or(0, |progress| progress.ready) + 1;
            for id in first.. {
                let planned = PlannedMatch { id, bots: vec![0, 1], ..PlannedMatch::default() };
                if store.enqueue(vec![planned]).wait().is_err() || id % 64 == 0 && is_done(&db, most) {
                    return;
                }
            }
        });
        write(&db, most)
    })
}

fn is_done(db: &Database, most: i64) -> bool {
    let last = db.read(|sql| sql.row("SELECT last FROM contest_series WHERE name = 'crash'", &[]));
    last.is_ok_and(|row| row.is_some_and(|row| row.int(0).is_ok_and(|last| last >= most)))
}

/// Makes transactions of two rows each, and says the number of each that is kept.
fn write(db: &Database, most: i64) -> Result<(), Box<dyn std::error::Error>> {
    say("open")?;
    while !is_done(db, most) {
        let number = db.transact(|sql| {
            let number = sql.next_id("crash")?;
            for half in ["left", "right"] {
                let insert = "INSERT INTO contest_settings (name, value, at_ms) VALUES ($1, '', $2)";
                sql.run(insert, &[format!("{half} {number}").into(), number.into()])?;
            }
            Ok(number)
        })?;
        say(&number.to_string())?;
    }
    Ok(())
}

fn say(line: &str) -> std::io::Result<()> {
    // One write a line, so that a kill cuts no line.
    stdout().write_all(format!("{line}\n").as_bytes())?;
    stdout().flush()
}

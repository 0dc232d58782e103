//! Says which results a store has, one id a line.
//!
//! Argument: the store.

use agon_store::{Records, SqliteReader};
use std::{env, path::Path};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let reader = SqliteReader::open(Path::new(&env::args().nth(1).unwrap_or_default()))?;
    for stored in reader.matches(0, usize::MAX)?.iter().filter(|stored| stored.result.is_some()) {
        println!("{}", stored.planned.id);
    }
    println!("flaws: {}", reader.flaws()?.len());
    Ok(())
}

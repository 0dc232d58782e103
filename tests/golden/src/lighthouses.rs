//! Checks recordings of the contest's engine: whole games, and files of single vectors.
//!
//! A file is recognised by its first line. Everything that is recorded is compared; the modules describe it.

mod game;
mod units;
mod wire;

use super::{Recording, Tally};
use serde_json::Value;

/// Checks one file.
pub fn check(recording: &Recording<'_>, tally: &mut Tally) -> Result<(), String> {
    let lines: Vec<Value> = recording.json().collect::<Result<_, _>>()?;
    let kind = lines.first().and_then(|line| line["t"].as_str()).unwrap_or_default();
    tally.recordings += 1;
    match kind {
        "game" => game::check(&lines, tally),
        "tri" | "cross" | "through" | "map" | "view_mask" | "delta" => units::check(&lines, recording.path, tally),
        other => Err(format!("unknown kind of recording `{other}`")),
    }
}

//! Checks recordings of the judge of Grid: single steps, whole matches with the bytes of both bots, and matches between
//! the contest's public bots. All are played under the rule set `original`.

mod clock;
mod matches;
mod real_bots;
mod steps;
mod table;
mod verdict;

use super::{Recording, Tally};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Checks one file.
pub fn check(recording: &Recording<'_>, tally: &mut Tally) -> Result<(), String> {
    let first = recording.json().next().ok_or("an empty file")??;
    let has = |field: &str| first.get(field).is_some();
    if has("outcome") && has("orders") {
        tally.recordings += 1;
        each(recording, |step| steps::check(&step, tally))
    } else if has("turns") && has("players") {
        each(recording, |game| {
            tally.recordings += 1;
            matches::check(&game, tally)
        })
    } else if has("bots") && has("replay") {
        each(recording, |game| {
            tally.recordings += 1;
            real_bots::check(&game, tally)
        })
    } else {
        Err("the first line is neither a step, nor a match, nor a match of public bots".into())
    }
}

fn each<'de, T: Deserialize<'de>>(
    recording: &Recording<'de>,
    mut check: impl FnMut(T) -> Result<(), String>,
) -> Result<(), String> {
    for (i, line) in recording.lines().enumerate() {
        let value = serde_json::from_slice(line).map_err(|e| format!("line {}: {e}", i + 1))?;
        check(value).map_err(|e| format!("line {}: {e}", i + 1))?;
    }
    Ok(())
}

/// The end of a match, in the judge's words.
#[derive(Deserialize)]
struct Outcome {
    r#type: String,
    winners: Vec<u8>,
    /// The text for each player who was disqualified.
    faults: BTreeMap<u8, String>,
}

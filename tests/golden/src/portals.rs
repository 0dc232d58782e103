//! Checks recordings of Portals: calls of random champions, matches of real ones, geometry, and the two replay formats.

mod formats;
mod geometry;
mod table;

use super::{Recording, Tally};
use agon_portals::Rules;
use serde_json::Value;
use table::Table;

pub fn check(recording: &Recording<'_>, tally: &mut Tally) -> Result<(), String> {
    let Some(first) = recording.lines().next() else { return Err("an empty file".into()) };
    match serde_json::from_slice::<Value>(first) {
        Ok(Value::Array(_)) => geometry::check(recording, tally),
        Ok(line) if line["type"] == "game" => games(recording, tally),
        Ok(line) if line.get("turn").is_some() && line.get("players").is_some() => formats::dump(recording, tally),
        Ok(_) => Err("an unknown kind of recording".into()),
        // The other replay format is not text. Its first bytes are the length of the map, which follows.
        Err(_) => formats::binary(recording, tally),
    }
}

/// Checks games that follow each other. Each has an opening line, its turns, and a line with its result.
fn games(recording: &Recording<'_>, tally: &mut Tally) -> Result<(), String> {
    let lines: Vec<Value> = recording.json().collect::<Result<_, _>>()?;
    let starts: Vec<usize> = (0..lines.len()).filter(|i| lines[*i]["type"] == "game").collect();
    for (k, from) in starts.iter().enumerate() {
        let to = starts.get(k + 1).copied().unwrap_or(lines.len());
        let rules = match lines[*from].get("variant").map(|v| v.as_str()) {
            None => Rules::ORIGINAL,
            Some(Some("flat_shield")) => Rules::SPEC,
            Some(other) => return Err(format!("line {}: an unknown variant {other:?}", from + 1)),
        };
        tally.recordings += 1;
        game(&lines[*from..to], rules, *from, tally)?;
    }
    Ok(())
}

fn game(lines: &[Value], rules: Rules, offset: usize, tally: &mut Tally) -> Result<(), String> {
    let mut table = Table::open(&lines[0], rules, tally)?;
    // A champion that crashed can be recognised by its empty turns until the end and by the server's count.
    let died = [0, 1].map(|player: u64| {
        let crashed = lines[0]["nb_timeout"][player as usize].as_u64().unwrap_or(0) > 0;
        let acted = lines.iter().rposition(|l| l["p"] == player && l["act"].as_array().is_some_and(|a| !a.is_empty()));
        if crashed { acted.map_or(0, |i| i + 1) } else { usize::MAX }
    });
    for (i, line) in lines.iter().enumerate().skip(1) {
        let place = format!("line {}", offset + i + 1);
        if line["type"] == "end" {
            table.end(line, &place, tally);
            if i + 1 != lines.len() {
                return Err(format!("{place}: a game goes on after its end"));
            }
            return Ok(());
        }
        let player = line["p"].as_u64().filter(|p| *p < 2).ok_or_else(|| format!("{place}: no player"))?;
        let dead = i >= died[player as usize];
        if let Some(events) = line["ev"].as_array() {
            table.calls(line, events, &place, tally)?;
        } else if let Some(actions) = line["act"].as_array() {
            table.actions(line, actions, dead, &place, tally)?;
        } else {
            return Err(format!("{place}: neither calls nor actions"));
        }
        table.compare(&line["st"], player as usize, &place, tally);
    }
    Err(format!("line {}: the game has no end", offset + 1))
}

//! Checks matches between the contest's public bots, of which only the replay and the result are recorded.

use super::{
    Outcome, Tally,
    table::{Answer, SEATS, Table},
};
use agon_core::{Contest, Game, Seat, Seed};
use agon_grid::{Map, Position, Rules, replay_text};
use serde::Deserialize;

/// A recorded match.
#[derive(Deserialize)]
pub struct Match {
    id: u64,
    map: String,
    turn_limit: u32,
    bots: [String; 2],
    result: Outcome,
    replay: String,
}

/// Checks one match. Each recorded order goes through a client and the dialogue, and each recorded map must be the
/// result.
pub fn check(game: &Match, tally: &mut Tally) -> Result<(), String> {
    let id = game.id;
    let (map, records) = replay_text::read(game.replay.as_bytes()).map_err(|e| format!("the replay: {e}"))?;
    if let Ok(named) = Position::generate(&game.map, Seed(0), 2)
        && named != map
    {
        tally.mismatch(|| format!("{id}: `{}` is another map", game.map));
    }
    let mut table = Table::start(map, Rules::ORIGINAL, game.turn_limit)?;
    for (turn, record) in records.iter().enumerate() {
        if table.game.over() {
            tally.mismatch(|| format!("{id}: over before turn {turn}"));
            break;
        }
        tally.steps += 1;
        let answers = SEATS.map(|seat| {
            table.ask(seat, tally);
            table.write(seat, &record[seat])
        });
        table.play([0, 1].map(|i| Answer::Bytes { bytes: &answers[i], last: false }));
        let [one, two] = &game.bots;
        if table.orders != record.orders {
            tally.mismatch(|| format!("{id}: turn {turn} of {one} and {two}: other orders arrive"));
        }
        if Map::of(table.game.board()) != record.map {
            tally.mismatch(|| format!("{id}: turn {turn} of {one} and {two}: another map comes out"));
            break;
        }
    }
    // The exchange that ended the match is only recorded in the result.
    if !table.game.over() {
        let endings = SEATS.map(|seat| unrecorded(&table, seat, &game.result));
        table.play([0, 1].map(|i| match &endings[i] {
            Some(bytes) => Answer::Bytes { bytes, last: true },
            None => Answer::Late,
        }));
    }
    table.compare_end(id, &game.result, tally);
    table.compare_replay(id, &game.replay, tally);
    Ok(())
}

/// Returns bytes for which a player gets what the judge said about the last exchange. `None` means that the player was
/// late.
fn unrecorded(table: &Table, seat: Seat, result: &Outcome) -> Option<Vec<u8>> {
    let Some(text) = result.faults.get(&seat.number()) else { return Some(b".\n".to_vec()) };
    if text.contains("<<timeout>>") {
        return None;
    }
    if text.contains("end of file") {
        return Some(Vec::new());
    }
    let between = |before: &str, after: &str| Some(text.split_once(before)?.1.split_once(after)?.0);
    if let Some(line) = between("Failed to parse order ", "\"") {
        return Some(format!("{}\n.\n", line.replace("\\t", "\t").replace("\\r", "\r")).into_bytes());
    }
    if let Some((x, y)) = between("Tile (", ")").and_then(|tile| tile.split_once(',')) {
        return Some(format!("C {x} {y}\n.\n").into_bytes());
    }
    // The player made too many captures of a tile in reach. The bytes capture the tile beside the player's first own
    // one, on the side where there is room.
    let board = table.game.board();
    let tiles = (0..board.height()).flat_map(|y| (0..board.width()).map(move |x| (x, y)));
    let (x, y) = tiles.into_iter().find(|(x, y)| board.reaches(seat, *x, *y)).unwrap_or_default();
    let mut bytes = format!("C {x} {y}\n").repeat(table.game.energy(seat) as usize + 1);
    bytes.push_str(".\n");
    Some(bytes.into_bytes())
}

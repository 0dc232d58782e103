//! Checks whole matches with the raw bytes of both bots.

use super::{
    Outcome, Tally,
    clock::{Clock, delay, seats},
    table::{Answer, SEATS, Table},
};
use agon_core::{Contest, Game, Seed};
use agon_grid::{Map, Position, Rules, replay_text};
use serde::Deserialize;
use std::time::Duration;

/// A recorded match.
#[derive(Deserialize)]
pub struct Match {
    id: u64,
    map: String,
    turn_limit: u32,
    players: [Player; 2],
    turns: Vec<Turn>,
    result: Outcome,
    replay: String,
}

#[derive(Deserialize)]
struct Player {
    bad_turn: Option<usize>,
    bad_kind: Option<String>,
}

#[derive(Deserialize)]
struct Turn {
    grid: Vec<String>,
    energy: [Option<u32>; 2],
    out: [Option<String>; 2],
}

/// Checks one match.
pub fn check(game: &Match, tally: &mut Tally) -> Result<(), String> {
    let id = game.id;
    let table = play(game, Clock::OneAfterTheOther, tally)?;
    table.compare_end(id, &game.result, tally);
    table.compare_replay(id, &game.replay, tally);
    // A turn in which a sleeping bot was killed is not recorded.
    let unseen = u32::from(delays(game, game.turns.len()) != [Duration::ZERO; 2] && table.exchanges > 0);
    let recorded = game.turns.len() as u32;
    if !(recorded..=recorded + unseen).contains(&table.exchanges) {
        tally.mismatch(|| format!("{id}: {} exchanges, recorded {recorded}", table.exchanges));
    }
    check_import(game, tally);

    // The judge's way of reading let some bots take more than a second. Ours does not (G19).
    let differing = (0..game.turns.len()).find_map(|turn| {
        let delays = delays(game, turn);
        let (judge, own) = (Clock::OneAfterTheOther.late(delays), Clock::BothAtOnce.late(delays));
        (judge != own).then_some((turn, own))
    });
    if let Some((turn, late)) = differing {
        let table = play(game, Clock::BothAtOnce, tally)?;
        let winners: Vec<_> = seats(late.map(|late| !late)).into_iter().map(|s| s.number()).collect();
        if table.end() != ("Disqualification", winners) || table.exchanges as usize != turn + 1 {
            tally.mismatch(|| format!("{id}: with a second for each, turn {turn} ends as {:?}", table.end()));
        }
    }
    Ok(())
}

fn play(game: &Match, clock: Clock, tally: &mut Tally) -> Result<Table, String> {
    let id = game.id;
    let mut table = Table::start(start(game, tally)?, Rules::ORIGINAL, game.turn_limit)?;
    let mut turn = 0;
    while !table.game.over() && turn <= game.turns.len() {
        let recorded = game.turns.get(turn);
        for seat in SEATS {
            let message = table.ask(seat, tally);
            if let Some(recorded) = recorded {
                tally.steps += 1;
                let energy = recorded.energy[seat.index()].unwrap_or_else(|| table.game.energy(seat));
                let expected = format!("Y {seat}\nE {energy}\n{}\n.\n", recorded.grid.join("\n"));
                if message != expected.as_bytes() {
                    let message = String::from_utf8_lossy(&message).into_owned();
                    tally.mismatch(|| format!("{id}: turn {turn}: {message:?}, recorded {expected:?}"));
                }
            }
        }
        let late = clock.late(delays(game, turn));
        table.play(SEATS.map(|seat| {
            let i = seat.index();
            if late[i] {
                return Answer::Late;
            }
            let bytes = recorded.and_then(|turn| turn.out[i].as_deref()).unwrap_or_default().as_bytes();
            let last = game.turns.iter().skip(turn + 1).all(|later| later.out[i].is_none());
            Answer::Bytes { bytes, last }
        }));
        turn += 1;
    }
    Ok(table)
}

/// Returns the map at the start of the match, which is that of the first message. The recorded name must give the same
/// map.
fn start(game: &Match, tally: &mut Tally) -> Result<Map, String> {
    let replayed = replay_text::read(game.replay.as_bytes()).map_err(|e| format!("the replay: {e}"))?.0;
    let map = match game.turns.first() {
        Some(turn) => Map::parse(turn.grid.join("\n").as_bytes()).map_err(|e| format!("the first map: {e}"))?,
        None => replayed.clone(),
    };
    if map != replayed {
        tally.mismatch(|| format!("{}: the replay starts from another map", game.id));
    }
    if let Ok(named) = Position::generate(&game.map, Seed(0), 2)
        && named != map
    {
        tally.mismatch(|| format!("{}: `{}` is another map", game.id, game.map));
    }
    Ok(map)
}

/// Returns how long each bot takes in this turn.
fn delays(game: &Match, turn: usize) -> [Duration; 2] {
    [0, 1].map(|i| {
        let player = &game.players[i];
        let now = player.bad_turn == Some(turn);
        player.bad_kind.as_deref().filter(|_| now).map_or(Duration::ZERO, delay)
    })
}

/// Checks that the recorded replay stays the same when it is read and written again.
fn check_import(game: &Match, tally: &mut Tally) {
    let mut again = Vec::new();
    for record in replay_text::Records::new(game.replay.as_bytes()) {
        match record {
            Ok(record) => {
                let [one, two] = &record.orders;
                replay_text::write_record(&record.map.board(), [one, two], &mut again);
            }
            Err(flaw) => return tally.mismatch(|| format!("{}: the replay: {flaw}", game.id)),
        }
    }
    if again != game.replay.as_bytes() {
        tally.mismatch(|| format!("{}: the replay changes when it is read and written", game.id));
    }
}

//! Checks single steps: a map, the lines of both players, and the judge's result.

use super::{
    Tally,
    table::{Answer, SEATS, Table},
    verdict::Verdict,
};
use agon_core::{Ending, Game, Joint};
use agon_grid::{Elimination, Map, Position, Rules, Scratch};
use serde::Deserialize;

/// A recorded step.
#[derive(Deserialize)]
pub struct Step {
    grid: Vec<String>,
    orders: [Vec<String>; 2],
    energy: [u32; 2],
    n: [u32; 2],
    outcome: String,
    #[serde(default)]
    winners: Vec<u8>,
    /// The map after suffocation and captures.
    next: Option<Vec<String>>,
    /// The lines of each player that are no orders.
    #[serde(default)]
    bad: Vec<(u8, Vec<String>)>,
    /// The judge's texts about each player.
    #[serde(default)]
    faults: Vec<(u8, Vec<String>)>,
}

/// Checks one step.
pub fn check(step: &Step, tally: &mut Tally) -> Result<(), String> {
    tally.steps += 1;
    let map = Map::parse(step.grid.join("\n").as_bytes()).map_err(|e| e.to_string())?;
    let place = || step.grid.join("/");

    let before = Position::resume(&map, Rules::ORIGINAL, 0, 200);
    for seat in SEATS {
        let i = seat.index();
        if before.energy(seat) != step.energy[i] || before.gains(seat) != step.n[i] {
            tally.mismatch(|| {
                format!("{}: N of player {seat} is {}, recorded {}", place(), before.gains(seat), step.n[i])
            });
        }
        if Rules::SPEC.budget(before.gains(seat)) != 1 + step.n[i].div_ceil(3) {
            tally.mismatch(|| format!("{}: the other rounding of player {seat}'s budget", place()));
        }
    }

    let mut table = Table::at(before);
    let bytes = [0, 1].map(|i| {
        let mut bytes: String = step.orders[i].iter().map(|line| format!("{line}\n")).collect();
        bytes.push_str(".\n");
        bytes
    });
    for seat in SEATS {
        table.ask(seat, tally);
    }
    table.play([0, 1].map(|i| Answer::Bytes { bytes: bytes[i].as_bytes(), last: false }));

    let (end, winners) = table.end();
    let expected = match step.outcome.as_str() {
        "ok" => "still running",
        "elimination" => "Elimination",
        "parse" | "disqualification" => "Disqualification",
        other => return Err(format!("unknown outcome `{other}`")),
    };
    if end != expected || (expected != "still running" && winners != step.winners) {
        tally.mismatch(|| format!("{}: {end} {winners:?}, recorded {} {:?}", place(), step.outcome, step.winners));
        return Ok(());
    }
    match &step.next {
        Some(next) => compare_next(step, &map, &table, next, tally)?,
        None if step.outcome == "ok" => return Err("an `ok` without the next map".into()),
        None => compare_verdicts(step, &table, tally),
    }
    Ok(())
}

fn compare_next(step: &Step, map: &Map, table: &Table, next: &[String], tally: &mut Tally) -> Result<(), String> {
    let next = Map::parse(next.join("\n").as_bytes()).map_err(|e| e.to_string())?;
    let got = Map::of(table.game.board());
    if got != next {
        tally.mismatch(|| {
            format!("{} {:?}: {:?}, recorded {:?}", step.grid.join("/"), step.orders, got.print(), next.print())
        });
    }
    // The other value of `elimination` must give the same map, and the match must end immediately if a player has no
    // tile (G20).
    let now = Rules { elimination: Elimination::Now, ..Rules::ORIGINAL };
    let mut other = Position::resume(map, now, 0, 200);
    let entries = SEATS.map(|seat| agon_core::Entry { seat, orders: &table.orders[seat.index()][..], failure: None });
    other.resolve(Joint::new(&entries), &mut Scratch::default(), &mut ());
    let gone = SEATS.iter().any(|seat| next.count(*seat) == 0);
    if Map::of(other.board()) != next || (other.standing().ending == Ending::Elimination) != gone {
        tally.mismatch(|| format!("{}: `elimination=now` ends it otherwise", step.grid.join("/")));
    }
    Ok(())
}

fn compare_verdicts(step: &Step, table: &Table, tally: &mut Tally) {
    for seat in SEATS {
        let number = seat.number();
        let of = |list: &[(u8, Vec<String>)]| list.iter().find(|(p, _)| *p == number).map(|(_, texts)| texts.clone());
        let (bad, faults) = (of(&step.bad), of(&step.faults));
        let same = match (&table.verdicts[seat.index()], bad, faults) {
            (Some(Verdict::Garbage(nonsense)), Some(bad), None) => bad.first() == Some(&nonsense.line),
            (Some(refused @ Verdict::Refused(_)), None, Some(texts)) => {
                texts.iter().any(|text| refused.is_told_by(text, number))
            }
            // In the first stage, the judge does not look at the other player's orders.
            (Some(Verdict::Refused(_)), None, None) => step.outcome == "parse",
            (None, None, None) => true,
            _ => false,
        };
        if !same {
            tally.mismatch(|| {
                let verdict = &table.verdicts[seat.index()];
                format!("{} {:?}: player {seat}: {verdict:?}, recorded otherwise", step.grid.join("/"), step.orders)
            });
        }
    }
}

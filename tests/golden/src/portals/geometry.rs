//! Checks single vectors of geometry through the protocol.

use super::{Recording, Tally};
use agon_core::{Contest, Game, Remaining, Said, Seat, Setup, Terms};
use agon_portals::{Position, Rules};
use serde_json::Value;

pub fn check(recording: &Recording<'_>, tally: &mut Tally) -> Result<(), String> {
    tally.recordings += 1;
    let map = Position::parse_map(b"0 0\n0 0\n.\n").map_err(|e| e.to_string())?;
    let terms = Terms { rules: Rules::ORIGINAL, seats: 2, limit: None };
    let game = Position::from_map(map, &terms).map_err(|e| e.flaw.to_string())?;
    let seat = Seat::new(0);
    let mut dialogue = game.dialogue(seat, &[]);
    let mut out = Vec::new();
    for (i, line) in recording.json().enumerate() {
        let line = line?;
        let numbers: Option<Vec<i64>> = line.as_array().and_then(|a| a.iter().map(Value::as_i64).collect());
        let Some(Ok([ax, ay, bx, by, cx, cy, dx, dy, inter, inside, area, dist])) = numbers.map(<[i64; 12]>::try_from)
        else {
            return Err(format!("line {}: not twelve numbers", i + 1));
        };
        let asked = format!(
            "? intersection_segments {ax} {ay} {bx} {by} {cx} {cy} {dx} {dy}\n\
             ? point_dans_triangle {ax} {ay} {bx} {by} {cx} {cy} {dx} {dy}\n\
             ? score_triangle {ax} {ay} {bx} {by} {cx} {cy}\n? distance {ax} {ay} {bx} {by}\n"
        );
        dialogue.prompt(game.view(seat), Remaining::default(), &mut out);
        out.clear();
        let heard =
            dialogue.hear(game.view(seat), Remaining::default(), asked.as_bytes(), false, &mut Vec::new(), &mut out);
        let expected = format!("= {inter}\n= {inside}\n= {area}\n= {dist}\n");
        tally.steps += 1;
        if heard != (asked.len(), Said::More) || out != expected.as_bytes() {
            let answer = String::from_utf8_lossy(&out).into_owned();
            tally.mismatch(|| format!("line {}: {answer:?}, expected {expected:?}", i + 1));
        }
    }
    Ok(())
}

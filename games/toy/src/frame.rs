//! What a viewer draws: the stones in rows of ten. And what it tells of a turn.

use crate::{Event, Position};
use agon_core::{Frame, Game, Incident, ItemClass, Key, Naming, Seat, Shape, Weight};
use alloc::{format, string::ToString, vec::Vec};

/// The largest number of stones that are drawn; of a larger heap only this many are shown.
const DRAWN: u32 = 200;

const LEGEND: &[ItemClass] = &[ItemClass::new("stone", &["o stone"]).named(Naming::Number(1))];

/// Draws a position.
pub(crate) fn frame(game: &Position) -> Frame {
    let drawn = game.stones.min(DRAWN);
    let rows = drawn.div_ceil(10).max(1);
    let mut frame = Frame { low: [-0.5, -0.5], high: [9.5, rows as f32 - 0.5], legend: LEGEND, ..Frame::default() };
    for i in 0..drawn {
        let centre = [(i % 10) as f32, (i / 10) as f32];
        frame.add("stone", Key::new(1, u64::from(i)), Shape::Disc(centre, 0.4));
    }
    frame.captions = game.standing().scores.iter().map(|score| format!("score {score}")).collect();
    frame.title = match game.stones {
        0 => "the heap is empty".to_string(),
        1 => format!("turn {}: 1 stone", game.turns + 1),
        n => format!("turn {}: {n} stones", game.turns + 1),
    };
    frame
}

/// Tells an event.
pub(crate) fn tell(event: &Event) -> Incident {
    let Event { seat, stones } = *event;
    Incident::new("taken", Weight::Gain, Some(seat), format!("seat {seat} takes {stones} stones"))
}

/// Appends the score of a seat.
pub(crate) fn measure(game: &Position, seat: Seat, out: &mut Vec<f64>) {
    out.push(game.standing().scores[seat.index() & 1] as f64);
}

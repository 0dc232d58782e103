//! What a viewer draws: the stones in rows of ten.

use crate::Position;
use agon_core::{Frame, Game, ItemClass, Shape};
use alloc::{format, string::ToString};

/// The largest number of stones that are drawn; of a larger heap only this many are shown.
const DRAWN: u32 = 200;

const LEGEND: &[ItemClass] = &[ItemClass::new("stone", &["o stone"])];

/// Draws a position.
pub(crate) fn frame(game: &Position) -> Frame {
    let drawn = game.stones.min(DRAWN);
    let rows = drawn.div_ceil(10).max(1);
    let mut frame = Frame { low: [-0.5, -0.5], high: [9.5, rows as f32 - 0.5], legend: LEGEND, ..Frame::default() };
    for i in 0..drawn {
        let centre = [(i % 10) as f32, (i / 10) as f32];
        frame.add("stone", Shape::Disc(centre, 0.4)).tip(format!("stone {} of {}", i + 1, game.stones));
    }
    frame.captions = game.standing().scores.iter().map(|score| format!("score {score}")).collect();
    frame.title = match game.stones {
        0 => "the heap is empty".to_string(),
        1 => format!("turn {}: 1 stone", game.turns + 1),
        n => format!("turn {}: {n} stones", game.turns + 1),
    };
    frame
}

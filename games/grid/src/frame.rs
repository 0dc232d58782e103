//! What a viewer draws of a position, and what it tells of a turn.

use crate::{order::Event, position::Position};
use agon_core::{Codes, Frame, Grid, Incident, ItemClass, Key, Seat, Weight};
use alloc::{format, vec::Vec};

const LEGEND: &[ItemClass] =
    &[ItemClass::new("tile", &["N tile of N"]), ItemClass::new("empty", &["· empty"]).ground('·')];

/// The names of the numbers of a seat.
pub(crate) const SERIES: &[&str] = &["tiles", "energy"];

/// Draws the board as one layer of cells, with tiles and energy as captions.
pub(crate) fn frame(game: &Position) -> Frame {
    let board = game.board();
    let (width, height) = (board.width(), board.height());
    let (turn, limit) = game.turn();
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let cells: Vec<i16> = places.map(|(x, y)| board.owner(x, y).map_or(0, |seat| i16::from(seat.number()))).collect();
    let tiles = Grid {
        name: "tiles",
        width: width.into(),
        height: height.into(),
        cells,
        codes: Codes::Owners("tile", "empty"),
        is_fixed: false,
    };
    let caption = |seat| format!("tiles {}, energy {}", board.count(seat), game.energy(seat));
    Frame {
        low: [-0.5, -0.5],
        high: [f32::from(width) - 0.5, f32::from(height) - 0.5],
        y_up: false,
        cell: 1.0,
        items: Vec::new(),
        grids: [tiles].into(),
        captions: [0, 1].map(|seat| caption(Seat::new(seat))).into(),
        title: format!("turn {turn} of {limit}"),
        legend: LEGEND,
    }
}

/// Appends the numbers of a seat.
pub(crate) fn measure(game: &Position, seat: Seat, out: &mut Vec<f64>) {
    out.extend([f64::from(game.board().count(seat)), f64::from(game.energy(seat))]);
}

/// Tells an event.
pub(crate) fn tell(game: &Position, event: &Event) -> Incident {
    let tile = |x: u16, y: u16| Key::cell(usize::from(y) * usize::from(game.board().width()) + usize::from(x));
    match *event {
        Event::Suffocated { seat, x, y } => {
            let text = format!("tile ({x}, {y}) of seat {seat} suffocates");
            Incident::new("suffocated", Weight::Loss, Some(seat), text).about([tile(x, y)])
        }
        Event::Captured { seat, x, y } => {
            let text = format!("seat {seat} captures tile ({x}, {y})");
            Incident::new("captured", Weight::Gain, Some(seat), text).about([tile(x, y)])
        }
        Event::Contested { x, y } => {
            let text = format!("both seats order tile ({x}, {y}), so neither captures it");
            Incident::new("contested", Weight::Other, None, text).about([tile(x, y)])
        }
        Event::Eliminated { seat } => {
            Incident::new("eliminated", Weight::Loss, Some(seat), format!("seat {seat} has no tile left"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{map::Map, rules::Rules};

    #[test]
    fn every_tile_is_a_cell_of_its_owner() {
        let map = Map::parse(b"1--\n--2").unwrap();
        let frame = frame(&Position::resume(&map, Rules::SPEC, 7, 200));
        assert_eq!(frame.grids[0].cells, [1, 0, 0, 0, 0, 2]);
        assert_eq!((frame.title.as_str(), frame.high), ("turn 7 of 200", [2.5, 1.5]));
        assert_eq!(frame.captions, ["tiles 1, energy 2", "tiles 1, energy 2"]);
        let frame = frame.spelled_out();
        assert_eq!(frame.items.len(), 6);
        assert_eq!(frame.items[0].seat, Some(Seat::new(0)));
        assert_eq!(frame.items[5].seat, Some(Seat::new(1)));
        assert_eq!(frame.items[5].tip, "cell (2, 1), owner seat 2");
        assert_eq!(frame.items[1].class, "empty");
    }
}

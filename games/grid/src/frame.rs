//! What a viewer draws of a position.

use crate::position::Position;
use agon_core::{Frame, ItemClass, Seat, Shape};
use alloc::{format, vec::Vec};

const LEGEND: &[ItemClass] =
    &[ItemClass::new("tile", &["N tile of N"]), ItemClass::new("empty", &["· empty"]).ground('·')];

/// Draws the board as cells, with tiles and energy as captions.
pub(crate) fn frame(game: &Position) -> Frame {
    let board = game.board();
    let (width, height) = (board.width(), board.height());
    let (turn, limit) = game.turn();
    let mut frame = Frame {
        low: [-0.5, -0.5],
        high: [f32::from(width) - 0.5, f32::from(height) - 0.5],
        y_up: false,
        cell: 1.0,
        items: Vec::with_capacity(usize::from(width) * usize::from(height)),
        captions: Vec::new(),
        title: format!("turn {turn} of {limit}"),
        legend: LEGEND,
    };
    for y in 0..height {
        for x in 0..width {
            let owner = board.owner(x, y);
            let class = if owner.is_some() { "tile" } else { "empty" };
            let tip = match owner {
                Some(seat) => format!("({x}, {y}), player {seat}"),
                None => format!("({x}, {y})"),
            };
            frame.add(class, Shape::Cell([f32::from(x), f32::from(y)])).of(owner).tip(tip);
        }
    }
    for seat in [Seat::new(0), Seat::new(1)] {
        frame.captions.push(format!("tiles {}, energy {}", board.count(seat), game.energy(seat)));
    }
    frame
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{map::Map, rules::Rules};

    #[test]
    fn every_tile_is_a_cell_of_its_owner() {
        let map = Map::parse(b"1--\n--2").unwrap();
        let frame = frame(&Position::resume(&map, Rules::SPEC, 7, 200));
        assert_eq!(frame.items.len(), 6);
        assert_eq!(frame.items[0].seat, Some(Seat::new(0)));
        assert_eq!(frame.items[5].seat, Some(Seat::new(1)));
        assert_eq!(frame.items[5].tip, "(2, 1), player 2");
        assert_eq!(frame.items[1].class, "empty");
        assert_eq!((frame.title.as_str(), frame.high), ("turn 7 of 200", [2.5, 1.5]));
        assert_eq!(frame.captions, ["tiles 1, energy 2", "tiles 1, energy 2"]);
    }
}

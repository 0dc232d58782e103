//! What a viewer draws of a position: a display list, the one source for page, picture and terminal.

use crate::Seat;
use alloc::{string::String, vec::Vec};
use serde::Serialize;

/// A picture of a position in the game's own coordinates.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Frame {
    /// Smallest x and y that is drawn.
    pub low: [f32; 2],
    /// Largest x and y that is drawn.
    pub high: [f32; 2],
    /// Whether y grows upwards (as in the map of Lighthouses) or downwards.
    pub y_up: bool,
    /// Side of the unit squares that cells are, 0 where the game has no cells. A cell at (x, y) has its centre there.
    pub cell: f32,
    /// Painted in this order, later above earlier.
    pub items: Vec<Item>,
    /// One line a seat below the board, as `score 12, energy 40`.
    pub captions: Vec<String>,
    /// The turn or round in the game's words, as `round 12 of 1200`.
    pub title: String,
}

/// One thing on the board.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Item {
    /// Where and how large.
    pub shape: Shape,
    /// What it is, as a style sheet's class: `wall`, `planet`, `fleet`.
    pub class: &'static str,
    /// Whose, if anybody's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// How strongly it is painted, 0 to 1 (as energy of a cell); 1 if it has no degrees.
    pub strength: f32,
    /// The tooltip; empty for none. Never text from a bot.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tip: String,
}

/// The shapes that every drawer knows.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// The unit square around a point.
    Cell([f32; 2]),
    /// Centre and radius.
    Disc([f32; 2], f32),
    /// From, to.
    Line([f32; 2], [f32; 2]),
    /// Corners in order.
    Polygon(Vec<[f32; 2]>),
    /// Text centred at a point.
    Label([f32; 2], String),
}

impl Frame {
    /// Adds an item without owner, of full strength and without a tooltip.
    pub fn add(&mut self, class: &'static str, shape: Shape) -> &mut Item {
        self.items.push(Item { shape, class, seat: None, strength: 1.0, tip: String::new() });
        self.items.last_mut().expect("an item was just pushed")
    }
}

impl Item {
    /// With an owner.
    pub fn of(&mut self, seat: Option<Seat>) -> &mut Self {
        self.seat = seat;
        self
    }

    /// With a degree, 0 to 1.
    pub fn strength(&mut self, strength: f32) -> &mut Self {
        self.strength = strength;
        self
    }

    /// With a tooltip.
    pub fn tip(&mut self, tip: impl Into<String>) -> &mut Self {
        self.tip = tip.into();
        self
    }
}

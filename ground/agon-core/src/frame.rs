//! The picture of a position as a display list. The page, the picture files and the terminal all draw from it.

use crate::Seat;
use alloc::{string::String, vec::Vec};
use serde::Serialize;

/// A picture of a position in the game's own coordinates.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Frame {
    /// The smallest visible x and y.
    pub low: [f32; 2],
    /// The largest visible x and y.
    pub high: [f32; 2],
    /// Whether y grows upwards (as in the map of Lighthouses) or downwards.
    pub y_up: bool,
    /// The side length of a cell, or 0 if the game has no cells. A cell at (x, y) has its centre there.
    pub cell: f32,
    /// The things on the board in drawing order. Later items cover earlier ones.
    pub items: Vec<Item>,
    /// One line for each seat, shown below the board, for example `score 12, energy 40`.
    pub captions: Vec<String>,
    /// The turn or round in the game's own words, for example `round 12 of 1200`.
    pub title: String,
    /// The classes of the items, for viewers that draw with characters. Every item's class has an entry.
    #[serde(skip)]
    pub legend: &'static [ItemClass],
}

/// What the items of a class are, and how they look where only characters can be drawn. There each seat has a mark, which is
/// one character.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ItemClass {
    /// The name of the class.
    pub name: &'static str,
    /// Entries of the legend, in which N is the mark of a seat, as in `LN lighthouse of N`. It has none if the items need no
    /// words.
    pub meanings: &'static [&'static str],
    /// The character of such an item. `None` if the mark of its seat is all there is.
    pub symbol: Option<char>,
    /// What fills a cell that belongs to no seat. `None` for a shade by its strength.
    pub ground: Option<char>,
    /// Whether the items move about the board.
    pub moves: bool,
    /// Whether an item is named beside the board if it shares its place with another one.
    pub is_listed: bool,
}

impl ItemClass {
    /// A class of items that stay where they are and have no character of their own.
    #[must_use]
    pub const fn new(name: &'static str, meanings: &'static [&'static str]) -> Self {
        Self { name, meanings, symbol: None, ground: None, moves: false, is_listed: false }
    }

    /// Sets the character of its items.
    #[must_use]
    pub const fn symbol(self, symbol: char) -> Self {
        Self { symbol: Some(symbol), ..self }
    }

    /// Sets what fills a cell that belongs to no seat.
    #[must_use]
    pub const fn ground(self, ground: char) -> Self {
        Self { ground: Some(ground), ..self }
    }

    /// Says that its items move about the board.
    #[must_use]
    pub const fn moving(self) -> Self {
        Self { moves: true, ..self }
    }

    /// Says that its items are named beside the board if they share their place.
    #[must_use]
    pub const fn listed(self) -> Self {
        Self { is_listed: true, ..self }
    }
}

/// One thing on the board.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Item {
    /// The shape, with its place and size.
    pub shape: Shape,
    /// The class in the style sheet, which says what the item is: `wall`, `planet`, `fleet`.
    pub class: &'static str,
    /// The seat that owns the item. `None` if no seat owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// The opacity from 0 to 1. It shows a quantity such as the energy of a cell, and is 1 if the item has none.
    pub strength: f32,
    /// The tooltip, or an empty text if the item has none. It never contains text from a bot.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tip: String,
}

/// A shape that every viewer can draw.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// A cell: the square around its centre, with the side length [`Frame::cell`].
    Cell([f32; 2]),
    /// A disc with its centre and its radius.
    Disc([f32; 2], f32),
    /// A line with its two ends.
    Line([f32; 2], [f32; 2]),
    /// A polygon with its corners in order.
    Polygon(Vec<[f32; 2]>),
    /// A text centred at a point.
    Label([f32; 2], String),
}

impl Frame {
    /// Adds an item without an owner, at full strength and without a tooltip. Returns it so that the caller can change
    /// it.
    pub fn add(&mut self, class: &'static str, shape: Shape) -> &mut Item {
        self.items.push(Item { shape, class, seat: None, strength: 1.0, tip: String::new() });
        self.items.last_mut().expect("an item was just pushed")
    }

    /// Returns the class of an item.
    #[must_use]
    pub fn class(&self, item: &Item) -> Option<&'static ItemClass> {
        self.legend.iter().find(|class| class.name == item.class)
    }
}

impl Item {
    /// Sets the owner.
    pub fn of(&mut self, seat: Option<Seat>) -> &mut Self {
        self.seat = seat;
        self
    }

    /// Sets the opacity, from 0 to 1.
    pub fn strength(&mut self, strength: f32) -> &mut Self {
        self.strength = strength;
        self
    }

    /// Sets the tooltip.
    pub fn tip(&mut self, tip: impl Into<String>) -> &mut Self {
        self.tip = tip.into();
        self
    }
}

//! What a viewer draws of a position: the display list, the numbers of each thing, and layers of cells.
//!
//! A game makes one [`Frame`] of a position. Pages use it as it is. The terminal and picture files use
//! [`Frame::spelled_out`], in which cells are items and every item has a tooltip.

use crate::{Seat, frame_class::ItemClass, frame_grid::Grid};
use alloc::{string::String, vec::Vec};
use serde::{Serialize, Serializer, ser::Error as _};

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
    /// The things on the board in drawing order. Later items cover earlier ones, and all items cover the cells of
    /// [`grids`](Frame::grids).
    pub items: Vec<Item>,
    /// Layers of cells. The JSON form of a frame has their cells as items, so a frame cannot be written before
    /// [`spelled_out`](Frame::spelled_out) has moved them there.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "refuse_layers")]
    pub grids: Vec<Grid>,
    /// One line for each seat, shown below the board, for example `score 12, energy 40`. It is empty for a seat of
    /// which the viewer knows nothing.
    pub captions: Vec<String>,
    /// The turn or round in the game's own words, for example `round 12 of 1200`.
    pub title: String,
    /// The classes of the items. Every item's class has an entry.
    #[serde(skip)]
    pub legend: &'static [ItemClass],
}

fn refuse_layers<S: Serializer>(_: &[Grid], _: S) -> Result<S::Ok, S::Error> {
    Err(S::Error::custom("a frame with layers of cells is written only after it was spelled out"))
}

/// The name of a thing on the board. It is unique in a match, and the thing keeps it through the match, so that a viewer
/// can move it instead of drawing it anew.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Key(u64);

impl Key {
    /// The number of bits of a key's number.
    pub const BITS: u32 = 49;

    /// Returns the key of the thing `number` of a kind. Both together have 53 bits, so that a script can hold them in a
    /// floating-point number.
    ///
    /// # Panics
    /// Panics if `kind` is above 15. Of `number` only the lowest [`Key::BITS`] bits count.
    #[must_use]
    pub const fn new(kind: u8, number: u64) -> Self {
        assert!(kind < 16, "a key has room for 16 kinds");
        Self((kind as u64) << Self::BITS | number & ((1 << Self::BITS) - 1))
    }

    /// Returns the key of the cell with this index in a [`Grid`]. Kind 0 is for cells.
    #[must_use]
    pub const fn cell(index: usize) -> Self {
        Self::new(0, index as u64)
    }

    /// Returns the key with this value, as [`value`](Key::value) gave it.
    #[must_use]
    pub const fn from_value(value: u64) -> Self {
        Self(value)
    }

    /// Returns the whole key as a number below 2^53.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.0
    }

    /// Returns the number within the kind.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0 & ((1 << Self::BITS) - 1)
    }

    /// Returns the index of the cell, or `None` if the key belongs to another thing.
    #[must_use]
    pub fn cell_index(self) -> Option<usize> {
        (self.0 >> Self::BITS == 0).then_some(self.0 as usize)
    }
}

/// One thing on the board.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Item {
    /// The name of the thing, for viewers that show movement.
    #[serde(skip)]
    pub key: Key,
    /// The shape, with its place and size.
    pub shape: Shape,
    /// The class in the style sheet, which says what the item is: `wall`, `planet`, `fleet`.
    pub class: &'static str,
    /// The seat that owns the item. `None` if no seat owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// The opacity from 0 to 1. It shows a quantity such as the energy of a cell, and is 1 if the item has none.
    pub strength: f32,
    /// The numbers of the thing, named by [`ItemClass::values`]. `NAN` means that the viewer does not know the number.
    #[serde(skip)]
    pub values: Vec<f64>,
    /// The tooltip, or an empty text if the item has none. Only [`Frame::spelled_out`] sets it. It never contains text
    /// from a bot.
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
    /// Adds an item without an owner, at full strength and without numbers. Returns it so that the caller can change
    /// it.
    pub fn add(&mut self, class: &'static str, key: Key, shape: Shape) -> &mut Item {
        self.items.push(Item { key, shape, class, seat: None, strength: 1.0, values: Vec::new(), tip: String::new() });
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

    /// Sets the numbers that [`ItemClass::values`] names.
    pub fn values(&mut self, values: &[f64]) -> &mut Self {
        self.values.clear();
        self.values.extend_from_slice(values);
        self
    }

    /// Sets the tooltip.
    pub fn tip(&mut self, tip: impl Into<String>) -> &mut Self {
        self.tip = tip.into();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_fits_the_numbers_of_a_script() {
        let key = Key::new(15, u64::MAX);
        assert_eq!(key.value(), (1 << 53) - 1);
        assert_eq!(Key::from_value(key.value()), key);
        assert_eq!((key.number(), key.cell_index()), ((1 << 49) - 1, None));
        assert_eq!(Key::cell(7).cell_index(), Some(7));
    }

    #[test]
    fn a_frame_is_not_written_without_its_layers() {
        let cells = alloc::vec![1];
        let codes = crate::Codes::Classes(&["sea", "land"]);
        let layer = Grid { name: "ground", width: 1, height: 1, cells, codes, is_fixed: true };
        let frame = Frame { grids: alloc::vec![layer], ..Frame::default() };
        assert!(serde_json::to_string(&frame).is_err());
        let written = serde_json::to_string(&frame.spelled_out()).unwrap();
        assert!(written.contains("\"land\"") && !written.contains("grids"), "{written}");
    }
}

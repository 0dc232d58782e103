//! Writes what the page reads: numbers in little-endian order, texts with their length before them.
//!
//! Lists have their length before them, too. `viewer/src/engine/decode.ts` reads the same in the same order.

use crate::told::Told;
use agon_core::{Codes, Fact, Frame, Grid, Item, Seat, Shape};

/// Bytes that are being written.
#[derive(Debug, Default)]
pub struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    /// Removes everything, so that the memory can be used again.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Returns what has been written.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn byte(&mut self, value: u8) -> &mut Self {
        self.bytes.push(value);
        self
    }

    pub(crate) fn flag(&mut self, value: bool) -> &mut Self {
        self.byte(u8::from(value))
    }

    pub(crate) fn count(&mut self, value: usize) -> &mut Self {
        self.number(u32::try_from(value).unwrap_or(u32::MAX))
    }

    pub(crate) fn number(&mut self, value: u32) -> &mut Self {
        self.bytes.extend(value.to_le_bytes());
        self
    }

    pub(crate) fn single(&mut self, value: f32) -> &mut Self {
        self.bytes.extend(value.to_le_bytes());
        self
    }

    pub(crate) fn double(&mut self, value: f64) -> &mut Self {
        self.bytes.extend(value.to_le_bytes());
        self
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.count(text.len());
        self.bytes.extend(text.as_bytes());
        self
    }

    /// Writes what another one has written, with its length before it.
    pub(crate) fn blob(&mut self, other: &Self) -> &mut Self {
        self.count(other.bytes.len());
        self.bytes.extend(&other.bytes);
        self
    }

    pub(crate) fn texts<'a>(&mut self, texts: impl ExactSizeIterator<Item = &'a str>) -> &mut Self {
        self.count(texts.len());
        for text in texts {
            self.text(text);
        }
        self
    }

    /// Writes the number of a seat, counted from 1, or 0 for none.
    pub(crate) fn seat(&mut self, seat: Option<Seat>) -> &mut Self {
        self.byte(seat.map_or(0, Seat::number))
    }

    /// Writes what is the same in all positions of a match: the size of the board, the classes, fixed things and layers.
    pub(crate) fn scene(&mut self, frame: &Frame) {
        for number in [frame.low[0], frame.low[1], frame.high[0], frame.high[1]] {
            self.single(number);
        }
        self.flag(frame.y_up).single(frame.cell).count(frame.legend.len());
        for class in frame.legend {
            self.text(class.name).texts(class.values.iter().copied());
        }
        self.things(frame, true);
    }

    /// Writes the rest of a frame.
    pub(crate) fn frame(&mut self, frame: &Frame) {
        self.text(&frame.title).texts(frame.captions.iter().map(String::as_str));
        self.things(frame, false);
    }

    fn things(&mut self, frame: &Frame, fixed: bool) {
        // One search for each class instead of one for each item.
        let class = |item: &Item| frame.legend.iter().position(|class| class.name == item.class);
        let wanted = |index: &usize| frame.legend[*index].is_fixed == fixed;
        let items = frame.items.iter().filter_map(|item| class(item).filter(wanted).map(|index| (index, item)));
        let start = self.bytes.len();
        let mut count = 0;
        self.number(0);
        for (index, item) in items {
            count += 1;
            self.item(index, item);
        }
        self.bytes[start..start + 4].copy_from_slice(&u32::to_le_bytes(count));
        let grids: Vec<&Grid> = frame.grids.iter().filter(|grid| grid.is_fixed == fixed).collect();
        self.count(grids.len());
        for grid in grids {
            self.grid(grid);
        }
    }

    fn item(&mut self, class: usize, item: &Item) {
        self.double(item.key.value() as f64).byte(u8::try_from(class).unwrap_or(u8::MAX)).seat(item.seat);
        self.single(item.strength);
        let point = |out: &mut Self, point: [f32; 2]| {
            out.single(point[0]).single(point[1]);
        };
        match &item.shape {
            Shape::Cell(at) => {
                self.byte(0);
                point(self, *at);
            }
            Shape::Disc(at, radius) => {
                self.byte(1);
                point(self, *at);
                self.single(*radius);
            }
            Shape::Line(from, to) => {
                self.byte(2);
                point(self, *from);
                point(self, *to);
            }
            Shape::Polygon(corners) => {
                self.byte(3).count(corners.len());
                corners.iter().for_each(|corner| point(self, *corner));
            }
            Shape::Label(at, text) => {
                self.byte(4);
                point(self, *at);
                self.text(text);
            }
        }
        self.byte(u8::try_from(item.values.len()).unwrap_or(u8::MAX));
        for value in item.values.iter().take(u8::MAX.into()) {
            self.double(*value);
        }
    }

    fn grid(&mut self, grid: &Grid) {
        self.text(grid.name).number(grid.width).number(grid.height);
        match grid.codes {
            Codes::Owners(owned, nobodys) => self.byte(0).texts([nobodys, owned].into_iter()),
            Codes::Classes(classes) => self.byte(1).texts(classes.iter().copied()),
            Codes::Amounts(most) => self.byte(2).number(u32::from(most.unsigned_abs())),
        };
        self.count(grid.cells.len());
        self.bytes.reserve(2 * grid.cells.len());
        for cell in &grid.cells {
            self.bytes.extend(cell.to_le_bytes());
        }
    }

    pub(crate) fn facts(&mut self, facts: &[Fact]) {
        self.count(facts.len());
        for (name, value) in facts {
            self.text(name).text(value);
        }
    }

    pub(crate) fn events(&mut self, told: &[Told]) {
        self.count(told.len());
        for one in told {
            self.text(one.kind).byte(one.weight as u8).seat(one.seat).count(one.keys.len());
            for key in &one.keys {
                self.double(key.value() as f64);
            }
            self.text(&one.text);
        }
    }
}

//! Layers of cells: a number for each cell of a rectangle.

use crate::Seat;
use alloc::vec::Vec;

/// A layer of cells. The cells lie in rows from the smallest y, each from the smallest x. The first cell has its centre at
/// (0, 0), and the distance between centres is [`Frame::cell`](crate::Frame::cell).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    /// The name of the layer, for example `energy`.
    pub name: &'static str,
    /// The number of columns.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
    /// The number of each cell.
    pub cells: Vec<i16>,
    /// What the numbers mean.
    pub codes: Codes,
    /// Whether the layer is the same in all positions of a match, so that a viewer needs it only once.
    pub is_fixed: bool,
}

/// What the numbers of a [`Grid`] mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Codes {
    /// The number of the seat that owns the cell, or 0. An owned cell has the first class, another one the second.
    Owners(&'static str, &'static str),
    /// The class of the cell, by its index.
    Classes(&'static [&'static str]),
    /// A quantity from 0 to the most. The cell has the class that another layer gives it. A negative number means that
    /// the viewer does not know the quantity.
    Amounts(i16),
}

impl Grid {
    /// Returns the index of the cell at a point, or `None` if the point is outside.
    #[must_use]
    pub fn index(&self, x: u32, y: u32) -> Option<usize> {
        (x < self.width && y < self.height).then(|| y as usize * self.width as usize + x as usize)
    }

    /// Returns the column and the row of the cell with this index.
    #[must_use]
    pub fn place(&self, index: usize) -> [u32; 2] {
        let width = self.width.max(1) as usize;
        [(index % width) as u32, (index / width) as u32]
    }

    /// Returns the owner of the cell with this index. `None` if it has none, or if the layer does not tell owners.
    #[must_use]
    pub fn owner(&self, index: usize) -> Option<Seat> {
        match self.codes {
            Codes::Owners(..) => u8::try_from(*self.cells.get(index)?).ok().and_then(Seat::from_number),
            _ => None,
        }
    }

    /// Returns the class of the cell with this index. `None` if the layer does not tell classes.
    #[must_use]
    pub fn class(&self, index: usize) -> Option<&'static str> {
        let code = *self.cells.get(index)?;
        match self.codes {
            Codes::Owners(_, nobodys) if code == 0 => Some(nobodys),
            Codes::Owners(owned, _) => Some(owned),
            Codes::Classes(classes) => classes.get(usize::try_from(code).ok()?).copied(),
            Codes::Amounts(_) => None,
        }
    }
}

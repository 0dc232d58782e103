//! The tiles of a map as bits: one plane of bits for the map itself and one for each player.

use crate::{
    pair::Pair,
    planes::{self, Layout},
};
use agon_core::{Fingerprint, Seat};
use alloc::{vec, vec::Vec};

/// The largest number of columns, and of rows.
pub const MOST_SIDE: u16 = 256;

/// The owner of every tile.
///
/// Rows lie back to back with one *guard column* between them that no player ever owns. So the four neighbours of all
/// tiles are found by shifts by one bit and by one row, and the left and right borders need no mask.
#[derive(PartialEq, Eq)]
pub struct Board {
    layout: Layout,
    /// The planes of the map, of seat 1 and of seat 2. Each has empty words before and after the words that hold
    /// tiles.
    planes: Vec<u64>,
}

impl Board {
    /// Makes an empty board.
    ///
    /// # Panics
    /// If a side is 0 or above [`MOST_SIDE`]. Maps are checked before boards are made from them.
    #[must_use]
    pub fn new(width: u16, height: u16) -> Self {
        assert!((1..=MOST_SIDE).contains(&width) && (1..=MOST_SIDE).contains(&height), "a map has 1 to 256 rows");
        let layout = Layout::new(width, height);
        let mut board = Self { layout, planes: vec![0; 3 * layout.plane()] };
        for y in 0..height {
            for x in 0..width {
                board.set_bit(0, x, y);
            }
        }
        board
    }

    /// The number of columns.
    #[must_use]
    pub fn width(&self) -> u16 {
        self.layout.width
    }

    /// The number of rows.
    #[must_use]
    pub fn height(&self) -> u16 {
        self.layout.height
    }

    /// The owner of a tile. `None` if the tile is empty or outside the map.
    #[must_use]
    pub fn owner(&self, x: u16, y: u16) -> Option<Seat> {
        let (word, bit) = self.layout.place(x, y)?;
        let plane = self.layout.plane();
        if self.planes[plane + word] >> bit & 1 == 1 {
            Some(Seat::new(0))
        } else if self.planes[2 * plane + word] >> bit & 1 == 1 {
            Some(Seat::new(1))
        } else {
            None
        }
    }

    /// Gives a tile to a player, or makes it empty. Does nothing outside the map.
    pub fn give(&mut self, x: u16, y: u16, owner: Option<Seat>) {
        let Some((word, bit)) = self.layout.place(x, y) else { return };
        let plane = self.layout.plane();
        for seat in [0, 1] {
            let bits = &mut self.planes[(1 + seat) * plane + word];
            *bits &= !(1 << bit);
            *bits |= u64::from(owner.is_some_and(|o| o.index() == seat)) << bit;
        }
    }

    /// Whether `seat` may capture this tile, because it owns a side-neighbour of it.
    #[must_use]
    pub fn reaches(&self, seat: Seat, x: u16, y: u16) -> bool {
        let own = |x: u16, y: u16| self.owner(x, y) == Some(seat);
        // Column 65535 is outside every map, so a neighbour that wraps around at 0 has no owner.
        own(x.wrapping_sub(1), y)
            || own(x.saturating_add(1), y)
            || own(x, y.wrapping_sub(1))
            || own(x, y.saturating_add(1))
    }

    /// The number of tiles that `seat` owns.
    #[must_use]
    pub fn count(&self, seat: Seat) -> u32 {
        self.words(seat).iter().map(|w| w.count_ones()).sum()
    }

    /// The same board with the players exchanged.
    #[must_use]
    pub fn exchanged(&self) -> Self {
        let mut other = self.clone();
        let (_, rest) = other.planes.split_at_mut(self.layout.plane());
        let (one, two) = rest.split_at_mut(self.layout.plane());
        one.swap_with_slice(two);
        other
    }

    /// Where the bit of each tile lies.
    #[inline]
    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// The planes of the map and of both players, with their margins.
    #[inline]
    pub(crate) fn planes(&self) -> [&[u64]; 3] {
        let (map, rest) = self.planes.split_at(self.layout.plane());
        let (one, two) = rest.split_at(self.layout.plane());
        [map, one, two]
    }

    /// The same planes as [`Board::planes`], for changes.
    #[inline]
    pub(crate) fn planes_mut(&mut self) -> [&mut [u64]; 3] {
        let (map, rest) = self.planes.split_at_mut(self.layout.plane());
        let (one, two) = rest.split_at_mut(self.layout.plane());
        [map, one, two]
    }

    /// The planes of the map and of both players, if [`pair`](crate::pair) can handle the board: a plane then has two
    /// words, and a row is shorter than a word.
    #[inline(always)]
    pub(crate) fn pairs(&self) -> Option<[Pair; 3]> {
        // A plane of four words has two words of tiles and a margin of one word on each side: no margin is longer if
        // rows are shorter than a word.
        let [_, a, b, _, _, c, d, _, _, e, f, _] = *self.planes else { return None };
        Some([Pair { low: a, high: b }, Pair { low: c, high: d }, Pair { low: e, high: f }])
    }

    /// Sets the tiles of both players on a board for which [`Board::pairs`] is not `None`.
    #[inline(always)]
    pub(crate) fn set_pairs(&mut self, [one, two]: [Pair; 2]) {
        if let [_, _, _, _, _, a, b, _, _, c, d, _] = &mut *self.planes {
            (*a, *b, *c, *d) = (one.low, one.high, two.low, two.high);
        }
    }

    /// The tiles of one player without the margins.
    #[inline]
    pub(crate) fn words(&self, seat: Seat) -> &[u64] {
        self.layout.core(self.planes()[1 + seat.index()])
    }

    /// Computes what budgets and the end of the match depend on. Writes the tiles that seat 1 may capture to `reach`,
    /// followed by those of seat 2, both without margins.
    #[inline(always)]
    pub(crate) fn survey(&self, reach: &mut Vec<u64>) -> planes::Survey {
        let words = self.layout.words();
        if reach.len() != 2 * words {
            reach.resize(2 * words, 0);
        }
        let (one, two) = reach.split_at_mut(words);
        planes::survey(self.layout, self.planes(), [one, two])
    }

    /// Mixes the board into a fingerprint.
    pub(crate) fn mix(&self, fingerprint: &mut Fingerprint) {
        fingerprint.u32(u32::from(self.width()) << 16 | u32::from(self.height()));
        for seat in [Seat::new(0), Seat::new(1)] {
            for word in self.words(seat) {
                fingerprint.u64(*word);
            }
        }
    }

    fn set_bit(&mut self, plane: usize, x: u16, y: u16) {
        if let Some((word, bit)) = self.layout.place(x, y) {
            self.planes[plane * self.layout.plane() + word] |= 1 << bit;
        }
    }
}

impl Clone for Board {
    fn clone(&self) -> Self {
        Self { layout: self.layout, planes: self.planes.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.layout = source.layout;
        self.planes.clone_from(&source.planes);
    }
}

impl core::fmt::Debug for Board {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Board(")?;
        for y in 0..self.height() {
            if y > 0 {
                f.write_str("/")?;
            }
            for x in 0..self.width() {
                f.write_str(match self.owner(x, y) {
                    None => "-",
                    Some(seat) if seat.index() == 0 => "1",
                    Some(_) => "2",
                })?;
            }
        }
        f.write_str(")")
    }
}

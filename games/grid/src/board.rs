//! The tiles of a map as bits: one plane for the map itself and one for each player.

use crate::{
    pair::Pair,
    planes::{self, Layout},
};
use agon_core::{Fingerprint, Seat};
use alloc::{vec, vec::Vec};

/// The most columns and the most rows.
pub const MOST_SIDE: u16 = 256;

/// Who owns which tile.
///
/// Rows lie back to back with one *guard column* between them that is never owned, so that the four neighbours of all
/// tiles at once are shifts by one and by a row, without any mask for the left and right border.
#[derive(PartialEq, Eq)]
pub struct Board {
    layout: Layout,
    /// The map, seat 1, seat 2, each with empty words before and behind.
    planes: Vec<u64>,
}

impl Board {
    /// An empty board.
    ///
    /// # Panics
    /// If a side is 0 or above [`MOST_SIDE`]: maps are checked before boards are made.
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

    /// How many columns it has.
    #[must_use]
    pub fn width(&self) -> u16 {
        self.layout.width
    }

    /// How many rows it has.
    #[must_use]
    pub fn height(&self) -> u16 {
        self.layout.height
    }

    /// Whose tile it is; `None` for an empty tile and outside the map.
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

    /// Gives a tile to a player or to nobody. Does nothing outside the map.
    pub fn give(&mut self, x: u16, y: u16, owner: Option<Seat>) {
        let Some((word, bit)) = self.layout.place(x, y) else { return };
        let plane = self.layout.plane();
        for seat in [0, 1] {
            let bits = &mut self.planes[(1 + seat) * plane + word];
            *bits &= !(1 << bit);
            *bits |= u64::from(owner.is_some_and(|o| o.index() == seat)) << bit;
        }
    }

    /// Whether `seat` may capture this tile: a side-neighbour is its own.
    #[must_use]
    pub fn reaches(&self, seat: Seat, x: u16, y: u16) -> bool {
        let own = |x: u16, y: u16| self.owner(x, y) == Some(seat);
        // Column 65535 is outside every map, so wrapping at 0 finds nobody.
        own(x.wrapping_sub(1), y)
            || own(x.saturating_add(1), y)
            || own(x, y.wrapping_sub(1))
            || own(x, y.saturating_add(1))
    }

    /// How many tiles `seat` owns.
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

    /// Where bits lie.
    #[inline]
    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// The plane of the map and those of both players, with their margins.
    #[inline]
    pub(crate) fn planes(&self) -> [&[u64]; 3] {
        let (map, rest) = self.planes.split_at(self.layout.plane());
        let (one, two) = rest.split_at(self.layout.plane());
        [map, one, two]
    }

    /// As [`Board::planes`], to be changed.
    #[inline]
    pub(crate) fn planes_mut(&mut self) -> [&mut [u64]; 3] {
        let (map, rest) = self.planes.split_at_mut(self.layout.plane());
        let (one, two) = rest.split_at_mut(self.layout.plane());
        [map, one, two]
    }

    /// The map and both players, if the board is one for [`pair`](crate::pair): two words a plane, and rows shorter
    /// than a word.
    #[inline(always)]
    pub(crate) fn pairs(&self) -> Option<[Pair; 3]> {
        // Planes of four words are two and a margin of one: no margin is longer where rows are shorter than a word.
        let [_, a, b, _, _, c, d, _, _, e, f, _] = *self.planes else { return None };
        Some([Pair { low: a, high: b }, Pair { low: c, high: d }, Pair { low: e, high: f }])
    }

    /// Gives both players their tiles on a board that has [`Board::pairs`].
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

    /// What of the board decides budgets and the end. Leaves the tiles that seat 1 may capture in `reach`, and behind
    /// them those of seat 2, both without margins.
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

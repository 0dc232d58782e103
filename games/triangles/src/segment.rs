//! Segments between two points.

use core::fmt;
use serde::{Deserialize, Serialize};

/// A segment that lies on the board: the numbers of its two end points, in the order in which they were written. The
/// numbers count from 1, as everywhere in the protocol. [`Segment::ends`] gives indices instead.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(from = "(u8, u8)", into = "(u8, u8)")]
pub struct Segment {
    /// The end that was written first, `1..=n`.
    pub i: u8,
    /// The other end, `1..=n`, not equal to `i`.
    pub j: u8,
}

impl Segment {
    /// Both ends as indices into the list of points. The indices count from 0, and the smaller comes first.
    ///
    /// # Panics
    /// If an end is 0. No segment on a board has such an end.
    #[must_use]
    #[inline]
    pub const fn ends(self) -> (usize, usize) {
        assert!(self.i > 0 && self.j > 0, "points are numbered from 1");
        let (i, j) = (self.i as usize - 1, self.j as usize - 1);
        if i < j { (i, j) } else { (j, i) }
    }

    /// Whether both segments join the same two points: `3 7` and `7 3` are one segment (point T6).
    #[must_use]
    pub const fn same(self, other: Self) -> bool {
        (self.i == other.i && self.j == other.j) || (self.i == other.j && self.j == other.i)
    }

    /// The segment between two indices, which count from 0. Both must be below 100.
    #[must_use]
    pub(crate) const fn between(a: usize, b: usize) -> Self {
        Self { i: a as u8 + 1, j: b as u8 + 1 }
    }
}

impl From<(u8, u8)> for Segment {
    fn from((i, j): (u8, u8)) -> Self {
        Self { i, j }
    }
}

impl From<Segment> for (u8, u8) {
    fn from(s: Segment) -> Self {
        (s.i, s.j)
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.i, self.j)
    }
}

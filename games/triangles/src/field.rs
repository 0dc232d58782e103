//! The points of a match and what follows from them alone: which points lie left of which line, which pairs can be
//! joined at all, which segments cross, which triangles are empty.
//!
//! Everything is built from one kind of fact, the set of points left of the line through two points. The two large
//! tables ([`Tables`]) are built when a simulation first asks for them. A referee that plays a match between two
//! processes never needs them.

use crate::segment::Segment;
use agon_core::geometry::Point;
use alloc::{boxed::Box, vec, vec::Vec};
use once_cell::race::OnceBox;

/// Specification "Szczegóły": the number of points does not exceed 100.
pub const MOST_POINTS: usize = 100;

/// Specification "Szczegóły": coordinates are positive and do not exceed 100.
pub const LARGEST_COORDINATE: i32 = 100;

/// The largest number of segments that can lie on a board: `3n - 3 - h` with 100 points, 3 of them on the hull.
pub const MOST_SEGMENTS: usize = 3 * MOST_POINTS - 6;

/// The number of words of a set of segments for 100 points: 4950 bits, rounded up to whole blocks of [`BLOCK`].
pub(crate) const MOST_WORDS: usize = 80;

/// The number of words of a block. Sets of segments are whole multiples of it, so that loops over them have no
/// remainder.
pub(crate) const BLOCK: usize = 4;

/// A set of points: bit `k` is the point with index `k`, counted from 0.
pub(crate) type PointSet = u128;

/// The indices in a set of points, ascending.
pub(crate) fn members(mut set: PointSet) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let k = set.trailing_zeros() as usize;
        set &= set - 1;
        Some(k)
    })
}

/// The points of one match. All its positions share them.
pub(crate) struct Field {
    points: Vec<Point>,
    /// At `a * n + b`: the points strictly left of the line from `a` to `b`. A point left of `b → a` is right of `a →
    /// b`.
    left: Vec<PointSet>,
    /// At `a`: the points `b` for which no point lies strictly inside the segment `ab`.
    joinable: Vec<PointSet>,
    /// The segments by number, in the order of the rows of the upper triangle of pairs.
    segments: Vec<Segment>,
    tables: OnceBox<Tables>,
}

/// Tables that make a simulated turn fast.
pub(crate) struct Tables {
    words: usize,
    /// One row for each segment: itself and all segments that it crosses.
    conflicts: Vec<u64>,
    n: usize,
    /// At `a * n + b`: the points that make an empty triangle with `a` and `b`.
    empty: Vec<PointSet>,
}

impl Tables {
    /// The segments that can no longer be drawn after segment number `s` is drawn, including `s` itself.
    #[inline]
    pub(crate) fn conflicts(&self, s: usize) -> &[u64] {
        &self.conflicts[s * self.words..][..self.words]
    }

    /// The points that make an empty triangle with `a` and `b`.
    #[inline]
    pub(crate) fn empty(&self, a: usize, b: usize) -> PointSet {
        self.empty[a * self.n + b]
    }
}

impl Field {
    /// Builds the field. `points` must be pairwise different, at most [`MOST_POINTS`], with coordinates `1..=100`.
    pub(crate) fn new(points: Vec<Point>) -> Self {
        let n = points.len();
        debug_assert!(n <= MOST_POINTS, "the caller must validate the points");
        let mut left = vec![0; n * n];
        let mut joinable = vec![0; n];
        let mut segments = Vec::with_capacity(n * n.saturating_sub(1) / 2);
        for a in 0..n {
            for b in a + 1..n {
                segments.push(Segment::between(a, b));
                let (l, on, r) = sides(&points, a, b);
                left[a * n + b] = l;
                left[b * n + a] = r;
                if !members(on).any(|c| is_between(points[a], points[b], points[c])) {
                    joinable[a] |= 1 << b;
                    joinable[b] |= 1 << a;
                }
            }
        }
        Self { points, left, joinable, segments, tables: OnceBox::new() }
    }

    /// The points, in the order of their numbers.
    #[inline]
    pub(crate) fn points(&self) -> &[Point] {
        &self.points
    }

    /// The points strictly left of the line from `a` to `b`. The set is empty if `a == b`.
    #[inline]
    pub(crate) fn left(&self, a: usize, b: usize) -> PointSet {
        self.left[a * self.points.len() + b]
    }

    /// The number of words of a set of segments.
    pub(crate) fn words(&self) -> usize {
        let n = self.points.len();
        (n * n.saturating_sub(1) / 2).div_ceil(64).next_multiple_of(BLOCK)
    }

    /// The number of the segment between two indices `a < b`, in the order of the rows of the upper triangle of pairs.
    #[inline]
    pub(crate) fn number(&self, a: usize, b: usize) -> usize {
        row_start(self.points.len(), a) + b - a - 1
    }

    /// The segment with this number. Its smaller end comes first.
    #[inline]
    pub(crate) fn segment(&self, number: usize) -> Segment {
        self.segments[number]
    }

    /// Writes all segments that are lawful on an empty board to `set`.
    pub(crate) fn candidates(&self, set: &mut [u64]) {
        for a in 0..self.points.len() {
            self.insert(set, a, self.joinable[a]);
        }
    }

    /// Adds the segments that can no longer be drawn after `ab` is drawn: itself, and those that cross it. `set` must
    /// be empty.
    pub(crate) fn conflicts(&self, a: usize, b: usize, set: &mut [u64]) {
        let n = self.points.len();
        let (left, right) = (self.left(a, b), self.left(b, a));
        let (from_a, from_b) = (&self.left[a * n..][..n], &self.left[b * n..][..n]);
        for p in 0..n {
            // Seen from p, a segment that crosses ab ends beyond the line ab and between the rays to a and to b. A
            // point on a ray beyond a or b cannot be joined to p at all, so it does no harm that `!` includes it.
            let crossing = if left >> p & 1 == 1 {
                right & from_b[p] & !from_a[p]
            } else if right >> p & 1 == 1 {
                left & from_a[p] & !from_b[p]
            } else {
                continue;
            };
            self.insert(set, p, crossing & self.joinable[p]);
        }
        self.insert(set, a, 1 << b);
    }

    /// Adds the segments from `a` to the points of `ends` that have a larger index.
    #[inline]
    fn insert(&self, set: &mut [u64], a: usize, ends: PointSet) {
        let row = ends >> a >> 1;
        if row == 0 {
            return;
        }
        // A row has up to 99 bits and begins anywhere in a word, so it covers up to three words.
        let (word, shift) = (row_start(self.points.len(), a) / 64, row_start(self.points.len(), a) % 64);
        let low = row << shift;
        set[word] |= low as u64;
        let rest = [(low >> 64) as u64, if shift == 0 { 0 } else { (row >> (128 - shift)) as u64 }];
        for (k, bits) in rest.into_iter().enumerate() {
            if bits != 0 {
                set[word + 1 + k] |= bits;
            }
        }
    }

    /// The points strictly inside the triangle (points T4 and P3: no point can lie on a side that can be drawn).
    #[inline]
    pub(crate) fn inside(&self, a: usize, b: usize, c: usize) -> PointSet {
        if self.left(a, b) >> c & 1 == 1 {
            self.left(a, b) & self.left(b, c) & self.left(c, a)
        } else {
            self.left(b, a) & self.left(a, c) & self.left(c, b)
        }
    }

    /// The number of points on the boundary of the convex hull, including those inside its edges.
    pub(crate) fn hull_boundary(&self) -> usize {
        let n = self.points.len();
        // From such a point, a line to some other point has no points on one of its sides.
        let on_hull = |p: usize| (0..n).any(|q| q != p && (self.left(p, q) == 0 || self.left(q, p) == 0));
        if n < 2 { n } else { (0..n).filter(|p| on_hull(*p)).count() }
    }

    /// Whether all points lie on one line.
    pub(crate) fn is_collinear(&self) -> bool {
        self.points.len() < 3 || (self.left(0, 1) == 0 && self.left(1, 0) == 0)
    }

    /// The tables, if they are built already.
    #[inline]
    pub(crate) fn built_tables(&self) -> Option<&Tables> {
        self.tables.get()
    }

    /// The tables. The first call builds them, which takes some milliseconds for 100 points. If two threads call at
    /// the same time, both may build them, and one result is kept.
    pub(crate) fn tables(&self) -> &Tables {
        self.tables.get_or_init(|| Box::new(self.build_tables()))
    }

    fn build_tables(&self) -> Tables {
        let (n, words) = (self.points.len(), self.words());
        let mut conflicts = vec![0; n * n.saturating_sub(1) / 2 * words];
        let mut empty = vec![0; n * n];
        for a in 0..n {
            for b in members(self.joinable[a]).filter(|b| *b > a) {
                self.conflicts(a, b, &mut conflicts[self.number(a, b) * words..][..words]);
                for c in members(self.joinable[a] & self.joinable[b] & (self.left(a, b) | self.left(b, a))) {
                    if self.inside(a, b, c) == 0 {
                        empty[a * n + b] |= 1 << c;
                        empty[b * n + a] |= 1 << c;
                    }
                }
            }
        }
        Tables { words, conflicts, n, empty }
    }
}

/// The number of the first segment whose smaller end is `a`.
#[inline]
const fn row_start(n: usize, a: usize) -> usize {
    a * (2 * n - a - 1) / 2
}

/// The points left of, on, and right of the line from `a` to `b`. `on` does not include `a` and `b` themselves.
fn sides(points: &[Point], a: usize, b: usize) -> (PointSet, PointSet, PointSet) {
    let (p, q) = (points[a], points[b]);
    // Coordinates are at most 100, so the products fit easily (fact P4).
    let (dx, dy) = (q.x - p.x, q.y - p.y);
    let (mut left, mut on, mut right) = (0, 0, 0);
    for (k, c) in points.iter().enumerate() {
        let turn = dx * (c.y - p.y) - dy * (c.x - p.x);
        left |= PointSet::from(turn > 0) << k;
        right |= PointSet::from(turn < 0) << k;
        on |= PointSet::from(turn == 0) << k;
    }
    (left, on & !(1 << a | 1 << b), right)
}

/// Whether `c`, a point on the line through `p` and `q`, lies strictly between them.
fn is_between(p: Point, q: Point, c: Point) -> bool {
    (c.x - p.x) * (q.x - c.x) + (c.y - p.y) * (q.y - c.y) > 0
}

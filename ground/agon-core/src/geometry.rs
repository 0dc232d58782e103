//! Exact plane geometry on integer points. Every predicate is correct for all `i32` coordinates.

use core::cmp::Ordering;
use serde::{Deserialize, Serialize};

/// A point with integer coordinates. JSON files write it as `[x, y]`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(from = "(i32, i32)", into = "(i32, i32)")]
pub struct Point {
    /// The column.
    pub x: i32,
    /// The row.
    pub y: i32,
}

/// Creates a [`Point`].
#[must_use]
pub const fn pt(x: i32, y: i32) -> Point {
    Point { x, y }
}

impl From<(i32, i32)> for Point {
    fn from((x, y): (i32, i32)) -> Self {
        Self { x, y }
    }
}

impl From<Point> for (i32, i32) {
    fn from(p: Point) -> Self {
        (p.x, p.y)
    }
}

/// Returns twice the signed area of the triangle `abc`. It is positive if the corners are in counter-clockwise order,
/// with y upwards.
#[must_use]
#[inline]
pub const fn cross(a: Point, b: Point, c: Point) -> i128 {
    // Differences of i32 need 33 bits, their products 66: i64 would overflow at the corners of the plane.
    let (bx, by) = (b.x as i64 - a.x as i64, b.y as i64 - a.y as i64);
    let (cx, cy) = (c.x as i64 - a.x as i64, c.y as i64 - a.y as i64);
    bx as i128 * cy as i128 - by as i128 * cx as i128
}

/// Returns on which side of the line from `a` to `b` the point `c` lies: `Greater` is left, `Equal` is on the line,
/// `Less` is right, with y upwards.
#[must_use]
#[inline]
pub fn orientation(a: Point, b: Point, c: Point) -> Ordering {
    cross(a, b, c).cmp(&0)
}

/// Returns whether `p` lies on the segment `ab` but is not one of its ends. The answer is `false` if `a == b`.
#[must_use]
pub fn strictly_between(a: Point, b: Point, p: Point) -> bool {
    p != a && p != b && in_box(a, b, p) && cross(a, b, p) == 0
}

fn in_box(a: Point, b: Point, p: Point) -> bool {
    let within = |u: i32, v: i32, w: i32| u.min(v) <= w && w <= u.max(v);
    within(a.x, b.x, p.x) && within(a.y, b.y, p.y)
}

/// The relative position of two segments. See [`relation`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// The segments have no common point.
    Apart,
    /// The segments cross in one point that is inside both.
    Cross,
    /// An end of one segment lies strictly inside the other, and they have no other common point.
    Touch,
    /// The segments share an end point and no other point.
    Joint,
    /// The segments share a piece of positive length but are not equal.
    Overlap,
    /// The segments have the same two ends, in either order.
    Equal,
}

/// Returns the relative position of the segments `ab` and `cd`.
///
/// A segment whose ends are equal is a point. If it lies strictly inside the other segment, the relation is
/// [`Relation::Touch`]; if it is one of the other's ends, the relation is [`Relation::Joint`].
#[must_use]
pub fn relation(a: Point, b: Point, c: Point, d: Point) -> Relation {
    if (a == c && b == d) || (a == d && b == c) {
        return Relation::Equal;
    }
    let (o1, o2) = (orientation(a, b, c), orientation(a, b, d));
    let (o3, o4) = (orientation(c, d, a), orientation(c, d, b));
    let opposite = |u: Ordering, v: Ordering| u != v && u != Ordering::Equal && v != Ordering::Equal;
    if opposite(o1, o2) && opposite(o3, o4) {
        return Relation::Cross;
    }
    let inner =
        [strictly_between(a, b, c), strictly_between(a, b, d), strictly_between(c, d, a), strictly_between(c, d, b)];
    let inside = inner.iter().filter(|i| **i).count();
    let shared = a == c || a == d || b == c || b == d;
    match (inside, shared) {
        (0, false) => Relation::Apart,
        (0, true) => Relation::Joint,
        // A degenerate segment strictly inside the other: both its ends count, but they are one point.
        (2, _) if a == b || c == d => Relation::Touch,
        (1, false) => Relation::Touch,
        _ => Relation::Overlap,
    }
}

/// The place of a point relative to a triangle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Locus {
    /// The point is strictly inside. A degenerate triangle has no inside.
    Inside,
    /// The point is on an edge or a corner.
    Boundary,
    /// The point is outside.
    Outside,
}

/// Returns where `p` lies relative to the triangle `abc`. The order of the corners does not matter.
#[must_use]
pub fn locate(p: Point, a: Point, b: Point, c: Point) -> Locus {
    let on = |u: Point, v: Point| p == u || p == v || strictly_between(u, v, p);
    if on(a, b) || on(b, c) || on(c, a) {
        return Locus::Boundary;
    }
    let turns = [orientation(a, b, p), orientation(b, c, p), orientation(c, a, p)];
    let degenerate = orientation(a, b, c) == Ordering::Equal;
    if !degenerate && turns.iter().all(|t| *t == turns[0]) && turns[0] != Ordering::Equal {
        Locus::Inside
    } else {
        Locus::Outside
    }
}

/// Calls `each` for every lattice point that the triangle `abc` covers by the top-left rule, with y upwards.
///
/// The triangle covers the points inside, and those on a left or a top edge. Walk the corners in counter-clockwise
/// order: a left edge goes down, and a top edge is horizontal and goes left. Two triangles that share an edge therefore
/// share no point.
///
/// The points come row by row upwards, and from left to right in a row. The order of the corners does not matter. The
/// running time is proportional to the area of the bounding box.
pub fn raster(a: Point, b: Point, c: Point, mut each: impl FnMut(Point)) {
    let (b, c) = match orientation(a, b, c) {
        Ordering::Equal => return,
        Ordering::Greater => (b, c),
        Ordering::Less => (c, b),
    };
    // Lighthouses L18: left and top edges count, which is the rule of OpenGL.
    let counts_on_edge = |u: Point, v: Point| v.y < u.y || (v.y == u.y && v.x < u.x);
    let covers = |p: Point| {
        [(a, b), (b, c), (c, a)].iter().all(|&(u, v)| match orientation(u, v, p) {
            Ordering::Greater => true,
            Ordering::Equal => counts_on_edge(u, v),
            Ordering::Less => false,
        })
    };
    for y in a.y.min(b.y).min(c.y)..=a.y.max(b.y).max(c.y) {
        for x in a.x.min(b.x).min(c.x)..=a.x.max(b.x).max(c.x) {
            if covers(pt(x, y)) {
                each(pt(x, y));
            }
        }
    }
}

//! Exact plane geometry on integer points. Every predicate is right for every `i32` coordinate.

use core::cmp::Ordering;
use serde::{Deserialize, Serialize};

/// A point with integer coordinates, written `[x, y]`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(from = "(i32, i32)", into = "(i32, i32)")]
pub struct Point {
    /// Column.
    pub x: i32,
    /// Row.
    pub y: i32,
}

/// Short for [`Point`].
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

/// Twice the signed area of the triangle `abc`: positive if it turns left (counter-clockwise with y upwards).
#[must_use]
#[inline]
pub const fn cross(a: Point, b: Point, c: Point) -> i128 {
    // Differences of i32 need 33 bits, their products 66: i64 would overflow at the corners of the plane.
    let (bx, by) = (b.x as i64 - a.x as i64, b.y as i64 - a.y as i64);
    let (cx, cy) = (c.x as i64 - a.x as i64, c.y as i64 - a.y as i64);
    bx as i128 * cy as i128 - by as i128 * cx as i128
}

/// On which side of the line from `a` to `b` the point `c` lies: `Greater` left, `Equal` on the line, `Less` right.
#[must_use]
#[inline]
pub fn orientation(a: Point, b: Point, c: Point) -> Ordering {
    cross(a, b, c).cmp(&0)
}

/// Whether `p` lies on the open segment `ab`: collinear and strictly between the ends. Never true if `a == b`.
#[must_use]
pub fn strictly_between(a: Point, b: Point, p: Point) -> bool {
    p != a && p != b && in_box(a, b, p) && cross(a, b, p) == 0
}

fn in_box(a: Point, b: Point, p: Point) -> bool {
    let within = |u: i32, v: i32, w: i32| u.min(v) <= w && w <= u.max(v);
    within(a.x, b.x, p.x) && within(a.y, b.y, p.y)
}

/// How two segments lie to each other. See [`relation`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// No common point.
    Apart,
    /// They cross in one point that is inside both.
    Cross,
    /// An end of one lies strictly inside the other, and they have no more in common.
    Touch,
    /// They share just one end point.
    Joint,
    /// They share a piece of positive length, and are not equal.
    Overlap,
    /// The same two ends, in either order.
    Equal,
}

/// How the segments `ab` and `cd` lie to each other. A segment whose ends are equal is a point; a point on the other
/// segment touches it, or is a joint at an end.
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
        // A degenerate segment strictly inside the other counts both its (equal) ends: still one point.
        (2, _) if a == b || c == d => Relation::Touch,
        (1, false) => Relation::Touch,
        _ => Relation::Overlap,
    }
}

/// Where a point lies relative to a triangle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Locus {
    /// Strictly inside.
    Inside,
    /// On an edge or a corner (of a degenerate triangle: on one of its segments).
    Boundary,
    /// Outside. A degenerate triangle has no inside.
    Outside,
}

/// Where `p` lies relative to the triangle `abc`, whatever its orientation.
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

/// Calls `each` for the lattice points that the triangle `abc` covers by the top-left rule (y upwards): inside points,
/// and those on a left edge (going down in counter-clockwise order) or a top edge (horizontal, going left). Triangles
/// that share an edge share no point. Row by row upwards, left to right; independent of the order of the corners.
///
/// The work is the area of the bounding box.
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

//! The geometry of the rules for any points, on the map or not. It is exact. `web.rs` has faster forms for portals.

use agon_core::geometry::{Locus, Point, cross, locate};
use core::cmp::Ordering;

/// `distance`: the Manhattan distance.
#[must_use]
pub fn distance(a: Point, b: Point) -> i64 {
    (i64::from(a.x) - i64::from(b.x)).abs() + (i64::from(a.y) - i64::from(b.y)).abs()
}

/// `score_triangle`: the points that a field with these corners brings in one turn, 2 for each unit of area
/// (specification "Score"). It is always a whole number, because twice the area of a lattice triangle is one (A10).
#[must_use]
pub fn triangle_score(a: Point, b: Point, c: Point) -> i64 {
    i64::try_from(cross(a, b, c).unsigned_abs()).unwrap_or(i64::MAX)
}

/// `intersection_segments`: whether the segments `ab` and `cd` interfere. They do if they cross, if an end of one lies
/// strictly inside the other, or if they are equal. Sharing an end is not interference (A7).
#[must_use]
pub fn segments_interfere(a: Point, b: Point, c: Point, d: Point) -> bool {
    if (a == c && b == d) || (a == d && b == c) {
        return true;
    }
    let side = |p: Point, q: Point, r: Point| cross(p, q, r).cmp(&0);
    let (at_a, at_b) = (side(c, d, a), side(c, d, b));
    let (at_c, at_d) = (side(a, b, c), side(a, b, d));
    let opposite = |u: Ordering, v: Ordering| u != Ordering::Equal && u == v.reverse();
    let within = |low: i32, high: i32, v: i32| low.min(high) < v && v < low.max(high);
    let on = |s: Ordering, p: Point, q: Point, r: Point| {
        s == Ordering::Equal && (within(p.x, q.x, r.x) || within(p.y, q.y, r.y))
    };
    (opposite(at_a, at_b) && opposite(at_c, at_d))
        || on(at_a, c, d, a)
        || on(at_b, c, d, b)
        || on(at_c, a, b, c)
        || on(at_d, a, b, d)
}

/// `point_dans_triangle`: whether `p` lies strictly inside the triangle. Edges and corners are outside. A degenerate
/// triangle has no inside.
#[must_use]
pub fn inside_triangle(p: Point, a: Point, b: Point, c: Point) -> bool {
    locate(p, a, b, c) == Locus::Inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::geometry::pt;

    #[test]
    fn sharing_an_end_is_no_interference_even_in_line() {
        assert!(!segments_interfere(pt(0, 0), pt(2, 2), pt(2, 2), pt(4, 0)));
        assert!(!segments_interfere(pt(0, 0), pt(2, 2), pt(2, 2), pt(4, 4)));
    }

    #[test]
    fn crossing_touching_and_overlapping_interfere() {
        assert!(segments_interfere(pt(0, 0), pt(2, 2), pt(0, 2), pt(2, 0)));
        assert!(segments_interfere(pt(0, 0), pt(4, 0), pt(2, 0), pt(2, 5)));
        assert!(segments_interfere(pt(0, 0), pt(4, 0), pt(2, 0), pt(9, 0)));
        assert!(segments_interfere(pt(0, 0), pt(4, 0), pt(0, 0), pt(2, 0)));
        assert!(segments_interfere(pt(0, 0), pt(4, 0), pt(4, 0), pt(0, 0)));
    }

    #[test]
    fn numbers_stay_exact_at_the_corners_of_the_plane() {
        let (low, high) = (i32::MIN, i32::MAX);
        assert_eq!(distance(pt(low, low), pt(high, high)), 2 * (i64::from(high) - i64::from(low)));
        assert_eq!(triangle_score(pt(low, low), pt(high, low), pt(low, high)), i64::MAX);
        assert!(inside_triangle(pt(0, 0), pt(low, low), pt(high, low), pt(0, high)));
    }

    #[test]
    fn a_unit_of_area_is_two_points() {
        assert_eq!(triangle_score(pt(0, 0), pt(1, 0), pt(0, 1)), 1);
        assert_eq!(triangle_score(pt(0, 0), pt(4, 0), pt(0, 4)), 16);
        assert_eq!(triangle_score(pt(0, 0), pt(1, 1), pt(2, 2)), 0);
    }
}

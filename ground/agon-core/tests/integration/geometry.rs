//! Compares the exact predicates with definitions that share no code with them.

use agon_core::geometry::{Locus, Point, Relation, cross, locate, orientation, pt, raster, relation, strictly_between};
use proptest::prelude::*;
use std::{cmp::Ordering, collections::BTreeSet};

fn small() -> impl Strategy<Value = Point> {
    (-6..=6i32, -6..=6i32).prop_map(Point::from)
}

fn everywhere() -> impl Strategy<Value = Point> {
    let edge = prop_oneof![Just(i32::MIN), Just(i32::MAX), any::<i32>()];
    (edge.clone(), edge).prop_map(Point::from)
}

/// Returns whether two small segments cross, by solving for the parameters of the crossing in exact fractions.
fn crosses_by_fractions(a: Point, b: Point, c: Point, d: Point) -> bool {
    let (rx, ry) = (i64::from(b.x - a.x), i64::from(b.y - a.y));
    let (sx, sy) = (i64::from(d.x - c.x), i64::from(d.y - c.y));
    let denominator = rx * sy - ry * sx;
    if denominator == 0 {
        return false;
    }
    let (qx, qy) = (i64::from(c.x - a.x), i64::from(c.y - a.y));
    let (t, u) = (qx * sy - qy * sx, qx * ry - qy * rx);
    let inside = |n: i64| if denominator > 0 { 0 < n && n < denominator } else { denominator < n && n < 0 };
    inside(t) && inside(u)
}

proptest! {
    #[test]
    fn orientation_turns_with_its_arguments(a in everywhere(), b in everywhere(), c in everywhere()) {
        prop_assert_eq!(orientation(a, b, c), orientation(b, c, a));
        prop_assert_eq!(orientation(a, b, c), orientation(b, a, c).reverse());
    }

    #[test]
    fn a_crossing_is_what_the_fractions_say(a in small(), b in small(), c in small(), d in small()) {
        prop_assert_eq!(relation(a, b, c, d) == Relation::Cross, crosses_by_fractions(a, b, c, d));
    }

    #[test]
    fn a_relation_does_not_depend_on_the_way_it_is_written(a in small(), b in small(), c in small(), d in small()) {
        let r = relation(a, b, c, d);
        prop_assert_eq!(r, relation(b, a, c, d));
        prop_assert_eq!(r, relation(a, b, d, c));
        prop_assert_eq!(r, relation(c, d, a, b));
    }

    #[test]
    fn common_lattice_points_agree_with_the_relation(a in small(), b in small(), c in small(), d in small()) {
        let on = |u: Point, v: Point| -> BTreeSet<Point> {
            (-6..=6).flat_map(|x| (-6..=6).map(move |y| pt(x, y)))
                .filter(|&p| p == u || p == v || strictly_between(u, v, p)).collect()
        };
        let common = on(a, b).intersection(&on(c, d)).count();
        match relation(a, b, c, d) {
            Relation::Apart => prop_assert_eq!(common, 0),
            Relation::Joint | Relation::Touch => prop_assert_eq!(common, 1),
            Relation::Cross => prop_assert!(common <= 1),
            Relation::Overlap | Relation::Equal => prop_assert!(common >= 1),
        }
    }

    #[test]
    fn inside_is_left_of_every_edge(p in small(), a in small(), b in small(), c in small()) {
        let areas = [cross(a, b, p), cross(b, c, p), cross(c, a, p)];
        let inside = areas.iter().all(|s| *s > 0) || areas.iter().all(|s| *s < 0);
        prop_assert_eq!(locate(p, a, b, c) == Locus::Inside, inside);
    }

    #[test]
    fn halves_of_a_parallelogram_cover_each_cell_once(a in small(), b in small(), c in small()) {
        // The two halves of a parallelogram share no point and cover as many as its area.
        let d = pt(b.x + c.x - a.x, b.y + c.y - a.y);
        let mut cells = BTreeSet::new();
        let mut count = 0;
        for (u, v, w) in [(a, b, c), (d, b, c)] {
            raster(u, v, w, |p| { cells.insert(p); count += 1; });
        }
        prop_assert_eq!(cells.len(), count, "no point is covered twice");
        prop_assert_eq!(count as i128, cross(a, b, c).abs());
    }

    #[test]
    fn raster_does_not_depend_on_the_order_of_corners(a in small(), b in small(), c in small()) {
        let cells = |u, v, w| { let mut s = Vec::new(); raster(u, v, w, |p| s.push(p)); s };
        prop_assert_eq!(cells(a, b, c), cells(c, a, b));
        prop_assert_eq!(cells(a, b, c), cells(b, a, c));
    }
}

#[test]
fn the_corners_of_the_plane_do_not_overflow() {
    let (low, high) = (i32::MIN, i32::MAX);
    assert_eq!(orientation(pt(low, low), pt(high, low), pt(high, high)), Ordering::Greater);
    assert_eq!(relation(pt(low, low), pt(high, high), pt(low, high), pt(high, low)), Relation::Cross);
}

#[test]
fn relations_by_example() {
    let cases = [
        ([0, 0, 4, 0], [1, 1, 3, 1], Relation::Apart),
        ([0, 0, 4, 4], [0, 4, 4, 0], Relation::Cross),
        ([0, 0, 4, 0], [2, 0, 2, 3], Relation::Touch),
        ([0, 0, 4, 0], [4, 0, 6, 1], Relation::Joint),
        ([0, 0, 4, 0], [4, 0, 8, 0], Relation::Joint),
        ([0, 0, 4, 0], [2, 0, 8, 0], Relation::Overlap),
        ([0, 0, 4, 0], [0, 0, 8, 0], Relation::Overlap),
        ([0, 0, 4, 0], [1, 0, 3, 0], Relation::Overlap),
        ([0, 0, 4, 0], [4, 0, 0, 0], Relation::Equal),
        ([0, 0, 4, 0], [2, 0, 2, 0], Relation::Touch),
        ([0, 0, 4, 0], [4, 0, 4, 0], Relation::Joint),
    ];
    for ([ax, ay, bx, by], [cx, cy, dx, dy], expected) in cases {
        assert_eq!(relation(pt(ax, ay), pt(bx, by), pt(cx, cy), pt(dx, dy)), expected);
    }
}

#[test]
fn left_and_top_edges_count() {
    // Lighthouses L18: the triangle (0,0), (3,0), (0,3) covers three cells, the other half of the square six.
    let cells = |a, b, c| {
        let mut s = Vec::new();
        raster(a, b, c, |p| s.push((p.x, p.y)));
        s.sort_unstable();
        s
    };
    assert_eq!(cells(pt(0, 0), pt(3, 0), pt(0, 3)), [(0, 1), (0, 2), (1, 1)]);
    assert_eq!(cells(pt(3, 3), pt(3, 0), pt(0, 3)), [(0, 3), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]);
    assert_eq!(cells(pt(0, 0), pt(1, 1), pt(3, 3)), []);
}

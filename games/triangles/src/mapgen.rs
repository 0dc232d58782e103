//! Generated boards. The same kind and seed make the same board on every platform and in every later version.
//!
//! The shape of a board favours neither side, but the first move matters. So a contest plays each board twice with the
//! sides exchanged (specification "Rozgrywki").

use crate::field::{LARGEST_COORDINATE, MOST_POINTS};
use agon_core::{
    Flaw, MapKind, Rng,
    geometry::{Point, orientation, pt},
};
use alloc::{format, vec::Vec};
use core::cmp::Ordering;

/// The kinds of boards. The first is the default. A number of points may follow a name, as in `uniform-100`.
pub(crate) const KINDS: &[MapKind] = &[
    MapKind { name: "uniform", about: "every place is equally likely, as in the contest; 50 points, or `uniform-N`" },
    MapKind { name: "convex", about: "the corners of a convex polygon; 24 points, or `convex-N` up to 64" },
    MapKind { name: "lattice", about: "a grid with many points in line; 49 points, or `lattice-N`" },
    MapKind { name: "clustered", about: "points around a few centres; 50 points, or `clustered-N`" },
];

/// The largest number of corners that [`convex`] can place on the board.
const MOST_CORNERS: usize = 64;

/// Generates the points of a board.
///
/// # Errors
/// If the kind is unknown, or cannot have this number of points.
pub(crate) fn points(kind: &str, rng: &mut Rng) -> Result<Vec<Point>, Flaw> {
    let (name, count) = match kind.rsplit_once('-') {
        None => (kind, None),
        Some((name, count)) => (name, Some(count)),
    };
    let Some(known) = KINDS.iter().find(|k| k.name == name) else {
        let names: Vec<_> = KINDS.iter().map(|k| k.name).collect();
        return Err(Flaw::new(format!(
            "unknown kind of map `{}`",
            kind.chars().take(40).collect::<alloc::string::String>()
        ))
        .hint(format!("the kinds are {}; a number of points may follow, as in `uniform-100`", names.join(", "))));
    };
    let (usual, most) = match name {
        "convex" => (24, MOST_CORNERS),
        "lattice" => (49, MOST_POINTS),
        _ => (50, MOST_POINTS),
    };
    let n = match count.map(str::parse::<usize>) {
        None => usual,
        Some(Ok(n)) if (1..=most).contains(&n) => n,
        Some(_) => {
            return Err(Flaw::new(format!("a map of kind `{}` has 1 to {most} points", known.name))
                .hint(format!("for example, write `{}-{usual}`", known.name)));
        }
    };
    let mut points = match name {
        "convex" => convex(n, rng),
        "lattice" => lattice(n, rng),
        "clustered" => clustered(n, rng),
        _ => uniform(n, rng),
    };
    // The number of a point must say nothing about its place.
    rng.shuffle(&mut points);
    Ok(points)
}

/// Places every point with the same probability (specification "Rozgrywki"; point T24: without repetition).
fn uniform(n: usize, rng: &mut Rng) -> Vec<Point> {
    distinct(n, || pt(rng.between(1, LARGEST_COORDINATE), rng.between(1, LARGEST_COORDINATE)))
}

/// Draws until it has `n` different points. `draw` must be able to yield that many.
fn distinct(n: usize, mut draw: impl FnMut() -> Point) -> Vec<Point> {
    let mut points = Vec::with_capacity(n);
    while points.len() < n {
        let p = draw();
        if !points.contains(&p) {
            points.push(p);
        }
    }
    points
}

/// Places each point near one of three to six centres. An offset is the sum of two random numbers, so the points are
/// densest near the centre.
fn clustered(n: usize, rng: &mut Rng) -> Vec<Point> {
    const REACH: i32 = 9;
    let heaps = rng.between(3, 6) as usize;
    let within = |rng: &mut Rng| rng.between(1 + 2 * REACH, LARGEST_COORDINATE - 2 * REACH);
    let centres: Vec<Point> = (0..heaps).map(|_| pt(within(rng), within(rng))).collect();
    // Even a single cluster has room for more than a thousand points.
    distinct(n, || {
        let c = centres[rng.index(heaps)];
        let mut offset = || rng.between(-REACH, REACH) + rng.between(-REACH, REACH);
        pt(c.x + offset(), c.y + offset())
    })
}

/// Places points at equal distances in a rectangle that is as square as possible. If `n` does not fill it, random
/// places stay free.
fn lattice(n: usize, rng: &mut Rng) -> Vec<Point> {
    let columns = (1..).find(|c| c * c >= n).unwrap_or(n);
    let rows = n.div_ceil(columns);
    let (dx, dy) = (rng.between(1, spacing(columns)), rng.between(1, spacing(rows)));
    let low = |rng: &mut Rng, count: usize, step: i32| rng.between(1, LARGEST_COORDINATE - step * (count as i32 - 1));
    let (x, y) = (low(rng, columns, dx), low(rng, rows, dy));
    let place = |k: usize| pt(x + dx * (k % columns) as i32, y + dy * (k / columns) as i32);
    let mut places: Vec<Point> = (0..columns * rows).map(place).collect();
    rng.shuffle(&mut places);
    places.truncate(n);
    places
}

/// The largest distance with which `count` places fit.
fn spacing(count: usize) -> i32 {
    (LARGEST_COORDINATE - 1) / (count as i32 - 1).max(1)
}

/// Makes the corners of a strictly convex polygon: edges of pairwise different directions, each with its opposite, are
/// joined end to end in the order of their angles.
fn convex(n: usize, rng: &mut Rng) -> Vec<Point> {
    let pairs = n.div_ceil(2).max(2);
    let directions = directions();
    // With shorter directions to choose from, the polygon is smaller; the shortest `pairs` of them always fit.
    let mut choice = (6 * pairs).min(directions.len());
    let mut edges: Vec<Point> = loop {
        let mut chosen = directions[..choice].to_vec();
        rng.shuffle(&mut chosen);
        chosen.truncate(pairs);
        if fits(&chosen) || choice == pairs {
            break chosen;
        }
        choice = (choice - choice.div_ceil(16)).max(pairs);
    };
    sort(&mut edges, |u, v| orientation(pt(0, 0), *v, *u));
    let (width, height) = extent(&edges);
    let (sx, sy) = (stretch(width), stretch(height));
    let mut corner = pt(0, 0);
    let mut corners = Vec::with_capacity(2 * pairs);
    for (edge, sign) in edges.iter().map(|e| (e, 1)).chain(edges.iter().map(|e| (e, -1))) {
        corners.push(corner);
        corner = pt(corner.x + sign * sx * edge.x, corner.y + sign * sy * edge.y);
    }
    let low = corners.iter().fold(pt(0, 0), |low, c| pt(low.x.min(c.x), low.y.min(c.y)));
    let room = |used: i32, rng: &mut Rng| rng.between(1, LARGEST_COORDINATE - used);
    let (x, y) = (room(width * sx, rng), room(height * sy, rng));
    rng.shuffle(&mut corners);
    corners.truncate(n);
    corners.iter().map(|c| pt(c.x - low.x + x, c.y - low.y + y)).collect()
}

/// The largest factor by which a polygon of this extent can be stretched.
fn stretch(used: i32) -> i32 {
    ((LARGEST_COORDINATE - 1) / used.max(1)).max(1)
}

/// The width and height of the polygon with these edges and their opposites.
fn extent(edges: &[Point]) -> (i32, i32) {
    edges.iter().fold((0, 0), |(w, h), e| (w + e.x.abs(), h + e.y.abs()))
}

fn fits(edges: &[Point]) -> bool {
    let (width, height) = extent(edges);
    width < LARGEST_COORDINATE && height < LARGEST_COORDINATE
}

/// One vector for each direction of the upper half plane, without a common divisor, the shortest first.
fn directions() -> Vec<Point> {
    const REACH: i32 = 12;
    let mut all = Vec::new();
    for y in 0..=REACH {
        for x in -REACH..=REACH {
            if gcd(x.abs(), y) == 1 && (y > 0 || x > 0) {
                all.push(pt(x, y));
            }
        }
    }
    sort(&mut all, |u, v| (u.x.abs() + u.y, u).cmp(&(v.x.abs() + v.y, v)));
    all
}

/// Sorts vectors of which no two are equal. All orders share this one function, whose code is long.
fn sort(vectors: &mut [Point], order: fn(&Point, &Point) -> Ordering) {
    vectors.sort_unstable_by(order);
}

fn gcd(a: i32, b: i32) -> i32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::Map;
    use agon_core::{Seed, geometry::strictly_between};

    fn made(kind: &str, seed: u64) -> Vec<Point> {
        points(kind, &mut Rng::new(Seed(seed))).unwrap()
    }

    #[test]
    fn every_kind_makes_lawful_boards_of_every_size() {
        for kind in KINDS {
            for n in 1..=if kind.name == "convex" { MOST_CORNERS } else { MOST_POINTS } {
                let points = made(&format!("{}-{n}", kind.name), n as u64);
                assert_eq!(points.len(), n);
                assert_eq!(Map::of_points(points).flaw(), None, "{} of {n}", kind.name);
            }
        }
    }

    #[test]
    fn corners_are_corners() {
        for seed in 0..20 {
            for n in [3, 7, 24, 63, 64] {
                let points = made(&format!("convex-{n}"), seed);
                for (k, p) in points.iter().enumerate() {
                    // At a corner there is a line through it and a neighbour with all other points strictly on one
                    // side.
                    let neighbours = points.iter().enumerate().filter(|(j, q)| {
                        *j != k && points.iter().all(|c| c == p || c == *q || orientation(*p, **q, *c).is_gt())
                    });
                    assert_eq!(neighbours.count(), 1, "convex-{n} of seed {seed}");
                }
            }
        }
    }

    #[test]
    fn a_lattice_has_points_in_line() {
        let points = made("lattice", 3);
        assert!(points.iter().any(|c| points.iter().any(|p| points.iter().any(|q| strictly_between(*p, *q, *c)))));
    }

    #[test]
    fn seeds_differ_and_unknown_kinds_are_told() {
        assert_ne!(made("uniform", 1), made("uniform", 2));
        assert_eq!(made("uniform", 1).len(), 50);
        for kind in ["", "uni", "uniform-0", "uniform-101", "convex-65", "uniform-x", "uniform-", "-5"] {
            assert!(points(kind, &mut Rng::new(Seed(1))).unwrap_err().hint.is_some(), "{kind}");
        }
    }
}

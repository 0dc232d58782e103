//! Generated maps. They are always lawful, and fair because a rotation by 180 degrees exchanges the two seats.

use crate::Map;
use agon_core::{
    Flaw, MapKind, Rng, Seed,
    geometry::{Point, pt},
};
use alloc::{collections::BTreeSet, format, vec::Vec};

/// The number of cells on a side of every generated map. It is that of the contest.
const SIDE: i32 = 30;

/// The kinds of maps. The first is the default.
pub(crate) const KINDS: &[MapKind] = &[
    MapKind { name: "queens", about: "52 portals: 13 in each quarter, of which no two share a row or a column" },
    MapKind { name: "scattered", about: "10 to 80 portals at random" },
    MapKind { name: "lattice", about: "a regular lattice with many portals in line" },
    MapKind { name: "islands", about: "dense groups of portals with empty land between them" },
    MapKind { name: "ring", about: "portals on two circles around the middle" },
    MapKind { name: "crowded", about: "300 to 500 portals" },
];

/// Generates a map of this kind. The same seed gives the same map.
pub(crate) fn generate(kind: &str, seed: Seed, seats: usize) -> Result<Map, Flaw> {
    if seats != 2 {
        return Err(Flaw::new(format!("Portals is for two seats, not {seats}")));
    }
    let mut rng = Rng::new(seed.derive(kind, 0));
    let half = match kind {
        "queens" => queens(&mut rng),
        "scattered" => {
            let tries = rng.between(5, 40);
            spread(&mut rng, tries, 5)
        }
        "lattice" => lattice(&mut rng),
        "islands" => islands(&mut rng),
        "ring" => ring(&mut rng),
        "crowded" => {
            let tries = rng.between(180, 320);
            spread(&mut rng, tries, 150)
        }
        _ => {
            let names: Vec<_> = KINDS.iter().map(|k| k.name).collect();
            return Err(
                Flaw::new(format!("unknown kind of map `{kind}`")).hint(format!("the kinds are {}", names.join(", ")))
            );
        }
    };
    let mut portals: Vec<Point> = half.into_iter().flat_map(|p| [p, opposite(p)]).collect();
    portals.sort_unstable();
    portals.dedup();
    let start = match kind {
        // As in the final, the starts are next to each other in the middle, so that the first turns matter.
        "queens" => pt(14, 14),
        _ => anywhere(&mut rng),
    };
    Ok(Map { side: SIDE, starts: [start, opposite(start)], portals })
}

/// The cell that a rotation of the map by 180 degrees takes a cell to.
fn opposite(p: Point) -> Point {
    pt(SIDE - 1 - p.x, SIDE - 1 - p.y)
}

fn anywhere(rng: &mut Rng) -> Point {
    pt(rng.between(0, SIDE - 1), rng.between(0, SIDE - 1))
}

/// Draws `tries` random cells, and more if fewer than `fewest` pairs remain because cells are equal or opposite to
/// each other.
fn spread(rng: &mut Rng, tries: i32, fewest: usize) -> Vec<Point> {
    let (mut cells, mut drawn) = (BTreeSet::new(), 0);
    while drawn < tries || cells.len() < fewest {
        let p = anywhere(rng);
        cells.insert(p.min(opposite(p)));
        drawn += 1;
    }
    cells.into_iter().collect()
}

/// Fills one quarter and its neighbour; the rotation makes the two others. No two portals of a quarter share a row or
/// a column. They share no diagonal either, unless a few hundred attempts find no such arrangement.
fn queens(rng: &mut Rng) -> Vec<Point> {
    [pt(1, 1), pt(16, 1)].into_iter().flat_map(|corner| quarter(rng, corner)).collect()
}

fn quarter(rng: &mut Rng, corner: Point) -> Vec<Point> {
    let mut rows: Vec<i32> = (0..13).collect();
    rng.shuffle(&mut rows);
    let attacks = |rows: &[i32]| -> usize {
        let pairs = (0..13).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs.filter(|(a, b)| (rows[*a] - rows[*b]).unsigned_abs() as usize == a - b).count()
    };
    let mut worst = attacks(&rows);
    for _ in 0..400 {
        let (a, b) = (rng.index(13), rng.index(13));
        rows.swap(a, b);
        match attacks(&rows) {
            now if now <= worst => worst = now,
            _ => rows.swap(a, b),
        }
    }
    rows.iter().enumerate().map(|(x, y)| pt(corner.x + x as i32, corner.y + y)).collect()
}

fn lattice(rng: &mut Rng) -> Vec<Point> {
    let (dx, dy) = (rng.between(3, 6), rng.between(3, 6));
    let (left, top) = (rng.between(0, dx - 1), rng.between(0, dy - 1));
    let columns = (left..SIDE).step_by(dx as usize);
    let cells = columns.flat_map(|x| (top..SIDE / 2).step_by(dy as usize).map(move |y| pt(x, y)));
    cells.filter(|_| !rng.one_in(8)).collect()
}

fn islands(rng: &mut Rng) -> Vec<Point> {
    let mut cells = Vec::new();
    for _ in 0..rng.between(2, 4) {
        let centre = pt(rng.between(3, SIDE - 4), rng.between(3, SIDE - 4));
        for _ in 0..rng.between(6, 14) {
            cells.push(pt(centre.x + rng.between(-3, 3), centre.y + rng.between(-3, 3)));
        }
    }
    cells
}

/// Draws cells near two circles. Integers decide which, so every platform finds the same cells.
fn ring(rng: &mut Rng) -> Vec<Point> {
    let radii = [rng.between(4, 8), rng.between(10, 14)];
    let mut cells = Vec::new();
    for y in 0..SIDE / 2 {
        for x in 0..SIDE {
            // This is twice the distance from the middle, which lies between cells.
            let (dx, dy) = (2 * x - (SIDE - 1), 2 * y - (SIDE - 1));
            let square = dx * dx + dy * dy;
            let near = radii.iter().any(|r| (4 * r * r - square).abs() <= 4 * r);
            if near && !rng.one_in(3) {
                cells.push(pt(x, y));
            }
        }
    }
    cells
}

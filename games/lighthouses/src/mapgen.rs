//! Generated maps. They are symmetric, so that no start is better than another.
//!
//! A map for one or two players looks the same after a rotation by 180 degrees, one for three or four players after a
//! rotation by 90 degrees, and one for more players has all eight symmetries of the square. Up to eight players start
//! on cells that the symmetry maps to each other. More players start in rings of eight, each as close to the last as
//! possible.

use crate::{
    board::STEPS,
    map::{MAX_PLAYERS, Map, Tile},
};
use agon_core::{
    Flaw, MapKind, Rng, Seed,
    geometry::{Point, pt},
};
use alloc::{format, vec, vec::Vec};

pub(crate) const KINDS: &[MapKind] = &[
    MapKind { name: "island", about: "a ragged coast, with lighthouses scattered over the land" },
    MapKind { name: "lakes", about: "open land with lakes to walk around" },
    MapKind { name: "grid", about: "open land, with lighthouses in rows and columns" },
    MapKind { name: "square", about: "open land, with a few lighthouses far apart at the edge" },
];

/// Characters of the starts, in the order in which a map file sorts them.
const SYMBOLS: &[u8; MAX_PLAYERS] = b"0123456789ABCDEFGHIJKLMN";

/// The number of attempts to make a map before its sea is filled up, which always leaves enough room.
const ATTEMPTS: u64 = 40;

/// Generates a map. The same kind, seed and number of players give the same map.
pub(crate) fn generate(kind: &str, seed: Seed, seats: usize) -> Result<Map, Flaw> {
    if !(1..=MAX_PLAYERS).contains(&seats) {
        return Err(Flaw::new(format!("{seats} players, but a match has 1 to {MAX_PLAYERS}")));
    }
    let Some(kind) = KINDS.iter().find(|k| k.name == kind) else {
        let names: Vec<_> = KINDS.iter().map(|k| k.name).collect();
        return Err(
            Flaw::new(format!("unknown kind of map `{kind}`")).hint(format!("the kinds are {}", names.join(", ")))
        );
    };
    let attempts =
        (0..=ATTEMPTS).map(|n| Sketch::new(seed.derive(kind.name, n), seats).finish(kind.name, n == ATTEMPTS));
    let mut maps = attempts.flatten().filter(|map| map.check(seats).is_ok());
    maps.next().ok_or_else(|| Flaw::new(format!("seed {seed} gives no map of kind `{}`; try another seed", kind.name)))
}

/// The rotations and reflections that leave a map unchanged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    Half,
    Quarter,
    Full,
}

/// A map that is not finished. Every change is made to all cells of an orbit.
struct Sketch {
    rng: Rng,
    symmetry: Symmetry,
    seats: usize,
    width: i32,
    height: i32,
    land: Vec<bool>,
    lights: Vec<Point>,
    starts: Vec<Point>,
}

impl Sketch {
    fn new(seed: Seed, seats: usize) -> Self {
        let mut rng = Rng::new(seed);
        let symmetry = match seats {
            1 | 2 => Symmetry::Half,
            3 | 4 => Symmetry::Quarter,
            _ => Symmetry::Full,
        };
        let least = 15 + seats as i32 / 2;
        let width = rng.between(least, least + 8);
        let height = if symmetry == Symmetry::Half { rng.between(least - 2, least + 5) } else { width };
        let land = vec![false; (width * height) as usize];
        Self { rng, symmetry, seats, width, height, land, lights: vec![], starts: vec![] }
    }

    /// Finishes the map. `None` if there is no room for the starts, or there are fewer than three lighthouses.
    fn finish(mut self, kind: &str, open: bool) -> Option<Map> {
        self.fill(|_| true);
        match kind {
            _ if open => {}
            "island" => self.ragged_coast(),
            "lakes" => self.dig_lakes(),
            _ => {}
        }
        self.keep_the_middle();
        match kind {
            "grid" => self.rows_of_lights(),
            "square" => self.rim_of_lights(),
            _ => self.scatter_lights(),
        }
        self.place_starts()?;
        (self.lights.len() >= 3).then(|| self.map())
    }

    fn map(&self) -> Map {
        let mut map = Map::sea(self.width as usize, self.height as usize);
        for p in self.cells().filter(|p| self.is_land(*p)) {
            map.put(p.x as usize, p.y as usize, Tile::Land);
        }
        for p in &self.lights {
            map.put(p.x as usize, p.y as usize, Tile::Lighthouse);
        }
        for (p, symbol) in self.starts.iter().zip(SYMBOLS) {
            map.put(p.x as usize, p.y as usize, Tile::Start(char::from(*symbol)));
        }
        map
    }

    /// Makes random land and smooths it until it has bays and capes.
    fn ragged_coast(&mut self) {
        for orbit in self.orbits() {
            let inland = orbit.iter().all(|p| self.depth(*p) > 2 || self.rng.one_in(2));
            let land = inland && !self.rng.one_in(4);
            self.paint(&orbit, land);
        }
        for _ in 0..3 {
            let old = self.land.clone();
            let around = |p: Point| STEPS.iter().filter(|s| old[self.index(step(p, **s))]).count();
            let new: Vec<(Point, bool)> =
                self.inner().map(|p| (p, around(p) >= if old[self.index(p)] { 4 } else { 5 })).collect();
            for (p, land) in new {
                let i = self.index(p);
                self.land[i] = land;
            }
        }
        self.lay_the_middle();
    }

    /// Digs lakes of up to a dozen cells, each grown from one cell.
    fn dig_lakes(&mut self) {
        let lakes = self.width * self.height / 70 / self.symmetry.order() as i32 + 1;
        for _ in 0..lakes {
            let mut p = self.random_cell();
            for _ in 0..self.rng.between(3, 12) {
                let orbit = self.orbit(p);
                self.paint(&orbit, false);
                let next = step(p, STEPS[self.rng.index(8)]);
                if self.depth(next) > 1 {
                    p = next;
                }
            }
        }
        self.lay_the_middle();
    }

    /// Makes the middle of the map land. It is where the parts of a symmetric island meet.
    fn lay_the_middle(&mut self) {
        let (w, h) = (self.width, self.height);
        for p in
            self.cells().filter(|p| (2 * p.x + 1 - w).abs() <= 3 && (2 * p.y + 1 - h).abs() <= 3).collect::<Vec<_>>()
        {
            self.paint(&[p], true);
        }
    }

    /// Turns the cells that cannot be reached from the middle into sea.
    fn keep_the_middle(&mut self) {
        let middle = pt(self.width / 2, self.height / 2);
        let mut reached = vec![false; self.land.len()];
        reached[self.index(middle)] = true;
        let mut open = vec![middle];
        while let Some(p) = open.pop() {
            for next in STEPS.map(|s| step(p, s)) {
                let i = self.index(next);
                if self.land[i] && !reached[i] {
                    reached[i] = true;
                    open.push(next);
                }
            }
        }
        self.land = reached;
    }

    /// Places lighthouses where there is room, in random order, until there is about one for every 14 cells.
    fn scatter_lights(&mut self) {
        let land = self.land.iter().filter(|l| **l).count();
        let most = (land / self.rng.between(13, 20) as usize).clamp(4, 30);
        let apart = self.rng.between(2, 4);
        let mut orbits = self.orbits();
        self.rng.shuffle(&mut orbits);
        for orbit in orbits {
            if self.lights.len() + orbit.len() <= most + 2 && self.has_room(&orbit, apart) {
                self.lights.extend(orbit);
            }
        }
    }

    fn rows_of_lights(&mut self) {
        // A large map gets wider gaps, not more lighthouses.
        let gap = self.rng.between(3, 5).max(self.width / 5);
        // The rows are laid out from the middle, so that every row has its mirror image.
        let line = |length: i32| -> Vec<i32> {
            let centred = length % 2 == 1;
            let first = |side: i32| if centred { length / 2 } else { (length - 1 + side) / 2 + side * (gap / 2) };
            let mut line: Vec<i32> = (0..).map(|k| first(1) + k * gap).take_while(|x| *x < length - 1).collect();
            line.extend((0..).map(|k| first(-1) - k * gap).take_while(|x| *x > 0));
            line
        };
        for y in line(self.height) {
            for x in line(self.width) {
                if !self.lights.contains(&pt(x, y)) {
                    self.lights.push(pt(x, y));
                }
            }
        }
    }

    fn rim_of_lights(&mut self) {
        let inset = self.rng.between(1, 3);
        let corner = self.orbit(pt(inset, inset));
        let corner =
            if corner.len() < 4 { [corner, self.orbit(pt(inset, self.height - 1 - inset))].concat() } else { corner };
        self.lights.extend(corner);
        for _ in 0..self.rng.between(0, 2) {
            let along = self.rng.between(inset + 3, self.width - 4 - inset);
            let orbit = self.orbit(pt(along, inset));
            if self.has_room(&orbit, 4) {
                self.lights.extend(orbit);
            }
        }
    }

    /// Whether lighthouses on these cells would stand on land, at this distance from each other and from all others.
    fn has_room(&self, orbit: &[Point], apart: i32) -> bool {
        let far = |p: Point, q: Point| p == q || (p.x - q.x).abs().max((p.y - q.y).abs()) >= apart;
        let free = |p: &Point| self.is_land(*p) && self.lights.iter().chain(orbit).all(|q| far(*p, *q));
        orbit.iter().all(free) && !orbit.iter().any(|p| self.lights.contains(p))
    }

    /// Places the starts on whole orbits of land without lighthouses. `None` if there are not enough.
    fn place_starts(&mut self) -> Option<()> {
        let mut free: Vec<Vec<Point>> = self.orbits();
        free.retain(|o| o.len() == self.symmetry.order());
        free.retain(|o| o.iter().all(|p| self.is_land(*p) && !self.lights.contains(p)));
        self.rng.shuffle(&mut free);
        let first = *free.first()?.first()?;
        let distance = |p: Point| (p.x - first.x).pow(2) + (p.y - first.y).pow(2);
        free.sort_by_key(|orbit| orbit.iter().map(|p| distance(*p)).min());
        self.starts = free.into_iter().flatten().take(self.seats).collect();
        (self.starts.len() == self.seats).then_some(())
    }

    fn fill(&mut self, land: impl Fn(Point) -> bool) {
        for p in self.inner().collect::<Vec<_>>() {
            let i = self.index(p);
            self.land[i] = land(p);
        }
    }

    fn paint(&mut self, orbit: &[Point], land: bool) {
        for p in orbit {
            let i = self.index(*p);
            self.land[i] = land;
        }
    }

    /// All cells that the symmetry makes of `p`. `p` comes first and the opposite cell second.
    fn orbit(&self, p: Point) -> Vec<Point> {
        let (w, h) = (self.width - 1, self.height - 1);
        let opposite = |p: Point| pt(w - p.x, h - p.y);
        let turned = pt(p.y, w - p.x);
        let mirrored = pt(w - p.x, p.y);
        let across = pt(p.y, p.x);
        let all = [p, opposite(p), turned, opposite(turned), mirrored, opposite(mirrored), across, opposite(across)];
        let mut orbit: Vec<Point> = Vec::with_capacity(8);
        for q in &all[..self.symmetry.order()] {
            if !orbit.contains(q) {
                orbit.push(*q);
            }
        }
        orbit
    }

    /// Every orbit of the inner cells, once.
    fn orbits(&self) -> Vec<Vec<Point>> {
        self.inner().map(|p| self.orbit(p)).filter(|orbit| orbit.iter().min() == orbit.first()).collect()
    }

    fn cells(&self) -> impl Iterator<Item = Point> + use<> {
        let width = self.width;
        (0..self.height).flat_map(move |y| (0..width).map(move |x| pt(x, y)))
    }

    /// The cells that are not at the border.
    fn inner(&self) -> impl Iterator<Item = Point> + use<> {
        let (w, h) = (self.width, self.height);
        self.cells().filter(move |p| p.x > 0 && p.y > 0 && p.x < w - 1 && p.y < h - 1)
    }

    fn random_cell(&mut self) -> Point {
        pt(self.rng.between(2, self.width - 3), self.rng.between(2, self.height - 3))
    }

    /// The distance of a cell from the outside of the map.
    fn depth(&self, p: Point) -> i32 {
        p.x.min(p.y).min(self.width - 1 - p.x).min(self.height - 1 - p.y)
    }

    fn is_land(&self, p: Point) -> bool {
        self.land[self.index(p)]
    }

    fn index(&self, p: Point) -> usize {
        (p.y * self.width + p.x) as usize
    }
}

impl Symmetry {
    /// The number of cells of an orbit, if no two of them coincide.
    fn order(self) -> usize {
        match self {
            Self::Half => 2,
            Self::Quarter => 4,
            Self::Full => 8,
        }
    }
}

fn step(p: Point, (dx, dy): (i8, i8)) -> Point {
    pt(p.x + i32::from(dx), p.y + i32::from(dy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::MAX_LIGHTS;
    use std::collections::BTreeSet;

    fn made() -> Vec<(usize, Map)> {
        let mut made = Vec::new();
        for kind in KINDS {
            for seats in [1, 2, 3, 4, 5, 7, 8, 9, 16, 24] {
                let map = |seed| generate(kind.name, Seed(seed), seats).expect("every seed makes a map");
                made.extend((0..6).map(|seed| (seats, map(seed))));
            }
        }
        made
    }

    #[test]
    fn every_map_is_playable_and_has_a_triangle() {
        for (seats, map) in made() {
            assert_eq!(map.check(seats), Ok(()), "{}", map.print());
            assert_eq!(map.starts().len(), seats);
            assert!((3..=MAX_LIGHTS).contains(&map.lighthouses().len()), "{}", map.print());
        }
    }

    #[test]
    fn maps_look_the_same_from_every_start() {
        for (seats, map) in made() {
            let (w, h) = (map.width() as i32 - 1, map.height() as i32 - 1);
            let at = |x: i32, y: i32| match map.tile(x as usize, y as usize) {
                Tile::Start(_) => Tile::Land,
                tile => tile,
            };
            let cells: Vec<(i32, i32)> = (0..=h).flat_map(|y| (0..=w).map(move |x| (x, y))).collect();
            assert!(cells.iter().all(|&(x, y)| at(x, y) == at(w - x, h - y)), "half a turn\n{}", map.print());
            if seats > 2 {
                assert!(cells.iter().all(|&(x, y)| at(x, y) == at(y, w - x)), "a quarter turn\n{}", map.print());
            }
            if seats > 4 {
                assert!(cells.iter().all(|&(x, y)| at(x, y) == at(w - x, y)), "a reflection\n{}", map.print());
            }
            if seats == 2 {
                let starts = map.starts();
                assert_eq!(starts[1], pt(w - starts[0].x, h - starts[0].y));
            }
        }
    }

    #[test]
    fn seeds_make_different_maps() {
        for kind in KINDS {
            let maps: BTreeSet<_> = (0..12).map(|s| generate(kind.name, Seed(s), 2).unwrap().print()).collect();
            assert!(maps.len() > 9, "{}", kind.name);
        }
    }

    #[test]
    fn unknown_kinds_and_too_many_players_are_flaws() {
        assert!(generate("moon", Seed(1), 2).unwrap_err().hint.unwrap().contains("island, lakes"));
        assert!(generate("island", Seed(1), 0).is_err());
        assert!(generate("island", Seed(1), 25).is_err());
    }
}

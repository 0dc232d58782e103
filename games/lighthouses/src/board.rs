//! What never changes in a match, with tables of everything that can be computed from it once.

use agon_core::geometry::{Point, orientation, pt, strictly_between};
use alloc::{vec, vec::Vec};
use core::cmp::Ordering;

/// A set of lighthouses. Bit i stands for the lighthouse with index i.
pub type LightSet = u128;

/// The largest number of lighthouses of a map.
pub const MAX_LIGHTS: usize = LightSet::BITS as usize;

/// The largest number of columns, and of rows, of a map.
pub const MAX_SIDE: usize = 256;

/// The largest amount of energy that a cell holds.
///
/// Specification "El Juego": "Cada casilla se limitará a un máximo de 100 unidades".
pub const CELL_CAP: u32 = 100;

/// The width of the margin of sea around the map. It keeps the view of a player at the edge of the map inside the
/// arrays.
const PAD: usize = 3;

/// The value of [`Site::light`] on a cell without a lighthouse.
pub(crate) const NO_LIGHT: u8 = u8::MAX;

/// The eight directions of a move: bit k of [`Site::ways`] is `STEPS[k]`.
pub const STEPS: [(i8, i8); 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

/// The facts of one cell that never change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// The energy that the cell gains in a round, at most [`CELL_CAP`]. It is 0 outside the island.
    pub growth: u8,
    /// The index of the lighthouse on the cell. [`u8::MAX`] if there is none.
    pub(crate) light: u8,
    /// The steps that lead to another cell of the island. Bit k stands for `STEPS[k]`.
    pub ways: u8,
    /// Whether the cell belongs to the island.
    pub land: bool,
}

const SEA: Site = Site { growth: 0, light: NO_LIGHT, ways: 0, land: false };

/// The island, its lighthouses, and tables made from them.
///
/// Cells are numbered row by row with a margin of sea around the map; [`Board::cell`] and [`Board::point`] convert.
#[derive(Clone, Debug)]
pub struct Board {
    width: usize,
    height: usize,
    stride: usize,
    sites: Vec<Site>,
    lights: Vec<Point>,
    light_cells: Vec<u32>,
    /// At row a and column b: the lighthouses strictly to the left of the line from a to b.
    left: Vec<LightSet>,
    /// At row a: the lighthouses b for which a third lighthouse lies exactly between a and b.
    hidden: Vec<LightSet>,
    /// At row a and column b: the number of island cells left of the edge from a to b (see [`Board::area`]). It is
    /// negative if the edge goes down.
    flank: Vec<i32>,
}

impl PartialEq for Board {
    /// Compares the island and the lighthouses. Everything else follows from these.
    fn eq(&self, other: &Self) -> bool {
        self.width == other.width
            && self.height == other.height
            && self.lights == other.lights
            && self.sites.iter().map(|s| s.land).eq(other.sites.iter().map(|s| s.land))
    }
}

impl Board {
    /// Makes the board of an island. `land` is called with x and y of every cell. Each lighthouse must stand on the
    /// island.
    ///
    /// # Panics
    /// If a side is longer than [`MAX_SIDE`], there are more lighthouses than [`MAX_LIGHTS`], or one of them is
    /// outside the map. [`Map::check`](crate::Map::check) and the client prevent this.
    #[must_use]
    pub fn new(width: usize, height: usize, lights: Vec<Point>, land: impl Fn(usize, usize) -> bool) -> Self {
        assert!(
            width <= MAX_SIDE && height <= MAX_SIDE && lights.len() <= MAX_LIGHTS,
            "the map must be within the limits"
        );
        let stride = width + 2 * PAD;
        let mut board = Self {
            width,
            height,
            stride,
            sites: vec![SEA; stride * (height + 2 * PAD)],
            light_cells: Vec::new(),
            lights,
            left: Vec::new(),
            hidden: Vec::new(),
            flank: Vec::new(),
        };
        for y in 0..height {
            for x in 0..width {
                let cell = board.cell(x, y);
                board.sites[cell].land = land(x, y);
            }
        }
        board.place_lights();
        board.lay_ways();
        board.compute_growth();
        board.compute_sides();
        board.compute_flanks();
        board
    }

    fn place_lights(&mut self) {
        for i in 0..self.lights.len() {
            let p = self.lights[i];
            assert!(self.holds(p), "a lighthouse within the map");
            let cell = self.cell(p.x as usize, p.y as usize);
            self.sites[cell].light = i as u8;
            self.light_cells.push(cell as u32);
        }
    }

    fn lay_ways(&mut self) {
        for y in 0..self.height {
            for x in 0..self.width {
                let cell = self.cell(x, y);
                let ways = (0..8).filter(|&k| self.sites[self.stepped(cell, STEPS[k])].land).fold(0, |w, k| w | 1 << k);
                self.sites[cell].ways = ways;
            }
        }
    }

    /// Specification "El Juego": `energía += floor(5 - distancia a faro)` for each lighthouse and cell of the island.
    fn compute_growth(&mut self) {
        for light in &self.lights {
            for dy in -4..=4 {
                for dx in -4..=4 {
                    let (x, y) = (light.x + dx, light.y + dy);
                    if !self.holds(pt(x, y)) {
                        continue;
                    }
                    let cell = self.cell(x as usize, y as usize);
                    let site = &mut self.sites[cell];
                    if site.land {
                        // A cell that gains the cap in one round cannot gain more.
                        site.growth = (site.growth + growth_at(dx, dy)).min(CELL_CAP as u8);
                    }
                }
            }
        }
    }

    fn compute_sides(&mut self) {
        let n = self.lights.len();
        self.left = vec![0; n * n];
        self.hidden = vec![0; n];
        for a in 0..n {
            for b in (0..n).filter(|b| *b != a) {
                for c in (0..n).filter(|c| *c != a && *c != b) {
                    let (p, q, r) = (self.lights[a], self.lights[b], self.lights[c]);
                    match orientation(p, q, r) {
                        Ordering::Greater => self.left[a * n + b] |= 1 << c,
                        Ordering::Equal if strictly_between(p, q, r) => self.hidden[a] |= 1 << b,
                        _ => {}
                    }
                }
            }
        }
    }

    fn compute_flanks(&mut self) {
        let n = self.lights.len();
        self.flank = vec![0; n * n];
        // For each row y: the number of island cells left of column x.
        let mut before = vec![vec![0i32; self.width + 1]; self.height];
        for (y, row) in before.iter_mut().enumerate() {
            for x in 0..self.width {
                row[x + 1] = row[x] + i32::from(self.sites[self.cell(x, y)].land);
            }
        }
        for a in 0..n {
            for b in 0..n {
                let (p, q) = (self.lights[a], self.lights[b]);
                if p.y < q.y {
                    // Rows (p.y, q.y], cells strictly left of the edge: the first cell that is not left of it is at
                    // ceil(x).
                    let run = (q.y - p.y) as i64;
                    let count: i32 = (p.y + 1..=q.y)
                        .map(|y| {
                            let rise = i64::from(q.x - p.x) * i64::from(y - p.y);
                            let x = i64::from(p.x) + rise.div_euclid(run) + i64::from(rise.rem_euclid(run) != 0);
                            before[y as usize][x as usize]
                        })
                        .sum();
                    self.flank[a * n + b] = count;
                    self.flank[b * n + a] = -count;
                }
            }
        }
    }

    /// The number of columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// The cells of the lighthouses in the order of the wire protocol: bottom row to top row, left to right.
    #[must_use]
    pub fn lights(&self) -> &[Point] {
        &self.lights
    }

    /// Whether the point is on the map.
    #[must_use]
    pub fn holds(&self, p: Point) -> bool {
        (0..self.width as i32).contains(&p.x) && (0..self.height as i32).contains(&p.y)
    }

    /// The number of the cell at column x and row y, which must be on the map.
    #[must_use]
    #[inline]
    pub fn cell(&self, x: usize, y: usize) -> usize {
        (y + PAD) * self.stride + x + PAD
    }

    /// The number of the cell at a point. `None` outside the map.
    #[must_use]
    pub fn cell_at(&self, p: Point) -> Option<usize> {
        self.holds(p).then(|| self.cell(p.x as usize, p.y as usize))
    }

    /// The point of a cell of the map.
    #[must_use]
    #[inline]
    pub fn point(&self, cell: usize) -> Point {
        pt((cell % self.stride) as i32 - PAD as i32, (cell / self.stride) as i32 - PAD as i32)
    }

    /// The number of the cell that one step leads to. The step may leave the map but not the margin.
    #[must_use]
    #[inline]
    pub fn stepped(&self, cell: usize, (dx, dy): (i8, i8)) -> usize {
        cell.wrapping_add_signed(isize::from(dy) * self.stride as isize + isize::from(dx))
    }

    /// The number of cells, including the margin.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.sites.len()
    }

    /// The difference between the number of a cell and that of the cell above it.
    #[must_use]
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// The facts of a cell.
    #[must_use]
    #[inline]
    pub fn site(&self, cell: usize) -> &Site {
        &self.sites[cell]
    }

    /// The facts of all cells, by cell number.
    #[must_use]
    pub(crate) fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// The index of the lighthouse on a cell. `None` if there is none.
    #[must_use]
    #[inline]
    pub fn light_on(&self, cell: usize) -> Option<usize> {
        let light = self.sites[cell].light;
        (light != NO_LIGHT).then_some(usize::from(light))
    }

    /// The index of the lighthouse at a point. `None` if there is none.
    #[must_use]
    pub fn light_at(&self, p: Point) -> Option<usize> {
        self.cell_at(p).and_then(|cell| self.light_on(cell))
    }

    /// The number of the cell of a lighthouse.
    #[must_use]
    #[inline]
    pub fn light_cell(&self, light: usize) -> usize {
        self.light_cells[light] as usize
    }

    /// The lighthouses strictly to the left of the line from `a` to `b`.
    #[must_use]
    #[inline]
    pub fn left_of(&self, a: usize, b: usize) -> LightSet {
        self.left[a * self.lights.len() + b]
    }

    /// The lighthouses that cannot be connected to `a` because a third lighthouse lies exactly between.
    #[must_use]
    #[inline]
    pub fn hidden_from(&self, a: usize) -> LightSet {
        self.hidden[a]
    }

    /// A lighthouse exactly between `a` and `b`, which prevents a connection. `None` if there is none.
    #[must_use]
    pub fn between(&self, a: usize, b: usize) -> Option<Point> {
        let (p, q) = (self.lights[a], self.lights[b]);
        self.lights.iter().copied().find(|&r| strictly_between(p, q, r))
    }

    /// The number of island cells that the triangle lights. The order of the corners does not matter.
    ///
    /// Specification "Puntuación", note 2: the rule of OpenGL, left and top edges count. In each row such a triangle
    /// is a half-open interval between two edges, so the number is a signed sum over its three edges.
    #[must_use]
    #[inline]
    pub fn area(&self, a: usize, b: usize, c: usize) -> u32 {
        let n = self.lights.len();
        (self.flank[a * n + b] + self.flank[b * n + c] + self.flank[c * n + a]).unsigned_abs()
    }

    /// Whether the segments ab and cd cross at a point inside both.
    #[must_use]
    #[inline]
    pub fn cross(&self, a: usize, b: usize, c: usize, d: usize) -> bool {
        let apart = |set: LightSet, back: LightSet, i: usize, j: usize| {
            (set >> i & back >> j & 1 == 1) || (set >> j & back >> i & 1 == 1)
        };
        apart(self.left_of(a, b), self.left_of(b, a), c, d) && apart(self.left_of(c, d), self.left_of(d, c), a, b)
    }
}

/// The energy that a cell gains from one lighthouse at this offset: `floor(5 - d)`, where d is the distance. It is
/// found from the square of the distance.
const fn growth_at(dx: i32, dy: i32) -> u8 {
    match dx * dx + dy * dy {
        0 => 5,
        1 => 4,
        2..=4 => 3,
        5..=9 => 2,
        10..=16 => 1,
        _ => 0,
    }
}

/// The indices of the lighthouses in a set, in ascending order.
pub fn members(mut set: LightSet) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let i = set.trailing_zeros() as usize;
        set &= set - 1;
        Some(i)
    })
}

/// All lighthouses with a larger index.
pub(crate) fn above(i: usize) -> LightSet {
    LightSet::MAX.checked_shl(i as u32 + 1).unwrap_or(0)
}

/// The corners of all triangles among so many lighthouses, each triangle once with its corners in ascending order. `links`
/// returns the lighthouses that a lighthouse is connected to.
pub(crate) fn triangles(count: usize, links: impl Fn(usize) -> LightSet + Copy) -> impl Iterator<Item = [usize; 3]> {
    (0..count).flat_map(move |a| {
        members(links(a) & above(a)).flat_map(move |b| members(links(a) & links(b) & above(b)).map(move |c| [a, b, c]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{
        Rng, Seed,
        geometry::{Relation, raster, relation},
    };

    fn open(width: usize, height: usize, lights: &[(i32, i32)]) -> Board {
        Board::new(width, height, lights.iter().map(|&p| p.into()).collect(), |_, _| true)
    }

    #[test]
    fn energy_grows_by_five_minus_the_distance_rounded_down() {
        let board = open(11, 11, &[(5, 5)]);
        let growth = |x, y| board.site(board.cell(x, y)).growth;
        assert_eq!([growth(5, 5), growth(5, 6), growth(6, 6), growth(7, 5)], [5, 4, 3, 3]);
        assert_eq!([growth(7, 6), growth(8, 5), growth(8, 6), growth(9, 5)], [2, 2, 1, 1]);
        assert_eq!([growth(8, 8), growth(9, 6), growth(0, 0)], [0, 0, 0]);
    }

    #[test]
    fn left_and_top_edges_count() {
        let board = open(8, 8, &[(0, 0), (3, 0), (0, 3), (3, 3)]);
        assert_eq!(board.area(0, 1, 2), 3);
        assert_eq!(board.area(3, 1, 2), 6);
        let square = open(8, 8, &[(0, 0), (4, 0), (4, 4), (0, 4)]);
        assert_eq!(square.area(0, 1, 2) + square.area(0, 2, 3), 16, "two halves share no cell");
    }

    #[test]
    fn areas_equal_the_lattice_points_one_by_one() {
        let mut rng = Rng::new(Seed(3));
        for _ in 0..200 {
            let lights: Vec<Point> = (0..6).map(|_| pt(rng.between(0, 18), rng.between(0, 14))).collect();
            let sea: Vec<bool> = (0..19 * 15).map(|_| rng.one_in(4)).collect();
            let board = Board::new(19, 15, lights.clone(), |x, y| !sea[y * 19 + x]);
            for [a, b, c] in [[0, 1, 2], [3, 4, 5], [5, 2, 0]] {
                let mut cells = 0;
                raster(lights[a], lights[b], lights[c], |p| cells += u32::from(!sea[(p.y * 19 + p.x) as usize]));
                assert_eq!(board.area(a, b, c), cells, "{lights:?}");
            }
        }
    }

    #[test]
    fn crossings_equal_the_exact_predicate() {
        let mut rng = Rng::new(Seed(4));
        for _ in 0..300 {
            let lights: Vec<Point> = (0..4).map(|_| pt(rng.between(0, 5), rng.between(0, 5))).collect();
            let board = Board::new(6, 6, lights.clone(), |_, _| true);
            let exact = relation(lights[0], lights[1], lights[2], lights[3]) == Relation::Cross;
            assert_eq!(board.cross(0, 1, 2, 3), exact, "{lights:?}");
        }
    }
}

//! The map of a match: what never changes, indexed for the rules.

use crate::MAX_SIDE;
use agon_core::geometry::{Point, pt};
use alloc::{vec, vec::Vec};
use core::ops::Range;

/// The number of a portal. Portals count from 0 in the order of x, then y, which is the order of every list of the
/// original.
pub(crate) type PortalId = usize;

/// The part of a position that never changes. All positions of a match share it.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Chart {
    side: i32,
    starts: [Point; 2],
    portals: Vec<Point>,
    /// For each cell, at `x * side + y`, the number of its portal, or `u16::MAX` if it has none.
    ids: Vec<u16>,
    /// The coordinates of the portals once more, in separate lists of small integers, for loops over many portals.
    xs: Vec<i16>,
    ys: Vec<i16>,
    /// For each x, the number of portals further left. The last entry is the number of all portals.
    columns: Vec<u16>,
    /// The greatest common divisor of two lengths a and b below the side, at `a * side + b`.
    divisors: Vec<u8>,
}

impl Chart {
    /// Makes the chart. `portals` must be different and in ascending order of x, then y. They and the starts must lie
    /// on the map. `side` must be at most [`MAX_SIDE`]. `map.rs` checks all of this.
    pub(crate) fn new(side: i32, starts: [Point; 2], portals: Vec<Point>) -> Self {
        debug_assert!((1..=MAX_SIDE).contains(&side));
        let cells = (side * side) as usize;
        let mut ids = vec![u16::MAX; cells];
        let mut columns = vec![0u16; side as usize + 1];
        for (id, p) in portals.iter().enumerate() {
            ids[(p.x * side + p.y) as usize] = id as u16;
            columns[p.x as usize + 1] += 1;
        }
        for x in 1..columns.len() {
            columns[x] += columns[x - 1];
        }
        let mut divisors = vec![0u8; cells];
        for a in 0..side {
            for b in 0..side {
                divisors[(a * side + b) as usize] = divisor(a as u8, b as u8);
            }
        }
        let xs = portals.iter().map(|p| p.x as i16).collect();
        let ys = portals.iter().map(|p| p.y as i16).collect();
        Self { side, starts, portals, ids, xs, ys, columns, divisors }
    }

    pub(crate) fn side(&self) -> i32 {
        self.side
    }

    pub(crate) fn starts(&self) -> [Point; 2] {
        self.starts
    }

    pub(crate) fn portals(&self) -> &[Point] {
        &self.portals
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.portals.len()
    }

    #[inline]
    pub(crate) fn holds(&self, p: Point) -> bool {
        let inside = 0..self.side;
        inside.contains(&p.x) && inside.contains(&p.y)
    }

    /// The portal on this cell, which may lie outside the map. `None` if there is none.
    #[inline]
    pub(crate) fn portal_at(&self, p: Point) -> Option<PortalId> {
        if !self.holds(p) {
            return None;
        }
        let id = self.ids[(p.x * self.side + p.y) as usize];
        (id != u16::MAX).then_some(id as usize)
    }

    #[inline]
    pub(crate) fn at(&self, id: PortalId) -> Point {
        self.portals[id]
    }

    #[inline]
    pub(crate) fn narrow(&self, id: PortalId) -> (i16, i16) {
        (self.xs[id], self.ys[id])
    }

    /// The portals whose x lies strictly between two values, with their coordinates.
    #[inline]
    pub(crate) fn between_columns(&self, low: i16, high: i16) -> (Range<usize>, &[i16], &[i16]) {
        let from = self.columns[low as usize + 1] as usize;
        let to = (self.columns[high as usize] as usize).max(from);
        (from..to, &self.xs[from..to], &self.ys[from..to])
    }

    /// The portals whose x differs by at most `reach`.
    #[inline]
    pub(crate) fn near_columns(&self, x: i32, reach: i32) -> &[Point] {
        let (from, to) = ((x - reach).max(0), (x + reach + 1).min(self.side));
        &self.portals[usize::from(self.columns[from as usize])..usize::from(self.columns[to as usize])]
    }

    /// Calls `each` for every portal strictly between two others on the straight line. Stops when `each` returns
    /// `true`, and returns whether it did.
    #[inline]
    pub(crate) fn between(&self, a: PortalId, b: PortalId, mut each: impl FnMut(PortalId) -> bool) -> bool {
        let (p, q) = (self.portals[a], self.portals[b]);
        let (dx, dy) = (q.x - p.x, q.y - p.y);
        let steps = i32::from(self.divisors[(dx.abs() * self.side + dy.abs()) as usize]);
        if steps <= 1 {
            return false;
        }
        let (sx, sy) = (dx / steps, dy / steps);
        (1..steps).any(|k| self.portal_at(pt(p.x + k * sx, p.y + k * sy)).is_some_and(&mut each))
    }
}

fn divisor(a: u8, b: u8) -> u8 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portals_between_two_others_lie_strictly_on_the_segment() {
        let portals = vec![pt(0, 0), pt(1, 1), pt(1, 2), pt(2, 2), pt(2, 4), pt(4, 4)];
        let chart = Chart::new(5, [pt(0, 0), pt(0, 0)], portals);
        let found = |a, b| {
            let mut ids = Vec::new();
            chart.between(a, b, |id| {
                ids.push(id);
                false
            });
            ids
        };
        assert_eq!(found(0, 5), [1, 3]);
        assert_eq!(found(5, 0), [3, 1]);
        assert_eq!(found(0, 4), [2]);
        assert!(found(0, 1).is_empty());
        assert!(found(1, 2).is_empty());
    }

    #[test]
    fn columns_hold_the_portals_strictly_between() {
        let chart = Chart::new(5, [pt(0, 0); 2], vec![pt(0, 1), pt(1, 0), pt(1, 4), pt(3, 3)]);
        assert_eq!(chart.between_columns(0, 3).0, 1..3);
        assert_eq!(chart.between_columns(1, 2).0, 3..3);
        assert_eq!(chart.between_columns(0, 4).0, 1..4);
        assert_eq!(chart.between_columns(4, 4).0.len(), 0);
    }
}

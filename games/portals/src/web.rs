//! The links between portals.
//!
//! Links never interfere, so they make a planar graph with at most three links for each portal. This limits everything
//! here. Each link is stored twice: as a bit in the rows of its ends (which shows links and common neighbours), and in
//! a block of sixteen links as columns of small integers, in which one pass finds whether a new segment crosses any of
//! them.

use crate::chart::{Chart, PortalId};
use alloc::{vec, vec::Vec};

const LANES: usize = 16;

/// Sixteen links as columns: one end `c`, the vector `u` to the other end, and `k = ux * cy - uy * cx`. Coordinates
/// are below 100, so every cross product fits in 16 bits. Unused lanes are zero and cross nothing.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Block {
    cx: [i16; LANES],
    cy: [i16; LANES],
    ux: [i16; LANES],
    uy: [i16; LANES],
    k: [i16; LANES],
}

impl Block {
    const EMPTY: Self = Self { cx: [0; LANES], cy: [0; LANES], ux: [0; LANES], uy: [0; LANES], k: [0; LANES] };

    fn copy_lane(&mut self, lane: usize, from: &Self, other: usize) {
        self.cx[lane] = from.cx[other];
        self.cy[lane] = from.cy[other];
        self.ux[lane] = from.ux[other];
        self.uy[lane] = from.uy[other];
        self.k[lane] = from.k[other];
    }
}

/// All links of a position, regardless of their owners.
pub(crate) struct Web {
    /// The number of words of a row.
    words: usize,
    /// For each portal, the set of portals that it is linked to.
    rows: Vec<u64>,
    degrees: Vec<u16>,
    /// For each portal, the number of links that pass strictly over it.
    spans: Vec<u16>,
    /// The ends of the links, in the order of the lanes, which has no meaning.
    ends: Vec<[u16; 2]>,
    blocks: Vec<Block>,
}

/// Copies so that `target` can later hold all that `source` can hold, because a reset must not allocate.
pub(crate) fn refill<T: Copy>(target: &mut Vec<T>, source: &Vec<T>) {
    target.clear();
    target.reserve_exact(source.capacity());
    target.extend_from_slice(source);
}

impl Clone for Web {
    fn clone(&self) -> Self {
        let mut copy = Self {
            words: self.words,
            rows: Vec::new(),
            degrees: Vec::new(),
            spans: Vec::new(),
            ends: Vec::new(),
            blocks: Vec::new(),
        };
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, source: &Self) {
        self.words = source.words;
        refill(&mut self.rows, &source.rows);
        refill(&mut self.degrees, &source.degrees);
        refill(&mut self.spans, &source.spans);
        refill(&mut self.ends, &source.ends);
        refill(&mut self.blocks, &source.blocks);
    }
}

impl Web {
    /// Makes a web of this number of portals without links.
    pub(crate) fn new(portals: usize) -> Self {
        let words = portals.div_ceil(64);
        let most = 3 * portals;
        Self {
            words,
            rows: vec![0; words * portals],
            degrees: vec![0; portals],
            spans: vec![0; portals],
            ends: Vec::with_capacity(most),
            blocks: Vec::with_capacity(most.div_ceil(LANES)),
        }
    }

    #[inline]
    pub(crate) fn row(&self, portal: PortalId) -> &[u64] {
        &self.rows[portal * self.words..(portal + 1) * self.words]
    }

    #[inline]
    pub(crate) fn linked(&self, a: PortalId, b: PortalId) -> bool {
        self.rows[a * self.words + b / 64] >> (b % 64) & 1 == 1
    }

    #[inline]
    pub(crate) fn degree(&self, portal: PortalId) -> usize {
        usize::from(self.degrees[portal])
    }

    /// The portals that are linked to this one, in ascending order.
    pub(crate) fn neighbours(&self, portal: PortalId) -> impl Iterator<Item = PortalId> + '_ {
        bits(self.row(portal).iter().copied())
    }

    /// The portals that are linked to both, in ascending order.
    pub(crate) fn common(&self, a: PortalId, b: PortalId) -> impl Iterator<Item = PortalId> + '_ {
        bits(self.row(a).iter().zip(self.row(b)).map(|(u, v)| u & v))
    }

    /// All links in sorted order. The smaller number of each comes first.
    pub(crate) fn links(&self) -> impl Iterator<Item = [PortalId; 2]> + '_ {
        (0..self.degrees.len())
            .filter(|a| self.degrees[*a] > 0)
            .flat_map(move |a| self.neighbours(a).filter(move |b| *b > a).map(move |b| [a, b]))
    }

    /// Whether a link between two different portals would interfere with an existing one (specification "Portails,
    /// liens et champs"): if they are equal or cross, or if an end of one lies strictly inside the other.
    #[inline]
    pub(crate) fn interferes(&self, chart: &Chart, a: PortalId, b: PortalId) -> bool {
        // The first look finds a link over `a` or `b`, or the same link. The second finds the end of a link strictly
        // between `a` and `b`. Then only proper crossings remain.
        self.spans[a] != 0
            || self.spans[b] != 0
            || self.linked(a, b)
            || self.crosses(chart.narrow(a), chart.narrow(b))
            || chart.between(a, b, |p| self.degrees[p] > 0)
    }

    /// Whether this segment crosses a link at a point inside both.
    #[inline]
    fn crosses(&self, (ax, ay): (i16, i16), (bx, by): (i16, i16)) -> bool {
        let (ux, uy) = (bx - ax, by - ay);
        let k = ux.wrapping_mul(ay).wrapping_sub(uy.wrapping_mul(ax));
        // The upper half of the product of two 16-bit numbers has the sign of the product: one instruction for eight
        // lanes.
        let upper = |s: i16, t: i16| ((i32::from(s) * i32::from(t)) >> 16) as i16;
        let cross = |px: i16, py: i16, qx: i16, qy: i16| px.wrapping_mul(qy).wrapping_sub(py.wrapping_mul(qx));
        for block in &self.blocks {
            let mut found = 0i16;
            for i in 0..LANES {
                // These are the sides of the segment on which the ends of the link lie, and the other way round. From
                // the first end to the second, both change by the cross product of the two directions.
                let (vx, vy) = (block.ux[i], block.uy[i]);
                let turn = cross(ux, uy, vx, vy);
                let c = cross(ux, uy, block.cx[i], block.cy[i]).wrapping_sub(k);
                let a = cross(vx, vy, ax, ay).wrapping_sub(block.k[i]);
                found |= upper(a, a.wrapping_sub(turn)) & upper(c, c.wrapping_add(turn));
            }
            if found < 0 {
                return true;
            }
        }
        false
    }

    /// Adds a link that must not be there yet.
    pub(crate) fn insert(&mut self, chart: &Chart, a: PortalId, b: PortalId) {
        debug_assert!(a != b && !self.linked(a, b));
        self.flip(a, b);
        self.degrees[a] += 1;
        self.degrees[b] += 1;
        let spans = &mut self.spans;
        chart.between(a, b, |p| {
            spans[p] += 1;
            false
        });
        let ((cx, cy), (dx, dy)) = (chart.narrow(a), chart.narrow(b));
        let lane = self.ends.len() % LANES;
        if lane == 0 {
            self.blocks.push(Block::EMPTY);
        }
        self.ends.push([a as u16, b as u16]);
        if let Some(block) = self.blocks.last_mut() {
            block.cx[lane] = cx;
            block.cy[lane] = cy;
            block.ux[lane] = dx - cx;
            block.uy[lane] = dy - cy;
            block.k[lane] = (dx - cx) * cy - (dy - cy) * cx;
        }
    }

    /// Removes a link that must be there.
    pub(crate) fn remove(&mut self, chart: &Chart, a: PortalId, b: PortalId) {
        debug_assert!(self.linked(a, b));
        self.flip(a, b);
        self.degrees[a] -= 1;
        self.degrees[b] -= 1;
        let spans = &mut self.spans;
        chart.between(a, b, |p| {
            spans[p] -= 1;
            false
        });
        let (a, b) = (a as u16, b as u16);
        // The search begins at the end, because links that are undone were mostly made last.
        let Some(gap) = self.ends.iter().rposition(|e| *e == [a, b] || *e == [b, a]) else { return };
        let last = self.ends.len() - 1;
        self.ends.swap_remove(gap);
        let mover = self.blocks[last / LANES];
        self.blocks[gap / LANES].copy_lane(gap % LANES, &mover, last % LANES);
        if last.is_multiple_of(LANES) {
            self.blocks.pop();
        } else {
            self.blocks[last / LANES].copy_lane(last % LANES, &Block::EMPTY, 0);
        }
    }

    #[inline]
    fn flip(&mut self, a: PortalId, b: PortalId) {
        self.rows[a * self.words + b / 64] ^= 1 << (b % 64);
        self.rows[b * self.words + a / 64] ^= 1 << (a % 64);
    }
}

impl PartialEq for Web {
    /// Compares the links. The order of the lanes has no meaning.
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
    }
}

/// The indices of the bits that are set, in ascending order.
pub(crate) fn bits(words: impl Iterator<Item = u64>) -> impl Iterator<Item = PortalId> {
    words.enumerate().flat_map(|(i, mut word)| {
        core::iter::from_fn(move || {
            if word == 0 {
                return None;
            }
            let bit = word.trailing_zeros() as usize;
            word &= word - 1;
            Some(i * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::segments_interfere;
    use agon_core::{Rng, Seed, geometry::pt};

    fn chart(rng: &mut Rng, side: i32, one_in: u32) -> Chart {
        let cells = (0..side).flat_map(|x| (0..side).map(move |y| pt(x, y)));
        Chart::new(side, [pt(0, 0); 2], cells.filter(|_| rng.one_in(one_in)).collect())
    }

    #[test]
    fn the_fast_test_is_the_definition() {
        let mut rng = Rng::new(Seed(5));
        for (side, one_in) in [(6, 1), (30, 12), (100, 60), (30, 2)] {
            let chart = chart(&mut rng, side, one_in);
            let mut web = Web::new(chart.len());
            for _ in 0..4000 {
                let (a, b) = (rng.index(chart.len()), rng.index(chart.len()));
                if a == b {
                    continue;
                }
                let slow =
                    web.links().any(|[c, d]| segments_interfere(chart.at(a), chart.at(b), chart.at(c), chart.at(d)));
                assert_eq!(web.interferes(&chart, a, b), slow, "{:?} {:?}", chart.at(a), chart.at(b));
                if !slow {
                    web.insert(&chart, a, b);
                } else if rng.one_in(3) && web.linked(a, b) {
                    web.remove(&chart, a, b);
                }
            }
            assert!(web.ends.len() <= 3 * chart.len(), "links form a plane graph");
            let links: Vec<_> = web.links().collect();
            assert_eq!(links.len(), web.ends.len());
            for [a, b] in links {
                web.remove(&chart, a, b);
            }
            assert!(web.blocks.is_empty() && web.spans.iter().all(|s| *s == 0));
        }
    }

    #[test]
    fn common_neighbours_ascend() {
        let chart = Chart::new(100, [pt(0, 0); 2], (0..100).map(|x| pt(x, (x * x) % 97)).collect());
        let mut web = Web::new(100);
        for (a, b) in [(1, 70), (2, 70), (1, 9), (9, 2), (1, 64), (2, 64), (1, 3)] {
            web.insert(&chart, a, b);
        }
        assert_eq!(web.common(1, 2).collect::<Vec<_>>(), [9, 64, 70]);
        assert_eq!(web.neighbours(1).collect::<Vec<_>>(), [3, 9, 64, 70]);
    }
}

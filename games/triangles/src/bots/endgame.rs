//! The late game, solved: alpha-beta search over sums of regions, with a table of positions and a limit of work.
//!
//! A region with a single segment left is a *coupon*: it pays the same to either player. Two equal coupons cancel out:
//! a player with a plan for the rest answers one with the other. So only the parity of each kind of coupon counts.
//! This parity is the counting of tempi that decides close games.

use super::regions::{MOST_OPEN, Regions, Set, mix};
use crate::{field::members, position::Position, segment::Segment};
use agon_core::sort_few_by_key;
use alloc::vec::Vec;

/// The number of entries of the table of positions, a power of two.
const TABLE: usize = 1 << 16;

/// Solves late positions.
pub(super) struct Endgame {
    regions: Regions,
    table: Vec<Entry>,
    /// The regions of all positions on the path to the current one; those of the current one come last.
    stack: Vec<Region>,
    nodes: u32,
}

/// A region with more than one open segment.
#[derive(Clone, Copy)]
struct Region {
    open: Set,
    class: u64,
}

/// Bounds of the value of a position.
#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    low: i16,
    high: i16,
}

/// A position on the stack: the index of its first region, the parities of its coupons by what they pay, and all
/// segments that have been drawn.
#[derive(Clone, Copy)]
struct Sum {
    from: usize,
    coupons: [bool; 3],
    drawn: Set,
}

/// A possible move: a segment of a region, or a coupon.
#[derive(Clone, Copy)]
struct Move {
    /// The index of the region on the stack. `None` for a coupon.
    region: Option<usize>,
    /// The segment. It has no meaning for a coupon, of which only the payment is known.
    segment: usize,
    pays: i32,
    rank: i32,
}

impl Endgame {
    pub(super) fn new() -> Self {
        Self { regions: Regions::new(), table: Vec::new(), stack: Vec::new(), nodes: 0 }
    }

    /// The best segment and by how much it wins more than the opponent from here to the end. `None` if that takes more
    /// than `nodes` positions, or if there are too many open segments.
    pub(super) fn solve(&mut self, position: &Position, nodes: u32) -> Option<(Segment, i32)> {
        if position.open_count() == 0 || !self.regions.take_in(position) {
            return None;
        }
        self.table.resize(TABLE, Entry::default());
        self.stack.clear();
        self.nodes = nodes;
        let mut sum = Sum { from: 0, coupons: [false; 3], drawn: 0 };
        let mut single = [None; 3];
        let all = self.regions.all();
        self.split(all, all, &mut sum, &mut single);
        let mut moves = Vec::new();
        self.moves(&sum, &mut moves);
        if moves.is_empty() {
            // Only pairs of equal coupons are left: any of the best ones will do.
            return single.iter().rev().flatten().next().map(|s| (self.regions.segments[*s], 0));
        }
        let mut best: Option<(Move, i32)> = None;
        let beyond = position.triangles_in_all() as i32 + 1;
        let (mut alpha, beta) = (-beyond, beyond);
        for m in moves {
            let worth = self.worth(&sum, &m, alpha, beta)?;
            if best.is_none_or(|(_, most)| worth > most) {
                best = Some((m, worth));
                alpha = alpha.max(worth);
            }
        }
        let (m, worth) = best?;
        let segment = if m.region.is_some() { m.segment } else { single[m.pays as usize]? };
        Some((self.regions.segments[segment], worth))
    }

    /// By how much the side to move wins more than the other from here. The value is exact between `alpha` and `beta`,
    /// otherwise a bound.
    fn value(&mut self, sum: &Sum, mut alpha: i32, mut beta: i32) -> Option<i32> {
        self.nodes = self.nodes.checked_sub(1)?;
        if self.stack.len() == sum.from {
            return Some(coupons(sum.coupons));
        }
        let key = self.key(sum);
        let slot = key as usize % TABLE;
        let mut known = self.table[slot];
        if known.key != key {
            known = Entry { key, low: i16::MIN, high: i16::MAX };
        }
        let (low, high) = (i32::from(known.low), i32::from(known.high));
        if low >= beta || low == high {
            return Some(low);
        }
        if high <= alpha {
            return Some(high);
        }
        (alpha, beta) = (alpha.max(low), beta.min(high));
        let mut moves = Vec::new();
        self.moves(sum, &mut moves);
        let (floor, mut most) = (alpha, i32::MIN);
        for m in &moves {
            let worth = self.worth(sum, m, alpha, beta)?;
            most = most.max(worth);
            alpha = alpha.max(most);
            if alpha >= beta {
                break;
            }
        }
        if most >= beta || most > floor {
            known.low = known.low.max(most as i16);
        }
        if most < beta {
            known.high = known.high.min(most as i16);
        }
        self.table[slot] = known;
        Some(most)
    }

    /// The value of a move, including the game after it.
    fn worth(&mut self, sum: &Sum, m: &Move, alpha: i32, beta: i32) -> Option<i32> {
        let to = self.stack.len();
        let mut after = Sum { from: to, ..*sum };
        for k in sum.from..to {
            if Some(k) != m.region {
                let region = self.stack[k];
                self.stack.push(region);
            }
        }
        match m.region {
            Some(k) => {
                after.drawn |= 1 << m.segment;
                let open = self.stack[k].open & !self.regions.conflicts[m.segment];
                self.split(open, open, &mut after, &mut [None; 3]);
            }
            None => after.coupons[m.pays as usize] = false,
        }
        let value = self.value(&after, m.pays - beta, m.pays - alpha);
        self.stack.truncate(to);
        value.map(|v| m.pays - v)
    }

    /// Puts the regions into which `open` splits on the stack. Single segments become coupons, which are noted in
    /// `single`.
    fn split(&mut self, mut rest: Set, open: Set, sum: &mut Sum, single: &mut [Option<usize>; 3]) {
        while rest != 0 {
            let s = rest.trailing_zeros() as usize;
            let region = self.regions.region(s, open, sum.drawn);
            rest &= !region;
            if region.count_ones() == 1 {
                let pays = self.regions.effect(s, open, sum.drawn).pays.min(2) as usize;
                sum.coupons[pays] = !sum.coupons[pays];
                single[pays] = Some(s);
            } else {
                let class = self.regions.class(region, sum.drawn);
                self.stack.push(Region { open: region, class });
            }
        }
    }

    /// The moves worth trying, the most promising first: those in one region of each class, and one coupon of the
    /// highest kind. A smaller coupon instead can at most lose the difference.
    fn moves(&self, sum: &Sum, moves: &mut Vec<Move>) {
        let regions = &self.stack[sum.from..];
        for (k, region) in regions.iter().enumerate() {
            if regions[..k].iter().any(|other| other.class == region.class) {
                continue;
            }
            for segment in members(region.open) {
                let effect = self.regions.effect(segment, region.open, sum.drawn);
                let (pays, gives) = (effect.pays as i32, effect.gives as i32);
                // The other diagonal of a quadrangle has the same effect.
                let twin = pays == 2 && self.regions.conflicts[segment] & region.open & ((1 << segment) - 1) != 0;
                if !twin {
                    moves.push(Move { region: Some(sum.from + k), segment, pays, rank: 4 * pays - 3 * gives.min(2) });
                }
            }
        }
        if let Some(pays) = (0..3).rev().find(|pays| sum.coupons[*pays]) {
            let pays = pays as i32;
            moves.push(Move { region: None, segment: 0, pays, rank: 4 * pays });
        }
        sort_few_by_key(moves, |m| core::cmp::Reverse(m.rank));
    }

    /// A key that is the same for all sums of the same regions and coupons.
    fn key(&self, sum: &Sum) -> u64 {
        let coupons = sum.coupons.iter().fold(1, |all, odd| 2 * all + u64::from(*odd));
        let regions = self.stack[sum.from..].iter().fold(0u64, |all, region| all.wrapping_add(mix(region.class, 5)));
        mix(coupons, regions)
    }
}

/// By how much the side to move wins more if only coupons are left: both take the highest in turn.
fn coupons(odd: [bool; 3]) -> i32 {
    let (mut balance, mut sign) = (0, 1);
    for pays in (0..3).rev().filter(|pays| odd[*pays]) {
        balance += sign * pays as i32;
        sign = -sign;
    }
    balance
}

const _: () = assert!(MOST_OPEN <= Set::BITS as usize, "a set has one bit for each segment");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Map, rules::Rules};
    use agon_core::{Contest, Rng, Seat, Seed, Setup, Terms};

    fn begin(kind: &str, seed: u64) -> Position {
        let terms = Terms { rules: Rules::default(), seats: 2, limit: None };
        let map: Map = Position::generate(kind, Seed(seed), 2).unwrap();
        Position::from_map(map, &terms).unwrap()
    }

    /// A plain search of all games, which only remembers positions.
    fn plain(position: &Position, seen: &mut std::collections::BTreeMap<std::vec::Vec<usize>, i32>) -> i32 {
        let mut drawn: std::vec::Vec<_> =
            position.drawn().iter().map(|s| position.field.number(s.ends().0, s.ends().1)).collect();
        drawn.sort_unstable();
        if let Some(value) = seen.get(&drawn) {
            return *value;
        }
        let value = position
            .open()
            .map(|s| {
                let mut after = position.clone();
                let pays = after.draw_segment(s, Some(Seat::new(0)));
                i32::from(pays) - plain(&after, seen)
            })
            .max()
            .unwrap_or(0);
        seen.insert(drawn, value);
        value
    }

    #[test]
    fn convex_boards_have_the_known_values() {
        // The values come from an independent search of all games.
        let known = [(3, 1), (4, 2), (5, 1), (6, 2), (7, 1), (8, 2), (9, 1)];
        for (n, value) in known {
            let position = begin(&alloc::format!("convex-{n}"), n);
            let (_, found) = Endgame::new().solve(&position, u32::MAX).unwrap();
            assert_eq!(found, value, "{n} corners");
        }
    }

    #[test]
    fn solutions_are_those_of_a_plain_search() {
        let mut endgame = Endgame::new();
        for seed in 0..40 {
            let kind =
                ["uniform-6", "uniform-7", "uniform-9", "lattice-9", "clustered-8", "uniform-10"][seed as usize % 6];
            let mut position = begin(kind, seed);
            let mut rng = Rng::new(Seed(seed));
            while position.open_count() > 12 {
                let s = position.nth_open(rng.index(position.open_count()));
                position.draw_segment(position.field.segment(s), None);
            }
            let mut seen = std::collections::BTreeMap::new();
            let value = plain(&position, &mut seen);
            let (segment, found) = endgame.solve(&position, u32::MAX).unwrap();
            assert_eq!(found, value, "{kind} {seed}");
            let mut after = position.clone();
            let pays = after.draw_segment(segment, Some(Seat::new(0)));
            assert_eq!(i32::from(pays) - plain(&after, &mut seen), value, "{kind} {seed}: the segment keeps the value");
        }
    }

    #[test]
    fn work_is_bounded() {
        let position = begin("uniform-14", 1);
        assert!(position.open_count() <= MOST_OPEN);
        assert_eq!(Endgame::new().solve(&position, 100), None);
        assert_eq!(Endgame::new().solve(&begin("uniform-50", 1), u32::MAX), None, "too many segments to look at");
    }
}

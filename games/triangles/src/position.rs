//! A position: the segments on the board, those that may still be drawn, the players' points, and the side to move.

use crate::{
    field::{BLOCK, Field, MOST_POINTS, MOST_SEGMENTS, MOST_WORDS, PointSet, members},
    order::{Event, Order, Refusal},
    rules::{Bad, RefusedPlay, Rules},
    segment::Segment,
    turn::strike_out,
    view::View,
};
use agon_core::{Ending, Fingerprint, Game, Joint, Penalty, Seat, Seats, Sink, Standing, geometry::Point};
use alloc::{sync::Arc, vec};
use core::fmt;
use multiversion::multiversion;

/// The player that drew a segment, and what it paid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Made {
    /// The player that drew it. `None` if an editor put the segment on the board.
    pub by: Option<Seat>,
    /// The points that it paid: 0, 1 or 2 (fact P1). An edited segment paid 0.
    pub gained: u8,
}

/// The number of triangles that a segment closes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Closed {
    /// The triangles without a point inside, which pay one point each. There are at most 2, one on each side (fact
    /// P1).
    pub empty: u32,
    /// The triangles with a point inside, which pay nothing.
    pub holding: u32,
}

/// A position of the game. Its size does not depend on the number of points, and a copy allocates nothing, so a search
/// may copy it freely. All copies share what follows from the points alone.
pub struct Position {
    pub(crate) field: Arc<Field>,
    pub(crate) rules: Rules,
    /// The segments that may be drawn now, by number.
    pub(crate) open: [u64; MOST_WORDS],
    /// The number of bits in `open` up to and including each block. Entries beyond the blocks in use are never read.
    pub(crate) open_until: [u16; MOST_WORDS / BLOCK],
    pub(crate) open_count: u16,
    pub(crate) drawn_count: u16,
    /// For each point: the points that it is joined to.
    pub(crate) joined: [PointSet; MOST_POINTS],
    /// The segments on the board: the first `drawn_count` entries, in the order in which they were drawn.
    pub(crate) drawn: [Segment; MOST_SEGMENTS],
    /// The player and payment of each entry of `drawn`.
    pub(crate) made: [Made; MOST_SEGMENTS],
    pub(crate) scores: [u32; 2],
    /// The seat that moves next. If one seat is out, this is always the other.
    pub(crate) to_move: Seat,
    pub(crate) out: Seats,
    /// The seat that lost by a bad answer, if the rule set says so (T9).
    pub(crate) forfeited: Option<Seat>,
}

/// The other seat.
#[inline]
pub(crate) fn opponent(seat: Seat) -> Seat {
    Seat::new(1 - seat.index().min(1))
}

impl Position {
    /// An empty board.
    pub(crate) fn new(field: Arc<Field>, rules: Rules) -> Self {
        let mut position = Self {
            field,
            rules,
            open: [0; MOST_WORDS],
            open_until: [0; MOST_WORDS / BLOCK],
            open_count: 0,
            drawn_count: 0,
            joined: [0; MOST_POINTS],
            drawn: [Segment { i: 1, j: 1 }; MOST_SEGMENTS],
            made: [Made { by: None, gained: 0 }; MOST_SEGMENTS],
            scores: [0; 2],
            to_move: Seat::new(0),
            out: Seats::NONE,
            forfeited: None,
        };
        position.field.candidates(&mut position.open);
        // Removing nothing counts the open segments.
        let words = position.field.words();
        position.open_count = strike_out(&mut position.open[..words], &mut position.open_until, &[0; MOST_WORDS]);
        position
    }

    /// The points. The first has number 1 in the protocol.
    #[must_use]
    pub fn points(&self) -> &[Point] {
        self.field.points()
    }

    /// The segments on the board, in the order in which they were drawn and as they were written.
    #[must_use]
    pub fn drawn(&self) -> &[Segment] {
        &self.drawn[..usize::from(self.drawn_count)]
    }

    /// The player that drew each segment of [`Position::drawn`], and what it paid.
    #[must_use]
    pub fn made(&self) -> &[Made] {
        &self.made[..usize::from(self.drawn_count)]
    }

    /// The number of segments that may be drawn now.
    #[must_use]
    pub fn open_count(&self) -> usize {
        usize::from(self.open_count)
    }

    /// The segments that may be drawn now, in ascending order. The smaller end of each comes first.
    pub fn open(&self) -> impl Iterator<Item = Segment> {
        self.open_numbers().map(|s| self.field.segment(s))
    }

    /// The points that each seat has won.
    #[must_use]
    pub fn scores(&self) -> [u32; 2] {
        self.scores
    }

    /// The seat that draws next. After the end it has no meaning.
    #[must_use]
    pub fn to_move(&self) -> Seat {
        self.to_move
    }

    /// The seats that have failed.
    #[must_use]
    pub fn out(&self) -> Seats {
        self.out
    }

    /// The number of points on the boundary of the convex hull, including those inside its edges. This is the `h` of
    /// [`Position::segments_in_all`].
    #[must_use]
    pub fn hull_boundary(&self) -> usize {
        self.field.hull_boundary()
    }

    /// The number of segments of a complete drawing, however it is drawn (fact P5): `3n - 3 - h`, or `n - 1` if all
    /// points lie on a line.
    #[must_use]
    pub fn segments_in_all(&self) -> usize {
        let n = self.points().len();
        if self.field.is_collinear() { n.saturating_sub(1) } else { 3 * n - 3 - self.hull_boundary() }
    }

    /// The number of empty triangles of a complete drawing (fact P5): `2n - 2 - h`, or 0 if all points lie on a line.
    #[must_use]
    pub fn triangles_in_all(&self) -> usize {
        if self.field.is_collinear() { 0 } else { 2 * self.points().len() - 2 - self.hull_boundary() }
    }

    /// The number of triangles that `segment` would close.
    ///
    /// # Panics
    /// If its ends are not two points of the board.
    #[must_use]
    pub fn closes(&self, segment: Segment) -> Closed {
        let (a, b) = segment.ends();
        // Specification "Szczegóły": three segments that meet in pairs. Points T1 and T2: three ends, three whole
        // segments.
        let thirds = self.joined[a] & self.joined[b];
        let empty = self.empty_thirds(a, b, thirds).count_ones();
        Closed { empty, holding: thirds.count_ones() - empty }
    }

    /// The points of `thirds` that make an empty triangle with `a` and `b`. Each must be joined to both.
    #[inline]
    pub(crate) fn empty_thirds(&self, a: usize, b: usize, thirds: PointSet) -> PointSet {
        match self.field.built_tables() {
            Some(tables) => thirds & tables.empty(a, b),
            None => members(thirds).filter(|c| self.field.inside(a, b, *c) == 0).fold(0, |set, c| set | 1 << c),
        }
    }

    /// Whether the segment with this number may be drawn now.
    #[inline]
    pub(crate) fn is_open(&self, number: usize) -> bool {
        self.open[number / 64] >> (number % 64) & 1 == 1
    }

    /// The number of the segment that an order means. `None` if it may not be drawn now.
    #[inline]
    pub(crate) fn open_segment(&self, order: Order) -> Option<Segment> {
        let n = self.points().len() as i32;
        let Order(i, j) = order;
        if i < 1 || j < 1 || i > n || j > n || i == j {
            return None;
        }
        let segment = Segment { i: i as u8, j: j as u8 };
        let (a, b) = segment.ends();
        self.is_open(self.field.number(a, b)).then_some(segment)
    }

    /// Why an order is refused. The checks are made in the order of the variants of [`Refusal`]. `None` if it is
    /// lawful.
    pub(crate) fn refusal(&self, order: Order) -> Option<Refusal> {
        if self.open_segment(order).is_some() { None } else { refusal(self.points(), self.drawn(), order) }
    }

    /// The numbers of the segments that may be drawn now, in ascending order.
    pub(crate) fn open_numbers(&self) -> impl Iterator<Item = usize> {
        self.open.iter().enumerate().flat_map(|(w, word)| members(PointSet::from(*word)).map(move |bit| w * 64 + bit))
    }

    /// The number of the `k`-th open segment. `k` must be below [`Position::open_count`].
    #[inline]
    pub(crate) fn nth_open(&self, k: usize) -> usize {
        nth_member(&self.open, &self.open_until[..self.field.words() / BLOCK], k as u32)
    }
}

impl Game for Position {
    const NAME: &'static str = "triangles";

    type Order = Order;
    type Event = Event;
    type Refusal = Refusal;
    type Scratch = ();
    type View<'a> = View<'a>;

    fn seats(&self) -> usize {
        2
    }

    fn awaiting(&self) -> Seats {
        if self.over() { Seats::NONE } else { Seats::one(self.to_move) }
    }

    fn over(&self) -> bool {
        self.open_count == 0 || self.out.len() == 2 || self.forfeited.is_some()
    }

    fn check(&self, _seat: Seat, orders: &[Order], (): &mut ()) -> Result<(), (usize, Refusal)> {
        let first = orders.first().ok_or((0, Refusal::Missing))?;
        match self.refusal(*first) {
            Some(why) => Err((0, why)),
            None if orders.len() > 1 => Err((1, Refusal::Surplus)),
            None => Ok(()),
        }
    }

    fn penalty(&self, _why: &Refusal) -> Penalty {
        Penalty::Fail
    }

    fn resolve(&mut self, joint: Joint<'_, Order>, (): &mut (), out: &mut impl Sink<Event>) {
        self.turn(joint, out);
    }

    fn view(&self, _seat: Seat) -> View<'_> {
        View { points: self.points(), drawn: self.drawn() }
    }

    fn standing(&self) -> Standing {
        let scores = vec![i64::from(self.scores[0]), i64::from(self.scores[1])];
        if let Some(loser) = self.forfeited {
            let places = if loser.index() == 0 { vec![2, 1] } else { vec![1, 2] };
            return Standing { scores, places, ending: Ending::Forfeit };
        }
        // Specification "Protokół": if both programs end early, the points they have decide.
        let ending = match (self.open_count, self.out.len()) {
            (0, _) => Ending::Complete,
            (_, 2) => Ending::Elimination,
            _ => Ending::Unfinished,
        };
        Standing::by_score(scores, ending)
    }

    fn fingerprint(&self) -> u64 {
        let mut f = Fingerprint::new();
        f.len(self.points().len());
        for p in self.points() {
            f.u32(p.x as u32).u32(p.y as u32);
        }
        f.len(self.drawn().len());
        for (s, m) in self.drawn().iter().zip(self.made()) {
            let by = m.by.map_or(0, Seat::number);
            f.u32(u32::from_le_bytes([s.i, s.j, by, m.gained]));
        }
        f.u32(self.scores[0]).u32(self.scores[1]).u32(u32::from(self.to_move.number())).u32(self.out.bits());
        f.u32(self.forfeited.map_or(0, |s| u32::from(s.number())));
        let rules =
            u32::from(self.rules.bad == Bad::Forfeit) | u32::from(self.rules.refused_play == RefusedPlay::Fault) << 1;
        f.u32(rules).finish()
    }
}

/// The `k`-th member of a set of segments that has more than `k`. `until` counts the members up to and including each
/// block.
///
/// The code has no branches: simulations ask for a random `k`, which no processor predicts.
#[multiversion(targets("x86_64+avx+avx2+bmi1+bmi2+popcnt"))]
fn nth_member(set: &[u64; MOST_WORDS], until: &[u16], mut k: u32) -> usize {
    let block = until.iter().map(|until| usize::from(u32::from(*until) <= k)).sum::<usize>();
    k -= if block == 0 { 0 } else { u32::from(until[block - 1]) };
    let mut number = block * BLOCK * 64;
    let (mut word, mut counted) = (set[block * BLOCK], 0);
    for next in &set[block * BLOCK + 1..][..BLOCK - 1] {
        // While the words so far do not reach the k-th member, the next one is the candidate.
        let count = word.count_ones();
        let beyond = counted + count <= k;
        counted += if beyond { count } else { 0 };
        number += if beyond { 64 } else { 0 };
        word = if beyond { *next } else { word };
    }
    k -= counted;
    // The bit count of the lower half shows which half holds the member.
    for width in [32, 16, 8, 4, 2, 1] {
        let low = (word & ((1 << width) - 1)).count_ones();
        let beyond = low <= k;
        k -= if beyond { low } else { 0 };
        number += if beyond { width } else { 0 };
        word >>= if beyond { width } else { 0 };
    }
    number
}

/// Why the segment from point `order.0` to point `order.1` may not be drawn on a board with these points and segments:
/// a number is not that of a point, both are the same, the segment is already there, it contains a point, or it
/// crosses a segment. Of several points or segments, the first is reported. `None` if it may be drawn.
pub(crate) fn refusal(points: &[Point], drawn: &[Segment], order: Order) -> Option<Refusal> {
    use agon_core::geometry::{Relation, relation, strictly_between};
    let at = |number: i32| usize::try_from(number).ok().and_then(|k| points.get(k.checked_sub(1)?));
    let Order(i, j) = order;
    let out_of_range = |number| Refusal::Range { number, points: points.len() as u8 };
    let (Some(p), Some(q)) = (at(i), at(j)) else {
        return Some(out_of_range(if at(i).is_none() { i } else { j }));
    };
    let segment = Segment { i: i as u8, j: j as u8 };
    if i == j {
        return Some(Refusal::Same(segment.i));
    }
    if let Some(same) = drawn.iter().find(|s| s.same(segment)) {
        return Some(Refusal::Drawn(*same));
    }
    // Specification "Szczegóły": the inside of the segment must not contain a point of the configuration.
    if let Some(k) = points.iter().position(|c| strictly_between(*p, *q, *c)) {
        return Some(Refusal::Holds { segment, point: k as u8 + 1 });
    }
    // Specification "Szczegóły": two segments do not cross if they have no point or one common end in common (T7).
    let crosses = |s: &&Segment| {
        let (Some(u), Some(v)) = (at(i32::from(s.i)), at(i32::from(s.j))) else { return false };
        !matches!(relation(*p, *q, *u, *v), Relation::Apart | Relation::Joint)
    };
    drawn.iter().find(crosses).map(|s| Refusal::Crosses { segment, drawn: *s })
}

impl Clone for Position {
    fn clone(&self) -> Self {
        Self { field: Arc::clone(&self.field), ..*self }
    }

    fn clone_from(&mut self, source: &Self) {
        // The reference count of the shared points need not change while a match is played again and again.
        let field = if Arc::ptr_eq(&self.field, &source.field) { None } else { Some(Arc::clone(&source.field)) };
        let Self { field: mine, rules, open, open_until, open_count, drawn_count, joined, drawn, made, .. } = self;
        if let Some(field) = field {
            *mine = field;
        }
        let (words, n) = (source.field.words(), source.points().len());
        *rules = source.rules;
        // Beyond the words in use every position holds zeros. But the two boards may differ in size.
        if open[words..].iter().any(|w| *w != 0) {
            *open = [0; MOST_WORDS];
        }
        open[..words].copy_from_slice(&source.open[..words]);
        *open_until = source.open_until;
        *open_count = source.open_count;
        joined[..n].copy_from_slice(&source.joined[..n]);
        let count = source.drawn().len();
        *drawn_count = source.drawn_count;
        drawn[..count].copy_from_slice(source.drawn());
        made[..count].copy_from_slice(source.made());
        self.scores = source.scores;
        self.to_move = source.to_move;
        self.out = source.out;
        self.forfeited = source.forfeited;
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Position")
            .field("points", &self.points().len())
            .field("drawn", &self.drawn())
            .field("open", &self.open_count)
            .field("scores", &self.scores)
            .field("to_move", &self.to_move.number())
            .finish_non_exhaustive()
    }
}

const _: () = assert!(size_of::<Position>() < 4096, "a position must stay small enough to be copied freely");

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Contest, Rng, Seed, Setup, Terms};

    #[test]
    fn every_open_segment_has_its_rank() {
        for kind in ["uniform-100", "lattice-49", "uniform-9", "convex-20"] {
            let terms = Terms { rules: Rules::default(), seats: 2, limit: None };
            let drawing = Position::generate(kind, Seed(3), 2).unwrap();
            let mut position = Position::from_map(drawing, &terms).unwrap();
            let mut rng = Rng::new(Seed(1));
            while position.open_count() > 0 {
                for (k, number) in position.open_numbers().enumerate() {
                    assert_eq!(position.nth_open(k), number);
                }
                let number = position.nth_open(rng.index(position.open_count()));
                position.draw_segment(position.field.segment(number), None);
            }
        }
    }

    #[test]
    fn a_position_takes_the_place_of_one_on_another_board() {
        let terms = Terms { rules: Rules::default(), seats: 2, limit: None };
        let begin = |kind: &str| Position::from_map(Position::generate(kind, Seed(3), 2).unwrap(), &terms).unwrap();
        let (large, mut small) = (begin("uniform-60"), begin("uniform-7"));
        let mut other = large.clone();
        let first = small.open().next().unwrap();
        small.draw_segment(first, Some(Seat::new(1)));
        other.clone_from(&small);
        assert_eq!(other.fingerprint(), small.fingerprint());
        assert!(other.open().eq(small.open()), "nothing is left of the larger board");
        other.clone_from(&large);
        assert!(other.open().eq(large.open()));
    }
}

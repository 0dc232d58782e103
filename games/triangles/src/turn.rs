//! One turn, in the order of the specification. A bot that failed leaves the game. Then the segment is drawn, those
//! that it crosses are closed, the triangles that it closes are paid, and the turn passes to the other player.

use crate::{
    field::{BLOCK, MOST_WORDS},
    order::{Event, Order},
    position::{Made, Position, opponent},
    rules::Bad,
    segment::Segment,
};
use agon_core::{Failure, Game, Joint, Seat, Sink};
use multiversion::multiversion;

impl Position {
    /// Plays one turn.
    pub(crate) fn turn(&mut self, joint: Joint<'_, Order>, out: &mut impl Sink<Event>) {
        let seat = self.to_move;
        let Some(entry) = joint.of(seat).filter(|_| !self.over()) else { return };
        let wish = match entry.orders {
            [order] if entry.failure.is_none() => self.open_segment(*order),
            _ => None,
        };
        match wish {
            Some(segment) => {
                let gained = self.draw_segment(segment, Some(seat));
                out.put(Event::Drawn { seat, segment, gained });
                self.pass_turn();
            }
            None => self.fail(seat, entry.failure, out),
        }
    }

    /// Handles a failure. Specification "Protokół": if a program ends before the end of the game, the arbiter lets the
    /// other one draw. Points T9 and T10: a bad answer and a time-out are treated alike, unless the organiser chose
    /// `bad=forfeit`.
    fn fail(&mut self, seat: Seat, failure: Option<Failure>, out: &mut impl Sink<Event>) {
        self.out = self.out.with(seat);
        if self.rules.bad == Bad::Forfeit && failure != Some(Failure::Gone) {
            self.forfeited = Some(seat);
            out.put(Event::Forfeited { seat });
        } else {
            out.put(Event::Out { seat });
            self.pass_turn();
        }
    }

    /// Puts an open segment on the board and returns what it pays. `by` is the player that is paid. It is `None` for a
    /// segment that an editor puts there (point T27).
    #[inline]
    pub(crate) fn draw_segment(&mut self, segment: Segment, by: Option<Seat>) -> u8 {
        let (a, b) = segment.ends();
        self.close_conflicts(a, b);
        let thirds = self.joined[a] & self.joined[b];
        // Specification "Szczegóły": one point for each triangle without a point inside (T3, T5: this never changes).
        let closed = if thirds == 0 { 0 } else { self.empty_thirds(a, b, thirds).count_ones() as u8 };
        let gained = if by.is_some() { closed } else { 0 };
        self.joined[a] |= 1 << b;
        self.joined[b] |= 1 << a;
        let k = usize::from(self.drawn_count);
        self.drawn[k] = segment;
        self.made[k] = Made { by, gained };
        self.drawn_count += 1;
        if let Some(seat) = by {
            // A map file may hold any score, so the sum must not overflow.
            self.scores[seat.index()] = self.scores[seat.index()].saturating_add(u32::from(gained));
        }
        gained
    }

    /// Removes the segment and all that it crosses from the open ones.
    #[inline]
    fn close_conflicts(&mut self, a: usize, b: usize) {
        let Self { field, open, open_until, open_count, .. } = self;
        let words = field.words();
        *open_count = match field.built_tables() {
            Some(tables) => strike_out(&mut open[..words], open_until, tables.conflicts(field.number(a, b))),
            None => {
                let mut conflicts = [0; MOST_WORDS];
                field.conflicts(a, b, &mut conflicts);
                strike_out(&mut open[..words], open_until, &conflicts[..words])
            }
        };
    }

    /// Passes the turn to the other player, unless that one is out.
    #[inline]
    fn pass_turn(&mut self) {
        let other = opponent(self.to_move);
        if !self.out.contains(other) {
            self.to_move = other;
        }
    }
}

/// Removes `conflicts` from a set of segments and counts what is left: up to and including each block, and in total.
///
/// Counting bits is most of the work of a simulated turn. It is twice as fast with instructions that processors have
/// had for ten years.
#[multiversion(targets("x86_64+avx+avx2+bmi1+bmi2+popcnt"))]
pub(crate) fn strike_out(open: &mut [u64], until: &mut [u16], conflicts: &[u64]) -> u16 {
    let mut left = 0;
    for ((open, conflicts), until) in open.chunks_exact_mut(BLOCK).zip(conflicts.chunks_exact(BLOCK)).zip(until) {
        for (open, conflicts) in open.iter_mut().zip(conflicts) {
            *open &= !conflicts;
            left += open.count_ones() as u16;
        }
        *until = left;
    }
    left
}

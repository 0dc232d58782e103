//! One turn, in the order of the statement: a bot that failed leaves the table; a segment is drawn, what it crosses
//! can no longer be drawn, the triangles it closes are paid, and the other player's turn comes.

use crate::{
    field::{BLOCK, MOST_WORDS},
    position::{Made, Position, opponent},
    reading::Bad,
    segment::{Order, Segment},
};
use agon_core::{Failure, Joint, Seat, Sink};
use serde::Serialize;

/// What a watcher is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// A segment was drawn.
    Drawn {
        /// By whom.
        seat: Seat,
        /// The segment as it was written.
        segment: Segment,
        /// The points it paid: 0, 1 or 2.
        gained: u8,
    },
    /// A bot failed. Its points stay; the other draws alone, if it is still there.
    Out {
        /// Whose bot.
        seat: Seat,
    },
    /// A bot failed and has thereby lost (`bad=forfeit`).
    Forfeited {
        /// Whose bot.
        seat: Seat,
    },
}

impl Position {
    /// Plays one turn.
    pub(crate) fn turn(&mut self, joint: Joint<'_, Order>, out: &mut impl Sink<Event>) {
        let seat = self.to_move;
        let Some(entry) = joint.of(seat).filter(|_| !self.is_over()) else { return };
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

    /// Seed "Protokół": if a program ends before the end of the game, the arbiter lets the other one draw. Readings T9
    /// and T10: so it is with a bad answer and with time used up, unless the organiser chose `bad=forfeit`.
    fn fail(&mut self, seat: Seat, failure: Option<Failure>, out: &mut impl Sink<Event>) {
        self.out = self.out.with(seat);
        if self.reading.bad == Bad::Forfeit && failure != Some(Failure::Gone) {
            self.forfeited = Some(seat);
            out.put(Event::Forfeited { seat });
        } else {
            out.put(Event::Out { seat });
            self.pass_turn();
        }
    }

    /// Puts an open segment on the board and returns what it pays. `by` is paid; nobody is for a segment that is put
    /// there while editing (reading T27).
    #[inline]
    pub(crate) fn draw_segment(&mut self, segment: Segment, by: Option<Seat>) -> u8 {
        let (a, b) = segment.ends();
        self.strike_out(a, b);
        let thirds = self.joined[a] & self.joined[b];
        // Seed "Szczegóły": a point for each triangle with an empty inside (T3, T5: emptiness never changes).
        let closed = if thirds == 0 { 0 } else { self.empty_thirds(a, b, thirds).count_ones() as u8 };
        let gained = if by.is_some() { closed } else { 0 };
        self.joined[a] |= 1 << b;
        self.joined[b] |= 1 << a;
        let k = usize::from(self.drawn_count);
        self.drawn[k] = segment;
        self.made[k] = Made { by, gained };
        self.drawn_count += 1;
        if let Some(seat) = by {
            // A map file may hold any score: the sum must not overflow.
            self.scores[seat.index()] = self.scores[seat.index()].saturating_add(u32::from(gained));
        }
        gained
    }

    /// Takes the segment and all that it crosses out of the open ones.
    #[inline]
    fn strike_out(&mut self, a: usize, b: usize) {
        let words = self.field.words();
        let mut computed = [0; MOST_WORDS];
        let conflicts = match self.field.built_tables() {
            Some(tables) => tables.conflicts(self.field.number(a, b)),
            None => {
                self.field.conflicts(a, b, &mut computed[..words]);
                &computed[..words]
            }
        };
        let open = self.open[..words].chunks_exact_mut(BLOCK);
        let counts = self.open_in_word[..words].chunks_exact_mut(BLOCK);
        let mut left = 0u32;
        for ((open, counts), conflicts) in open.zip(counts).zip(conflicts.chunks_exact(BLOCK)) {
            for k in 0..BLOCK {
                open[k] &= !conflicts[k];
                let count = open[k].count_ones();
                counts[k] = count as u8;
                left += count;
            }
        }
        self.open_count = left as u16;
    }

    /// The other player's turn, unless it has left.
    #[inline]
    fn pass_turn(&mut self) {
        let other = opponent(self.to_move);
        if !self.out.contains(other) {
            self.to_move = other;
        }
    }
}

//! A turn, stage by stage, in the order in which the judge looked at things.

use crate::{
    board::Board,
    order::Order,
    planes::{self, Layout},
    position::{End, GridGame},
};
use agon_core::{Failure, Joint, Rng, Seat, Seats, Sink};
use alloc::vec::Vec;
use core::hint;
use serde::Serialize;

/// What happened to a tile or a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A tile without an empty tile around it was lost.
    Suffocated {
        /// Whose it was.
        seat: Seat,
        /// Column.
        x: u16,
        /// Row.
        y: u16,
    },
    /// A tile was captured.
    Captured {
        /// By whom.
        seat: Seat,
        /// Column.
        x: u16,
        /// Row.
        y: u16,
    },
    /// Both players ordered the tile, so that neither captured it.
    Contested {
        /// Column.
        x: u16,
        /// Row.
        y: u16,
    },
    /// A player owns no tile any more.
    Eliminated {
        /// Who.
        seat: Seat,
    },
}

/// Working memory of a turn: planes laid out as those of the board.
#[derive(Default)]
pub struct Scratch {
    layout: Option<Layout>,
    /// Tiles with air.
    air: Vec<u64>,
    /// Empty tiles with their neighbours in the row.
    rows: Vec<u64>,
    /// What each player wants to capture; empty between turns.
    wants: [Vec<u64>; 2],
    /// What is left by chance of what a player may capture, with the numbers of the words.
    drawn: Vec<(u64, u32)>,
}

impl Scratch {
    /// Makes all planes fit the board. Only the first board, or one of another size, costs more than a comparison.
    #[inline]
    fn fit(&mut self, board: &Board) {
        let layout = board.layout();
        if self.layout == Some(layout) {
            return;
        }
        self.grow(layout);
    }

    #[cold]
    fn grow(&mut self, layout: Layout) {
        self.layout = Some(layout);
        let [one, two] = &mut self.wants;
        for plane in [&mut self.air, &mut self.rows, one, two] {
            plane.clear();
            plane.resize(layout.plane(), 0);
        }
    }
}

impl Scratch {
    /// Tells `each` word and bit of at most `most` random tiles of these.
    ///
    /// Random words thin the tiles out by halves, to about `most` or less; the few that are still too many are cut
    /// off behind a random start. Whether a bit is the last of its word cannot be foretold, so there is no branch on
    /// it: a wrong guess would cost more than all else that is done for a tile.
    #[inline]
    pub(crate) fn draw(&mut self, words: &[u64], most: u32, rng: &mut Rng, mut each: impl FnMut(usize, u32)) {
        let tiles: u32 = words.iter().map(|w| w.count_ones()).sum();
        if tiles == 0 {
            return;
        }
        let halvings = (tiles.ilog2() + 1).saturating_sub(most.ilog2()).max(1);
        let dice = rng.bits();
        // One random word and its rotations by multiples of an odd number stand for as many random words.
        let step = dice as u32 | 1;
        if self.drawn.len() < words.len() {
            self.drawn.resize(words.len(), (0, 0));
        }
        let mut filled = 0;
        for (i, word) in words.iter().enumerate() {
            let random = rng.bits();
            let mut bits = *word & random;
            for turn in 1..halvings {
                bits &= random.rotate_left(turn.wrapping_mul(step));
            }
            self.drawn[filled] = (bits, i as u32);
            filled += usize::from(bits != 0);
        }
        let drawn = &self.drawn[..filled];
        if drawn.is_empty() {
            return;
        }
        let mut at = (((dice >> 32) * filled as u64) >> 32) as usize;
        let (mut bits, mut word) = drawn[at];
        for _ in 0..most {
            each(word as usize, bits.trailing_zeros());
            bits &= bits - 1;
            let used_up = bits == 0;
            filled -= usize::from(used_up);
            if filled == 0 {
                return;
            }
            at += usize::from(used_up);
            at = hint::select_unpredictable(at == drawn.len(), 0, at);
            let next = drawn[at];
            word = next.1;
            bits = hint::select_unpredictable(used_up, next.0, bits);
        }
    }
}

/// Plays one turn of a match that is not over.
pub(crate) fn play(game: &mut GridGame, joint: &Joint<'_, Order>, tmp: &mut Scratch, out: &mut impl Sink<Event>) {
    // Two stages (G18): who broke down is out, and then the orders of the other are not looked at.
    if let Some(out) = failed(joint, Failure::is_breakdown) {
        game.end = Some(End::Forfeit(out));
        return;
    }
    // Only where the rule set waits for one more exchange: somebody had no tile in the map just sent (G20).
    if game.somebody_is_gone() {
        game.end = Some(End::Elimination);
        return;
    }
    if let Some(out) = failed(joint, |failure| !failure.is_breakdown()) {
        game.end = Some(End::Forfeit(out));
        return;
    }
    tmp.fit(&game.board);
    want(&game.board, joint, tmp);
    planes::breathe(game.board.layout(), game.board.planes(), &mut tmp.rows, &mut tmp.air);
    tell(&game.board, tmp, out);
    let [one, two] = &mut tmp.wants;
    planes::suffocate_and_capture(game.board.layout(), game.board.planes_mut(), &tmp.air, [one, two]);
    game.survey = game.board.survey(&mut game.reach);
    game.turn += 1;
    for seat in [Seat::new(0), Seat::new(1)] {
        if !game.survey.alive[seat.index()] {
            out.put(Event::Eliminated { seat });
        }
    }
    game.close();
}

/// The players whose failure is of this kind, if any.
fn failed(joint: &Joint<'_, Order>, kind: impl Fn(Failure) -> bool) -> Option<Seats> {
    let seats: Seats = joint.entries().iter().filter(|e| e.failure.is_some_and(&kind)).map(|e| e.seat).collect();
    (!seats.is_empty()).then_some(seats)
}

/// Marks the tiles that each player ordered.
#[inline]
fn want(board: &Board, joint: &Joint<'_, Order>, tmp: &mut Scratch) {
    let layout = board.layout();
    for (i, wants) in tmp.wants.iter_mut().enumerate() {
        for order in joint.orders(Seat::new(i)) {
            // An order that `check` would refuse cannot get here; outside the map there would be no bit for it.
            if let Order::Capture { x, y } = *order
                && let Some((word, bit)) = layout.place(x, y)
            {
                wants[word] |= 1 << bit;
            }
        }
    }
}

/// Tells what is about to happen.
fn tell(board: &Board, tmp: &Scratch, out: &mut impl Sink<Event>) {
    let layout = board.layout();
    let air = layout.core(&tmp.air);
    let wants = [layout.core(&tmp.wants[0]), layout.core(&tmp.wants[1])];
    for seat in [Seat::new(0), Seat::new(1)] {
        let own = board.words(seat);
        for i in 0..air.len() {
            layout.each(i, own[i] & !air[i], |x, y| out.put(Event::Suffocated { seat, x, y }));
        }
    }
    for seat in [Seat::new(0), Seat::new(1)] {
        let (mine, theirs) = (wants[seat.index()], wants[1 - seat.index()]);
        for i in 0..air.len() {
            layout.each(i, mine[i] & !theirs[i], |x, y| out.put(Event::Captured { seat, x, y }));
        }
    }
    for (i, (first, second)) in wants[0].iter().zip(wants[1]).enumerate() {
        layout.each(i, first & second, |x, y| out.put(Event::Contested { x, y }));
    }
}

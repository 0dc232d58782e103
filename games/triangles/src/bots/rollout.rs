//! Plays games to their end by a quick rule, to see where a segment leads.
//!
//! The rule is how people play the game: take what pays; if nothing pays, draw a segment that gives the opponent
//! nothing; if there is none, give as little as possible. The end of the game shows which player runs out of harmless
//! segments first, whatever was drawn before. The average over some games shows it too.

use crate::{field::members, position::Position, segment::Segment};
use agon_core::{Rng, Seat};
use alloc::vec::Vec;

/// The number of open segments that are tried to find a harmless one. All are tried if there are at most twice as
/// many.
const TRIES: usize = 8;

/// Working memory of a rollout.
#[derive(Default)]
pub(super) struct Rollout {
    board: Option<Position>,
    paying: Vec<usize>,
}

impl Rollout {
    /// Draws `first` and plays to the end. Returns by how much the side that drew it wins more than the other from
    /// there, and the number of segments drawn. `paying` holds the open segments of `position` that pay something.
    pub(super) fn play(&mut self, position: &Position, first: usize, paying: &[usize], rng: &mut Rng) -> (i32, u32) {
        let board = match &mut self.board {
            Some(board) => {
                board.clone_from(position);
                board
            }
            empty => empty.insert(position.clone()),
        };
        self.paying.clear();
        self.paying.extend_from_slice(paying);
        let (mut balance, mut sign, mut drawn, mut next) = (0, 1, 0, Some(first));
        while let Some(number) = next {
            let segment = board.field.segment(number);
            // The balance counts the score; the seats on the board do not matter.
            balance += sign * i32::from(board.draw_segment(segment, Some(Seat::new(0))));
            sign = -sign;
            drawn += 1;
            note_paying(board, segment, &mut self.paying);
            next = choose(board, &self.paying, rng);
        }
        (balance, drawn)
    }
}

/// Updates the list of paying segments after `segment` was drawn.
fn note_paying(board: &Position, segment: Segment, paying: &mut Vec<usize>) {
    paying.retain(|s| board.is_open(*s));
    let (a, b) = segment.ends();
    let thirds = board.field.tables().empty(a, b);
    for (near, far) in [(a, b), (b, a)] {
        for c in members(board.joined[near] & thirds & !board.joined[far]) {
            let number = board.field.number(far.min(c), far.max(c));
            if board.is_open(number) && !paying.contains(&number) {
                paying.push(number);
            }
        }
    }
}

/// Chooses a segment by the quick rule.
fn choose(board: &Position, paying: &[usize], rng: &mut Rng) -> Option<usize> {
    if !paying.is_empty() {
        // A random start gives equal segments the same chance.
        let start = rng.index(paying.len());
        let (before, from) = paying.split_at(start);
        let worth = |s: usize| 2 * board.pays(s) as i32 - board.gives(s) as i32;
        return from.iter().chain(before).copied().max_by_key(|s| worth(*s));
    }
    let open = board.open_count();
    let mut least: Option<(u32, usize)> = None;
    if open <= 2 * TRIES {
        let start = rng.index(open);
        for k in 0..open {
            let s = board.nth_open((start + k) % open);
            match board.gives(s) {
                0 => return Some(s),
                given if least.is_none_or(|(l, _)| given < l) => least = Some((given, s)),
                _ => {}
            }
        }
    } else {
        for _ in 0..TRIES {
            let s = board.nth_open(rng.index(open));
            match board.gives(s) {
                0 => return Some(s),
                given if least.is_none_or(|(l, _)| given < l) => least = Some((given, s)),
                _ => {}
            }
        }
    }
    least.map(|(_, s)| s)
}

impl Position {
    /// The most that a segment next to this open one would pay once this one is drawn.
    pub(super) fn gives(&self, number: usize) -> u32 {
        let (a, b) = self.field.segment(number).ends();
        let thirds = self.field.tables().empty(a, b);
        let mut most = 0;
        for (near, far) in [(a, b), (b, a)] {
            for c in members(self.joined[near] & thirds & !self.joined[far]) {
                let s = self.field.number(far.min(c), far.max(c));
                if self.is_open(s) {
                    most = most.max(1 + self.pays(s));
                }
            }
        }
        most
    }
}

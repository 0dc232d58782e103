//! Bots that look one or two segments ahead.

use super::Board;
use crate::{order::Order, position::Position, view::View};
use agon_core::{Bot, Rng};
use alloc::vec::Vec;

/// Draws the segment that pays most now. Equal segments have the same probability.
pub(super) struct Greedy {
    board: Board,
    rng: Rng,
}

impl Greedy {
    pub(super) fn new(rng: Rng) -> Self {
        Self { board: Board::default(), rng }
    }
}

impl Bot<Position> for Greedy {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        let position = self.board.follow(view);
        let mut best = Best::new();
        for number in position.open_numbers() {
            best.offer(position.pays(number) as i32, number, &mut self.rng);
        }
        orders.extend(best.number.map(|s| Order::from(position.field.segment(s))));
    }
}

/// Draws the segment that pays most after the payment of the best reply is subtracted. Equal segments have the same
/// probability.
pub(super) struct Careful {
    board: Board,
    rng: Rng,
    paying: Vec<usize>,
}

impl Careful {
    pub(super) fn new(rng: Rng) -> Self {
        Self { board: Board::default(), rng, paying: Vec::new() }
    }
}

impl Bot<Position> for Careful {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        let position = self.board.follow(view);
        position.field.tables();
        self.paying.clear();
        self.paying.extend(position.open_numbers().filter(|s| position.pays(*s) > 0));
        let mut best = Best::new();
        for number in position.open_numbers() {
            let worth = position.pays(number) as i32 - position.best_reply(number, &self.paying) as i32;
            best.offer(worth, number, &mut self.rng);
        }
        orders.extend(best.number.map(|s| Order::from(position.field.segment(s))));
    }
}

/// The best of the offers so far. Each of several equal offers has the same probability.
struct Best {
    worth: i32,
    number: Option<usize>,
    equals: u32,
}

impl Best {
    fn new() -> Self {
        Self { worth: i32::MIN, number: None, equals: 0 }
    }

    fn offer(&mut self, worth: i32, number: usize, rng: &mut Rng) {
        if worth > self.worth {
            *self = Self { worth, number: Some(number), equals: 1 };
        } else if worth == self.worth {
            self.equals += 1;
            if rng.one_in(self.equals) {
                self.number = Some(number);
            }
        }
    }
}

impl Position {
    /// The payment for the open segment with this number.
    pub(super) fn pays(&self, number: usize) -> u32 {
        self.closes(self.field.segment(number)).empty
    }

    /// The payment for the best reply to an open segment. `paying` holds the open segments that pay something now.
    pub(super) fn best_reply(&self, number: usize, paying: &[usize]) -> u32 {
        let tables = self.field.tables();
        let (a, b) = self.field.segment(number).ends();
        let conflicts = tables.conflicts(number);
        let stays = |s: usize| self.is_open(s) && conflicts[s / 64] >> (s % 64) & 1 == 0;
        // A segment that pays now and is not crossed pays at least as much afterwards.
        let mut best = 0;
        for s in paying.iter().filter(|s| stays(**s)) {
            best = best.max(self.pays(*s));
        }
        // The reply may also complete an empty triangle on the new segment.
        for (p, q) in [(a, b), (b, a)] {
            for c in crate::field::members(self.joined[p] & tables.empty(a, b)) {
                let s = self.field.number(q.min(c), q.max(c));
                if stays(s) {
                    best = best.max(self.pays(s) + 1);
                }
            }
        }
        best
    }
}

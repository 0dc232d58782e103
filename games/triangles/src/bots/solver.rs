//! The strongest bot: plays games to their end by a quick rule to find the best segment, and solves the late game.

use super::{Board, endgame::Endgame, rollout::Rollout};
use crate::{order::Order, position::Position, view::View};
use agon_core::{Bot, Rng};
use alloc::vec::Vec;

/// The largest number of segments that are drawn in rollouts for one decision.
const STEPS: u32 = 60_000;

/// The largest number of rollouts for one decision.
const GAMES: u32 = 1_000;

/// The number of segments that are compared: those that pay most after the best reply is subtracted.
const CANDIDATES: usize = 16;

/// The late game is solved from this number of segments left to draw (fact P5 gives the number).
const LATE: usize = 32;

/// The largest number of positions that the solution may look at.
const NODES: u32 = 20_000;

pub(super) struct Solver {
    board: Board,
    rng: Rng,
    endgame: Endgame,
    rollout: Rollout,
    paying: Vec<usize>,
    candidates: Vec<Candidate>,
}

#[derive(Clone, Copy)]
struct Candidate {
    number: usize,
    /// Its payment minus that of the best reply, and a random number that decides between equals.
    prior: (i32, u64),
    total: i64,
}

impl Solver {
    pub(super) fn new(rng: Rng) -> Self {
        Self {
            board: Board::default(),
            rng,
            endgame: Endgame::new(),
            rollout: Rollout::default(),
            paying: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// Plays rounds of rollouts. After each round the worse half of the candidates is dropped.
    fn sample(&mut self, position: &Position, left: usize) -> Option<usize> {
        let mut steps = STEPS.min(GAMES.saturating_mul(left as u32));
        let mut rounds = self.candidates.len().next_power_of_two().trailing_zeros();
        while self.candidates.len() > 1 && rounds > 0 {
            let share = steps / rounds;
            let mut spent = 0;
            while spent < share {
                for candidate in &mut self.candidates {
                    let (balance, drawn) = self.rollout.play(position, candidate.number, &self.paying, &mut self.rng);
                    candidate.total += i64::from(balance);
                    spent += drawn;
                }
            }
            // All candidates that are left have played the same number of games.
            best_first(&mut self.candidates);
            self.candidates.truncate(self.candidates.len().div_ceil(2));
            steps = steps.saturating_sub(spent);
            rounds -= 1;
        }
        self.candidates.first().map(|c| c.number)
    }
}

/// Sorts candidates by what they have won so far, and if that is equal by the prior.
fn best_first(candidates: &mut [Candidate]) {
    candidates.sort_unstable_by_key(|c| core::cmp::Reverse((c.total, c.prior)));
}

impl Bot<Position> for Solver {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        let mut board = core::mem::take(&mut self.board);
        let position = board.follow(view);
        // Fact P5.
        let left = position.segments_in_all().saturating_sub(position.drawn().len());
        let solved = if left <= LATE { self.endgame.solve(position, NODES) } else { None };
        if let Some((segment, _)) = solved {
            orders.push(Order::from(segment));
        } else {
            self.paying.clear();
            self.paying.extend(position.open_numbers().filter(|s| position.pays(*s) > 0));
            self.candidates.clear();
            for number in position.open_numbers() {
                let prior = position.pays(number) as i32 - position.best_reply(number, &self.paying) as i32;
                self.candidates.push(Candidate { number, prior: (prior, self.rng.bits()), total: 0 });
            }
            best_first(&mut self.candidates);
            self.candidates.truncate(CANDIDATES);
            let best = self.sample(position, left);
            orders.extend(best.map(|s| Order::from(position.field.segment(s))));
        }
        self.board = board;
    }
}

//! When the clocks of a session run, and what happens when the time of a seat is up.

use crate::{
    console::Console,
    occupant::Decider,
    waiting::{Asked, Task},
};
use agon_core::{Flaw, Remaining, Seat};
use agon_referee::{Fault, JsonList, Spent};
use std::time::Duration;

/// A decision that will be played when all seats of its turn have decided.
#[derive(Clone)]
pub(crate) struct Given {
    pub orders: JsonList,
    /// How the seat failed. `None` if it did not.
    pub fault: Option<Fault>,
    pub spent: Spent,
}

impl Console {
    /// Lets every clock run or stand as the session is now.
    pub(crate) fn keep_time(&mut self) {
        for i in 0..self.seats.len() {
            let seat = Seat::new(i);
            let (runs, now) = (self.is_timed(seat), self.now);
            if let Some(clocks) = &mut self.clocks {
                if runs { clocks.start(seat, now) } else { clocks.hold(seat, now) }
            }
        }
    }

    /// Lets the clock of a seat stand from the instant `at` on if the seat no longer decides.
    pub(crate) fn hold_clock(&mut self, seat: Seat, at: Duration) {
        if !self.is_timed(seat)
            && let Some(clocks) = &mut self.clocks
        {
            clocks.hold(seat, at);
        }
    }

    /// Returns whether the clock of a seat runs. That of a built-in bot runs only while it thinks, when nothing else happens.
    fn is_timed(&self, seat: Seat) -> bool {
        let position = self.tree.position();
        let Some(clocks) = self.clocks.as_ref().filter(|clocks| !clocks.stand && !position.over()) else {
            return false;
        };
        if !position.awaiting().contains(seat) || self.given[seat.index()].is_some() {
            return false;
        }
        match &self.seats[seat.index()].decider {
            // The person cannot give a decision without ending what a command waits for.
            Decider::Human => self.waiting.is_none(),
            Decider::Builtin(_) => false,
            Decider::Program(program) => clocks.counts(seat) && program.is_asked(self.tree.at()),
        }
    }

    /// Lets every seat fail whose time is up at the instant `at`.
    pub(crate) fn judge_time(&mut self, at: Duration) {
        for i in 0..self.seats.len() {
            self.judge_seat(Seat::new(i), at);
        }
    }

    /// Lets a seat fail if its time is up at the instant `at`. Plays the turn if it was the last one.
    pub(crate) fn judge_seat(&mut self, seat: Seat, at: Duration) {
        if self.clocks.as_ref().is_some_and(|clocks| clocks.is_up(seat, at)) {
            self.fail(seat, at);
            self.close_turn();
        }
    }

    /// Lets a seat fail that is late. What it has ordered so far is judged with that.
    pub(crate) fn fail(&mut self, seat: Seat, at: Duration) {
        let Some(clocks) = &mut self.clocks else { return };
        let limit_us = clocks.limit(seat).map_or(0, |limit| limit.as_micros() as u64);
        let spent = clocks.stop(seat, at);
        let (occupant, mut session) = self.seat_and_session(seat);
        let (orders, heard) = match &mut occupant.decider {
            Decider::Program(program) => program.give_up(&mut session),
            Decider::Builtin(builtin) => {
                builtin.thought = None;
                Default::default()
            }
            Decider::Human => Default::default(),
        };
        let fault = Fault::Late { limit_us, heard, unread: false, time: Some(spent.record()) };
        self.given[seat.index()] = Some(Given { orders, fault: Some(fault), spent });
    }

    /// Plays the turn if all its seats have decided or failed and no command waits for it.
    fn close_turn(&mut self) {
        let awaiting = self.tree.position().awaiting();
        let task = self.waiting.as_ref().map(|waiting| &waiting.task);
        let is_awaited = matches!(task, Some(Task::Turns(_)));
        let is_question = matches!(task, Some(Task::Ask(_)));
        if !is_awaited && awaiting.iter().all(|seat| self.given[seat.index()].is_some()) {
            if is_question {
                // It is about the position before the turn.
                self.stop_waiting();
            }
            let played = self.play_turn();
            self.ended_by_clock.push(played.expect("every order was read in this position before"));
        }
    }

    /// Stops the clock of a seat that has decided, and returns what it took.
    pub(crate) fn charge(&mut self, seat: Seat) -> Spent {
        let now = self.now;
        self.clocks.as_mut().map(|clocks| clocks.stop(seat, now)).unwrap_or_default()
    }

    /// Returns what a seat has left on its clock.
    pub(crate) fn remaining(&self, seat: Seat) -> Remaining {
        self.clocks.as_ref().map(|clocks| clocks.remaining(seat, self.now)).unwrap_or_default()
    }

    /// Lets all clocks stand until somebody plays.
    pub(crate) fn rest_clocks(&mut self) {
        if let Some(clocks) = &mut self.clocks {
            clocks.stand = true;
        }
    }

    /// Fills every clock, because another match begins in the current position.
    pub(crate) fn fill_clocks(&mut self) {
        if let Some(clocks) = &mut self.clocks {
            self.tree.set_budgets(clocks.full());
            clocks.restore(self.tree.budgets());
        }
    }

    /// Lets clocks run from now on, or stand until somebody plays.
    pub(crate) fn run_clocks(&mut self, asked: Asked, run: bool) -> Result<(), Flaw> {
        if self.clocks.is_none() {
            return Err(Flaw::new("the session has no clocks").hint("begin it with `--time CLOCK`"));
        }
        if !run {
            self.stop_waiting();
        }
        if let Some(clocks) = &mut self.clocks {
            clocks.stand = !run;
        }
        self.answer(asked)
    }
}

//! The clocks of seats, as those of a match. What they have left belongs to the position.

use agon_core::{ClockPolicy, Remaining, Seat};
use agon_referee::{Budget, Spent, Timekeeper};
use agon_spec::{ConsoleClock, MatchSpec};
use std::time::Duration;

/// The clocks of a session.
pub(crate) struct Clocks {
    policies: Vec<ClockPolicy>,
    clocks: Vec<Clock>,
    /// Whether all of them stand until somebody plays.
    pub stand: bool,
}

/// The clock of one seat. In contrast to that of a match it can stand still before the decision is there.
#[derive(Clone)]
struct Clock {
    keeper: Timekeeper,
    runs: bool,
    /// The time that the decision took before the clock stood still.
    used: Duration,
    /// Whether the clock has run for the decision, or it is one by the clock. Any other costs nothing.
    counts: bool,
}

impl Clock {
    fn new(policy: ClockPolicy, budget: Budget) -> Self {
        Self { keeper: Timekeeper::with_budget(policy, budget), runs: false, used: Duration::ZERO, counts: false }
    }

    /// Goes on from the time that the decision took so far.
    fn resume(&mut self, at: Duration) {
        let since = at.saturating_sub(self.used);
        self.keeper.ask(since, false);
        self.keeper.written(since);
    }

    fn start(&mut self, at: Duration) {
        if !self.runs {
            self.resume(at);
            (self.runs, self.counts) = (true, true);
        }
    }

    fn hold(&mut self, at: Duration) {
        if self.runs {
            (self.used, self.runs) = (self.keeper.spent(at).wall, false);
            self.keeper.cancel();
        }
    }

    /// Stops the clock and charges it. `stands` is whether all clocks stand.
    fn stop(&mut self, at: Duration, stands: bool) -> Spent {
        if !self.counts {
            return Spent::default();
        }
        if !self.runs {
            self.resume(at);
        }
        (self.runs, self.used, self.counts) = (false, Duration::ZERO, false);
        // Time that has passed is gone, but only a decision by the clock earns an increment.
        if stands { self.keeper.stop_without_increment(at) } else { self.keeper.stop(at) }
    }

    fn remaining(&self, at: Duration) -> Remaining {
        let mut clock = self.clone();
        if !clock.runs {
            clock.resume(at);
        }
        clock.keeper.remaining(at)
    }
}

impl Clocks {
    /// Returns the clocks of a match, which stand. `None` if it has none.
    pub(crate) fn of(spec: &MatchSpec) -> Option<Self> {
        let policies: Vec<ClockPolicy> = spec.seats.iter().map(|seat| seat.clock.unwrap_or(spec.clock)).collect();
        let new = |policy: &ClockPolicy| Clock::new(*policy, Timekeeper::new(*policy).budget());
        let clocks = policies.iter().map(new).collect();
        (!spec.clock.is_off()).then_some(Self { policies, clocks, stand: true })
    }

    /// Returns what every clock has at the start of a match.
    pub(crate) fn full(&self) -> Vec<Budget> {
        self.policies.iter().map(|policy| Timekeeper::new(*policy).budget()).collect()
    }

    /// Returns what every clock has for its next question.
    pub(crate) fn budgets(&self) -> Vec<Budget> {
        self.clocks.iter().map(|clock| clock.keeper.budget()).collect()
    }

    /// Gives every clock what it had in a position. Nobody has been asked there.
    pub(crate) fn restore(&mut self, budgets: &[Budget]) {
        for i in 0..self.clocks.len() {
            self.restore_one(Seat::new(i), budgets);
        }
    }

    /// Gives the clock of a seat what it had in a position, as if the seat had not been asked there.
    pub(crate) fn restore_one(&mut self, seat: Seat, budgets: &[Budget]) {
        let i = seat.index();
        if let (Some(clock), Some(budget)) = (self.clocks.get_mut(i), budgets.get(i)) {
            *clock = Clock::new(self.policies[i], *budget);
        }
    }

    /// Lets a clock run on from this instant.
    pub(crate) fn start(&mut self, seat: Seat, at: Duration) {
        self.clocks[seat.index()].start(at);
    }

    /// Lets a clock stand from this instant on.
    pub(crate) fn hold(&mut self, seat: Seat, at: Duration) {
        self.clocks[seat.index()].hold(at);
    }

    /// Stops a clock because its seat has decided or failed, and charges it.
    pub(crate) fn stop(&mut self, seat: Seat, at: Duration) -> Spent {
        self.clocks[seat.index()].stop(at, self.stand)
    }

    /// Notes that a bot is asked for a decision that will be played.
    pub(crate) fn count(&mut self, seat: Seat) {
        (self.stand, self.clocks[seat.index()].counts) = (false, true);
    }

    /// Returns whether a seat decides by its clock now, if it decides at all.
    pub(crate) fn counts(&self, seat: Seat) -> bool {
        !self.stand && self.clocks[seat.index()].counts
    }

    /// Returns whether the time of a seat is up.
    pub(crate) fn is_up(&self, seat: Seat, at: Duration) -> bool {
        let clock = &self.clocks[seat.index()];
        clock.runs && clock.keeper.is_up(at)
    }

    /// Returns the limit of a running clock.
    pub(crate) fn limit(&self, seat: Seat) -> Option<Duration> {
        self.clocks[seat.index()].keeper.limit()
    }

    /// Returns the next instant at which the time of a seat is up.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.clocks.iter().filter_map(|clock| clock.keeper.deadline()).min()
    }

    /// Returns what a seat has left for its decision, or for its next one.
    pub(crate) fn remaining(&self, seat: Seat, at: Duration) -> Remaining {
        self.clocks[seat.index()].remaining(at)
    }

    pub(crate) fn document(&self, seat: Seat, at: Duration) -> ConsoleClock {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let Remaining { turn, bank } = self.remaining(seat, at);
        ConsoleClock {
            left_us: turn.into_iter().chain(bank).min().map(micros),
            bank_us: bank.map(micros),
            runs: self.clocks[seat.index()].runs,
        }
    }
}

//! The remaining instructions of a bot, and its clock.

use agon_spec::Fuel;

/// The cost of a call of a WASI function, in instructions. It roughly matches the time of the call, so that a bot
/// cannot use time by calls without using instructions.
pub(crate) const CALL: u64 = 100;

/// The cost of a call that needs a system call, instead of [`CALL`]. Each byte costs extra.
pub(crate) const SYSTEM_CALL: u64 = 1_000;

/// Counts the used instructions. The engine counts down within a budget, and a refill starts the next budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FuelMeter {
    fuel: Fuel,
    /// The initial size of the current budget.
    budget: u64,
    /// The instructions used in all earlier budgets.
    before: u64,
    /// Whether the current budget is that of the start.
    starting: bool,
    /// Whether the bot has written to its stdout since the last refill.
    spoken: bool,
}

impl FuelMeter {
    pub(crate) fn new(fuel: Fuel) -> Self {
        Self { fuel, budget: fuel.start, before: 0, starting: true, spoken: false }
    }

    /// Returns the initial size of the current budget.
    pub(crate) fn budget(&self) -> u64 {
        self.budget
    }

    /// Returns whether the current budget is that of the start.
    pub(crate) fn is_start(&self) -> bool {
        self.starting
    }

    /// Notes that the bot has written to its stdout.
    pub(crate) fn speak(&mut self) {
        self.spoken = true;
    }

    /// Notes that the bot reads more than has arrived, with `left` instructions left. If it has written something
    /// since the last turn began, a new turn begins and this returns the new budget.
    ///
    /// Without this condition, a prompt that happens to arrive through the pipe in two pieces would give the bot two
    /// budgets.
    pub(crate) fn refill(&mut self, left: u64) -> Option<u64> {
        if !self.spoken {
            return None;
        }
        self.before = self.used(left);
        self.budget = self.fuel.turn;
        self.starting = false;
        self.spoken = false;
        Some(self.budget)
    }

    /// Returns the instructions since the start. They are also the nanoseconds of the bot's clock.
    pub(crate) fn used(&self, left: u64) -> u64 {
        self.before.saturating_add(self.budget.saturating_sub(left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_begins_with_a_read_after_an_answer() {
        let mut fuel_meter = FuelMeter::new(Fuel { turn: 100, start: 1_000 });
        assert_eq!((fuel_meter.budget(), fuel_meter.is_start(), fuel_meter.used(990)), (1_000, true, 10));
        assert_eq!(fuel_meter.refill(900), None, "nothing was said yet");
        fuel_meter.speak();
        assert_eq!(fuel_meter.refill(400), Some(100));
        assert_eq!((fuel_meter.budget(), fuel_meter.is_start(), fuel_meter.used(100)), (100, false, 600));
        assert_eq!(fuel_meter.refill(50), None, "one answer is worth one turn");
        fuel_meter.speak();
        fuel_meter.speak();
        assert_eq!((fuel_meter.refill(30), fuel_meter.used(100)), (Some(100), 670));
    }
}

//! The instructions that a bot still has, and its clock.

use agon_spec::Fuel;

/// What every call of a function of WASI costs: about what it takes, so that calls are no way to take time without
/// instructions.
pub(crate) const CALL: u64 = 100;

/// What one that asks the system for something costs in its place, beside its bytes.
pub(crate) const SYSTEM_CALL: u64 = 1_000;

/// Counts what was used. The engine counts down within a budget; a refill starts the next one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FuelMeter {
    fuel: Fuel,
    /// What the budget that runs now had at its start.
    budget: u64,
    /// Used in all budgets before.
    before: u64,
    /// Whether it is still the budget of the start.
    starting: bool,
    /// Whether the bot has said something since its last refill.
    spoken: bool,
}

impl FuelMeter {
    pub(crate) fn new(fuel: Fuel) -> Self {
        Self { fuel, budget: fuel.start, before: 0, starting: true, spoken: false }
    }

    /// What the budget that runs now had at its start.
    pub(crate) fn budget(&self) -> u64 {
        self.budget
    }

    /// Whether it is the budget of the start.
    pub(crate) fn is_start(&self) -> bool {
        self.starting
    }

    /// The bot has written to its stdout.
    pub(crate) fn speak(&mut self) {
        self.spoken = true;
    }

    /// The bot asks for more than it has been given, with `left` instructions in hand: a new turn begins if it has
    /// spoken since the last one did. Returns the new budget.
    ///
    /// Without the condition a prompt that comes through the pipe in two pieces would be worth two turns, and whether
    /// it does is chance.
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

    /// Instructions since the start, which are also the nanoseconds of the bot's clock.
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

//! Finds out whether a bot computes outside its own turn.
//!
//! A signal costs as much as an exchange, so an answer alone stops no bot. Instead the [watchdog](crate::watchdog) looks at
//! every bot outside its turn again and again. In a fast exchange the bot is asked again before the second look, and the
//! first look reads a single clock. From the second look on, all processes of the bot count. A bot that has computed for more
//! than [`ALLOWANCE`] is stopped until its next turn.

use crate::{counters, reach::Reach, turns::Turns};
use agon_core::Seat;
use std::time::Duration;

/// The CPU time that a bot may use outside its turn. Runtimes do some housekeeping now and then.
const ALLOWANCE: Duration = Duration::from_micros(200);
/// The CPU time that searches for its processes may take, because it runs now and then outside its turn. Such a search looks at
/// every thread.
const SEARCHING: Duration = Duration::from_millis(1);
/// If a built-in bot thinks for longer than this, the runner looks at the other bots before it thinks.
const LONG_THOUGHT: Duration = Duration::from_micros(300);

/// The state of a bot that is outside its own turn and was not stopped.
#[derive(Debug, Default)]
pub(crate) struct OffTurn {
    looks: u32,
    /// Each process, and its CPU time when it was first seen.
    processes: Vec<(i32, Duration)>,
    /// The CPU time of these processes before the last search for others, if it found none.
    searched: Option<Duration>,
    /// The CPU time that all searches took.
    searching: Duration,
}

impl OffTurn {
    /// Takes a look at a bot. Returns whether it has computed since the first look, or has run so often that the looks at it
    /// take others' time.
    pub(crate) fn has_computed(&mut self, bot: &Reach) -> bool {
        self.looks = self.looks.saturating_add(1);
        if self.looks == 1 {
            self.processes.push((bot.main(), counters::own_time(bot.main())));
            return false;
        }
        // To list processes takes a look at every thread, so the known ones come first.
        let (mut used, mut total) = (Duration::ZERO, Duration::ZERO);
        for (process, then) in &self.processes {
            let time = counters::own_time(*process);
            used += time.saturating_sub(*then);
            total += time;
        }
        if used > ALLOWANCE {
            return true;
        }
        // If none of them has run, none has started another one. One that has ended has no time any more. So a bot whose many
        // threads sleep costs as little as one with a single thread.
        if !bot.may_be_several() || self.searched == Some(total) {
            return false;
        }
        if self.searching > SEARCHING {
            return true;
        }
        let began = counters::thread_time();
        let now = bot.processes();
        self.searching += counters::thread_time().saturating_sub(began);
        // A process that starts another one and ends leaves no CPU time behind.
        let ended = self.processes.iter().any(|(process, _)| !now.contains(process));
        let new: Vec<i32> = now.into_iter().filter(|id| self.processes.iter().all(|(known, _)| known != id)).collect();
        if ended || new.iter().any(|process| counters::is_ready(*process)) {
            return true;
        }
        self.searched = new.is_empty().then_some(total);
        self.processes.extend(new.into_iter().map(|process| (process, counters::own_time(process))));
        false
    }
}

impl Turns<'_, '_> {
    /// Notes that a bot has answered. From now on it must not compute.
    pub(crate) fn leave_turn(&mut self, seat: Seat) {
        if let Some(bot) = &mut self.bots[seat.index()] {
            bot.leave_turn(self.now);
        }
    }

    /// Notes which bots the watchdog has stopped. What other bots lost by that is charged to nobody.
    pub(crate) fn note_stops(&mut self) {
        if !self.watch.as_ref().is_some_and(|watch| watch.bell().has_rung()) {
            return;
        }
        let bots = self.bots.iter_mut().enumerate();
        let stops = bots.filter_map(|(i, bot)| Some((bot.as_mut()?.note_stop(self.start)?, Seat::new(i))));
        let Some((last, seat)) = stops.max() else { return };
        self.make_haste(seat, true);
        if !self.machine.settings().in_turn {
            return;
        }
        for seat in self.machine.awaited().iter() {
            self.disturbed(seat, last);
        }
    }

    /// Notes that a neighbour of this bot has computed until then.
    fn disturbed(&mut self, seat: Seat, until: Duration) {
        let Some(question) = self.machine.question(seat) else { return };
        let Some(bot) = &mut self.bots[seat.index()] else { return };
        bot.meter.disturb(question.number, until.saturating_sub(question.since));
        self.tell_usage(seat);
    }

    /// Stops every bot that computes, before a built-in bot thinks. The look costs time, so it is taken only if the built-in
    /// bot thought for long the last time, or has not thought before.
    pub(crate) fn make_room(&mut self, seat: Seat) {
        self.note_stops();
        if self.machine.settings().freeze && self.thoughts[seat.index()].is_none_or(|thought| thought > LONG_THOUGHT) {
            for bot in self.bots.iter_mut().flatten() {
                if bot.is_ready_off_turn() {
                    bot.freeze(self.now);
                }
            }
        }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use crate::shell::{Shell, in_the_end};

    fn has_computed_in_the_end(bot: &Shell) -> bool {
        let (mut off, reach) = (OffTurn::default(), bot.reach());
        in_the_end(|| off.has_computed(&reach))
    }

    #[test]
    fn a_bot_that_sleeps_is_left_alone() {
        let bot = Shell::asleep();
        let (mut off, reach) = (OffTurn::default(), bot.reach());
        assert!(!(0..50).any(|_| off.has_computed(&reach)));
    }

    #[test]
    fn a_bot_that_computes_is_seen_itself_or_by_its_children() {
        assert!(has_computed_in_the_end(&Shell::new("while :; do :; done")));
        let parent = Shell::new("while :; do :; done & wait");
        assert!(in_the_end(|| counters::tree(parent.id()).len() >= 2));
        assert!(has_computed_in_the_end(&parent));
        assert!(has_computed_in_the_end(&Shell::new("while :; do (:); done")));
    }
}

//! One seat's clock.

use agon_core::{ClockPolicy, Remaining};
use core::time::Duration;

/// What an answer took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Spent {
    /// From the end of the write of the prompt to the last byte of the answer.
    pub wall: Duration,
    /// Whether that was beyond the soft limit.
    pub soft_late: bool,
    /// How much later than the deadline the referee looked.
    pub lag: Duration,
}

/// How long a prompt may wait to be written before that is the bot's own time: long enough for whatever keeps this
/// program from running, and too short for a bot to think in.
const READING: Duration = Duration::from_millis(100);

/// Runs from the end of the write of a prompt, at the latest from [`READING`] after the question, to the last byte of
/// its answer; nothing else moves its deadline.
///
/// Most prompts fit into the pipe at once, and question and write are one instant. Where they do not, the bot has not
/// read what it was sent before; it may have read most of the prompt, though, so that all the time until it takes the
/// rest would be a gift. A bot that never reads is late when the limit has passed since the question.
#[derive(Debug)]
pub(crate) struct Timekeeper {
    policy: ClockPolicy,
    bank: Option<Duration>,
    /// Whether the next decision is the first.
    first: bool,
    /// When the running clock was asked for, and the limit then.
    running: Option<Running>,
}

#[derive(Clone, Copy, Debug)]
struct Running {
    asked: Duration,
    started: Option<Duration>,
    turn: Option<Duration>,
    greeting: bool,
}

impl Running {
    /// When the clock started, if the whole prompt was written at `at` or is not yet.
    fn start(&self, at: Duration) -> Duration {
        self.started.unwrap_or_else(|| at.min(self.asked.saturating_add(READING)))
    }
}

impl Timekeeper {
    pub(crate) fn new(policy: ClockPolicy) -> Self {
        Self { policy, bank: policy.bank, first: true, running: None }
    }

    /// A greeting or a prompt is about to be written. Until the write, the limit counts from now: a bot that does not
    /// read cannot hold up the match.
    pub(crate) fn ask(&mut self, at: Duration, greeting: bool) -> Remaining {
        let turn = if greeting {
            self.policy.greeting
        } else if self.first {
            self.policy.hard.map(|limit| limit.saturating_add(self.policy.first))
        } else {
            self.policy.hard
        };
        self.running = Some(Running { asked: at, started: None, turn, greeting });
        self.remaining(at)
    }

    /// The pipe has taken the whole prompt. What is said later within the same question changes nothing.
    pub(crate) fn written(&mut self, at: Duration) {
        if let Some(running) = &mut self.running {
            running.started.get_or_insert(running.start(at));
        }
    }

    /// What is left now of the turn and of the bank.
    pub(crate) fn remaining(&self, at: Duration) -> Remaining {
        let Some(running) = self.running else { return Remaining { turn: None, bank: self.bank } };
        let used = at.saturating_sub(running.start(at));
        Remaining {
            turn: running.turn.map(|turn| turn.saturating_sub(used)),
            bank: self.bank.map(|bank| bank.saturating_sub(used)),
        }
    }

    /// The limit of the running clock: of the turn or of the bank, whichever is less.
    pub(crate) fn limit(&self) -> Option<Duration> {
        let turn = self.running?.turn;
        match (turn, self.bank) {
            (Some(turn), Some(bank)) => Some(turn.min(bank)),
            (turn, bank) => turn.or(bank),
        }
    }

    /// When the running clock runs out.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        let running = self.running?;
        Some(running.started.unwrap_or(running.asked).saturating_add(self.limit()?))
    }

    /// The answer is complete, or has failed: stops the clock and charges the bank. What was late only because the
    /// referee looked late is charged to nobody.
    pub(crate) fn stop(&mut self, at: Duration) -> Spent {
        let (limit, deadline) = (self.limit(), self.deadline());
        let Some(running) = self.running.take() else { return Spent::default() };
        let wall = at.saturating_sub(running.start(at));
        let lag = deadline.map_or(Duration::ZERO, |deadline| at.saturating_sub(deadline));
        let used = limit.map_or(wall, |limit| wall.min(limit));
        if running.greeting {
            // A bank without a greeting limit of its own runs for every answer of the match.
            if self.policy.greeting.is_none() {
                self.bank = self.bank.map(|bank| bank.saturating_sub(used));
            }
            return Spent { wall, soft_late: false, lag };
        }
        self.first = false;
        self.bank = self.bank.map(|bank| bank.saturating_sub(used).saturating_add(self.policy.increment));
        Spent { wall, soft_late: self.policy.soft.is_some_and(|soft| used > soft), lag }
    }

    /// The question is withdrawn: nothing is charged.
    pub(crate) fn cancel(&mut self) {
        self.running = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn keeper(policy: &str) -> Timekeeper {
        Timekeeper::new(policy.parse().unwrap())
    }

    #[test]
    fn the_deadline_counts_from_the_end_of_the_write_and_nothing_said_later_moves_it() {
        let mut clock = keeper("move=100ms");
        clock.ask(ms(10), false);
        assert_eq!(clock.deadline(), Some(ms(110)), "a bot that does not read is bounded from the question on");
        clock.written(ms(30));
        assert_eq!(clock.deadline(), Some(ms(130)));
        clock.written(ms(90));
        assert_eq!(clock.deadline(), Some(ms(130)));
        assert_eq!(clock.stop(ms(75)), Spent { wall: ms(45), ..Spent::default() });
        assert_eq!(clock.deadline(), None);
    }

    #[test]
    fn a_bot_that_leaves_its_prompt_in_the_way_thinks_in_its_own_time() {
        let mut clock = keeper("move=1s,bank=10s");
        clock.ask(ms(0), false);
        assert_eq!(clock.deadline(), Some(ms(1000)));
        clock.written(ms(990));
        assert_eq!(clock.deadline(), Some(ms(1100)), "not twice the limit");
        assert_eq!(clock.stop(ms(1090)).wall, ms(990));
        assert_eq!(clock.remaining(ms(1090)).bank, Some(ms(9010)), "the bank pays for it");
        clock.ask(ms(2000), false);
        assert_eq!(clock.stop(ms(2600)).wall, ms(500), "also if it has never read it");
    }

    #[test]
    fn the_first_decision_has_its_allowance_and_the_greeting_does_not_use_it_up() {
        let mut clock = keeper("greeting=50ms,move=100ms,first=+2s");
        for (greeting, limit) in [(true, 50), (false, 2100), (false, 100)] {
            clock.ask(ms(0), greeting);
            assert_eq!(clock.limit(), Some(ms(limit)));
            clock.stop(ms(1));
        }
    }

    #[test]
    fn a_bank_is_charged_for_what_was_used_and_gets_its_increment() {
        let mut clock = keeper("move=1s,bank=300ms,increment=20ms");
        assert_eq!(clock.ask(ms(0), false), Remaining { turn: Some(ms(1000)), bank: Some(ms(300)) });
        clock.written(ms(0));
        assert_eq!(clock.remaining(ms(40)).bank, Some(ms(260)));
        clock.stop(ms(100));
        clock.ask(ms(500), false);
        clock.written(ms(500));
        assert_eq!(clock.deadline(), Some(ms(720)), "what is left of the bank is less than the move limit");
        let spent = clock.stop(ms(800));
        assert_eq!((spent.wall, spent.lag), (ms(300), ms(80)), "the referee looked 80 ms late");
        assert_eq!(clock.remaining(ms(800)).bank, Some(ms(20)), "and charges nobody for that");
    }

    #[test]
    fn a_bank_alone_runs_during_the_greeting_too() {
        let mut clock = keeper("bank=1s");
        clock.ask(ms(0), true);
        clock.written(ms(0));
        clock.stop(ms(300));
        assert_eq!(clock.remaining(ms(300)).bank, Some(ms(700)));
        let mut clock = keeper("bank=1s,greeting=1s");
        clock.ask(ms(0), true);
        clock.written(ms(0));
        clock.stop(ms(300));
        assert_eq!(clock.remaining(ms(300)).bank, Some(ms(1000)));
    }

    #[test]
    fn soft_is_counted_and_still_accepted() {
        let mut clock = keeper("move=1s,soft=100ms");
        for (used, soft_late) in [(100, false), (101, true)] {
            clock.ask(ms(0), false);
            clock.written(ms(0));
            assert_eq!(clock.stop(ms(used)).soft_late, soft_late);
        }
    }
}

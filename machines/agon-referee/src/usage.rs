//! What counters say about the time of an answer, and how a record shows it.

use agon_core::TimePolicy;
use agon_spec::TimeRecord;
use core::time::Duration;

/// The most time of one question that is charged to nobody because the system blocked the bot.
pub(crate) const MOST_BLOCKED: Duration = Duration::from_secs(30);

/// The counters of a question since its clock started. Every number only grows until the answer arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// The usage of the bot's processes. `None` if the system does not report it.
    pub tree: Option<TreeUsage>,
    /// How long the referee had no core or woke late, while this seat waited for it.
    pub lag: Duration,
    /// Whether children of the bot may have ended uncounted. Such a bot may have computed more than `tree` says.
    pub partial: bool,
}

/// The usage of all processes of a bot together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TreeUsage {
    /// The CPU time.
    pub cpu: Duration,
    /// The least wall time in which the bot can use this much CPU time, if it runs on all its cores and never waits. It
    /// equals `cpu` if the bot has one thread.
    pub busy: Duration,
    /// How long the bot was ready to run but had no core. Cores that the bot itself kept busy do not count. Where a hypervisor
    /// ran others on a core of the match while the bot seemed to sleep, that time does.
    pub waited: Duration,
    /// How much of `waited` others caused for certain: the longest time that one of the bot's threads waited, less the
    /// CPU time that its other threads used meanwhile on any core.
    pub by_others: Duration,
    /// How long the system held every thread of the bot in a wait that nothing interrupts. No thread had a core in that
    /// time, so the bot gains nothing from it.
    pub blocked: Duration,
    /// Whether the system holds every thread right now.
    pub is_blocked: bool,
    /// Whether the bot waits for a core right now. The system reports the length of a wait only when it is over.
    pub waiting: bool,
    /// The number of cores that the bot may use at the same time, at least 1.
    pub cores: u32,
}

/// The question that a process must answer now. See [`AnyReferee::question`](crate::AnyReferee::question).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Question {
    /// The number of the question, counted from 1 for each seat.
    pub number: u64,
    /// The instant at which the clock started. Before the prompt is fully written it is the instant of the question.
    pub since: Duration,
    /// The limit of the turn or of the bank, whichever is less. `None` if neither has a limit.
    pub limit: Option<Duration>,
    /// The instant at which the time is up, as far as is known now. `None` if the question has no limit.
    pub deadline: Option<Duration>,
    /// What counts as the bot's own time.
    pub policy: TimePolicy,
}

impl Usage {
    /// Returns how much of the time `wall` passed while the system held the bot, apart from time that is in the other
    /// counters.
    pub(crate) fn blocked(&self, wall: Duration) -> Duration {
        let tree = self.tree.unwrap_or_default();
        let others = tree.busy.saturating_add(tree.waited).saturating_add(self.lag);
        tree.blocked.min(wall.saturating_sub(others))
    }

    /// Returns the record of an answer that took the time `wall`.
    pub(crate) fn record(&self, wall: Duration, lag: Duration, given: Duration) -> TimeRecord {
        let some = |time: Duration| (!time.is_zero()).then_some(micros(time));
        let tree = self.tree;
        TimeRecord {
            wall_us: micros(wall),
            cpu_us: tree.map(|tree| micros(tree.cpu)),
            busy_us: tree.filter(|tree| tree.busy != tree.cpu).map(|tree| micros(tree.busy)),
            runnable_us: tree.map(|tree| micros(tree.waited)),
            blocked_us: some(self.blocked(wall)),
            lag_us: some(lag),
            given_us: some(given),
            waiting: tree.is_some_and(|tree| tree.waiting),
            partial: self.partial && tree.is_some(),
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn usage(cpu: u64, busy: u64, waited: u64, lag: u64) -> Usage {
        let (cpu, busy, waited) = (ms(cpu), ms(busy), ms(waited));
        let tree = TreeUsage { cpu, busy, waited, by_others: waited, cores: 2, ..TreeUsage::default() };
        Usage { tree: Some(tree), lag: ms(lag), ..Usage::default() }
    }

    #[test]
    fn where_the_time_went_in_words() {
        let words = |wall, usage: Usage| usage.record(ms(wall), usage.lag, Duration::ZERO).to_string();
        assert_eq!(
            words(1310, usage(1280, 1280, 20, 0)),
            "it computed for 1.28s, waited 20.0ms for a core, and it slept or blocked for 10.0ms"
        );
        assert_eq!(
            words(100, usage(150, 75, 5, 20)),
            "it computed for 150ms (on 2 cores at once), waited 5.00ms for a core, the referee looked 20.0ms late, and \
             it slept or blocked for 0us"
        );
        let mut queued = usage(10, 10, 20, 0);
        queued.tree = queued.tree.map(|tree| TreeUsage { waiting: true, ..tree });
        assert_eq!(
            words(50, queued),
            "it computed for 10.0ms, waited 20.0ms for a core, and it slept, blocked or waited on for 20.0ms more"
        );
        let mut blocked = usage(10, 10, 20, 0);
        blocked.tree = blocked.tree.map(|tree| TreeUsage { blocked: ms(4000), ..tree });
        assert_eq!(
            words(4040, blocked),
            "it computed for 10.0ms, waited 20.0ms for a core, was blocked in the system for 4.00s, and it slept or \
             blocked for 10.0ms"
        );
        let partial = Usage { partial: true, ..usage(10, 10, 0, 0) };
        assert!(words(50, partial).starts_with("it computed for at least 10.0ms, "));
        let unmeasured = TimeRecord { wall_us: 7, ..TimeRecord::default() };
        assert_eq!(unmeasured.to_string(), "what it did meanwhile was not measured");
        assert!(!unmeasured.is_measured());
    }
}

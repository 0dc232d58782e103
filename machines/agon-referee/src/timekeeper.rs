//! The clock of one seat.

use crate::{Question, TimeRecord, Usage, answer_time::AnswerTime};
use agon_core::{ClockPolicy, Remaining, Seat, TimePolicy};
use agon_spec::SpoiltRecord;
use core::time::Duration;

/// The time that an answer took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spent {
    /// The wall time between the end of the prompt's write and the last byte of the answer.
    pub wall: Duration,
    /// Whether the part of it that counts exceeded the soft limit.
    pub soft_late: bool,
    /// How late the referee looked.
    pub lag: Duration,
    /// The part of `wall` that does not count, because the host took it.
    pub given: Duration,
    /// The counters for this answer.
    pub usage: Usage,
}

impl Spent {
    /// Returns the record of this time.
    #[must_use]
    pub fn record(&self) -> TimeRecord {
        self.usage.record(self.wall, self.lag, self.given)
    }
}

/// How long the clock waits for a bot to take its prompt. It is long enough for delays that the host causes, and too
/// short for a bot to think in.
const READING: Duration = Duration::from_millis(100);
/// The interval between two looks at a bot that waits for a core, or that the system blocks, when its time is up. The
/// system reports the length of a wait only when it is over.
const QUEUE: Duration = Duration::from_millis(5);
/// The least pause between two looks at a bot whose CPU time is limited. A bot gains nothing from the pause, because
/// the clock also checks the CPU time when an answer arrives.
const PACE: Duration = Duration::from_millis(1);

/// What a clock carries from one question to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// What is left in the bank. `None` if the clock has no bank.
    pub bank: Option<Duration>,
    /// Whether the next decision is the first.
    pub first: bool,
}

/// The clock of one seat.
///
/// The clock starts when the prompt is fully written, at the latest 100 ms after the question. It stops at the
/// last byte of the answer. Nothing that a bot writes moves its deadline. Time that the host takes moves it, if the
/// policy gives such time back.
///
/// Most prompts fit into the pipe, so that question and write are one instant. If a prompt does not fit, the bot has
/// not read earlier messages. It may still read most of the prompt and leave the rest, so the clock cannot wait for the
/// last byte: the bot would gain time. A bot that never reads is late when the limit has passed since the question.
#[derive(Clone, Debug)]
pub struct Timekeeper {
    policy: ClockPolicy,
    budget: Budget,
    /// The number of questions so far.
    questions: u64,
    /// The question whose clock runs now. `None` if no clock runs.
    running: Option<Running>,
}

/// A question whose clock runs.
#[derive(Clone, Copy, Debug)]
struct Running {
    /// The instant of the question.
    asked: Duration,
    /// The instant at which the clock started. `None` until the prompt is fully written.
    started: Option<Duration>,
    /// The limit of the turn or of the greeting.
    turn: Option<Duration>,
    greeting: bool,
    usage: Usage,
    /// How far the deadline has moved beyond the limit.
    extra: Duration,
}

impl Running {
    /// Returns the instant at which the clock started. If the prompt is not fully written, assumes that it is at `at`.
    fn start(&self, at: Duration) -> Duration {
        self.started.unwrap_or_else(|| at.min(self.asked.saturating_add(READING)))
    }
}

impl Timekeeper {
    /// Creates a clock that has not run yet.
    #[must_use]
    pub fn new(policy: ClockPolicy) -> Self {
        Self::with_budget(policy, Budget { bank: policy.bank, first: true })
    }

    /// Creates a clock that has run before.
    #[must_use]
    pub fn with_budget(policy: ClockPolicy, budget: Budget) -> Self {
        Self { policy, budget, questions: 0, running: None }
    }

    /// Returns what the clock has for the questions after the running one.
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// Starts a question: a greeting or a prompt is about to be written. Until it is written, the limit counts from
    /// `at`, so a bot that does not read cannot hold up the match.
    pub fn ask(&mut self, at: Duration, greeting: bool) -> Remaining {
        let turn = if greeting {
            self.policy.greeting
        } else if self.budget.first {
            self.policy.hard.map(|limit| limit.saturating_add(self.policy.first))
        } else {
            self.policy.hard
        };
        self.questions += 1;
        let (usage, extra) = (Usage::default(), Duration::ZERO);
        self.running = Some(Running { asked: at, started: None, turn, greeting, usage, extra });
        self.remaining(at)
    }

    /// Notes that the pipe has taken the whole prompt. Later messages within the same question do not move the clock.
    pub fn written(&mut self, at: Duration) {
        if let Some(running) = &mut self.running {
            running.started.get_or_insert(running.start(at));
        }
    }

    /// Takes the counters since the clock started. Under `fair` the deadline moves by the time that is given back, and in
    /// steps while the bot waits. It never moves back. Under `cpu` the deadline is the instant of the next look.
    pub(crate) fn counted(&mut self, at: Duration, usage: Usage) {
        let (limit, deadline) = (self.limit(), self.deadline());
        let policy = self.policy.policy;
        let Some(running) = &mut self.running else { return };
        running.usage = usage;
        let time = AnswerTime { policy, limit, wall: at.saturating_sub(running.start(at)), usage };
        let (Some(limit), Some(deadline)) = (limit, deadline) else { return };
        let end = deadline.saturating_sub(running.extra);
        match (policy, usage.tree) {
            (TimePolicy::Wall, _) | (TimePolicy::Cpu, None) => {}
            (TimePolicy::Fair, _) => {
                let next_look = at.saturating_add(QUEUE).saturating_sub(end);
                let most = time.most_wait().filter(|_| at >= deadline);
                let needed = most.map_or(Duration::ZERO, |most| next_look.min(most));
                running.extra = running.extra.max(time.given()).max(needed);
            }
            (TimePolicy::Cpu, Some(tree)) => {
                let left = limit.saturating_sub(tree.cpu) / tree.cores.max(1);
                let look = if left.is_zero() { at } else { at.saturating_add(left.max(PACE)) };
                let most = ClockPolicy::patience(limit).saturating_sub(limit);
                running.extra = running.extra.max(look.saturating_sub(end).min(most));
            }
        }
    }

    /// Returns what is known at this instant about the time of the answer. `None` if no clock runs.
    fn answer_time(&self, at: Duration) -> Option<AnswerTime> {
        let running = self.running?;
        let wall = at.saturating_sub(running.start(at));
        Some(AnswerTime { policy: self.policy.policy, limit: self.limit(), wall, usage: running.usage })
    }

    /// Returns whether the policy is `cpu` and the bot has used more CPU time than its limit.
    pub(crate) fn is_overdrawn(&self) -> bool {
        self.answer_time(Duration::ZERO).is_some_and(|time| time.is_overdrawn())
    }

    /// Returns whether the time is up at this instant.
    #[must_use]
    pub fn is_up(&self, at: Duration) -> bool {
        self.is_overdrawn() || self.deadline().is_some_and(|deadline| deadline <= at)
    }

    /// Returns the question whose clock runs now.
    pub(crate) fn question(&self) -> Option<Question> {
        let running = self.running?;
        Some(Question {
            number: self.questions,
            since: running.started.unwrap_or(running.asked),
            limit: self.limit(),
            deadline: self.deadline(),
            policy: self.policy.policy,
        })
    }

    /// Returns what the host took if this answer, which is late, [spoils](AnswerTime::spoils) the match. The record names `seat` and
    /// `ply`.
    pub(crate) fn taken_whole(&self, at: Duration, seat: Seat, ply: u32) -> Option<SpoiltRecord> {
        let time = self.answer_time(at)?;
        let (runnable, limit, tree) = (time.spoils()?, time.limit?, time.usage.tree?);
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        Some(SpoiltRecord {
            seat,
            ply,
            limit_us: micros(limit),
            wall_us: micros(time.wall),
            busy_us: micros(tree.busy),
            runnable_us: micros(runnable),
            lag_us: micros(time.usage.lag),
        })
    }

    /// Returns the time left for the turn and in the bank.
    #[must_use]
    pub fn remaining(&self, at: Duration) -> Remaining {
        let used = self.answer_time(at).map_or(Duration::ZERO, |time| time.charged());
        Remaining {
            turn: self.running.and_then(|running| running.turn).map(|turn| turn.saturating_sub(used)),
            bank: self.budget.bank.map(|bank| bank.saturating_sub(used)),
        }
    }

    /// Returns the limit of the running clock: that of the turn or that of the bank, whichever is less.
    #[must_use]
    pub fn limit(&self) -> Option<Duration> {
        let turn = self.running?.turn;
        match (turn, self.budget.bank) {
            (Some(turn), Some(bank)) => Some(turn.min(bank)),
            (turn, bank) => turn.or(bank),
        }
    }

    /// Returns the instant at which the running clock runs out, as far as is known.
    #[must_use]
    pub fn deadline(&self) -> Option<Duration> {
        let running = self.running?;
        let start = running.started.unwrap_or(running.asked);
        Some(start.saturating_add(self.limit()?).saturating_add(running.extra))
    }

    /// Returns the time that the answer has taken until `at`.
    #[must_use]
    pub fn spent(&self, at: Duration) -> Spent {
        self.account(at).map_or_else(Spent::default, |(spent, _)| spent)
    }

    /// Returns the time that the answer has taken, and the time that the bank is charged. A bot is not charged for time
    /// that passed only because the referee looked late.
    fn account(&self, at: Duration) -> Option<(Spent, Duration)> {
        let (running, time) = (self.running?, self.answer_time(at)?);
        let late = self.deadline().map_or(Duration::ZERO, |deadline| at.saturating_sub(deadline));
        let charged = time.charged().min(time.limit.unwrap_or(Duration::MAX));
        let spent = Spent {
            wall: time.wall,
            soft_late: !running.greeting && self.policy.soft.is_some_and(|soft| charged > soft),
            lag: late.max(running.usage.lag),
            given: time.given(),
            usage: running.usage,
        };
        Some((spent, charged))
    }

    /// Stops the clock and charges the bank, because the answer is complete or the seat has failed.
    pub fn stop(&mut self, at: Duration) -> Spent {
        self.end(at, self.policy.increment)
    }

    /// Stops the clock and charges the bank, but adds no increment, because the answer was not given by the clock.
    pub fn stop_without_increment(&mut self, at: Duration) -> Spent {
        self.end(at, Duration::ZERO)
    }

    fn end(&mut self, at: Duration, increment: Duration) -> Spent {
        let Some((spent, charged)) = self.account(at) else { return Spent::default() };
        let Some(running) = self.running.take() else { return spent };
        if running.greeting {
            // If the greeting has no limit of its own, the bank pays for it, too.
            if self.policy.greeting.is_none() {
                self.budget.bank = self.budget.bank.map(|bank| bank.saturating_sub(charged));
            }
            return spent;
        }
        let bank = self.budget.bank.map(|bank| bank.saturating_sub(charged).saturating_add(increment));
        self.budget = Budget { bank, first: false };
        spent
    }

    /// Withdraws the question without charging the bank.
    pub fn cancel(&mut self) {
        self.running = None;
    }
}

#[cfg(test)]
mod tests;

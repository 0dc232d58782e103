//! One seat's clock.

use crate::{Question, TimeRecord, Usage};
use agon_core::{ClockPolicy, Remaining, TimePolicy};
use core::time::Duration;

/// What an answer took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Spent {
    /// From the end of the write of the prompt to the last byte of the answer.
    pub wall: Duration,
    /// Whether what counts of it was beyond the soft limit.
    pub soft_late: bool,
    /// How much later than it had to the referee looked.
    pub lag: Duration,
    /// How much of `wall` was not charged because the host had taken it.
    pub given: Duration,
    /// What was counted meanwhile.
    pub usage: Usage,
}

impl Spent {
    /// For a record.
    pub(crate) fn record(&self) -> TimeRecord {
        self.usage.record(self.wall, self.lag, self.given)
    }
}

/// How long a prompt may wait to be written before that is the bot's own time: long enough for whatever keeps this
/// program from running, and too short for a bot to think in.
const READING: Duration = Duration::from_millis(100);
/// When to look again at a bot that waits for a core when its time is up: how long it has waited is known when it has
/// got one.
const QUEUE: Duration = Duration::from_millis(5);
/// The least pause between two looks at a bot whose CPU time is limited. No bot has more of it for that: what it has
/// used is what counts, also in an answer.
const PACE: Duration = Duration::from_millis(1);

/// Runs from the end of the write of a prompt, at the latest from [`READING`] after the question, to the last byte of
/// its answer. Nothing that a bot writes moves its deadline; what the host takes does, as far as the policy says.
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
    /// How many questions were asked.
    questions: u64,
    /// When the running clock was asked for, and the limit then.
    running: Option<Running>,
}

#[derive(Clone, Copy, Debug)]
struct Running {
    asked: Duration,
    started: Option<Duration>,
    turn: Option<Duration>,
    greeting: bool,
    usage: Usage,
    /// How much later than the limit the deadline is.
    extra: Duration,
}

impl Running {
    /// When the clock started, if the whole prompt was written at `at` or is not yet.
    fn start(&self, at: Duration) -> Duration {
        self.started.unwrap_or_else(|| at.min(self.asked.saturating_add(READING)))
    }
}

impl Timekeeper {
    pub(crate) fn new(policy: ClockPolicy) -> Self {
        Self { policy, bank: policy.bank, first: true, questions: 0, running: None }
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
        self.questions += 1;
        let (usage, extra) = (Usage::default(), Duration::ZERO);
        self.running = Some(Running { asked: at, started: None, turn, greeting, usage, extra });
        self.remaining(at)
    }

    /// The pipe has taken the whole prompt. What is said later within the same question changes nothing.
    pub(crate) fn written(&mut self, at: Duration) {
        if let Some(running) = &mut self.running {
            running.started.get_or_insert(running.start(at));
        }
    }

    /// What was counted since the clock started. Under `fair` the deadline moves by what the host took, never back, and
    /// never by more than one more limit. Under `cpu` it is when to look again.
    pub(crate) fn counted(&mut self, at: Duration, usage: Usage) {
        let (limit, deadline) = (self.limit(), self.deadline());
        let Some(running) = &mut self.running else { return };
        running.usage = usage;
        let (Some(limit), Some(deadline)) = (limit, deadline) else { return };
        let end = deadline.saturating_sub(running.extra);
        match (self.policy.policy, usage.tree) {
            (TimePolicy::Wall, _) | (TimePolicy::Cpu, None) => {}
            (TimePolicy::Fair, tree) => {
                let given = usage.taken_by_host(at.saturating_sub(running.start(at)));
                // Who has computed for as long as the limit is late, whatever it waits for.
                let waits = tree.is_some_and(|tree| tree.waiting && tree.busy < limit) && at >= deadline;
                let needed = if waits { at.saturating_add(QUEUE).saturating_sub(end) } else { Duration::ZERO };
                running.extra = running.extra.max(given.max(needed).min(limit));
            }
            (TimePolicy::Cpu, Some(tree)) => {
                let left = limit.saturating_sub(tree.cpu) / tree.cores.max(1);
                let look = if left.is_zero() { at } else { at.saturating_add(left.max(PACE)) };
                let most = ClockPolicy::patience(limit).saturating_sub(limit);
                running.extra = running.extra.max(look.saturating_sub(end).min(most));
            }
        }
    }

    /// Whether more CPU time was used than there was.
    pub(crate) fn is_overdrawn(&self) -> bool {
        let cpu = self.running.and_then(|running| running.usage.cpu());
        self.policy.policy == TimePolicy::Cpu && cpu.zip(self.limit()).is_some_and(|(cpu, limit)| cpu > limit)
    }

    /// Whether the time is up at this instant.
    pub(crate) fn is_up(&self, at: Duration) -> bool {
        self.is_overdrawn() || self.deadline().is_some_and(|deadline| deadline <= at)
    }

    /// The question that is to be answered now.
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

    /// What counts of the time until now, and what of it is given back.
    fn used(&self, running: &Running, at: Duration, limit: Option<Duration>) -> (Duration, Duration) {
        let wall = at.saturating_sub(running.start(at));
        match self.policy.policy {
            TimePolicy::Fair if running.usage != Usage::default() => {
                let taken = running.usage.taken_by_host(wall);
                let given = limit.map_or(taken, |limit| taken.min(limit));
                (wall.saturating_sub(given), given)
            }
            TimePolicy::Cpu => (running.usage.cpu().unwrap_or(wall), Duration::ZERO),
            TimePolicy::Wall | TimePolicy::Fair => (wall, Duration::ZERO),
        }
    }

    /// What is left now of the turn and of the bank.
    pub(crate) fn remaining(&self, at: Duration) -> Remaining {
        let Some(running) = self.running else { return Remaining { turn: None, bank: self.bank } };
        let (used, _) = self.used(&running, at, self.limit());
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

    /// When the running clock runs out, as far as is known.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        let running = self.running?;
        let start = running.started.unwrap_or(running.asked);
        Some(start.saturating_add(self.limit()?).saturating_add(running.extra))
    }

    /// What the answer has taken until now.
    pub(crate) fn spent(&self, at: Duration) -> Spent {
        self.running.map_or_else(Spent::default, |running| self.account(&running, at).0)
    }

    /// What the answer has taken, and what is charged for it: what was late only because the referee looked late is
    /// charged to nobody.
    fn account(&self, running: &Running, at: Duration) -> (Spent, Duration) {
        let limit = self.limit();
        let start = running.start(at);
        let late = limit.map_or(Duration::ZERO, |limit| {
            let deadline = running.started.unwrap_or(running.asked).saturating_add(limit).saturating_add(running.extra);
            at.saturating_sub(deadline)
        });
        let (used, given) = self.used(running, at, limit);
        let charged = limit.map_or(used, |limit| used.min(limit));
        let spent = Spent {
            wall: at.saturating_sub(start),
            soft_late: !running.greeting && self.policy.soft.is_some_and(|soft| charged > soft),
            lag: late.max(running.usage.lag),
            given,
            usage: running.usage,
        };
        (spent, charged)
    }

    /// The answer is complete, or has failed: stops the clock and charges the bank.
    pub(crate) fn stop(&mut self, at: Duration) -> Spent {
        let Some(running) = self.running else { return Spent::default() };
        let (spent, charged) = self.account(&running, at);
        self.running = None;
        if running.greeting {
            // A bank without a greeting limit of its own runs for every answer of the match.
            if self.policy.greeting.is_none() {
                self.bank = self.bank.map(|bank| bank.saturating_sub(charged));
            }
            return spent;
        }
        self.first = false;
        self.bank = self.bank.map(|bank| bank.saturating_sub(charged).saturating_add(self.policy.increment));
        spent
    }

    /// The question is withdrawn: nothing is charged.
    pub(crate) fn cancel(&mut self) {
        self.running = None;
    }
}

#[cfg(test)]
mod tests;

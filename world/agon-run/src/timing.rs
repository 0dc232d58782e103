//! When counters are read, and what the machine is told of them.
//!
//! Nothing is read for an answer that comes at once. The first look is taken when an answer has not come after a short
//! time, then there is one now and then, one when it comes, and one whenever the time is up: then the machine decides
//! whether it really is. Only where CPU time is limited is there a look before each prompt.

use crate::{
    counters::{OwnWait, snapshot},
    pin::cores,
    seat::Pipes,
    turns::{ROUND, Turns},
};
use agon_core::{Seat, TimePolicy};
use agon_referee::{In, Question, Usage};
use agon_spec::MatchSpec;
use std::time::Duration;

/// The least pause between two looks at one bot, but at a deadline and where CPU time is limited: nobody can make us
/// count instead of play by writing its answer letter by letter. Longer for a bot with so many threads that a look
/// takes long: so many times that.
const PAUSE: (Duration, u32) = (Duration::from_millis(1), 20);
/// The longest pause between two looks at a bot that takes long: what is known of a thread ends with it.
const RHYTHM: Duration = Duration::from_millis(100);
/// Frozen bots may use so much CPU time: the system does, for them.
const FROZEN: Duration = Duration::from_millis(1);

/// What is known of our own waiting.
#[derive(Debug)]
pub(crate) struct Timing {
    own: OwnWait,
    /// On how many cores a bot may run at once.
    cores: u32,
    /// Whether anybody's CPU time is limited.
    limits_cpu: bool,
    /// How late we woke the last time, or how long we had no core in that sleep.
    lag: Duration,
    /// When that was.
    woke: Duration,
    /// How often we woke: everybody is late by the same sleep only once.
    round: u64,
}

/// What was known before a sleep.
pub(crate) struct Asleep {
    at: Duration,
    /// Our own waiting until then; only while somebody takes long.
    own: Option<Duration>,
}

impl Timing {
    /// For this thread, on which the match is played.
    pub(crate) fn new(spec: &MatchSpec) -> Self {
        let cores = cores().len().max(1) as u32;
        let mut clocks = spec.seats.iter().map(|seat| seat.clock.unwrap_or(spec.clock));
        let limits_cpu = clocks.any(|clock| clock.policy == TimePolicy::Cpu);
        Self { own: OwnWait::default(), cores, limits_cpu, lag: Duration::ZERO, woke: Duration::ZERO, round: 0 }
    }

    /// What is found now was not slept over.
    pub(crate) fn awake(&mut self, now: Duration) {
        self.set(now, Duration::ZERO);
    }

    fn set(&mut self, now: Duration, lag: Duration) {
        (self.woke, self.lag) = (now, lag);
        self.round += 1;
    }
}

/// How long an answer may take before counters are read: a tenth of the limit, within bounds. Below a tick of the kernel
/// a timer costs more than an exchange.
fn short_time(limit: Option<Duration>) -> Duration {
    limit.map_or(ROUND, |limit| (limit / 10).clamp(Duration::from_millis(5), ROUND).min(limit / 2))
}

impl Turns<'_, '_> {
    /// When the answer to this question has taken long.
    fn slow_at(question: &Question) -> Duration {
        question.since.saturating_add(short_time(question.limit))
    }

    /// When to take the next look at a bot that is to answer.
    pub(crate) fn next_look(&self, pipe: &Pipes) -> Option<Duration> {
        let question = self.machine.question(pipe.seat)?;
        let meter = &self.bots[pipe.seat.index()].as_ref()?.meter;
        let known = meter.knows(question.number);
        Some(if known { meter.looked().saturating_add(RHYTHM) } else { Self::slow_at(&question) })
    }

    /// Takes a look at everybody who takes long.
    pub(crate) fn look_at_slow_ones(&mut self, pipes: &[Pipes]) {
        for pipe in pipes {
            if self.next_look(pipe).is_some_and(|at| at <= self.now) {
                self.count(pipe);
            }
        }
    }

    /// Before what is said to a bot whose CPU time is limited.
    pub(crate) fn count_before(&mut self, pipe: &Pipes) {
        if !self.timing.limits_cpu {
            return;
        }
        let Some(question) = self.machine.question(pipe.seat) else { return };
        let known = self.bots[pipe.seat.index()].as_ref().is_none_or(|bot| bot.meter.knows(question.number));
        if question.policy == TimePolicy::Cpu && !known {
            self.count(pipe);
        }
    }

    /// A whole prompt was written now: until when an answer comes at once. Before that instant nothing else is looked
    /// up, which would cost a few percent of an exchange.
    pub(crate) fn asked(&mut self, pipe: &Pipes) {
        let slow_at = match self.machine.question(pipe.seat) {
            Some(question) if question.policy != TimePolicy::Cpu => Self::slow_at(&question),
            _ => Duration::ZERO,
        };
        if let Some(bot) = &mut self.bots[pipe.seat.index()] {
            bot.slow_at = slow_at;
        }
    }

    /// Something of a bot was read just now, and is not fed yet.
    pub(crate) fn count_late(&mut self, pipe: &Pipes) {
        if self.bots[pipe.seat.index()].as_ref().is_none_or(|bot| self.now < bot.slow_at) {
            return;
        }
        let Some(question) = self.machine.question(pipe.seat) else { return };
        let Some(bot) = &mut self.bots[pipe.seat.index()] else { return };
        let limited = question.policy == TimePolicy::Cpu;
        if !limited && self.now < Self::slow_at(&question) {
            return;
        }
        // It had come before we woke, or while we were busy with others.
        let lag = self.timing.lag.saturating_add(self.now.saturating_sub(self.timing.woke));
        bot.meter.add_lag(question.number, self.timing.round, lag);
        let (pause, times) = PAUSE;
        let pause = pause.max(bot.meter.cost().saturating_mul(times));
        if limited || !bot.meter.knows(question.number) || self.now.saturating_sub(bot.meter.looked()) >= pause {
            self.count(pipe);
        }
    }

    /// Reads the counters of a bot that is to answer and tells the machine.
    pub(crate) fn count(&mut self, pipe: &Pipes) {
        let Some(question) = self.machine.question(pipe.seat) else { return };
        let Some(bot) = &mut self.bots[pipe.seat.index()] else { return };
        let at = self.start.elapsed();
        let now = snapshot(at, bot.tree().0);
        bot.meter.costs(self.start.elapsed().saturating_sub(at));
        let tree = bot.meter.read(question.number, question.since.min(at), at, now, self.timing.cores);
        let usage = Usage { tree, lag: bot.meter.lag() };
        self.machine.feed(at, In::Usage { seat: pipe.seat, usage });
    }

    /// Lets a bot go on, and tells if it was not as frozen as it should have been.
    pub(crate) fn thaw(&mut self, seat: Seat) {
        let Some(bot) = &mut self.bots[seat.index()] else { return };
        let cpu = bot.thaw();
        if cpu > FROZEN {
            self.machine.feed(self.now, In::OffTurn { seat, cpu });
        }
    }

    /// Before a sleep.
    pub(crate) fn falls_asleep(&mut self, pipes: &[Pipes]) -> Asleep {
        let slow = pipes.iter().any(|pipe| {
            let meter = self.bots[pipe.seat.index()].as_ref().map(|bot| &bot.meter);
            let number = self.machine.question(pipe.seat).map(|question| question.number);
            meter.zip(number).is_some_and(|(meter, number)| meter.knows(number))
        });
        Asleep { at: self.now, own: if slow { self.timing.own.read() } else { None } }
    }

    /// After a sleep until `wake` at the latest.
    pub(crate) fn wakes_up(&mut self, asleep: Asleep, wake: Option<Duration>) {
        let late = wake.map_or(Duration::ZERO, |wake| self.now.saturating_sub(wake.max(asleep.at)));
        let waited = asleep.own.and_then(|before| Some(self.timing.own.read()?.saturating_sub(before)));
        let lag = late.max(waited.unwrap_or_default()).min(self.now.saturating_sub(asleep.at));
        self.timing.set(self.now, lag);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_time_is_short_for_every_limit() {
        let ms = Duration::from_millis;
        for (limit, short) in [(1000, 20), (100, 10), (50, 5), (20, 5), (6, 3), (1, 0)] {
            let expected = if limit == 1 { Duration::from_micros(500) } else { ms(short) };
            assert_eq!(short_time(Some(ms(limit))), expected, "{limit}");
        }
        assert_eq!(short_time(None), ROUND);
    }
}

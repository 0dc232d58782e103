//! When counters are read, and what the machine learns from them.
//!
//! A quick answer costs no reading. If an answer has not come after a short time, the counters are read for the first
//! time. They are read again from time to time, when the answer comes, and whenever a deadline passes. The machine
//! then decides whether the bot is late. If CPU time is limited, the counters are also read before each prompt.

use crate::{
    counters::{OwnWait, snapshot},
    pipes::Pipes,
    steal::StealTime,
    turns::{ROUND, Turns},
};
use agon_core::{Seat, TimePolicy};
use agon_referee::{In, Question, Usage};
use agon_sandbox::Shortage;
use agon_spec::MatchSpec;
use std::time::Duration;

/// The shortest pause between two readings for one bot: the time, or so many times the duration of the last reading if
/// that is longer. Without it, a bot that writes its answer letter by letter could keep the referee busy with
/// readings, and a bot with many threads makes each reading slow. The pause does not apply at deadlines or if CPU time
/// is limited.
const PAUSE: (Duration, u32) = (Duration::from_millis(1), 20);
/// The longest pause between two readings for a slow bot. When a thread ends, its counters are gone, so that the last
/// reading before must not be long ago.
const RHYTHM: Duration = Duration::from_millis(100);
/// The pause between two readings for a bot that the system blocks. What passes between the last reading that saw it so and
/// its end is not known to have been taken from the bot.
const BLOCKED: Duration = Duration::from_millis(10);

/// The lag of the referee: how late this thread is when it reads an answer.
#[derive(Debug)]
pub(crate) struct Timing {
    own: OwnWait,
    steal: StealTime,
    /// How many cores a bot can use at the same time.
    cores: u32,
    /// Whether the CPU time of any seat is limited.
    limits_cpu: bool,
    /// How late this thread woke up from its last sleep, or how long it had no core during that sleep if that is
    /// longer.
    lag: Duration,
    /// When `lag` was noted.
    woke: Duration,
    /// How often this thread woke up. The lag of one sleep counts only once for each bot.
    round: u64,
}

/// The state before a sleep.
pub(crate) struct Asleep {
    at: Duration,
    /// How long this thread had waited for a core until then. `None` unless a bot is slow.
    own: Option<Duration>,
}

impl Timing {
    /// Starts for the current thread, which plays the match. Each bot may run on `cores` cores at the same time.
    pub(crate) fn new(spec: &MatchSpec, cores: u32, steal: StealTime) -> Self {
        let mut clocks = spec.seats.iter().map(|seat| seat.clock.unwrap_or(spec.clock));
        let limits_cpu = clocks.any(|clock| clock.policy == TimePolicy::Cpu);
        let (lag, woke) = (Duration::ZERO, Duration::ZERO);
        Self { own: OwnWait::default(), steal, cores, limits_cpu, lag, woke, round: 0 }
    }

    /// Notes that this thread is awake and has no lag.
    pub(crate) fn awake(&mut self, now: Duration) {
        self.set(now, Duration::ZERO);
    }

    fn set(&mut self, now: Duration, lag: Duration) {
        (self.woke, self.lag) = (now, lag);
        self.round += 1;
    }
}

/// How long an answer may take before counters are read: a tenth of the limit, but at least 5 ms and at most
/// [`ROUND`], and never more than half the limit. Shorter times are not worth it: below a tick of the kernel, a timer
/// costs more than an exchange.
fn short_time(limit: Option<Duration>) -> Duration {
    limit.map_or(ROUND, |limit| (limit / 10).clamp(Duration::from_millis(5), ROUND).min(limit / 2))
}

impl Turns<'_, '_> {
    /// The instant from which the answer to this question counts as slow.
    fn slow_at(question: &Question) -> Duration {
        question.since.saturating_add(short_time(question.limit))
    }

    /// When to read the counters of a bot next. `None` if the bot has no question to answer.
    pub(crate) fn next_look(&self, pipe: &Pipes) -> Option<Duration> {
        let question = self.machine.question(pipe.seat)?;
        let meter = &self.bots[pipe.seat.index()].as_ref()?.answer.meter;
        let known = meter.knows(question.number);
        let pause = if meter.saw_it_blocked() { BLOCKED.max(meter.cost().saturating_mul(PAUSE.1)) } else { RHYTHM };
        Some(if known { meter.looked().saturating_add(pause) } else { Self::slow_at(&question) })
    }

    /// Reads the counters of every slow bot whose next reading is due.
    pub(crate) fn look_at_slow_ones(&mut self, pipes: &[Pipes]) {
        for pipe in pipes {
            if self.next_look(pipe).is_some_and(|at| at <= self.clock.now) {
                self.count(pipe.seat);
            }
        }
    }

    /// Reads the counters of a bot before a prompt is written to it, if its CPU time is limited.
    pub(crate) fn count_before(&mut self, pipe: &Pipes) {
        if !self.timing.limits_cpu {
            return;
        }
        let Some(question) = self.machine.question(pipe.seat) else { return };
        let known = self.bots[pipe.seat.index()].as_ref().is_none_or(|bot| bot.answer.meter.knows(question.number));
        if question.policy == TimePolicy::Cpu && !known {
            self.count(pipe.seat);
        }
    }

    /// Notes from which instant the answer to a prompt counts as slow, because the whole prompt was written now. For a
    /// quicker answer the machine need not be asked for the question, which would cost a few percent of an exchange.
    pub(crate) fn asked(&mut self, pipe: &Pipes) {
        let slow_at = match self.machine.question(pipe.seat) {
            Some(question) if question.policy != TimePolicy::Cpu => Self::slow_at(&question),
            _ => Duration::ZERO,
        };
        if let Some(bot) = &mut self.bots[pipe.seat.index()] {
            bot.answer.slow_at = slow_at;
            bot.answer.missed = Shortage::missed();
        }
    }

    /// Adds the lag and reads the counters if a slow answer has just arrived. Call this before the machine gets the
    /// bytes.
    pub(crate) fn count_late(&mut self, pipe: &Pipes) {
        if self.bots[pipe.seat.index()].as_ref().is_none_or(|bot| self.clock.now < bot.answer.slow_at) {
            return;
        }
        let Some(question) = self.machine.question(pipe.seat) else { return };
        let Some(bot) = &mut self.bots[pipe.seat.index()] else { return };
        let limited = question.policy == TimePolicy::Cpu;
        if !limited && self.clock.now < Self::slow_at(&question) {
            return;
        }
        // The answer may have arrived before this thread woke up, or while it served other bots.
        let lag = self.timing.lag.saturating_add(self.clock.now.saturating_sub(self.timing.woke));
        bot.answer.meter.add_lag(question.number, self.timing.round, lag);
        let (pause, times) = PAUSE;
        let pause = pause.max(bot.answer.meter.cost().saturating_mul(times));
        if limited
            || !bot.answer.meter.knows(question.number)
            || self.clock.now.saturating_sub(bot.answer.meter.looked()) >= pause
        {
            self.count(pipe.seat);
        }
    }

    /// Reads the counters of a bot that has a question to answer, and reports them to the machine.
    pub(crate) fn count(&mut self, seat: Seat) {
        let Some(question) = self.machine.question(seat) else { return };
        let Some(root) = self.bots[seat.index()].as_ref().map(|bot| bot.reach().root()) else { return };
        let at = self.clock.elapsed();
        let mut now = snapshot(at, root);
        let Some(bot) = &mut self.bots[seat.index()] else { return };
        if let Some(now) = &mut now {
            now.group = bot.cpu_time();
            now.keeper = bot.reach().keeper().unwrap_or_default();
            now.stolen = self.timing.steal.read();
        }
        bot.answer.meter.costs(self.clock.elapsed().saturating_sub(at));
        let tree = bot.answer.meter.read(question.number, question.since.min(at), at, now, self.timing.cores);
        let usage = Usage { tree, lag: bot.answer.meter.lag(), partial: bot.counts_partially() };
        self.machine.feed(at, In::Usage { seat, usage });
    }

    /// Lets a stopped bot continue, and reports the CPU time that it used outside its turn, if any.
    pub(crate) fn thaw(&mut self, seat: Seat) {
        let Some(bot) = &mut self.bots[seat.index()] else { return };
        let cpu = bot.pause.enter_turn();
        if !cpu.is_zero() {
            self.machine.feed(self.clock.now, In::OffTurn { seat, cpu });
        }
    }

    /// Notes the state before a sleep.
    pub(crate) fn falls_asleep(&mut self, pipes: &[Pipes]) -> Asleep {
        let slow = pipes.iter().any(|pipe| {
            let meter = self.bots[pipe.seat.index()].as_ref().map(|bot| &bot.answer.meter);
            let number = self.machine.question(pipe.seat).map(|question| question.number);
            meter.zip(number).is_some_and(|(meter, number)| meter.knows(number))
        });
        Asleep { at: self.clock.now, own: if slow { self.timing.own.read() } else { None } }
    }

    /// Computes the lag after a sleep that should have ended at `wake` at the latest.
    pub(crate) fn wakes_up(&mut self, asleep: Asleep, wake: Option<Duration>) {
        let late = wake.map_or(Duration::ZERO, |wake| self.clock.now.saturating_sub(wake.max(asleep.at)));
        let waited = asleep.own.and_then(|before| Some(self.timing.own.read()?.saturating_sub(before)));
        let lag = late.max(waited.unwrap_or_default()).min(self.clock.now.saturating_sub(asleep.at));
        self.timing.set(self.clock.now, lag);
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

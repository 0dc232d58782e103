//! Finds bots that compute outside their own turn, and stops them.
//!
//! A signal costs as much as an exchange, so an answer alone stops no bot. Instead the runner looks at every bot outside its
//! turn once in each [`TICK`]. In a fast exchange the bot is asked again before the second look, and the first look reads a
//! single clock. From the second look on, all processes of the bot count. A bot that has computed for more than
//! [`ALLOWANCE`] is stopped until its next turn.

use crate::{counters, pipes::Pipes, turns::Turns};
use agon_core::Seat;
use rustix::fd::BorrowedFd;
#[cfg(target_os = "linux")]
use rustix::{
    fd::{AsFd, OwnedFd},
    time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime},
};
use std::{io, time::Duration};

/// The time between two looks. The second look after a question stops a neighbour, which is within 2 ms.
const TICK: Duration = Duration::from_micros(900);
/// The CPU time that a bot may use outside its turn. Runtimes do some housekeeping now and then.
const ALLOWANCE: Duration = Duration::from_micros(200);
/// If a built-in bot thinks for longer than this, the runner looks at the other bots before it thinks.
const LONG_THOUGHT: Duration = Duration::from_micros(300);

/// The state of a bot that is outside its own turn and was not stopped.
#[derive(Debug, Default)]
pub(crate) struct OffTurn {
    looks: u32,
    /// Each process, and its CPU time when it was first seen.
    processes: Vec<(i32, Duration)>,
}

impl OffTurn {
    /// Takes a look at a bot with this main process. Returns whether the bot has computed since the first look. `all` lists
    /// its processes if it may have several.
    pub(crate) fn has_computed(&mut self, main: i32, all: impl FnOnce() -> Option<Vec<i32>>) -> bool {
        self.looks = self.looks.saturating_add(1);
        if self.looks == 1 {
            self.processes.push((main, counters::own_time(main)));
            return false;
        }
        if let Some(now) = all() {
            // A process that starts another one and ends leaves no CPU time behind.
            let ended = self.processes.iter().any(|(process, _)| !now.contains(process));
            let new: Vec<i32> =
                now.into_iter().filter(|id| self.processes.iter().all(|(known, _)| known != id)).collect();
            if ended || new.iter().any(|process| counters::is_ready(*process)) {
                return true;
            }
            self.processes.extend(new.into_iter().map(|process| (process, counters::own_time(process))));
        }
        let used = self.processes.iter().map(|(process, then)| counters::own_time(*process).saturating_sub(*then));
        used.sum::<Duration>() > ALLOWANCE
    }
}

/// Knows when to look at the bots outside their turn.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ticker {
    last: Duration,
}

impl Ticker {
    /// When the next look is due.
    pub(crate) fn due(&self) -> Duration {
        self.last.saturating_add(TICK)
    }
}

/// Wakes the loop for each look. The kernel would have to program a timeout of `poll` that is shorter than its tick anew in
/// each exchange, which costs more than the exchange. This timer is programmed once.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub(crate) struct Alarm {
    timer: OwnedFd,
}

/// Never exists on this system. The loop looks at the clock instead.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub(crate) enum Alarm {}

#[cfg(target_os = "linux")]
impl Alarm {
    pub(crate) fn new() -> io::Result<Option<Self>> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        let tick = Timespec { tv_sec: 0, tv_nsec: i64::from(TICK.subsec_nanos()) };
        let every = Itimerspec { it_interval: tick, it_value: tick };
        timerfd_settime(&timer, TimerfdTimerFlags::empty(), &every)?;
        Ok(Some(Self { timer }))
    }

    /// Readable when a look is due.
    pub(crate) fn wakes(&self) -> BorrowedFd<'_> {
        self.timer.as_fd()
    }

    /// Makes it unreadable until the next look is due.
    pub(crate) fn quiet(&self) {
        let _ = rustix::io::read(&self.timer, &mut [0; 8]);
    }
}

#[cfg(not(target_os = "linux"))]
impl Alarm {
    pub(crate) fn new() -> io::Result<Option<Self>> {
        Ok(None)
    }

    pub(crate) fn wakes(&self) -> BorrowedFd<'_> {
        match *self {}
    }

    pub(crate) fn quiet(&self) {
        match *self {}
    }
}

impl Turns<'_, '_> {
    /// Notes that a bot has answered. From now on it must not compute.
    pub(crate) fn leave_turn(&mut self, seat: Seat) {
        if let Some(bot) = &mut self.bots[seat.index()] {
            bot.leave_turn(self.now);
        }
    }

    /// Looks at every bot that must not compute, if a look is due, and stops those that do. What other bots lost by that is
    /// charged to nobody.
    pub(crate) fn look_off_turn(&mut self, pipes: &[Pipes]) {
        let Some(ticker) = self.ticker.as_mut().filter(|ticker| ticker.due() <= self.now) else { return };
        ticker.last = self.now;
        let mut stopped = false;
        for bot in self.bots.iter_mut().flatten() {
            if bot.computes_off_turn() {
                bot.freeze(self.now);
                stopped = true;
            }
        }
        if stopped && self.machine.settings().in_turn {
            for pipe in pipes {
                self.disturbed(pipe);
            }
        }
    }

    /// Notes that a neighbour of this bot has computed until now.
    fn disturbed(&mut self, pipe: &Pipes) {
        let Some(question) = self.machine.question(pipe.seat) else { return };
        let Some(bot) = &mut self.bots[pipe.seat.index()] else { return };
        let lost = self.now.saturating_sub(question.since);
        bot.meter.disturb(question.number, lost);
        self.tell_usage(pipe);
    }

    /// Stops every bot that computes, before a built-in bot thinks. The look costs time, so it is taken only if the built-in
    /// bot thought for long the last time, or has not thought before.
    pub(crate) fn make_room(&mut self, seat: Seat) {
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
    use std::{
        process::{Child, Command, Stdio},
        time::Instant,
    };

    struct Started(Child);

    impl Drop for Started {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    fn shell(script: &str) -> Started {
        Started(Command::new("sh").args(["-c", script]).stdout(Stdio::null()).spawn().expect("a shell"))
    }

    /// Returns whether a bot was seen computing in so many looks.
    fn is_seen(process: i32, looks: u32) -> bool {
        let mut off = OffTurn::default();
        (0..looks).any(|_| {
            std::thread::yield_now();
            off.has_computed(process, || Some(counters::tree(process)))
        })
    }

    /// Looks until something is so. No machine is busy for as long as this may take.
    fn in_the_end(mut is_so: impl FnMut() -> bool) -> bool {
        let start = Instant::now();
        while !is_so() {
            if start.elapsed() > Duration::from_secs(60) {
                return false;
            }
            std::thread::yield_now();
        }
        true
    }

    /// Returns whether a bot that computes was seen in the end.
    fn is_seen_in_the_end(process: i32) -> bool {
        let mut off = OffTurn::default();
        in_the_end(|| off.has_computed(process, || Some(counters::tree(process))))
    }

    #[test]
    fn a_bot_that_sleeps_is_left_alone() {
        let bot = shell("sleep 100");
        let id = bot.0.id() as i32;
        // It may still be starting, which is computing.
        let is_ready = || counters::is_ready(id) || counters::tree(id).into_iter().any(counters::is_ready);
        assert!(in_the_end(|| !is_ready()));
        assert!(!is_seen(id, 50));
    }

    #[test]
    fn a_bot_that_computes_is_seen_itself_or_by_its_children() {
        let bot = shell("while :; do :; done");
        assert!(is_seen_in_the_end(bot.0.id() as i32));
        let parent = shell("while :; do :; done & echo $!; wait");
        let id = parent.0.id() as i32;
        assert!(in_the_end(|| counters::tree(id).len() >= 2));
        let child = counters::tree(id)[1];
        assert!(is_seen_in_the_end(id));
        let child = rustix::process::Pid::from_raw(child).expect("a number");
        let _ = rustix::process::kill_process(child, rustix::process::Signal::KILL);
        let chain = shell("while :; do (:); done");
        assert!(is_seen_in_the_end(chain.0.id() as i32));
    }
}

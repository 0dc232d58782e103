//! The loop of a match: carry out the machine's orders, wait, and report to the machine what happened.

use crate::{
    CancelFlag, Chunk, Notice, People, Request,
    pipes::Pipes,
    seat::{Bot, Drain},
    streams::{DRAIN_PAUSES, READS},
    timing::Timing,
};
use agon_core::Seat;
use agon_referee::{AnyReferee, Do, In, MatchEvent, SeatKind};
use agon_sandbox::Shortage;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::AsFd,
    io::Errno,
};
use std::{
    ops::Range,
    time::{Duration, Instant},
};

/// The interval at which everything is polled, not only the awaited seats. It is longer than a tick of any kernel: a
/// shorter timer would be the processor's next event and would have to be programmed, which costs more than an
/// exchange.
pub(crate) const ROUND: Duration = Duration::from_millis(20);
/// The interval at which the runner asks whether a process has ended, if the system does not report it by itself.
const ASKING: Duration = Duration::from_millis(10);

/// How the loop ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Left {
    Over,
    Cancelled,
    /// The host was short of something that the match needs.
    Short(Shortage),
}

/// What a descriptor in the poll set belongs to. The numbers are indices into the pipes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    Output(usize),
    Errors(usize),
    Input(usize),
    Process(usize),
    People,
    Cancel,
}

/// A running match.
pub(crate) struct Turns<'a, 't> {
    pub machine: &'a mut dyn AnyReferee,
    pub bots: Vec<Option<Bot>>,
    pub sinks: Sinks<'a, 't>,
    pub cancel: &'a CancelFlag,
    pub clock: Clock,
    /// Measures the lag of the referee.
    pub timing: Timing,
    pub polling: Polling,
    pub buffer: Box<[u8]>,
    /// Set when it is not known whether a bot is late, because the host was short of something.
    pub short: Option<Shortage>,
}

/// Where the events of a match go.
pub(crate) struct Sinks<'a, 't> {
    pub observer: &'a mut dyn FnMut(&MatchEvent),
    pub transcript: Option<&'t mut (dyn FnMut(Chunk<'_>) + 't)>,
    /// Receives the messages to people.
    pub notices: Option<&'t mut (dyn FnMut(Notice<'_>) + 't)>,
}

/// The clock of a match, which begins at zero.
pub(crate) struct Clock {
    pub start: Instant,
    /// When it was last read.
    pub now: Duration,
}

impl Clock {
    pub(crate) fn read(&mut self) -> Duration {
        self.now = self.elapsed();
        self.now
    }

    /// Returns the time without noting it.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

/// What the next poll has to cover.
#[derive(Default)]
pub(crate) struct Polling {
    /// Whether the poll set must be rebuilt.
    pub changed: bool,
    /// Whether something was written since the output of the bots was last read.
    pub wrote: bool,
    /// When everything was last polled.
    pub looked: Duration,
    /// Whether the last [`PeopleHandle`](crate::PeopleHandle) is gone, so that no request can follow.
    pub deserted: bool,
}

impl Turns<'_, '_> {
    /// Runs the match until it is over or cancelled.
    pub(crate) fn run(&mut self, pipes: &mut [Pipes], people: Option<&People>) -> std::io::Result<Left> {
        let mut sources = Vec::new();
        loop {
            for pipe in &mut *pipes {
                if let Some(bot) = &self.bots[pipe.seat.index()] {
                    pipe.close(bot.streams.open);
                }
            }
            self.polling.changed = false;
            if let Some(left) = self.watch(pipes, people, &mut sources)? {
                return Ok(left);
            }
        }
    }

    /// Plays until the poll set has to change. `None` means that the match goes on with a new one.
    fn watch(
        &mut self,
        pipes: &[Pipes],
        people: Option<&People>,
        sources: &mut Vec<Source>,
    ) -> std::io::Result<Option<Left>> {
        sources.clear();
        let mut fds = Vec::with_capacity(pipes.len() * 4 + 1);
        let mut segments = [const { 0..0 }; agon_core::MAX_SEATS];
        for (at, pipe) in pipes.iter().enumerate() {
            let Some(bot) = &self.bots[pipe.seat.index()] else { continue };
            let from = fds.len();
            let mut add = |source, fd, flags| {
                fds.push(PollFd::from_borrowed_fd(fd, flags));
                sources.push(source);
            };
            if let Some(stdout) = pipe.stdout.as_ref().filter(|_| bot.streams.open.stdout) {
                add(Source::Output(at), stdout.as_fd(), PollFlags::IN);
            }
            if let Some(stderr) = pipe.stderr.as_ref().filter(|_| bot.streams.muted.is_none()) {
                add(Source::Errors(at), stderr.as_fd(), PollFlags::IN);
            }
            if let Some(stdin) = pipe.stdin.as_ref().filter(|_| bot.streams.pending) {
                add(Source::Input(at), stdin.as_fd(), PollFlags::OUT);
            }
            segments[pipe.seat.index()] = from..fds.len();
        }
        let all_seats = 0..fds.len();
        for (at, pipe) in pipes.iter().enumerate() {
            let living =
                self.bots[pipe.seat.index()].as_ref().is_some_and(|bot| bot.end.exit.is_none() && !bot.end.killed);
            if let Some(ended) = pipe.ended.as_ref().filter(|_| living) {
                fds.push(PollFd::from_borrowed_fd(ended.as_fd(), PollFlags::IN));
                sources.push(Source::Process(at));
            }
        }
        fds.push(PollFd::from_borrowed_fd(self.cancel.wakeup(), PollFlags::IN));
        sources.push(Source::Cancel);
        let people = people.filter(|_| !self.polling.deserted);
        if let Some(people) = people {
            fds.push(PollFd::from_borrowed_fd(people.wakeup(), PollFlags::IN));
            sources.push(Source::People);
        }

        loop {
            if let Some(left) = self.carry_out(pipes) {
                return Ok(Some(left));
            }
            if self.polling.changed {
                return Ok(None);
            }
            self.timing.awake(self.clock.now);
            let due = self.clock.now.saturating_sub(self.polling.looked) >= ROUND;
            if !due && self.read_at_once(pipes) {
                self.timers(pipes);
                continue;
            }
            // People are slow, so that with them the shortcut of polling only awaited seats gains nothing.
            let everything =
                due || people.is_some() || self.bots.iter().flatten().any(|bot| bot.streams.closing.is_some());
            let range = if everything { 0..fds.len() } else { self.awaited(&segments, &all_seats) };
            let wake = self.wake(pipes, everything);
            let timeout = wake.map(|at| timespec(at.saturating_sub(self.clock.now)));
            let asleep = self.falls_asleep(pipes);
            match poll(&mut fds[range.clone()], timeout.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            self.clock.read();
            self.wakes_up(asleep, wake);
            for at in range {
                if fds[at].revents().is_empty() {
                    continue;
                }
                fds[at].clear_revents();
                let pipe = |i| &pipes[i];
                match sources[at] {
                    // One read for each seat: a flood from one must not make the answer of another look late.
                    Source::Output(at) => {
                        self.read_output(pipe(at), 1);
                    }
                    Source::Errors(at) => self.read_errors(pipe(at)),
                    Source::Input(at) => self.write(pipe(at)),
                    Source::Process(at) => self.ended(pipe(at)),
                    Source::People => self.requests(people),
                    Source::Cancel => return Ok(Some(Left::Cancelled)),
                }
            }
            if everything {
                self.polling.looked = self.clock.now;
            }
            self.look_at_slow_ones(pipes);
            self.timers(pipes);
        }
    }

    /// Reads the output of the awaited seats without a `poll`. On one core, a write lets the bot run, and a fast bot
    /// has answered before the write returns. Returns `true` if a bot had answered.
    fn read_at_once(&mut self, pipes: &[Pipes]) -> bool {
        if !core::mem::take(&mut self.polling.wrote) {
            return false;
        }
        let awaited = self.machine.awaited();
        let mut heard = false;
        for pipe in pipes.iter().filter(|pipe| awaited.contains(pipe.seat)) {
            heard |= self.read_output(pipe, 1);
        }
        heard
    }

    /// The part of the poll set that is polled between two polls of everything: that of the only awaited seat, or that
    /// of all seats if several are awaited.
    fn awaited(&self, segments: &[Range<usize>], all: &Range<usize>) -> Range<usize> {
        let awaited = self.machine.awaited();
        let mut seats = awaited.iter();
        match (seats.next(), seats.next()) {
            (Some(seat), None) => segments[seat.index()].clone(),
            _ => all.clone(),
        }
    }

    /// When to wake up at the latest. `None` if nothing is due.
    fn wake(&self, pipes: &[Pipes], everything: bool) -> Option<Duration> {
        let mut wake = self.machine.deadline();
        let mut sooner = |at: Duration| wake = Some(wake.map_or(at, |wake| wake.min(at)));
        if !everything {
            sooner(self.polling.looked + ROUND);
        }
        for bot in self.bots.iter().flatten() {
            let timers = [
                bot.streams.drain.map(|d| d.look),
                bot.streams.closing.map(|(_, at)| at),
                bot.streams.muted,
                bot.pause.next_look(),
            ];
            timers.into_iter().flatten().for_each(&mut sooner);
        }
        pipes.iter().filter_map(|pipe| self.next_look(pipe)).for_each(&mut sooner);
        if everything && pipes.iter().any(|pipe| pipe.ended.is_none()) {
            sooner(self.clock.now + ASKING);
        }
        wake
    }

    /// Does everything that is due by now.
    fn timers(&mut self, pipes: &[Pipes]) {
        for pipe in pipes {
            let Some(bot) = &mut self.bots[pipe.seat.index()] else { continue };
            if bot.pause.next_look().is_some_and(|at| at <= self.clock.now) {
                bot.pause.look(self.clock.now);
            }
            if bot.streams.muted.is_some_and(|at| at <= self.clock.now) {
                bot.streams.muted = None;
                self.polling.changed = true;
            }
            if bot.streams.drain.is_some_and(|drain| drain.look <= self.clock.now) {
                self.drain(pipe);
            }
            let Some(bot) = &mut self.bots[pipe.seat.index()] else { continue };
            if pipe.ended.is_none() && bot.end.exit.is_none() && !bot.end.killed && bot.look().is_some() {
                self.ended(pipe);
            }
            let due = |bot: &Bot, at: Duration| bot.streams.closing.filter(|(_, by)| *by <= at);
            if let Some((closing, _)) = self.bots[pipe.seat.index()].as_ref().and_then(|bot| due(bot, self.clock.now))
                && !self.bots[pipe.seat.index()].as_mut().is_some_and(|bot| bot.is_excused(self.clock.now))
            {
                self.closed(pipe, closing);
            }
        }
        if self.machine.deadline().is_some_and(|deadline| deadline <= self.clock.now) {
            self.time_is_up(pipes);
        }
    }

    /// Reports that a deadline has passed. Before that, it reads everything that has arrived, because an answer may
    /// have come while this thread was not running. It also reads the counters, so that the machine does not charge a
    /// bot for time that the host took.
    fn time_is_up(&mut self, pipes: &[Pipes]) {
        let now = self.clock.now;
        let awaited = self.machine.awaited();
        for pipe in pipes.iter().filter(|pipe| awaited.contains(pipe.seat)) {
            let Some(bot) = &self.bots[pipe.seat.index()] else { continue };
            match bot.streams.closing {
                Some((closing, _)) => self.closed(pipe, closing),
                None => {
                    let killed = bot.ran_out_of_memory();
                    self.read_output(pipe, READS);
                    if killed {
                        // It ends a while after it was killed.
                        self.machine.feed(now, In::OutOfMemory { seat: pipe.seat });
                    }
                }
            }
        }
        for pipe in pipes.iter().filter(|pipe| awaited.contains(pipe.seat)) {
            if self.machine.question(pipe.seat).and_then(|q| q.deadline).is_some_and(|deadline| deadline <= now) {
                self.count(pipe.seat);
                // Counters that were not read say nothing about what the host took, and a bot that was not woken is not late.
                if self.bots[pipe.seat.index()].as_ref().is_some_and(|bot| bot.answer.missed != Shortage::missed()) {
                    self.short = Some(Shortage::last_missed());
                    return;
                }
            }
        }
        self.machine.feed(now, In::Tick);
    }

    /// Passes the requests of people to the machine.
    fn requests(&mut self, people: Option<&People>) {
        let Some(people) = people else { return };
        people.drain_wakeups();
        loop {
            let now = self.clock.now;
            match people.next() {
                Ok(Some(Request::Decide { seat, orders })) => {
                    self.machine.feed(now, In::Human { seat, orders: &orders });
                }
                Ok(Some(Request::Undo { plies })) => self.machine.feed(now, In::Undo { plies }),
                Ok(Some(Request::Edit { map })) => self.machine.feed(now, In::Edit { map: &map }),
                Ok(None) => return,
                Err(_) => {
                    self.polling.deserted = true;
                    self.polling.changed = true;
                    return;
                }
            }
        }
    }

    /// Whether the match waits for a person, but no person is left.
    fn waits_for_nobody(&self) -> bool {
        let human = |seat| self.machine.kind(seat) == SeatKind::Human;
        self.polling.deserted && self.machine.awaited().iter().any(human)
    }

    fn notify(&mut self, notice: Notice<'_>) {
        if let Some(notices) = &mut self.sinks.notices {
            notices(notice);
        }
    }

    /// Carries out the machine's orders. Returns how the match ended, or `None` if the machine has no more orders for
    /// now.
    fn carry_out(&mut self, pipes: &[Pipes]) -> Option<Left> {
        loop {
            if let Some(shortage) = self.short.take() {
                return Some(Left::Short(shortage));
            }
            // This also interrupts a match that goes on by itself, such as one whose bots are all dead.
            if (self.cancel.is_cancelled() || self.waits_for_nobody()) && !self.machine.over() {
                return Some(Left::Cancelled);
            }
            let order = self.machine.next()?;
            match order {
                Do::Say { seat, drain } => {
                    let Some(pipe) = of(pipes, seat) else { continue };
                    self.count_before(pipe);
                    let Some(bot) = &mut self.bots[seat.index()] else { continue };
                    match drain {
                        Some(until) if !bot.streams.pending => {
                            let (pause, _) = DRAIN_PAUSES;
                            bot.streams.drain = Some(Drain { until, look: self.clock.now, pause });
                            self.drain(pipe);
                        }
                        _ if bot.streams.drain.is_some() || bot.streams.pending => {}
                        _ => self.write(pipe),
                    }
                }
                // The match was interrupted after the machine had ordered this.
                Do::Think { .. } if self.machine.over() => {}
                Do::Think { seat } => {
                    let from = self.clock.read();
                    self.machine.feed(from, In::Think { seat });
                    let at = self.clock.read();
                    self.machine.feed(at, In::Thought { seat });
                }
                Do::Record(event) => (self.sinks.observer)(&event),
                Do::Kill { seat } => {
                    if let Some(pipe) = of(pipes, seat) {
                        self.kill(pipe);
                    }
                }
                Do::Dismiss { seat } => {
                    if let Some(bot) = &mut self.bots[seat.index()] {
                        bot.streams.open.stdin = false;
                    }
                }
                Do::Freeze { seat } => {
                    if let Some(bot) = &mut self.bots[seat.index()] {
                        bot.leave_turn(self.clock.now);
                    }
                }
                Do::Thaw { seat } => self.thaw(seat),
                Do::Ask { seat } => self.notify(Notice::Asked { seat }),
                Do::Deny { seat, why } => self.notify(Notice::Denied { seat, why: &why }),
                Do::Over => return Some(Left::Over),
            }
        }
    }
}

/// The pipes of a seat, if it has a process.
fn of(pipes: &[Pipes], seat: Seat) -> Option<&Pipes> {
    pipes.iter().find(|pipe| pipe.seat == seat)
}

/// Converts a time for `poll`.
pub(crate) fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() }
}

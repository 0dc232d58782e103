//! Reports of the world: time, what programs do, and what a command asked of it.

use crate::{
    console::Console,
    edit::{Edit, MapEdit},
    effect::{Binding, Saved},
    occupant::{Decider, Occupant, Thought},
    program::{Program, Session},
    waiting::{Asked, Task, Waiting},
};
use agon_core::{Flaw, Seat, State};
use agon_spec::ConsoleText;
use std::time::Duration;

impl Console {
    /// Time has passed. Report all that programs wrote before `now` first: a seat whose time is up fails.
    pub fn tick(&mut self, now: Duration) {
        self.now = self.now.max(now);
        // The console may know a later instant than all that is reported: a built-in bot has thought since.
        self.judge_time(now);
        let now = self.now;
        self.seats.iter_mut().filter_map(Occupant::program).for_each(|program| program.tick(now));
        self.advance();
    }

    /// Lets a built-in bot think after [`Effect::Think`](crate::Effect::Think). The call lasts as long as it thinks. `clock`
    /// tells the time since the start of the session.
    pub fn think(&mut self, seat: Seat, clock: impl Fn() -> Duration) {
        let since = clock();
        let Some(Occupant { decider: Decider::Builtin(builtin), .. }) = self.seats.get_mut(seat.index()) else {
            return;
        };
        builtin.thinks = false;
        if let Some(clocks) = self.clocks.as_mut().filter(|clocks| clocks.counts(seat)) {
            clocks.start(seat, since);
        }
        let position = self.tree.position();
        if position.awaiting().contains(seat) && !position.over() {
            builtin.forget(self.game, &self.tree, seat);
            if let Ok(orders) = builtin.bot.decide(position, seat) {
                let wall = clock().saturating_sub(since);
                builtin.thought = Some(Thought { at: self.tree.at(), orders, wall });
            }
        }
        let until = clock();
        self.now = self.now.max(until);
        // What it has decided since its time was up is not played.
        self.judge_seat(seat, until);
        self.hold_clock(seat, until);
        self.advance();
    }

    /// Reports that a program was started, or why it was not.
    pub fn started(&mut self, now: Duration, seat: Seat, run: u32, how: Result<(), String>) {
        self.with_program(now, seat, |program, session| program.started(run, how, session));
    }

    /// Reports output of a program.
    pub fn heard(&mut self, now: Duration, seat: Seat, run: u32, bytes: &[u8]) {
        self.with_program(now, seat, |program, session| program.hear(run, bytes, session));
    }

    /// Reports that a program has ended, and how, as a lower-case fragment.
    pub fn ended(&mut self, now: Duration, seat: Seat, run: u32, how: &str) {
        self.with_program(now, seat, |program, session| program.end(run, how, session));
    }

    fn with_program(
        &mut self,
        now: Duration,
        seat: Seat,
        report: impl FnOnce(&mut Program, &mut Session<'_>) -> Result<(), Flaw>,
    ) {
        self.now = self.now.max(now);
        if seat.index() < self.seats.len() {
            // A report may be heard after others that are younger. What counts for a clock is when its bytes were read.
            self.judge_seat(seat, now);
            let (occupant, mut session) = self.seat_and_session(seat);
            if let Some(program) = occupant.program()
                && let Err(flaw) = report(program, &mut session)
            {
                program.kill(flaw.to_string(), session.effects);
            }
            self.hold_clock(seat, now);
        }
        self.advance();
    }

    /// Reports who takes a seat after [`Effect::Bind`](crate::Effect::Bind), or why nobody does.
    pub fn bind(&mut self, now: Duration, seat: Seat, bound: Result<Binding, Flaw>) {
        self.now = self.now.max(now);
        let Some((Asked { id, .. }, _)) = self.end_world_task() else { return };
        let bound = bound.and_then(|binding| self.seat_bot(seat, binding));
        self.keep_time();
        let document = match bound {
            Ok(()) => self.document("bot"),
            Err(flaw) => self.refusal("bot", ConsoleText::Command, &flaw),
        };
        self.reply(id, document);
    }

    /// Reports a map that was read after [`Effect::Load`](crate::Effect::Load), or why it was not.
    pub fn loaded(&mut self, now: Duration, map: Result<String, Flaw>) {
        self.now = self.now.max(now);
        let Some((Asked { id, .. }, name)) = self.end_world_task() else { return };
        // A map that is loaded is the start of another match.
        let made = map.and_then(|map| self.replace(&Edit::Map(MapEdit::Map(map)), Some(State::default())));
        if made.is_ok() {
            self.fill_clocks();
        }
        self.keep_time();
        let mut document = match made {
            Ok(_) => self.document("load"),
            Err(flaw) => self.refusal("load", ConsoleText::Map, &flaw),
        };
        document.file = Some(name);
        self.reply(id, document);
    }

    /// Reports that a file was written after [`Effect::Save`](crate::Effect::Save), or why it was not.
    pub fn saved(&mut self, now: Duration, what: Saved, written: Result<(), Flaw>) {
        self.now = self.now.max(now);
        let Some((Asked { id, .. }, name)) = self.end_world_task() else { return };
        self.keep_time();
        let mut document = match written {
            Ok(()) => self.document("save"),
            Err(flaw) => self.refusal("save", ConsoleText::Command, &flaw),
        };
        if document.ok && what == Saved::Map {
            document.left_out = self.left_out();
        }
        document.file = Some(name);
        self.reply(id, document);
    }

    /// Ends the command that waits for the world. Returns it and what it named.
    pub(crate) fn end_world_task(&mut self) -> Option<(Asked, String)> {
        match self.waiting.take() {
            Some(Waiting { asked, task: Task::World(name), .. }) => Some((asked, name)),
            other => {
                self.waiting = other;
                None
            }
        }
    }
}

//! Commands that wait for bots: how they go on and how they end.

use crate::{
    console::Console,
    effect::Effect,
    occupant::{Decider, Thought},
    program::{Answer, Decided},
    timing::Given,
};
use agon_core::{Flaw, Seat};
use agon_referee::{Decision, Fault, FaultRecord, JsonList, MatchEvent, PlyRecord, Spent};
use agon_spec::{ConsoleAnswer, ConsoleText};
use std::time::Duration;

/// A command that has to be answered.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    /// The number of its answer.
    pub id: u64,
    /// Its first word.
    pub word: &'static str,
}

/// A command that waits for the world.
pub(crate) struct Waiting {
    pub asked: Asked,
    pub task: Task,
    pub since: Duration,
    /// When the command is answered with what there is.
    pub until: Option<Duration>,
    pub turns: Vec<PlyRecord>,
}

/// What a command waits for.
pub(crate) enum Task {
    /// Turns that bots play, or the rest of a turn in which somebody has decided.
    Turns(u32),
    /// The answer of a bot to a question.
    Ask(Seat),
    /// The answer of a program to a line.
    Raw {
        seat: Seat,
        /// The line that has not been sent yet.
        line: Option<String>,
    },
    /// The world: a bot that takes a seat, a map that is read, a file that is written.
    World(String),
}

/// How far a command has come.
enum Progress {
    Waits,
    Done(Option<ConsoleAnswer>),
}

impl Console {
    /// Goes on with the command that waits, as far as it goes.
    pub(crate) fn advance(&mut self) {
        self.advance_task();
        self.keep_time();
    }

    fn advance_task(&mut self) {
        let Some(mut waiting) = self.waiting.take() else { return };
        let is_late = waiting.until.is_some_and(|until| self.now >= until);
        let progress = match &mut waiting.task {
            Task::Turns(left) => self.advance_turns(waiting.asked.word, left, &mut waiting.turns, is_late),
            Task::Ask(seat) => self.advance_ask(*seat, waiting.since, is_late),
            Task::Raw { seat, line } => self.advance_raw(*seat, line, is_late),
            Task::World(_) => Ok(Progress::Waits),
        };
        if !matches!(progress, Ok(Progress::Waits)) {
            // The answer shows the clocks that run from now on.
            self.keep_time();
        }
        match progress {
            Ok(Progress::Waits) => self.waiting = Some(waiting),
            Ok(Progress::Done(answer)) => {
                let mut document = self.document(waiting.asked.word);
                (document.turns, document.answer) = (waiting.turns, answer);
                self.reply(waiting.asked.id, document);
            }
            Err(flaw) => {
                let mut document = self.refusal(waiting.asked.word, ConsoleText::Command, &flaw);
                document.turns = waiting.turns;
                self.reply(waiting.asked.id, document);
            }
        }
    }

    /// Ends the command that waits for the answer to a line for this seat, with what there is.
    pub(crate) fn stop_waiting_for_line(&mut self, of: Seat) {
        if matches!(&self.waiting, Some(Waiting { task: Task::Raw { seat, .. }, .. }) if *seat == of) {
            self.stop_waiting();
        }
    }

    /// Ends the command that waits with what there is.
    pub(crate) fn stop_waiting(&mut self) {
        if let Some(waiting) = &mut self.waiting
            && !matches!(waiting.task, Task::World(_))
        {
            waiting.until = Some(self.now);
            self.advance();
        }
    }

    fn advance_turns(
        &mut self,
        command: &str,
        left: &mut u32,
        turns: &mut Vec<PlyRecord>,
        is_late: bool,
    ) -> Result<Progress, Flaw> {
        loop {
            if *left == 0 || self.tree.position().over() || is_late && !turns.is_empty() {
                return Ok(Progress::Done(None));
            }
            let undecided: Vec<Seat> =
                self.tree.position().awaiting().iter().filter(|seat| self.given[seat.index()].is_none()).collect();
            let is_person = |seat: &&Seat| matches!(self.seats[seat.index()].decider, Decider::Human);
            let person = undecided.iter().find(is_person).copied();
            if let (Some(seat), "go") = (person, command) {
                // Bots that decide at the same time are asked when the person has decided.
                if turns.is_empty() {
                    return Err(Flaw::new(format!("seat {seat} awaits the decision of a person"))
                        .hint(format!("give it with `play {seat} ORDERS`")));
                }
                return Ok(Progress::Done(None));
            }
            for seat in undecided {
                self.ask_seat(seat)?;
            }
            if person.is_some() {
                return Ok(Progress::Done(None));
            }
            let awaiting = self.tree.position().awaiting();
            if awaiting.iter().any(|seat| self.given[seat.index()].is_none()) {
                return Ok(if is_late { Progress::Done(None) } else { Progress::Waits });
            }
            turns.push(self.play_turn()?);
            *left -= 1;
        }
    }

    /// Asks a seat that has not decided, and takes its decision if it is there.
    fn ask_seat(&mut self, seat: Seat) -> Result<(), Flaw> {
        if let Some(clocks) = &mut self.clocks {
            clocks.count(seat);
        }
        let Some(answer) = self.answer_of(seat)? else { return Ok(()) };
        let unplayed = |what: String| {
            Flaw::new(what).hint(format!("nothing was played; `play {seat} ORDERS` decides in its place"))
        };
        match answer.decision {
            Ok(Decided { orders, refusal: None }) => {
                let spent = self.charge(seat);
                self.given[seat.index()] = Some(Given { orders, fault: None, spent });
            }
            Ok(Decided { refusal: Some(why), .. }) => {
                return Err(unplayed(format!("the rules refuse the decision of seat {seat}: {why}")));
            }
            Err(why) => return Err(unplayed(format!("the bot of seat {seat} breaks the protocol: {why}"))),
        }
        Ok(())
    }

    /// Returns the answer of a bot in the current position, and asks for it if nobody has. `None` if it is not there, or if a
    /// person decides in the seat.
    fn answer_of(&mut self, seat: Seat) -> Result<Option<Answer>, Flaw> {
        let at = self.tree.at();
        let (occupant, mut session) = self.seat_and_session(seat);
        match &mut occupant.decider {
            Decider::Human => Ok(None),
            Decider::Builtin(builtin) => {
                if let Some(Thought { orders, wall, .. }) = builtin.thought.clone().filter(|thought| thought.at == at) {
                    let refusal = self.refusal_of(seat, &orders);
                    return Ok(Some(Answer { at, decision: Ok(Decided { orders, refusal }), wall }));
                }
                if !builtin.thinks {
                    builtin.thinks = true;
                    session.effects.push_back(Effect::Think { seat });
                }
                Ok(None)
            }
            Decider::Program(program) => {
                program.ask(&mut session)?;
                Ok(program.answer(at))
            }
        }
    }

    /// Returns why the rules refuse a decision, or `None` if they do not.
    fn refusal_of(&self, seat: Seat, orders: &JsonList) -> Option<String> {
        self.tree.position().check(seat, orders).err().map(|why| why.to_string())
    }

    fn advance_ask(&mut self, seat: Seat, since: Duration, is_late: bool) -> Result<Progress, Flaw> {
        let micros = |time: Duration| time.as_micros() as u64;
        let answer = match self.answer_of(seat)? {
            None if is_late => {
                let wall_us = micros(self.now.saturating_sub(since));
                ConsoleAnswer { seat, orders: None, refusal: None, text: None, complete: false, wall_us }
            }
            None => return Ok(Progress::Waits),
            Some(Answer { decision, wall, .. }) => match decision {
                Ok(Decided { orders, refusal }) => {
                    let wall_us = micros(wall);
                    ConsoleAnswer { seat, orders: Some(orders), refusal, text: None, complete: true, wall_us }
                }
                Err(why) => return Err(Flaw::new(format!("the bot of seat {seat} breaks the protocol: {why}"))),
            },
        };
        Ok(Progress::Done(Some(answer)))
    }

    fn advance_raw(&mut self, seat: Seat, line: &mut Option<String>, is_late: bool) -> Result<Progress, Flaw> {
        let (occupant, mut session) = self.seat_and_session(seat);
        let now = session.now;
        let Some(program) = occupant.program() else { return Err(no_program(seat)) };
        if let Some(text) = line.as_deref() {
            if !program.say(text, &mut session)? {
                return if is_late {
                    Err(Flaw::new(format!("the bot of seat {seat} is still busy")))
                } else {
                    Ok(Progress::Waits)
                };
            }
            *line = None;
        }
        let Some((text, complete)) = program.heard(is_late) else { return Ok(Progress::Waits) };
        let wall_us = now.saturating_sub(program.said_at()).as_micros() as u64;
        let answer = ConsoleAnswer { seat, orders: None, refusal: None, text: Some(text), complete, wall_us };
        Ok(Progress::Done(Some(answer)))
    }

    /// Plays the turn of which all decisions are there.
    pub(crate) fn play_turn(&mut self) -> Result<PlyRecord, Flaw> {
        let awaiting = self.tree.position().awaiting();
        let (ply, round) = (self.tree.ply() + 1, self.tree.position().round());
        let mut decisions: Vec<(Decision, Spent)> = Vec::new();
        let mut faults: Vec<MatchEvent> = Vec::new();
        for seat in awaiting.iter() {
            let Some(Given { orders, fault, spent }) = self.given[seat.index()].clone() else { continue };
            decisions.push((Decision { seat, orders, failure: fault.as_ref().map(Fault::failure) }, spent));
            faults.extend(fault.map(|fault| MatchEvent::Fault(FaultRecord { seat, ply, round, fault })));
        }
        let before = self.tree.at();
        let record = self.tree.play(&decisions)?;
        faults.into_iter().for_each(|event| self.record(event));
        self.record(MatchEvent::Ply(record.clone()));
        if let Some(clocks) = &self.clocks {
            self.tree.set_budgets(clocks.budgets());
        }
        self.forget_decisions();
        let after = self.tree.at();
        for seat in awaiting.iter() {
            let (occupant, mut session) = self.seat_and_session(seat);
            occupant.learn_turn(seat, (before, after), &record, &mut session);
        }
        Ok(record)
    }
}

/// The flaw of a command for a program in a seat that has none.
pub(crate) fn no_program(seat: Seat) -> Flaw {
    Flaw::new(format!("seat {seat} has no program")).hint(format!("`bot {seat} COMMAND` puts one there"))
}

//! A program in a seat: how it is asked, and how it is brought into step with the board.

mod conversation;
mod process;

use crate::{
    effect::Effect,
    tree::{NodeId, PositionTree},
};
use agon_core::{Flaw, IntoStep, Remaining, Seat};
use agon_games::{AnyConversation, AnyGame};
use agon_referee::{JsonList, PlyRecord, Rerun};
use std::{collections::VecDeque, time::Duration};

/// How long a program may take for the greeting, for each command that sets up its board, and for each turn that is told to
/// it again.
const PATIENCE: Duration = Duration::from_secs(10);

/// A program in a seat.
pub(crate) struct Program {
    seat: Seat,
    way: IntoStep,
    conversation: Option<Box<dyn AnyConversation>>,
    /// The number of its last start in this seat.
    run: u32,
    phase: Phase,
    /// Output that has not been understood yet.
    inbox: Vec<u8>,
    limit: usize,
    ended: bool,
    /// How much it has written since it was last told something.
    written: usize,
    /// Whether it was sent a line of a person or has written nonsense since its last question, so that what it writes may
    /// belong to that.
    strayed: bool,
    /// Whether more of that may come.
    owes: bool,
    /// When it was sent a line of a person.
    said_at: Duration,
    /// The base of the position for which it was greeted.
    base: usize,
    /// When the program is given up.
    until: Option<Duration>,
    /// The position after the last decision of this seat that the program knows. `None` if it has to be brought into step.
    known: Option<NodeId>,
    /// The last decision of the program, and where it was asked.
    answered: Option<(NodeId, JsonList)>,
    /// The answer that nobody has taken yet.
    answer: Option<Answer>,
}

/// What a program does.
enum Phase {
    /// It has not been started.
    Stopped,
    /// The world starts it.
    Starting,
    /// It has been greeted and must answer.
    Greeting,
    /// It hears the turns so far.
    Replaying(Box<Replaying>),
    /// It waits for a question.
    Idle,
    /// It has been asked for a decision, at this instant.
    Asked(NodeId, Duration),
    /// It has been sent a line of a person, and has been out of step since then.
    Raw,
    /// It could not be brought into step.
    OutOfStep(String),
    /// Its process has ended, or never started.
    Dead(String),
}

/// Turns that are told to a program again.
struct Replaying {
    rerun: Rerun,
    records: VecDeque<PlyRecord>,
    target: NodeId,
}

/// What a bot answered to a question.
#[derive(Clone)]
pub(crate) struct Answer {
    /// The position of the question.
    pub at: NodeId,
    /// The decision, or how the program broke the protocol.
    pub decision: Result<Decided, String>,
    /// The time from the question to the answer.
    pub wall: Duration,
}

/// A decision.
#[derive(Clone)]
pub(crate) struct Decided {
    pub orders: JsonList,
    /// Why the rules refuse it.
    pub refusal: Option<String>,
}

/// What a program needs to know of its session.
pub(crate) struct Session<'a> {
    pub game: &'static dyn AnyGame,
    pub tree: &'a PositionTree,
    pub now: Duration,
    /// What the seat has left on its clock.
    pub clock: Remaining,
    pub effects: &'a mut VecDeque<Effect>,
}

impl Program {
    pub(crate) fn new(seat: Seat, way: IntoStep, limit: usize) -> Self {
        Self {
            seat,
            way,
            conversation: None,
            run: 0,
            phase: Phase::Stopped,
            inbox: Vec::new(),
            limit,
            ended: false,
            written: 0,
            strayed: false,
            owes: false,
            said_at: Duration::ZERO,
            base: 0,
            until: None,
            known: None,
            answered: None,
            answer: None,
        }
    }

    /// Returns the number of the last start.
    pub(crate) fn run(&self) -> u32 {
        self.run
    }

    /// Gives the next start the number after `run`.
    pub(crate) fn count_on_from(&mut self, run: u32) {
        self.run = run;
    }

    pub(crate) fn is_thinking(&self) -> bool {
        matches!(self.phase, Phase::Starting | Phase::Greeting | Phase::Replaying(_) | Phase::Asked(..) | Phase::Raw)
    }

    /// Returns whether the program decides in this position: it has been asked, and is not being brought there any more.
    pub(crate) fn is_asked(&self, at: NodeId) -> bool {
        matches!(self.phase, Phase::Asked(asked, _) if asked == at)
            && self.conversation.as_ref().is_some_and(|conversation| !conversation.is_setting_up())
    }

    /// Returns why the program cannot be asked: first whether its process has ended.
    pub(crate) fn trouble(&self) -> Option<(bool, &str)> {
        match &self.phase {
            Phase::Dead(why) => Some((true, why)),
            Phase::OutOfStep(why) => Some((false, why)),
            _ => None,
        }
    }

    pub(crate) fn way(&self) -> IntoStep {
        self.way
    }

    /// Returns whether the program knows the position, or needs no knowledge of it.
    pub(crate) fn is_in_step(&self, tree: &PositionTree) -> bool {
        self.way == IntoStep::Stateless && !self.strayed || self.knows(tree)
    }

    /// Returns whether the program has been told every turn to the current position.
    fn knows(&self, tree: &PositionTree) -> bool {
        self.known.is_some_and(|known| tree.is_untouched(known, tree.at(), self.seat))
    }

    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.until
    }

    /// Asks for a decision in the current position, or does the next step towards that.
    pub(crate) fn ask(&mut self, session: &mut Session<'_>) -> Result<(), Flaw> {
        let at = session.tree.at();
        if self.answer.as_ref().is_some_and(|answer| answer.at != at) {
            self.answer = None;
        }
        if self.answer.is_some() || !self.make_ready(session)? {
            return Ok(());
        }
        if !self.knows(session.tree) {
            // Only where each command has one answer can the rest of an earlier answer be told from the next one.
            let may_still_speak = self.strayed && (self.way != IntoStep::Setup || self.owes || !self.inbox.is_empty());
            if self.way == IntoStep::Replayed || may_still_speak {
                self.start(session);
                return Ok(());
            }
            if let Some(conversation) = &mut self.conversation {
                conversation.reposition();
            }
        }
        let mut bytes = Vec::new();
        if let Some(conversation) = &mut self.conversation {
            conversation.set_clock(session.clock);
            conversation.prompt(session.tree.position(), &mut bytes)?;
            self.until = conversation.is_setting_up().then(|| session.now + PATIENCE);
        }
        self.phase = Phase::Asked(at, session.now);
        (self.known, self.answered, self.strayed) = (None, None, false);
        self.tell(bytes, session);
        // The program may have answered ahead.
        self.listen(session)
    }

    /// Sends a line of a person. Returns `false` if the program is not ready for that yet.
    pub(crate) fn say(&mut self, line: &str, session: &mut Session<'_>) -> Result<bool, Flaw> {
        if matches!(self.phase, Phase::OutOfStep(_)) {
            self.phase = Phase::Idle;
        }
        if !self.make_ready(session)? {
            return Ok(false);
        }
        self.inbox.clear();
        (self.known, self.answered, self.phase) = (None, None, Phase::Raw);
        (self.strayed, self.said_at) = (true, session.now);
        self.tell([line.as_bytes(), b"\n"].concat(), session);
        Ok(true)
    }

    /// Returns when it was sent a line of a person.
    pub(crate) fn said_at(&self) -> Duration {
        self.said_at
    }

    /// Returns what came in answer to a line of a person, once it is complete. At the end of the wait it is whatever there is.
    pub(crate) fn heard(&mut self, is_late: bool) -> Option<(String, bool)> {
        let is_dead = matches!(self.phase, Phase::Dead(_));
        let complete = self.inbox.ends_with(b"\n");
        if !matches!(self.phase, Phase::Raw) && !is_dead || !complete && !is_late && !is_dead {
            return None;
        }
        if !is_dead {
            self.phase = Phase::Idle;
        }
        // An answer that was owed before may be this one, so that another one still comes.
        self.owes |= !complete;
        let text = String::from_utf8_lossy(&self.inbox).into_owned();
        self.inbox.clear();
        Some((text, complete))
    }

    /// Starts the program if it has not been started. Returns whether it waits for a question.
    fn make_ready(&mut self, session: &mut Session<'_>) -> Result<bool, Flaw> {
        match &self.phase {
            Phase::Stopped => {
                self.start(session);
                Ok(false)
            }
            Phase::Idle => Ok(true),
            Phase::Dead(why) => Err(Flaw::new(format!("the bot of seat {} is dead: {why}", self.seat))
                .hint(format!("`restart {0}` starts it anew, and `bot {0} …` puts another one there", self.seat))),
            Phase::OutOfStep(why) => Err(Flaw::new(format!("the bot of seat {} is out of step: {why}", self.seat))
                .hint(format!("`anyway {0}` lets it play on, and `restart {0}` starts it anew", self.seat))),
            _ => Ok(false),
        }
    }

    /// Lets the program play on from where it is.
    ///
    /// # Errors
    /// The program is not out of step, or is doing something.
    pub(crate) fn play_anyway(&mut self, tree: &PositionTree) -> Result<(), Flaw> {
        let is_idle = matches!(self.phase, Phase::Idle) && !self.is_in_step(tree);
        if !is_idle && !matches!(self.phase, Phase::OutOfStep(_)) {
            return Err(Flaw::new(format!("the bot of seat {} is not out of step", self.seat))
                .hint("`status` says what each bot does"));
        }
        // A program that has not set up its board has no position from which it could go on: it is started anew.
        let is_set_up = self.conversation.as_ref().is_none_or(|conversation| !conversation.is_setting_up());
        (self.phase, self.known, self.strayed) = (Phase::Idle, is_set_up.then(|| tree.at()), !is_set_up);
        self.inbox.clear();
        Ok(())
    }

    /// Returns the answer to the question in this position. A decision stays until the position changes; that the program broke
    /// the protocol is told once.
    pub(crate) fn answer(&mut self, at: NodeId) -> Option<Answer> {
        let answer = self.answer.clone().filter(|answer| answer.at == at);
        if answer.as_ref().is_some_and(|answer| answer.decision.is_err()) {
            self.answer = None;
        }
        answer
    }

    /// Learns that a turn was played.
    pub(crate) fn learn_turn(&mut self, before: NodeId, after: NodeId, record: &PlyRecord, session: &mut Session<'_>) {
        let Some(entry) = record.entries.iter().find(|entry| entry.seat == self.seat) else { return };
        self.answer = None;
        let Some((_, orders)) = self.answered.take().filter(|(at, _)| *at == before) else { return };
        let mut bytes = Vec::new();
        if let Some(conversation) = &mut self.conversation {
            conversation.note_decision(&entry.orders, &mut bytes);
        }
        self.known = (orders == entry.orders).then_some(after);
        self.tell(bytes, session);
    }

    /// Says goodbye as the protocol has it.
    pub(crate) fn farewell(&mut self, session: &mut Session<'_>) -> Result<(), Flaw> {
        let mut bytes = Vec::new();
        // A bot that is being greeted or started could not understand it.
        let is_listening = matches!(self.phase, Phase::Idle | Phase::Asked(..) | Phase::Raw | Phase::OutOfStep(_));
        if let Some(conversation) = self.conversation.as_mut().filter(|_| is_listening) {
            conversation.farewell(session.tree.position(), &mut bytes)?;
        }
        self.tell(bytes, session);
        Ok(())
    }
}

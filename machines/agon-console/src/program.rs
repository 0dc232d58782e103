//! A program in a seat: how it is asked, and how it is brought into step with the board.

use crate::{
    effect::Effect,
    tree::{NodeId, Tree},
};
use agon_core::{Flaw, IntoStep, Remaining, Seat};
use agon_games::{AnyConversation, AnyGame, Reply};
use agon_referee::{AnyRerun, JsonList, PlyRecord};
use std::{collections::VecDeque, time::Duration};

/// How long a program may take for the greeting and for each turn that is told to it again.
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
    rerun: Box<dyn AnyRerun>,
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
    pub tree: &'a Tree,
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
    pub(crate) fn is_in_step(&self, tree: &Tree) -> bool {
        self.way == IntoStep::Stateless && !self.strayed || self.knows(tree)
    }

    /// Returns whether the program has been told every turn to the current position.
    fn knows(&self, tree: &Tree) -> bool {
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
            self.conversation.iter_mut().for_each(|conversation| conversation.reposition());
        }
        let mut bytes = Vec::new();
        if let Some(conversation) = &mut self.conversation {
            conversation.set_clock(session.clock);
            conversation.prompt(session.tree.position(), &mut bytes)?;
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
        self.owes = !complete;
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

    /// Starts the program anew.
    pub(crate) fn start(&mut self, session: &mut Session<'_>) {
        self.stop(session.effects);
        self.run += 1;
        self.phase = Phase::Starting;
        session.effects.push_back(Effect::Start { seat: self.seat, run: self.run });
    }

    /// Kills the program without a word.
    pub(crate) fn stop(&mut self, effects: &mut VecDeque<Effect>) {
        if !matches!(self.phase, Phase::Stopped | Phase::Dead(_)) {
            effects.push_back(Effect::Stop { seat: self.seat });
        }
        self.phase = Phase::Stopped;
        (self.conversation, self.until, self.known, self.answered, self.answer) = (None, None, None, None, None);
        self.inbox.clear();
        (self.ended, self.strayed, self.owes, self.written) = (false, false, false, 0);
    }

    /// Kills the program and says why.
    pub(crate) fn kill(&mut self, why: impl Into<String>, effects: &mut VecDeque<Effect>) {
        self.stop(effects);
        self.phase = Phase::Dead(why.into());
    }

    /// Ends the program because its time is up. Returns what it has ordered so far, and the bytes after that.
    pub(crate) fn give_up(&mut self, session: &mut Session<'_>) -> (JsonList, u64) {
        let orders = self.conversation.as_ref().map(|conversation| conversation.orders());
        let heard = self.inbox.len() as u64;
        self.stop(session.effects);
        (orders.unwrap_or_default(), heard)
    }

    /// Lets the program play on from where it is.
    ///
    /// # Errors
    /// The program is not out of step, or is doing something.
    pub(crate) fn play_anyway(&mut self, tree: &Tree) -> Result<(), Flaw> {
        let is_idle = matches!(self.phase, Phase::Idle) && !self.is_in_step(tree);
        if !is_idle && !matches!(self.phase, Phase::OutOfStep(_)) {
            return Err(Flaw::new(format!("the bot of seat {} is not out of step", self.seat))
                .hint("`status` says what each bot does"));
        }
        (self.phase, self.known, self.strayed) = (Phase::Idle, Some(tree.at()), false);
        self.inbox.clear();
        Ok(())
    }

    pub(crate) fn started(&mut self, run: u32, how: Result<(), String>, session: &mut Session<'_>) -> Result<(), Flaw> {
        if run != self.run || !matches!(self.phase, Phase::Starting) {
            return Ok(());
        }
        if let Err(why) = how {
            self.phase = Phase::Dead(why);
            return Ok(());
        }
        let rerun = session.tree.rerun_from_base()?;
        let first = rerun.position();
        let position = if self.way == IntoStep::Replayed { &*first } else { session.tree.position() };
        let mut conversation = session.game.conversation(position, self.seat, &dialect(session.game))?;
        let mut bytes = Vec::new();
        let wants_answer = conversation.greet(position, &mut bytes)?;
        (self.conversation, self.base) = (Some(conversation), session.tree.base());
        self.tell(bytes, session);
        if wants_answer {
            self.phase = Phase::Greeting;
            self.until = Some(session.now + PATIENCE);
            return Ok(());
        }
        self.greeted(session)
    }

    /// Takes output of the program.
    pub(crate) fn hear(&mut self, run: u32, bytes: &[u8], session: &mut Session<'_>) -> Result<(), Flaw> {
        if run != self.run || matches!(self.phase, Phase::Stopped | Phase::Starting | Phase::Dead(_)) {
            return Ok(());
        }
        let room = self.limit.saturating_sub(self.written);
        self.written += bytes.len();
        self.inbox.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.listen(session)?;
        if self.written > self.limit && !matches!(self.phase, Phase::Dead(_)) {
            self.kill(format!("it wrote more than {} bytes without an answer", self.limit), session.effects);
        }
        Ok(())
    }

    /// Takes the end of the program, in words.
    pub(crate) fn end(&mut self, run: u32, how: &str, session: &mut Session<'_>) -> Result<(), Flaw> {
        if run != self.run || matches!(self.phase, Phase::Stopped | Phase::Dead(_)) {
            return Ok(());
        }
        self.ended = true;
        self.listen(session)?;
        let (inbox, answer, answered) = (std::mem::take(&mut self.inbox), self.answer.take(), self.answered.take());
        self.kill(how, session.effects);
        (self.inbox, self.answer, self.answered) = (inbox, answer, answered);
        Ok(())
    }

    /// Gives up a program that does not answer a greeting or a turn that is told again.
    pub(crate) fn tick(&mut self, now: Duration) {
        if self.until.is_some_and(|until| now >= until) {
            self.until = None;
            let seconds = PATIENCE.as_secs();
            self.phase = Phase::OutOfStep(match &self.phase {
                Phase::Greeting => format!("it did not answer the greeting within {seconds} s"),
                _ => format!("it did not answer a turn that was told again within {seconds} s"),
            });
        }
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
    pub(crate) fn settle(&mut self, before: NodeId, after: NodeId, record: &PlyRecord, session: &mut Session<'_>) {
        let Some(entry) = record.entries.iter().find(|entry| entry.seat == self.seat) else { return };
        self.answer = None;
        let Some((_, orders)) = self.answered.take().filter(|(at, _)| *at == before) else { return };
        let mut bytes = Vec::new();
        if let Some(conversation) = &mut self.conversation {
            conversation.settle(&entry.orders, &mut bytes);
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

    /// Sends bytes to the program, which may then write again.
    fn tell(&mut self, bytes: Vec<u8>, session: &mut Session<'_>) {
        self.written = self.inbox.len();
        put(self.seat, bytes, session);
    }

    fn listen(&mut self, session: &mut Session<'_>) -> Result<(), Flaw> {
        while matches!(self.phase, Phase::Greeting | Phase::Replaying(_) | Phase::Asked(..)) {
            let Some(conversation) = &mut self.conversation else { break };
            let mut bytes = Vec::new();
            conversation.set_clock(session.clock);
            let (used, reply) = conversation.hear(&self.inbox, self.ended, &mut bytes);
            self.inbox.drain(..used);
            put(self.seat, bytes, session);
            match (reply, &mut self.phase) {
                (Reply::More, _) if used == 0 || self.inbox.is_empty() => break,
                (Reply::More, _) => {}
                (Reply::Ready, Phase::Greeting) => self.greeted(session)?,
                (Reply::Decision { .. }, Phase::Replaying(replaying)) => {
                    if let Some(record) = replaying.records.pop_front() {
                        let mut bytes = Vec::new();
                        if let Some(entry) = record.entries.iter().find(|entry| entry.seat == self.seat) {
                            conversation.settle(&entry.orders, &mut bytes);
                        }
                        replaying.rerun.step(&record).map_err(|why| Flaw::new(why.to_string()))?;
                        self.tell(bytes, session);
                    }
                    self.replay(session)?;
                }
                (Reply::Decision { orders, refusal }, Phase::Asked(at, since)) => {
                    let wall = session.now.saturating_sub(*since);
                    self.answered = Some((*at, orders.clone()));
                    self.answer = Some(Answer { at: *at, decision: Ok(Decided { orders, refusal }), wall });
                    self.phase = Phase::Idle;
                }
                (Reply::Nonsense { line, why }, phase) => {
                    let words = format!("it wrote `{}`: {why}", line.escape_debug());
                    self.inbox.clear();
                    if let Phase::Asked(at, since) = phase {
                        let wall = session.now.saturating_sub(*since);
                        self.answer = Some(Answer { at: *at, decision: Err(words), wall });
                        self.phase = Phase::Idle;
                        // The rest of it may be on its way, and must not be taken for the next answer.
                        (self.strayed, self.owes) = (true, true);
                    } else {
                        (self.phase, self.until) = (Phase::OutOfStep(words), None);
                    }
                }
                _ => break,
            }
        }
        Ok(())
    }

    /// Goes on after the greeting.
    fn greeted(&mut self, session: &mut Session<'_>) -> Result<(), Flaw> {
        self.until = None;
        if self.way != IntoStep::Replayed {
            self.phase = Phase::Idle;
            return Ok(());
        }
        if self.base != session.tree.base() {
            // It was greeted for a board that is no longer there.
            self.start(session);
            return Ok(());
        }
        let target = session.tree.at();
        let records = session.tree.path(target).into_iter().cloned().collect();
        self.phase = Phase::Replaying(Box::new(Replaying { rerun: session.tree.rerun_from_base()?, records, target }));
        self.replay(session)
    }

    /// Tells the next turn again in which this seat decided.
    fn replay(&mut self, session: &mut Session<'_>) -> Result<(), Flaw> {
        let Phase::Replaying(replaying) = &mut self.phase else { return Ok(()) };
        while let Some(record) = replaying.records.front() {
            if replaying.rerun.awaiting().contains(self.seat) {
                let mut bytes = Vec::new();
                if let Some(conversation) = &mut self.conversation {
                    conversation.prompt(&*replaying.rerun.position(), &mut bytes)?;
                }
                self.until = Some(session.now + PATIENCE);
                self.tell(bytes, session);
                return Ok(());
            }
            replaying.rerun.step(record).map_err(|why| Flaw::new(why.to_string()))?;
            replaying.records.pop_front();
        }
        (self.known, self.until, self.phase) = (Some(replaying.target), None, Phase::Idle);
        Ok(())
    }
}

/// Sends bytes to the program in a seat.
fn put(seat: Seat, bytes: Vec<u8>, session: &mut Session<'_>) {
    if !bytes.is_empty() {
        session.effects.push_back(Effect::Tell { seat, bytes });
    }
}

/// Returns the options of a seat's dialogue in which the program is told of the end, if the protocol can do that.
fn dialect(game: &dyn AnyGame) -> Vec<(String, String)> {
    let quit = game.info().dialect.iter().find(|option| option.name == "quit" && option.values.contains(&"yes"));
    quit.map(|option| (option.name.to_owned(), "yes".to_owned())).into_iter().collect()
}

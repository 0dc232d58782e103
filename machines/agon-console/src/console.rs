//! The console: takes commands.

use crate::{
    clocks::Clocks,
    command::{Command, Distance},
    decision::over,
    edit::Edit,
    effect::{Binding, Effect, Saved},
    occupant::{Decider, Occupant},
    program::{Program, Session},
    timing::Given,
    tree::Tree,
    waiting::{Asked, Task, Waiting, no_program},
};
use agon_core::{Flaw, Seat, Seats, State};
use agon_games::AnyGame;
use agon_referee::{AnyPosition, MatchEvent, PlyRecord, SeatKind};
use agon_spec::{ConsoleDocument, ConsoleText, MatchSpec};
use std::{collections::VecDeque, time::Duration};

/// A session of a person at the board.
///
/// Feed it lines with [`command`](Console::command) and reports of the world with the other methods, each with the time since
/// the start of the session. After each call take [`next`](Console::next) until it returns `None`.
pub struct Console {
    pub(crate) game: &'static dyn AnyGame,
    pub(crate) spec: MatchSpec,
    pub(crate) tree: Tree,
    pub(crate) seats: Vec<Occupant>,
    /// The decisions of the current turn.
    pub(crate) given: Vec<Option<Given>>,
    /// `None` if the session has no clocks.
    pub(crate) clocks: Option<Clocks>,
    /// The turns that clocks have ended since the last answer.
    pub(crate) ended_by_clock: Vec<PlyRecord>,
    /// The events of the session after its beginning.
    pub(crate) journal: Vec<MatchEvent>,
    pub(crate) waiting: Option<Waiting>,
    pub(crate) now: Duration,
    effects: VecDeque<Effect>,
    /// How long a command waits for bots if it does not say so. `None` is without end.
    pub(crate) wait: Option<Duration>,
}

impl Console {
    /// Begins a session. `spec` describes the match, and `bots` has one entry for each seat. A command waits for bots for at
    /// most `wait` if it does not say otherwise.
    ///
    /// # Errors
    /// Says what is wrong if no match can start from `spec`, or if a built-in bot is unknown.
    pub fn new(
        game: &'static dyn AnyGame,
        spec: MatchSpec,
        bots: Vec<Binding>,
        wait: Option<Duration>,
    ) -> Result<Self, Flaw> {
        let (mut tree, clocks) = (Tree::new(game, &spec)?, Clocks::of(&spec));
        tree.set_budgets(clocks.as_ref().map(Clocks::full).unwrap_or_default());
        let count = spec.seats.len();
        if bots.len() != count {
            return Err(Flaw::new(format!("{} bots for {count} seats", bots.len())));
        }
        let mut seats: Vec<Occupant> = Vec::with_capacity(count);
        for (i, binding) in bots.into_iter().enumerate() {
            seats.push(Occupant::new(game, Seat::new(i), spec.seed, spec.limits.inbox as usize, binding)?);
            seats[i].name = unique(&seats, i);
        }
        Ok(Self {
            game,
            spec,
            tree,
            seats,
            given: vec![None; count],
            clocks,
            ended_by_clock: Vec::new(),
            journal: Vec::new(),
            waiting: None,
            now: Duration::ZERO,
            effects: VecDeque::new(),
            wait,
        })
    }

    /// Returns the current position.
    #[must_use]
    pub fn position(&self) -> &dyn AnyPosition {
        self.tree.position()
    }

    /// Returns the current line of play: the map from which its turns count, what that position has beyond it, and the turns.
    #[must_use]
    pub fn line_of_play(&self) -> (&str, &State, Vec<&PlyRecord>) {
        let (map, state) = self.tree.map_and_state_of_base();
        (map, state, self.tree.path(self.tree.at()))
    }

    /// Returns the lawful orders of a seat as JSON, if it decides now and the game can list them. The list is otherwise empty.
    #[must_use]
    pub fn legal(&mut self, seat: Seat) -> Vec<String> {
        let position = self.tree.here();
        let orders = if position.over() { None } else { position.legal(seat) };
        orders.map_or_else(Vec::new, |orders| orders.texts().map(str::to_owned).collect())
    }

    /// Returns whether a command waits for bots or for the world.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// Returns the next instant at which [`tick`](Console::tick) has something to do.
    #[must_use]
    pub fn deadline(&self) -> Option<Duration> {
        let of_program = |occupant: &Occupant| match &occupant.decider {
            Decider::Program(program) => program.deadline(),
            _ => None,
        };
        let waits = self.waiting.as_ref().and_then(|waiting| waiting.until);
        let of_clocks = self.clocks.as_ref().and_then(Clocks::deadline);
        self.seats.iter().filter_map(of_program).chain(waits).chain(of_clocks).min()
    }

    /// Returns what the world has to do next, without taking it.
    #[must_use]
    pub fn peek(&self) -> Option<&Effect> {
        self.effects.front()
    }

    /// Takes the description of the match anew, with the limits of those who are in the seats now. Game, map and rules must
    /// be the same.
    pub fn describe(&mut self, spec: MatchSpec) {
        self.spec = spec;
    }

    /// Returns what the world has to do next. `None` if nothing.
    #[expect(clippy::should_implement_trait, reason = "a console is no iterator: it goes on after `None`")]
    pub fn next(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// Takes a line. Returns whether it has an answer: blank lines, and lines that begin with `#`, have none.
    ///
    /// The answer has the number `id`. Numbers are the caller's; they tell apart the answers of commands that were given
    /// while others still wait for bots.
    pub fn command(&mut self, now: Duration, id: u64, line: &str) -> bool {
        self.now = self.now.max(now);
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            return false;
        }
        self.judge_time(self.now);
        let parsed = Command::parse(line);
        let word = trimmed.split_whitespace().next().unwrap_or_default();
        let word = crate::WORDS.iter().find(|(name, _)| *name == word).map_or("", |(name, _)| *name);
        let asked = Asked { id, word };
        let carried_out = match parsed {
            Err(flaw) => Err((ConsoleText::Command, flaw)),
            Ok(command) => {
                let text = match command {
                    Command::Edit(Edit::Map(_)) => ConsoleText::Map,
                    Command::Edit(Edit::State(_)) => ConsoleText::State,
                    _ => ConsoleText::Command,
                };
                self.carry_out(asked, command).map_err(|flaw| (text, flaw))
            }
        };
        if let Err((text, flaw)) = carried_out {
            let document = self.refusal(word, text, &flaw);
            self.reply(id, document);
        }
        self.advance();
        true
    }

    fn carry_out(&mut self, asked: Asked, command: Command) -> Result<(), Flaw> {
        let seat = match &command {
            Command::Play(seat, _) | Command::Bot(seat, _) | Command::Restart(seat) => Some(*seat),
            Command::Kill(seat) | Command::Anyway(seat) => Some(*seat),
            Command::Ask { seat, .. } | Command::Raw { seat, .. } => Some(*seat),
            _ => None,
        };
        if let Some(seat) = seat.filter(|seat| seat.index() >= self.seats.len()) {
            return Err(
                Flaw::new(format!("there is no seat {seat}")).hint(format!("the seats are 1 to {}", self.seats.len()))
            );
        }
        let waits = matches!(
            command,
            Command::Play(..) | Command::Go { .. } | Command::Ask { .. } | Command::Raw { .. } | Command::Load(_)
        ) || matches!(command, Command::SaveMap(_) | Command::SaveReplay(_) | Command::Bot(..));
        if waits {
            // What a person does now matters more than what bots were asked for before.
            self.stop_waiting();
            if self.waiting.is_some() {
                return Err(Flaw::new("the console still waits for a file or for a bot to be built"));
            }
        }
        match command {
            Command::Play(seat, text) => self.give(asked, seat, &text),
            Command::Go { turns, wait } => {
                if self.tree.position().over() {
                    return Err(over());
                }
                self.wait_for(asked, Task::Turns(turns), wait.or(self.wait));
                Ok(())
            }
            Command::Ask { seat, wait } => self.ask(asked, seat, wait),
            Command::Raw { seat, text, wait } => {
                let occupant = &mut self.seats[seat.index()];
                let Some(program) = occupant.program() else { return Err(no_program(seat)) };
                if program.is_thinking() {
                    return Err(Flaw::new(format!("the bot of seat {seat} is thinking"))
                        .hint(format!("wait for it, or end it with `kill {seat}`")));
                }
                self.wait_for(asked, Task::Raw { seat, line: Some(text) }, wait.or(self.wait));
                Ok(())
            }
            Command::Bot(seat, words) => self.bot(asked, seat, words),
            Command::Restart(seat) => {
                self.stop_waiting_for_line(seat);
                self.about_program(asked, seat, |program, session| program.start(session))
            }
            Command::Kill(seat) => self
                .about_program(asked, seat, |program, session| program.kill("it was killed by hand", session.effects)),
            Command::Anyway(seat) => {
                let (occupant, session) = self.seat_and_session(seat);
                occupant.program().ok_or_else(|| no_program(seat))?.play_anyway(session.tree)?;
                self.answer(asked)
            }
            Command::Stop => {
                self.stop_waiting();
                self.answer(asked)
            }
            Command::Clock { run } => self.run_clocks(asked, run),
            Command::Undo(distance) => {
                let people = self.people();
                self.move_along(asked, |tree| tree.undo(distance, people), nothing(distance, "to take back"))
            }
            Command::Redo(distance) => {
                let people = self.people();
                self.move_along(asked, |tree| tree.redo(distance, people), nothing(distance, "to play again"))
            }
            Command::Branch(Some(branch)) => {
                self.move_along(asked, |tree| tree.choose(branch).map(|events| (1, events)), Flaw::new(""))
            }
            Command::Branch(None) => {
                let mut document = self.document(asked.word);
                document.branches = self.tree.branches();
                self.reply(asked.id, document);
                Ok(())
            }
            Command::Edit(edit) => self.edit(asked, &edit),
            Command::Load(name) => {
                self.wait_for(asked, Task::World(name.clone()), None);
                self.put(Effect::Load { name });
                Ok(())
            }
            Command::SaveMap(name) => {
                let bytes = self.tree.position().map().into_bytes();
                self.save(asked, Saved::Map, name, bytes);
                Ok(())
            }
            Command::SaveReplay(name) => {
                let bytes = self.replay()?;
                self.save(asked, Saved::Replay, name, bytes);
                Ok(())
            }
            Command::Show => {
                let mut document = self.document(asked.word);
                document.frame = Some(self.tree.position().picture());
                self.reply(asked.id, document);
                Ok(())
            }
            Command::ShowMap => {
                let mut document = self.document(asked.word);
                document.map = Some(self.tree.position().map());
                document.left_out = self.left_out();
                self.reply(asked.id, document);
                Ok(())
            }
            Command::ShowState => {
                let state = Some(self.game.state(self.tree.position())?);
                let document = ConsoleDocument { state, ..self.document(asked.word) };
                self.reply(asked.id, document);
                Ok(())
            }
            Command::ShowReplay => {
                let replay = self.replay()?;
                let mut document = self.document(asked.word);
                document.replay = Some(String::from_utf8_lossy(&replay).into_owned());
                self.reply(asked.id, document);
                Ok(())
            }
            Command::Status => self.answer(asked),
            Command::Quit => {
                self.stop_waiting();
                if let Some((earlier, name)) = self.end_world_task() {
                    let flaw = Flaw::new(format!("the session ends before `{name}` is ready"));
                    let document = self.refusal(earlier.word, ConsoleText::Command, &flaw);
                    self.reply(earlier.id, document);
                }
                for i in 0..self.seats.len() {
                    let (occupant, mut session) = self.seat_and_session(Seat::new(i));
                    if let Some(program) = occupant.program() {
                        program.farewell(&mut session)?;
                    }
                }
                self.answer(asked)?;
                self.put(Effect::Quit);
                Ok(())
            }
        }
    }

    fn bot(&mut self, asked: Asked, seat: Seat, words: String) -> Result<(), Flaw> {
        let builtin =
            words.strip_prefix('@').map(|name| (name, self.game.info().bots.iter().find(|bot| bot.name == name)));
        let (name, kind) = match builtin {
            _ if words == "human" => ("human".to_owned(), SeatKind::Human),
            Some((name, Some(bot))) => (name.to_owned(), SeatKind::Builtin(bot.name)),
            Some((name, None)) => return Err(self.game.info().no_bot("", name)),
            None => {
                self.wait_for(asked, Task::World(words.clone()), None);
                self.put(Effect::Bind { seat, words });
                return Ok(());
            }
        };
        self.seat_bot(seat, Binding { name, words, kind })?;
        self.answer(asked)
    }

    pub(crate) fn seat_bot(&mut self, seat: Seat, binding: Binding) -> Result<(), Flaw> {
        let i = seat.index();
        let new = Occupant::new(self.game, seat, self.spec.seed, self.spec.limits.inbox as usize, binding)?
            .after(&self.seats[i]);
        if let Some(program) = self.seats[i].program() {
            program.stop(&mut self.effects);
        }
        self.seats[i] = new;
        self.seats[i].name = unique(&self.seats, i);
        // Another one in the seat does not give the time back that has run out.
        if self.given[i].as_ref().is_none_or(|given| given.fault.is_none()) {
            self.given[i] = None;
            self.clocks.iter_mut().for_each(|clocks| clocks.restore_one(seat, self.tree.budgets()));
        }
        Ok(())
    }

    fn about_program(
        &mut self,
        asked: Asked,
        seat: Seat,
        act: impl FnOnce(&mut Program, &mut Session<'_>),
    ) -> Result<(), Flaw> {
        let (occupant, mut session) = self.seat_and_session(seat);
        let Some(program) = occupant.program() else { return Err(no_program(seat)) };
        act(program, &mut session);
        self.answer(asked)
    }

    /// Goes to another position. `nothing` is the flaw if there is none.
    fn move_along(
        &mut self,
        asked: Asked,
        go: impl FnOnce(&mut Tree) -> Result<(u32, Vec<MatchEvent>), Flaw>,
        nothing: Flaw,
    ) -> Result<(), Flaw> {
        self.stop_waiting();
        let (done, events) = go(&mut self.tree)?;
        if done == 0 {
            return Err(nothing);
        }
        self.forget_decisions();
        self.rest_clocks();
        let mut document = self.document(asked.word);
        for event in events {
            if let MatchEvent::Ply(record) = &event {
                document.turns.push(record.clone());
            }
            self.record(event);
        }
        self.reply(asked.id, document);
        Ok(())
    }

    fn edit(&mut self, asked: Asked, edit: &Edit) -> Result<(), Flaw> {
        self.stop_waiting();
        let begun_anew = self.replace(edit, None)?;
        let document = ConsoleDocument { begun_anew, ..self.document(asked.word) };
        self.reply(asked.id, document);
        Ok(())
    }

    fn save(&mut self, asked: Asked, what: Saved, name: String, bytes: Vec<u8>) {
        self.wait_for(asked, Task::World(name.clone()), None);
        self.put(Effect::Save { what, name, bytes });
    }

    pub(crate) fn wait_for(&mut self, asked: Asked, task: Task, wait: Option<Duration>) {
        let until = wait.map(|wait| self.now + wait);
        self.waiting = Some(Waiting { asked, task, since: self.now, until, turns: Vec::new() });
    }

    pub(crate) fn answer(&mut self, asked: Asked) -> Result<(), Flaw> {
        self.keep_time();
        let document = self.document(asked.word);
        self.reply(asked.id, document);
        Ok(())
    }

    /// Returns the seats of people.
    fn people(&self) -> Seats {
        let is_person = |(_, occupant): &(usize, &Occupant)| matches!(occupant.decider, Decider::Human);
        self.seats.iter().enumerate().filter(is_person).map(|(i, _)| Seat::new(i)).collect()
    }

    /// Returns the state of the session, as `status` answers it.
    #[must_use]
    pub fn status(&self) -> ConsoleDocument {
        self.document("status")
    }

    pub(crate) fn forget_decisions(&mut self) {
        self.given.fill(None);
        self.clocks.iter_mut().for_each(|clocks| clocks.restore(self.tree.budgets()));
    }

    pub(crate) fn reply(&mut self, id: u64, mut document: ConsoleDocument) {
        document.turns.splice(..0, self.ended_by_clock.drain(..));
        self.put(Effect::Answer { id, document: Box::new(document) });
    }

    pub(crate) fn put(&mut self, effect: Effect) {
        self.effects.push_back(effect);
    }

    /// Adds an event to the replay of the session.
    pub(crate) fn record(&mut self, event: MatchEvent) {
        self.journal.push(event.clone());
        self.put(Effect::Record(Box::new(event)));
    }

    pub(crate) fn seat_and_session(&mut self, seat: Seat) -> (&mut Occupant, Session<'_>) {
        let clock = self.remaining(seat);
        let session = Session { game: self.game, tree: &self.tree, now: self.now, clock, effects: &mut self.effects };
        (&mut self.seats[seat.index()], session)
    }
}

/// The flaw of an undo or a redo that leads nowhere.
fn nothing(distance: Distance, what: &str) -> Flaw {
    match distance {
        Distance::Steps(_) => Flaw::new(format!("there is nothing {what}")),
        Distance::Person => Flaw::new(format!("there is no decision of a person {what}")),
    }
}

/// Returns the name of a seat, with a number behind it if another seat has the same.
fn unique(seats: &[Occupant], i: usize) -> String {
    let taken = |name: &str| seats.iter().enumerate().any(|(other, seat)| other != i && seat.name == name);
    let name = &seats[i].name;
    if !taken(name) {
        return name.clone();
    }
    (2..).map(|number| format!("{name}#{number}")).find(|name| !taken(name)).unwrap_or_default()
}

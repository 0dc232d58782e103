//! The console: takes commands, and reports of the world.

use crate::{
    command::{Command, Distance},
    edit::{Edit, MapEdit},
    effect::{Binding, Effect, Saved},
    occupant::{Decider, Occupant, Thought},
    program::Session,
    tree::Tree,
    waiting::{Asked, Task, Waiting, no_program},
};
use agon_core::{Flaw, Seat, Seats, State};
use agon_games::AnyGame;
use agon_referee::{AnyPosition, ApplyError, JsonList, MatchEvent, PlyRecord, SeatKind};
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
    pub(crate) given: Vec<Option<JsonList>>,
    /// The events of the session after its beginning.
    pub(crate) journal: Vec<MatchEvent>,
    pub(crate) waiting: Option<Waiting>,
    pub(crate) now: Duration,
    effects: VecDeque<Effect>,
    /// How long a command waits for bots if it does not say so. `None` is without end.
    wait: Option<Duration>,
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
        let tree = Tree::new(game, &spec)?;
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
        self.seats.iter().filter_map(of_program).chain(waits).min()
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

    /// Takes a line. Blank lines, and lines that begin with `#`, have no answer.
    ///
    /// The answer has the number `id`. Numbers are the caller's; they tell apart the answers of commands that were given
    /// while others still wait for bots.
    pub fn command(&mut self, now: Duration, id: u64, line: &str) {
        self.now = self.now.max(now);
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            return;
        }
        let parsed = Command::parse(line);
        let word = trimmed.split_whitespace().next().unwrap_or_default();
        let word = crate::WORDS.iter().find(|(name, _)| *name == word).map_or("", |(name, _)| *name);
        let asked = Asked { id, word };
        let carried_out = match parsed {
            Err(flaw) => Err((ConsoleText::Command, flaw)),
            Ok(command) => {
                let text = if matches!(command, Command::Edit(_)) { ConsoleText::Map } else { ConsoleText::Command };
                self.carry_out(asked, command).map_err(|flaw| (text, flaw))
            }
        };
        if let Err((text, flaw)) = carried_out {
            let document = self.refusal(word, text, &flaw);
            self.reply(id, document);
        }
        self.advance();
    }

    /// Time has passed.
    pub fn tick(&mut self, now: Duration) {
        self.now = self.now.max(now);
        let now = self.now;
        self.seats.iter_mut().filter_map(Occupant::program).for_each(|program| program.tick(now));
        self.advance();
    }

    /// Lets a built-in bot think after [`Effect::Think`]. The call lasts as long as it thinks. `clock` tells the time since
    /// the start of the session.
    pub fn think(&mut self, seat: Seat, clock: impl Fn() -> Duration) {
        let since = clock();
        let Some(Occupant { decider: Decider::Builtin(builtin), .. }) = self.seats.get_mut(seat.index()) else {
            return;
        };
        builtin.thinks = None;
        let position = self.tree.position();
        if position.awaiting().contains(seat) && !position.over() {
            builtin.forget(self.game, &self.tree, seat);
            if let Ok(orders) = builtin.bot.decide(position, seat) {
                let wall = clock().saturating_sub(since);
                builtin.thought = Some(Thought { at: self.tree.at(), orders, wall });
            }
        }
        self.now = self.now.max(clock());
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
        report: impl FnOnce(&mut crate::program::Program, &mut Session<'_>) -> Result<(), Flaw>,
    ) {
        self.now = self.now.max(now);
        if seat.index() < self.seats.len() {
            let (occupant, mut session) = self.seat_and_session(seat);
            if let Some(program) = occupant.program()
                && let Err(flaw) = report(program, &mut session)
            {
                program.kill(flaw.to_string(), session.effects);
            }
        }
        self.advance();
    }

    /// Reports who takes a seat after [`Effect::Bind`], or why nobody does.
    pub fn bind(&mut self, seat: Seat, bound: Result<Binding, Flaw>) {
        let Some((id, _)) = self.end_world_task() else { return };
        let document = match bound.and_then(|binding| self.seat_bot(seat, binding)) {
            Ok(()) => self.document("bot"),
            Err(flaw) => self.refusal("bot", ConsoleText::Command, &flaw),
        };
        self.reply(id, document);
    }

    /// Reports a map that was read after [`Effect::Load`], or why it was not.
    pub fn loaded(&mut self, map: Result<String, Flaw>) {
        let Some((id, name)) = self.end_world_task() else { return };
        // A map that is loaded is the start of another match.
        let made = map.and_then(|map| self.replace(&Edit::Map(MapEdit::Map(map)), Some(State::default())));
        let mut document = match made {
            Ok(_) => self.document("load"),
            Err(flaw) => self.refusal("load", ConsoleText::Map, &flaw),
        };
        document.file = Some(name);
        self.reply(id, document);
    }

    /// Reports that a file was written after [`Effect::Save`], or why it was not.
    pub fn saved(&mut self, what: Saved, written: Result<(), Flaw>) {
        let Some((id, name)) = self.end_world_task() else { return };
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

    /// Ends the command that waits for the world. Returns its number and what it named.
    fn end_world_task(&mut self) -> Option<(u64, String)> {
        match self.waiting.take() {
            Some(Waiting { asked, task: Task::World(name), .. }) => Some((asked.id, name)),
            other => {
                self.waiting = other;
                None
            }
        }
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
        let waits =
            matches!(
                command,
                Command::Play(..) | Command::Go { .. } | Command::Ask { .. } | Command::Raw { .. } | Command::Load(_)
            ) || matches!(command, Command::SaveMap(_) | Command::SaveReplay(_) | Command::Bot(..) | Command::Quit);
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
            Command::Restart(seat) => self.about_program(asked, seat, |program, session| program.start(session)),
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

    /// Takes the decision of a seat, and plays the turn if it was the last one.
    fn give(&mut self, asked: Asked, seat: Seat, text: &str) -> Result<(), Flaw> {
        if self.tree.position().over() {
            return Err(over());
        }
        if !self.tree.position().awaiting().contains(seat) {
            let awaiting = self.tree.position().awaiting();
            let numbers: Vec<String> = awaiting.iter().map(|seat| seat.to_string()).collect();
            return Err(Flaw::new(format!("it is not the turn of seat {seat}"))
                .hint(format!("the seats that decide now: {}", numbers.join(", "))));
        }
        let orders = self.read_orders(seat, text)?;
        self.given[seat.index()] = Some(orders);
        self.wait_for(asked, Task::Turns(1), self.wait);
        Ok(())
    }

    /// Reads orders, as a list or as a single order, and checks them.
    fn read_orders(&mut self, seat: Seat, text: &str) -> Result<JsonList, Flaw> {
        let unread = |why: String| {
            Flaw::new(format!("the orders cannot be read: {why}"))
                .hint("write them as `orders` in a replay; `show` and `agon rules GAME` help")
        };
        let list: Result<JsonList, _> = serde_json::from_str(text);
        let position = self.tree.here();
        let first = match &list {
            Ok(list) => position.check(seat, list),
            Err(_) => Err(ApplyError::UnknownOrder { seat, why: String::new() }),
        };
        match (first, list) {
            (Ok(()), Ok(list)) => Ok(list),
            (Err(ApplyError::UnknownOrder { why, .. }), list) => {
                let value: serde_json::Value = serde_json::from_str(text).map_err(|why| unread(why.to_string()))?;
                let single: JsonList = [value].into_iter().collect();
                match position.check(seat, &single) {
                    Ok(()) => Ok(single),
                    Err(ApplyError::UnknownOrder { why: other, .. }) => {
                        Err(unread(if list.is_ok() { why } else { other }))
                    }
                    Err(why) => Err(Flaw::new(why.to_string())),
                }
            }
            (Err(why), _) => Err(Flaw::new(why.to_string())),
            (Ok(()), Err(why)) => Err(unread(why.to_string())),
        }
    }

    fn ask(&mut self, asked: Asked, seat: Seat, wait: Option<Duration>) -> Result<(), Flaw> {
        if matches!(self.seats[seat.index()].decider, Decider::Human) {
            return Err(Flaw::new(format!("seat {seat} is a person's")).hint("only bots can be asked"));
        }
        if self.tree.position().over() {
            return Err(over());
        }
        if !self.tree.position().awaiting().contains(seat) {
            return Err(
                Flaw::new(format!("it is not the turn of seat {seat}")).hint("a bot is asked when it is its turn")
            );
        }
        self.wait_for(asked, Task::Ask(seat), wait.or(self.wait));
        Ok(())
    }

    fn bot(&mut self, asked: Asked, seat: Seat, words: String) -> Result<(), Flaw> {
        let builtin =
            words.strip_prefix('@').map(|name| (name, self.game.info().bots.iter().find(|bot| bot.name == name)));
        let (name, kind) = match builtin {
            _ if words == "human" => ("human".to_owned(), SeatKind::Human),
            Some((name, Some(bot))) => (name.to_owned(), SeatKind::Builtin(bot.name)),
            Some((name, None)) => {
                let known: Vec<_> = self.game.info().bots.iter().map(|bot| bot.name).collect();
                return Err(Flaw::new(format!("{} has no built-in bot `{name}`", self.game.title()))
                    .hint(format!("the built-in bots are: {}", known.join(", "))));
            }
            None => {
                self.wait_for(asked, Task::World(words.clone()), None);
                self.put(Effect::Bind { seat, words });
                return Ok(());
            }
        };
        self.seat_bot(seat, Binding { name, words, kind })?;
        self.answer(asked)
    }

    fn seat_bot(&mut self, seat: Seat, binding: Binding) -> Result<(), Flaw> {
        let i = seat.index();
        let new = Occupant::new(self.game, seat, self.spec.seed, self.spec.limits.inbox as usize, binding)?;
        if let Some(program) = self.seats[i].program() {
            program.stop(&mut self.effects);
        }
        self.seats[i] = new;
        self.seats[i].name = unique(&self.seats, i);
        self.given[i] = None;
        Ok(())
    }

    fn about_program(
        &mut self,
        asked: Asked,
        seat: Seat,
        act: impl FnOnce(&mut crate::program::Program, &mut Session<'_>),
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

    fn wait_for(&mut self, asked: Asked, task: Task, wait: Option<Duration>) {
        let until = wait.map(|wait| self.now + wait);
        self.waiting = Some(Waiting { asked, task, since: self.now, until, turns: Vec::new() });
    }

    fn answer(&mut self, asked: Asked) -> Result<(), Flaw> {
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
    }

    pub(crate) fn reply(&mut self, id: u64, document: ConsoleDocument) {
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
        let session = Session { game: self.game, tree: &self.tree, now: self.now, effects: &mut self.effects };
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

/// The flaw of a command that needs a match that goes on.
fn over() -> Flaw {
    Flaw::new("the match has ended").hint("`undo` takes its last turn back")
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

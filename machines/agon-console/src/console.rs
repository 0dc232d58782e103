//! The console: takes commands.

use crate::{
    clocks::Clocks,
    command::Command,
    edit::Edit,
    effect::{Binding, Effect},
    occupant::{Decider, Occupant, unique},
    program::Session,
    timing::Given,
    tree::PositionTree,
    waiting::{Asked, Task, Waiting},
};
use agon_core::{Flaw, Seat, State};
use agon_games::AnyGame;
use agon_referee::{Board, MatchEvent, PlyRecord};
use agon_spec::{ConsoleDocument, ConsoleText, MatchSpec};
use std::{collections::VecDeque, time::Duration};

/// A session of a person at the board.
///
/// Feed it lines with [`command`](Console::command) and reports of the world with the other methods, each with the time since
/// the start of the session. After each call take [`next`](Console::next) until it returns `None`.
pub struct Console {
    pub(crate) game: &'static dyn AnyGame,
    pub(crate) spec: MatchSpec,
    pub(crate) tree: PositionTree,
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
    pub(crate) effects: VecDeque<Effect>,
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
        let (mut tree, clocks) = (PositionTree::new(game, &spec)?, Clocks::of(&spec));
        tree.set_budgets(clocks.as_ref().map(Clocks::full).unwrap_or_default());
        let count = spec.seats.len();
        if bots.len() != count {
            return Err(Flaw::new(format!("{} bots for {count} seats", bots.len())));
        }
        let mut seats: Vec<Occupant> = Vec::with_capacity(count);
        for (i, binding) in bots.into_iter().enumerate() {
            let seat = Seat::new(i);
            seats.push(Occupant::new(game, seat, spec.bot_seed(seat), spec.limits.inbox as usize, binding)?);
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
    pub fn position(&self) -> &Board {
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
    pub fn legal(&self, seat: Seat) -> Vec<String> {
        let position = self.tree.position();
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
        self.judge_time(now);
        let parsed = Command::parse(line);
        let word = trimmed.split_whitespace().next().unwrap_or_default();
        let word = crate::WORDS.iter().find(|known| known.name == word).map_or("", |known| known.name);
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

    /// Returns the state of the session, as `status` answers it.
    #[must_use]
    pub fn status(&self) -> ConsoleDocument {
        self.document("status")
    }

    /// Forgets the decisions of the current turn, and gives every clock what it has in the current position.
    pub(crate) fn forget_decisions(&mut self) {
        self.given.fill(None);
        if let Some(clocks) = &mut self.clocks {
            clocks.restore(self.tree.budgets());
        }
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

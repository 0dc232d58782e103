//! Who decides in a seat.

use crate::{
    effect::Binding,
    program::{Program, Session},
    tree::{NodeId, PositionTree},
};
use agon_core::{Flaw, Seat, Seed};
use agon_games::{AnyBot, AnyGame};
use agon_referee::{JsonList, PlyRecord, SeatKind};
use agon_spec::{ConsoleClock, ConsoleSeat, ConsoleSeatState};
use std::time::Duration;

/// A seat: its name, and who decides in it.
pub(crate) struct Occupant {
    pub name: String,
    pub words: String,
    pub decider: Decider,
    /// How often programs were started in this seat before.
    earlier_starts: u32,
}

/// What decides in a seat.
pub(crate) enum Decider {
    Human,
    Builtin(Builtin),
    Program(Box<Program>),
}

/// A built-in bot in a seat.
pub(crate) struct Builtin {
    name: &'static str,
    seed: Seed,
    pub bot: Box<dyn AnyBot>,
    /// Whether the world has been told to let it think.
    pub thinks: bool,
    /// The position after its last decision. `None` before its first decision, and if another one was played.
    known: Option<NodeId>,
    /// Whether it has seen a position.
    has_seen: bool,
    pub thought: Option<Thought>,
}

/// What a built-in bot has decided.
#[derive(Clone)]
pub(crate) struct Thought {
    pub at: NodeId,
    pub orders: JsonList,
    /// How long it thought.
    pub wall: Duration,
}

impl Builtin {
    fn new(game: &dyn AnyGame, name: &'static str, seed: Seed) -> Option<Self> {
        let bot = game.bot(name, seed)?;
        Some(Self { name, seed, bot, thinks: false, known: None, has_seen: false, thought: None })
    }

    /// Makes the bot anew if the position was not reached by its own turns. Some bots remember what they have seen.
    pub(crate) fn forget(&mut self, game: &dyn AnyGame, tree: &PositionTree, seat: Seat) {
        let knows = self.known.is_some_and(|known| tree.is_untouched(known, tree.at(), seat));
        if self.has_seen
            && !knows
            && let Some(bot) = game.bot(self.name, self.seed)
        {
            self.bot = bot;
        }
        (self.has_seen, self.known) = (true, None);
    }

    fn learn_turn(&mut self, seat: Seat, before: NodeId, after: NodeId, record: &PlyRecord) {
        let Some(entry) = record.entries.iter().find(|entry| entry.seat == seat) else { return };
        let own = self.thought.take().is_some_and(|thought| thought.at == before && thought.orders == entry.orders);
        self.known = own.then_some(after);
    }
}

impl Occupant {
    /// Puts somebody into a seat. `seed` is that of a built-in bot there. `inbox` is the most bytes that a program may write
    /// without an answer.
    pub(crate) fn new(
        game: &dyn AnyGame,
        seat: Seat,
        seed: Seed,
        inbox: usize,
        Binding { name, words, kind }: Binding,
    ) -> Result<Self, Flaw> {
        let decider = match kind {
            SeatKind::Human => Decider::Human,
            SeatKind::Process => Decider::Program(Box::new(Program::new(seat, game.info().into_step, inbox))),
            SeatKind::Builtin(bot) => {
                let flaw = || game.info().no_bot("", bot);
                Decider::Builtin(Builtin::new(game, bot, seed).ok_or_else(flaw)?)
            }
        };
        Ok(Self { name, words, decider, earlier_starts: 0 })
    }

    /// Counts the starts of programs on from those of who sat here before, so that a late report of an earlier process is
    /// not taken for one of this one.
    pub(crate) fn after(mut self, earlier: &Self) -> Self {
        self.earlier_starts = match &earlier.decider {
            Decider::Program(program) => program.run(),
            _ => earlier.earlier_starts,
        };
        if let Decider::Program(program) = &mut self.decider {
            program.count_on_from(self.earlier_starts);
        }
        self
    }

    pub(crate) fn program(&mut self) -> Option<&mut Program> {
        match &mut self.decider {
            Decider::Program(program) => Some(program),
            _ => None,
        }
    }

    /// Learns that a turn was played.
    pub(crate) fn learn_turn(
        &mut self,
        seat: Seat,
        (before, after): (NodeId, NodeId),
        record: &PlyRecord,
        session: &mut Session<'_>,
    ) {
        match &mut self.decider {
            Decider::Human => {}
            Decider::Builtin(builtin) => builtin.learn_turn(seat, before, after, record),
            Decider::Program(program) => program.learn_turn(before, after, record, session),
        }
    }

    pub(crate) fn document(&self, tree: &PositionTree, decided: bool, clock: Option<ConsoleClock>) -> ConsoleSeat {
        let (state, why, into_step, in_step) = match &self.decider {
            Decider::Human => (ConsoleSeatState::Human, None, None, true),
            Decider::Builtin(Builtin { thinks: false, .. }) => (ConsoleSeatState::Ready, None, None, true),
            Decider::Builtin(_) => (ConsoleSeatState::Thinking, None, None, true),
            Decider::Program(program) => {
                let (state, why) = match program.trouble() {
                    Some((true, why)) => (ConsoleSeatState::Dead, Some(why.to_owned())),
                    Some((false, why)) => (ConsoleSeatState::OutOfStep, Some(why.to_owned())),
                    None if program.is_thinking() => (ConsoleSeatState::Thinking, None),
                    None => (ConsoleSeatState::Ready, None),
                };
                (state, why, Some(program.way().name().to_owned()), program.is_in_step(tree))
            }
        };
        ConsoleSeat { name: self.name.clone(), bot: self.words.clone(), state, why, into_step, in_step, decided, clock }
    }
}

/// Returns the name of a seat, with a number behind it if another seat has the same.
pub(crate) fn unique(seats: &[Occupant], i: usize) -> String {
    let taken = |name: &str| seats.iter().enumerate().any(|(other, seat)| other != i && seat.name == name);
    let name = &seats[i].name;
    if !taken(name) {
        return name.clone();
    }
    (2..).map(|number| format!("{name}#{number}")).find(|name| !taken(name)).unwrap_or_default()
}

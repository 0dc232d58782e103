//! Who decides in a seat.

use crate::{
    effect::Binding,
    program::{Program, Session},
    tree::{NodeId, Tree},
};
use agon_core::{Flaw, Seat, Seed};
use agon_games::{AnyBot, AnyGame};
use agon_referee::{PlyRecord, SeatKind};
use agon_spec::{ConsoleSeat, ConsoleSeatState};

/// A seat: its name, and who decides in it.
pub(crate) struct Occupant {
    pub name: String,
    pub words: String,
    pub decider: Decider,
}

/// What decides in a seat.
pub(crate) enum Decider {
    Human,
    Builtin {
        bot: Box<dyn AnyBot>,
        /// Whether the world has been told to let it think.
        thinks: bool,
    },
    Program(Box<Program>),
}

impl Occupant {
    /// Puts somebody into a seat. `inbox` is the most bytes that a program may write without an answer.
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
                let known = || game.info().bots.iter().map(|bot| bot.name).collect::<Vec<_>>().join(", ");
                let flaw = || {
                    Flaw::new(format!("{} has no built-in bot `{bot}`", game.title()))
                        .hint(format!("the built-in bots are: {}", known()))
                };
                Decider::Builtin { bot: game.bot(bot, seed.for_bot(seat)).ok_or_else(flaw)?, thinks: false }
            }
        };
        Ok(Self { name, words, decider })
    }

    pub(crate) fn program(&mut self) -> Option<&mut Program> {
        match &mut self.decider {
            Decider::Program(program) => Some(program),
            _ => None,
        }
    }

    /// Learns that a turn was played.
    pub(crate) fn settle(&mut self, before: NodeId, after: NodeId, record: &PlyRecord, session: &mut Session<'_>) {
        if let Some(program) = self.program() {
            program.settle(before, after, record, session);
        }
    }

    pub(crate) fn document(&self, tree: &Tree, decided: bool) -> ConsoleSeat {
        let (state, why, into_step, in_step) = match &self.decider {
            Decider::Human => (ConsoleSeatState::Human, None, None, true),
            Decider::Builtin { thinks: false, .. } => (ConsoleSeatState::Ready, None, None, true),
            Decider::Builtin { thinks: true, .. } => (ConsoleSeatState::Thinking, None, None, true),
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
        ConsoleSeat { name: self.name.clone(), bot: self.words.clone(), state, why, into_step, in_step, decided }
    }
}

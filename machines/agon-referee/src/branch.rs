//! Turns that are played by hand. This needs no bot, dialogue or clock, and a program that uses nothing else does not
//! contain them.

use crate::{
    Board, JsonList, Step,
    board::{Brought, Judged, Unreadable},
    snapshots::Snapshots,
};
use agon_core::{Contest, Failure, Flaw, Seat, Seats};
use agon_spec::MatchSpec;
use core::fmt;

/// The decision of one seat in a turn.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The seat that decides.
    pub seat: Seat,
    /// The orders, in the form that a replay has.
    pub orders: JsonList,
    /// How the seat broke down: late, gone or nonsense. `None` if it did not. [`Failure::Unlawful`] has no effect here,
    /// because the rules judge the orders.
    pub failure: Option<Failure>,
}

/// The result of a turn.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Turn {
    /// The events of the turn, in order.
    pub events: JsonList,
    /// The orders that the rules refused, at most one for each seat.
    pub refused: Vec<RefusedOrder>,
    /// The seats that failed, and how, as the rules judged it.
    pub failures: Vec<(Seat, Failure)>,
}

/// An order that the rules refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefusedOrder {
    /// The seat that gave the order.
    pub seat: Seat,
    /// The index of the order in the decision, counted from 0. It equals the number of orders if an order is missing.
    pub index: usize,
    /// The reason, in the game's words.
    pub why: String,
}

/// Why a turn cannot be played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ApplyError {
    /// The match has ended.
    Over,
    /// The decisions belong to other seats than the rules await, or they are not in ascending order of seats.
    WrongSeats {
        /// The seats that the rules await.
        awaited: Seats,
        /// The seats of the decisions.
        decided: Seats,
    },
    /// A decision has an order that the game does not know.
    UnknownOrder {
        /// The seat that gave the order.
        seat: Seat,
        /// Why the order cannot be read.
        why: String,
    },
    /// The rules refuse an order. Only [`Board::check`] returns this.
    Unlawful(RefusedOrder),
}

impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Over => f.write_str("the match has ended"),
            Self::WrongSeats { awaited, decided } => {
                write!(f, "seats {decided:?} decided, but the rules await seats {awaited:?}")
            }
            Self::UnknownOrder { seat, why } => write!(f, "an order of seat {seat} cannot be read: {why}"),
            Self::Unlawful(refused) => {
                write!(f, "order {} of seat {} is unlawful: {}", refused.index + 1, refused.seat, refused.why)
            }
        }
    }
}

impl std::error::Error for ApplyError {}

impl From<Unreadable> for ApplyError {
    fn from(Unreadable { seat, why }: Unreadable) -> Self {
        Self::UnknownOrder { seat, why }
    }
}

/// A position, and the turns that were played by hand and led to it. Its copies can take them back, too.
#[derive(Clone)]
pub struct Branch {
    board: Board,
    /// The turns since the first snapshot.
    turns: Vec<Vec<Decision>>,
    snapshots: Snapshots,
}

impl Branch {
    /// Begins at the start of a match of the game `C`.
    ///
    /// # Errors
    /// Fails as [`starting_position`](crate::starting_position) does.
    pub fn new<C: Contest>(spec: &MatchSpec) -> Result<Self, Flaw> {
        Ok(Self::at(Board::start::<C>(spec)?))
    }

    /// Begins at a position. The turns before it cannot be taken back.
    #[must_use]
    pub fn at(board: Board) -> Self {
        let snapshots = Snapshots::new(&board);
        Self { board, turns: Vec::new(), snapshots }
    }

    /// Returns the position after the last turn.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Plays one turn. `decisions` has one decision for each awaited seat, in ascending order of seats. Unlawful orders
    /// are judged as in a match, and [`Turn::refused`] lists them.
    ///
    /// # Errors
    /// Says why the turn cannot be played. The position is then unchanged.
    pub fn apply(&mut self, decisions: &[Decision]) -> Result<Turn, ApplyError> {
        self.apply_in_steps(decisions, &mut |_| {})
    }

    /// Plays one turn as [`apply`](Branch::apply) does, and calls `show` for each part of it.
    ///
    /// # Errors
    /// Fails as [`apply`](Branch::apply) does.
    pub fn apply_in_steps(
        &mut self,
        decisions: &[Decision],
        show: &mut dyn FnMut(&Step<'_>),
    ) -> Result<Turn, ApplyError> {
        if self.board.over() {
            return Err(ApplyError::Over);
        }
        let awaited = self.board.awaiting();
        let decided: Seats = decisions.iter().map(|decision| decision.seat).collect();
        if awaited != decided || decisions.windows(2).any(|pair| pair[0].seat >= pair[1].seat) {
            return Err(ApplyError::WrongSeats { awaited, decided });
        }
        let judged = judge(&mut self.board, decisions)?;
        let mut events = JsonList::default();
        self.board.resolve(Some(&mut |step: &Step<'_>| {
            events.append(&step.events());
            show(step);
        }));
        self.turns.push(decisions.to_vec());
        self.snapshots.note(&self.board);
        let mut turn = Turn { events, ..Turn::default() };
        for (decision, judged) in decisions.iter().zip(judged) {
            turn.refused.extend(judged.refused);
            turn.failures.extend(judged.failure.map(|failure| (decision.seat, failure)));
        }
        Ok(turn)
    }

    /// Takes the last turn back. Returns `false` and changes nothing if no turn has been played on this position.
    pub fn undo(&mut self) -> bool {
        if self.turns.pop().is_none() {
            return false;
        }
        let plies = self.board.plies() - 1;
        self.snapshots.forget_after(plies);
        let from = self.snapshots.last(plies, |_| true).expect("the first one is never dropped");
        self.board.copy_from(&from.board);
        let done = (self.board.plies() - self.snapshots.first()) as usize;
        for decisions in &self.turns[done..] {
            // They could be read when the turn was played.
            if judge(&mut self.board, decisions).is_ok() {
                self.board.resolve(None);
            }
        }
        true
    }
}

/// Reads and judges the decisions of a turn.
fn judge(board: &mut Board, decisions: &[Decision]) -> Result<Vec<Judged>, Unreadable> {
    let brought = decisions.iter().map(|decision| Brought {
        seat: decision.seat,
        orders: &decision.orders,
        breakdown: decision.failure.filter(|failure| failure.is_breakdown()),
    });
    board.judge(&brought.collect::<Vec<_>>())
}

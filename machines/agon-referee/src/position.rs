//! Positions without their types. A program can look at them, play them on by hand and take turns back. This needs no
//! bot, dialogue or clock, and a program that uses nothing else does not contain them.

use crate::{
    JsonList, Mark, Step,
    board::{self, AnyBoard, Brought, Judged, TypedBoard, Unreadable},
    snapshots::Snapshots,
};
use agon_core::{Contest, Failure, Frame, Seat, Seats, Standing};
use core::fmt;
use std::any::Any;

/// A position of any game, with the turns that led to it.
pub trait AnyPosition: Any + Send {
    /// Returns the number of seats in the match.
    fn seats(&self) -> usize;

    /// Returns the seats that decide next. The set may be empty before the end, if all seats are gone.
    fn awaiting(&self) -> Seats;

    /// Returns whether the match has ended by the rules.
    fn over(&self) -> bool;

    /// Returns the number of turns since the start of the match.
    fn plies(&self) -> u32;

    /// Returns the round in which the awaited seats decide, counted from 1. `None` means that the game counts no
    /// rounds.
    fn round(&self) -> Option<u32>;

    /// Returns the current standing.
    fn standing(&self) -> Standing;

    /// Returns the fingerprint of the position.
    fn fingerprint(&self) -> Mark;

    /// Returns the picture of the position as a display list, with a tooltip for each item.
    fn picture(&self) -> Frame;

    /// Returns what a viewer draws of the position: everything, or with the eyes of a seat only what the seat knows. The
    /// picture is empty if the match has no such seat.
    fn frame(&self, eyes: Option<Seat>) -> Frame;

    /// Returns the names of the numbers that [`measure`](AnyPosition::measure) gives.
    fn series(&self) -> &'static [&'static str];

    /// Appends the numbers of `seat`: all of them, or with the eyes of a seat those that it knows and `NAN` for each of the
    /// others.
    fn measure(&self, eyes: Option<Seat>, seat: Seat, out: &mut Vec<f64>);

    /// Returns the position as a map file, as far as the map format can express it.
    fn map(&self) -> String;

    /// Returns every order that is lawful for `seat` as the first order of its decision. The list is empty if the seat
    /// does not decide now. `None` means that there are too many orders to list.
    fn legal(&mut self, seat: Seat) -> Option<JsonList>;

    /// Checks whether the rules accept this decision of an awaited seat, without playing it.
    ///
    /// # Errors
    /// Fails with [`ApplyError::Unlawful`] if they do not, and otherwise as [`apply`](AnyPosition::apply) does.
    fn check(&mut self, seat: Seat, orders: &JsonList) -> Result<(), ApplyError>;

    /// Plays one turn. `decisions` has one decision for each awaited seat, in ascending order of seats. Unlawful orders
    /// are judged as in a match, and [`Turn::refused`] lists them.
    ///
    /// # Errors
    /// Says why the turn cannot be played. The position is then unchanged.
    fn apply(&mut self, decisions: &[Decision]) -> Result<Turn, ApplyError> {
        self.apply_in_steps(decisions, &mut |_| {})
    }

    /// Plays one turn as [`apply`](AnyPosition::apply) does, and calls `show` for each part of it.
    ///
    /// # Errors
    /// Fails as [`apply`](AnyPosition::apply) does.
    fn apply_in_steps(&mut self, decisions: &[Decision], show: &mut dyn FnMut(&Step<'_>)) -> Result<Turn, ApplyError>;

    /// Takes the last turn back. Returns `false` and changes nothing if no turn has been played on this position.
    fn undo(&mut self) -> bool;

    /// Returns an independent copy of the position. Its turns can be taken back, too.
    fn copy(&self) -> Box<dyn AnyPosition>;
}

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
    /// The rules refuse an order. Only [`AnyPosition::check`] returns this.
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

/// A position, and the turns that were played by hand and led to it. See [`AnyPosition`].
pub struct Branch {
    board: Box<dyn AnyBoard>,
    /// The turns since the first snapshot.
    turns: Vec<Vec<Decision>>,
    snapshots: Snapshots,
}

impl Branch {
    /// Begins at a position after `plies` turns of its match. These turns cannot be taken back.
    #[must_use]
    pub fn new<C: Contest>(position: C, plies: u32) -> Self {
        Self::of(Box::new(TypedBoard::new(position)), plies)
    }

    pub(crate) fn of(board: Box<dyn AnyBoard>, plies: u32) -> Self {
        let snapshots = Snapshots::new(plies, &*board);
        Self { board, turns: Vec::new(), snapshots }
    }
}

/// Gives a position its type back. `None` if it belongs to another game.
#[must_use]
pub fn typed<C: Contest>(position: &dyn AnyPosition) -> Option<&C> {
    (position as &dyn Any).downcast_ref::<Branch>().and_then(|branch| board::typed(&*branch.board))
}

/// Reads and judges the decisions of a turn.
fn judge(board: &mut dyn AnyBoard, decisions: &[Decision]) -> Result<Vec<Judged>, Unreadable> {
    let brought = decisions.iter().map(|decision| Brought {
        seat: decision.seat,
        orders: &decision.orders,
        breakdown: decision.failure.filter(|failure| failure.is_breakdown()),
    });
    board.judge(&brought.collect::<Vec<_>>())
}

impl AnyPosition for Branch {
    fn seats(&self) -> usize {
        self.board.seats()
    }

    fn awaiting(&self) -> Seats {
        self.board.awaiting()
    }

    fn over(&self) -> bool {
        self.board.over()
    }

    fn plies(&self) -> u32 {
        self.snapshots.first() + self.turns.len() as u32
    }

    fn round(&self) -> Option<u32> {
        self.board.round()
    }

    fn standing(&self) -> Standing {
        self.board.standing()
    }

    fn fingerprint(&self) -> Mark {
        self.board.fingerprint()
    }

    fn picture(&self) -> Frame {
        self.board.frame(None).spelled_out()
    }

    fn frame(&self, eyes: Option<Seat>) -> Frame {
        self.board.frame(eyes)
    }

    fn series(&self) -> &'static [&'static str] {
        self.board.series()
    }

    fn measure(&self, eyes: Option<Seat>, seat: Seat, out: &mut Vec<f64>) {
        self.board.measure(eyes, seat, out);
    }

    fn map(&self) -> String {
        self.board.map()
    }

    fn legal(&mut self, seat: Seat) -> Option<JsonList> {
        if self.board.awaiting().contains(seat) { self.board.legal(seat) } else { Some(JsonList::default()) }
    }

    fn check(&mut self, seat: Seat, orders: &JsonList) -> Result<(), ApplyError> {
        let awaited = self.board.awaiting();
        if self.board.over() {
            return Err(ApplyError::Over);
        }
        if !awaited.contains(seat) {
            return Err(ApplyError::WrongSeats { awaited, decided: Seats::one(seat) });
        }
        self.board.check(seat, orders)?.map_or(Ok(()), |refused| Err(ApplyError::Unlawful(refused)))
    }

    fn apply_in_steps(&mut self, decisions: &[Decision], show: &mut dyn FnMut(&Step<'_>)) -> Result<Turn, ApplyError> {
        if self.board.over() {
            return Err(ApplyError::Over);
        }
        let awaited = self.board.awaiting();
        let decided: Seats = decisions.iter().map(|decision| decision.seat).collect();
        if awaited != decided || decisions.windows(2).any(|pair| pair[0].seat >= pair[1].seat) {
            return Err(ApplyError::WrongSeats { awaited, decided });
        }
        let judged = judge(&mut *self.board, decisions)?;
        let mut events = JsonList::default();
        self.board.resolve(Some(&mut |step: &Step<'_>| {
            events.append(&step.events());
            show(step);
        }));
        self.turns.push(decisions.to_vec());
        self.snapshots.note(self.plies(), &*self.board);
        let mut turn = Turn { events, ..Turn::default() };
        for (decision, judged) in decisions.iter().zip(judged) {
            turn.refused.extend(judged.refused);
            turn.failures.extend(judged.failure.map(|failure| (decision.seat, failure)));
        }
        Ok(turn)
    }

    fn undo(&mut self) -> bool {
        let Some(target) = self.turns.len().checked_sub(1) else { return false };
        self.turns.truncate(target);
        let plies = self.plies();
        self.snapshots.forget_after(plies);
        let Some(from) = self.snapshots.last(plies, |_| true) else { return false };
        self.board.copy_from(&*from.board);
        let done = (from.plies - self.snapshots.first()) as usize;
        for decisions in &self.turns[done..] {
            // They could be read when the turn was played.
            if judge(&mut *self.board, decisions).is_ok() {
                self.board.resolve(None);
            }
        }
        true
    }

    fn copy(&self) -> Box<dyn AnyPosition> {
        Box::new(Self { board: self.board.copy(), turns: self.turns.clone(), snapshots: self.snapshots.clone() })
    }
}

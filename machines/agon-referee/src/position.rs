//! Positions without their types. A program can look at them, play them on by hand and take turns back. This needs no
//! bot, dialogue or clock, and a program that uses nothing else does not contain them.

use crate::{
    JsonList, Mark, Step,
    snapshots::Snapshots,
    step::{frame_for, measure_for, resolve_in_steps},
};
use agon_core::{Contest, Entry, Failure, Frame, Joint, Seat, Seats, Standing, judge};
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

/// A position of the game `C`, with the turns that led to it. See [`AnyPosition`].
pub struct TypedPosition<C: Contest> {
    position: C,
    scratch: C::Scratch,
    /// The turns since the first snapshot.
    turns: Vec<Vec<Brought<C>>>,
    snapshots: Snapshots<C>,
}

/// The decision of one seat in a turn, with its types.
struct Brought<C: Contest> {
    seat: Seat,
    orders: Vec<C::Order>,
    failure: Option<Failure>,
}

// By hand: `derive` would demand that the game itself is `Clone`.
impl<C: Contest> Clone for Brought<C> {
    fn clone(&self) -> Self {
        Self { seat: self.seat, orders: self.orders.clone(), failure: self.failure }
    }
}

impl<C: Contest> TypedPosition<C> {
    /// Creates a position after `plies` turns of its match. These turns cannot be taken back.
    #[must_use]
    pub fn new(position: C, plies: u32) -> Self {
        let snapshots = Snapshots::new(plies, &position);
        Self { position, scratch: C::Scratch::default(), turns: Vec::new(), snapshots }
    }

    /// Returns the current position.
    #[must_use]
    pub fn position(&self) -> &C {
        &self.position
    }

    /// Reads the decisions of a turn. Fails if the turn cannot be played.
    fn read(&self, decisions: &[Decision]) -> Result<Vec<Brought<C>>, ApplyError> {
        if self.position.over() {
            return Err(ApplyError::Over);
        }
        let awaited = self.position.awaiting();
        let decided: Seats = decisions.iter().map(|decision| decision.seat).collect();
        if awaited != decided || decisions.windows(2).any(|pair| pair[0].seat >= pair[1].seat) {
            return Err(ApplyError::WrongSeats { awaited, decided });
        }
        let read = |decision: &Decision| {
            let failure = decision.failure.filter(|failure| failure.is_breakdown());
            Ok(Brought { seat: decision.seat, orders: read_orders::<C>(decision.seat, &decision.orders)?, failure })
        };
        decisions.iter().map(read).collect()
    }
}

fn read_orders<C: Contest>(seat: Seat, orders: &JsonList) -> Result<Vec<C::Order>, ApplyError> {
    let orders: Result<_, _> = orders.read().collect();
    orders.map_err(|why| ApplyError::UnknownOrder { seat, why: why.to_string() })
}

/// Plays one turn. Calls `show`, if given, for each part of it. Returns how the rules judged the decisions, without events.
fn play<C: Contest>(
    position: &mut C,
    brought: &[Brought<C>],
    scratch: &mut C::Scratch,
    show: Option<&mut dyn FnMut(&Step<'_>)>,
) -> Turn {
    let mut turn = Turn::default();
    let mut entries: Vec<Entry<'_, C::Order>> = Vec::with_capacity(brought.len());
    for Brought { seat, orders, failure } in brought {
        let (entry, why) = judge(position, *seat, orders, *failure, scratch);
        turn.refused.extend(why.map(|r| RefusedOrder { seat: *seat, index: r.index, why: r.why.to_string() }));
        turn.failures.extend(entry.failure.map(|failure| (*seat, failure)));
        entries.push(entry);
    }
    match show {
        Some(show) => resolve_in_steps(position, Joint::new(&entries), scratch, show),
        None => position.resolve(Joint::new(&entries), scratch, &mut ()),
    }
    turn
}

impl<C: Contest> AnyPosition for TypedPosition<C> {
    fn seats(&self) -> usize {
        self.position.seats()
    }

    fn awaiting(&self) -> Seats {
        self.position.awaiting()
    }

    fn over(&self) -> bool {
        self.position.over()
    }

    fn plies(&self) -> u32 {
        self.snapshots.first() + self.turns.len() as u32
    }

    fn round(&self) -> Option<u32> {
        self.position.round()
    }

    fn standing(&self) -> Standing {
        self.position.standing()
    }

    fn fingerprint(&self) -> Mark {
        Mark(self.position.fingerprint())
    }

    fn picture(&self) -> Frame {
        self.position.frame().spelled_out()
    }

    fn frame(&self, eyes: Option<Seat>) -> Frame {
        frame_for(&self.position, eyes)
    }

    fn series(&self) -> &'static [&'static str] {
        C::SERIES
    }

    fn measure(&self, eyes: Option<Seat>, seat: Seat, out: &mut Vec<f64>) {
        measure_for(&self.position, eyes, seat, out);
    }

    fn map(&self) -> String {
        C::print_map(&self.position.to_map())
    }

    fn legal(&mut self, seat: Seat) -> Option<JsonList> {
        let mut orders = Vec::new();
        if !self.position.awaiting().contains(seat) {
            return Some(JsonList::default());
        }
        let listed = self.position.options(seat, &mut self.scratch, &mut orders);
        listed.then(|| orders.iter().collect())
    }

    fn check(&mut self, seat: Seat, orders: &JsonList) -> Result<(), ApplyError> {
        let awaited = self.position.awaiting();
        if self.position.over() {
            return Err(ApplyError::Over);
        }
        if !awaited.contains(seat) {
            return Err(ApplyError::WrongSeats { awaited, decided: Seats::one(seat) });
        }
        let orders = read_orders::<C>(seat, orders)?;
        self.position
            .check(seat, &orders, &mut self.scratch)
            .map_err(|(index, why)| ApplyError::Unlawful(RefusedOrder { seat, index, why: why.to_string() }))
    }

    fn apply_in_steps(&mut self, decisions: &[Decision], show: &mut dyn FnMut(&Step<'_>)) -> Result<Turn, ApplyError> {
        let brought = self.read(decisions)?;
        let mut events = JsonList::default();
        let mut seen = |step: &Step<'_>| {
            events.append(&step.events());
            show(step);
        };
        let turn = play(&mut self.position, &brought, &mut self.scratch, Some(&mut seen));
        self.turns.push(brought);
        self.snapshots.note(self.plies(), &self.position);
        Ok(Turn { events, ..turn })
    }

    fn undo(&mut self) -> bool {
        let Some(target) = self.turns.len().checked_sub(1) else { return false };
        self.turns.truncate(target);
        let plies = self.plies();
        self.snapshots.forget_after(plies);
        let Some(from) = self.snapshots.last(plies, |_| true) else { return false };
        self.position.clone_from(&from.position);
        let done = (from.plies - self.snapshots.first()) as usize;
        for brought in &self.turns[done..] {
            play(&mut self.position, brought, &mut self.scratch, None);
        }
        true
    }

    fn copy(&self) -> Box<dyn AnyPosition> {
        Box::new(Self {
            position: self.position.clone(),
            scratch: C::Scratch::default(),
            turns: self.turns.clone(),
            snapshots: self.snapshots.clone(),
        })
    }
}

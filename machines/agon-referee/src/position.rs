//! Positions without their types: looked at, played on by hand, taken back. No bot, no dialogue and no clock is needed
//! for that, and none gets into a program that uses nothing else.

use crate::{JsonList, Mark, Step, snapshots::Snapshots, step::resolve_in_steps};
use agon_core::{Contest, Entry, Failure, Frame, Joint, Seat, Seats, Standing, judge};
use core::fmt;
use std::any::Any;

/// A position of any game with the way that led to it.
pub trait AnyPosition: Any + Send {
    /// How many seats the match has.
    fn seats(&self) -> usize;

    /// Who decides next; may be empty before the end, when all seats are gone.
    fn awaiting(&self) -> Seats;

    /// Whether the rules say that the match has ended.
    fn over(&self) -> bool;

    /// How many turns were played since the start of the match.
    fn plies(&self) -> u32;

    /// The round in which the awaited seats decide, counted from 1; `None` if the game counts none beside its turns.
    fn round(&self) -> Option<u32>;

    /// How the match stands.
    fn standing(&self) -> Standing;

    /// The number of the position.
    fn fingerprint(&self) -> Mark;

    /// What a viewer draws of the position.
    fn frame(&self) -> Frame;

    /// The position as a map file, as far as the format can say it.
    fn map(&self) -> String;

    /// Every order that `seat` may lawfully begin its decision with: none if it is not awaited. `None` if there are too
    /// many to list.
    fn legal(&mut self, seat: Seat) -> Option<JsonList>;

    /// Whether the rules would take this decision of an awaited seat.
    ///
    /// # Errors
    /// As [`apply`](AnyPosition::apply), and [`ApplyError::Unlawful`].
    fn check(&mut self, seat: Seat, orders: &JsonList) -> Result<(), ApplyError>;

    /// Plays one turn: one decision for each awaited seat, ascending by seat. Unlawful orders are judged as in a match:
    /// [`Turn::refused`] says which were refused.
    ///
    /// # Errors
    /// Why the turn cannot be played; the position is unchanged.
    fn apply(&mut self, decisions: &[Decision]) -> Result<Turn, ApplyError> {
        self.apply_in_steps(decisions, &mut |_| {})
    }

    /// As [`apply`](AnyPosition::apply), and shows each part of the turn.
    ///
    /// # Errors
    /// As [`apply`](AnyPosition::apply).
    fn apply_in_steps(&mut self, decisions: &[Decision], show: &mut dyn FnMut(&Step<'_>)) -> Result<Turn, ApplyError>;

    /// Takes the last turn back. `false` if there is none: the position is the one that was opened.
    fn undo(&mut self) -> bool;

    /// The same position once more, with what can be taken back.
    fn copy(&self) -> Box<dyn AnyPosition>;
}

/// What one seat brings to a turn.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The seat that this is about.
    pub seat: Seat,
    /// As a replay has them.
    pub orders: JsonList,
    /// How it broke down, if it did: late, gone or nonsense. Whether orders are lawful is for the rules to say.
    pub failure: Option<Failure>,
}

/// What came of a turn.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Turn {
    /// What happened, in the order in which it did.
    pub events: JsonList,
    /// Orders that the rules refused, and why.
    pub refused: Vec<RefusedOrder>,
}

/// An order that the rules refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefusedOrder {
    /// The seat that this is about.
    pub seat: Seat,
    /// Its index in the decision; the number of orders if one is missing.
    pub index: usize,
    /// Why, in the game's words.
    pub why: String,
}

/// Why a turn cannot be played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ApplyError {
    /// The match has ended.
    Over,
    /// Others decided than the rules await.
    WrongSeats {
        /// Who should have.
        awaited: Seats,
        /// The seats that have decided.
        decided: Seats,
    },
    /// An order that the game does not know.
    UnknownOrder {
        /// The seat that this is about.
        seat: Seat,
        /// Why it cannot be read.
        why: String,
    },
    /// The rules refuse an order; from [`AnyPosition::check`] only.
    Unlawful(RefusedOrder),
}

impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Over => f.write_str("the match has ended"),
            Self::WrongSeats { awaited, decided } => {
                write!(f, "seats {decided:?} decided, by the rules it is up to seats {awaited:?}")
            }
            Self::UnknownOrder { seat, why } => write!(f, "an order of seat {seat} cannot be read: {why}"),
            Self::Unlawful(refused) => {
                write!(f, "order {} of seat {} is unlawful: {}", refused.index + 1, refused.seat, refused.why)
            }
        }
    }
}

impl std::error::Error for ApplyError {}

/// A position of the game `C` with the way that led to it: see [`AnyPosition`].
pub struct TypedPosition<C: Contest> {
    position: C,
    scratch: C::Scratch,
    /// The turns since the first snapshot.
    turns: Vec<Vec<Brought<C>>>,
    snapshots: Snapshots<C>,
}

/// What one seat brought to a turn.
struct Brought<C: Contest> {
    seat: Seat,
    orders: Vec<C::Order>,
    failure: Option<Failure>,
}

// By hand: orders can be copied although the game's type need not be `Clone` for that.
impl<C: Contest> Clone for Brought<C> {
    fn clone(&self) -> Self {
        Self { seat: self.seat, orders: self.orders.clone(), failure: self.failure }
    }
}

impl<C: Contest> TypedPosition<C> {
    /// A position after `plies` turns of its match, which cannot be taken back.
    #[must_use]
    pub fn new(position: C, plies: u32) -> Self {
        let snapshots = Snapshots::new(plies, &position);
        Self { position, scratch: C::Scratch::default(), turns: Vec::new(), snapshots }
    }

    /// The position now.
    #[must_use]
    pub fn position(&self) -> &C {
        &self.position
    }

    /// Reads what was decided.
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

/// Plays one turn that was read before, and shows each part of it if anybody wants to see them.
fn play<C: Contest>(
    position: &mut C,
    brought: &[Brought<C>],
    scratch: &mut C::Scratch,
    show: Option<&mut dyn FnMut(&Step<'_>)>,
) -> Vec<RefusedOrder> {
    let mut refused = Vec::new();
    let mut entries: Vec<Entry<'_, C::Order>> = Vec::with_capacity(brought.len());
    for Brought { seat, orders, failure } in brought {
        let (entry, why) = judge(position, *seat, orders, *failure, scratch);
        refused.extend(why.map(|r| RefusedOrder { seat: *seat, index: r.index, why: r.why.to_string() }));
        entries.push(entry);
    }
    match show {
        Some(show) => resolve_in_steps(position, Joint::new(&entries), scratch, show),
        None => position.resolve(Joint::new(&entries), scratch, &mut ()),
    }
    refused
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

    fn frame(&self) -> Frame {
        self.position.frame()
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
            events.append(&step.events);
            show(step);
        };
        let refused = play(&mut self.position, &brought, &mut self.scratch, Some(&mut seen));
        self.turns.push(brought);
        self.snapshots.note(self.plies(), &self.position);
        Ok(Turn { events, refused })
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

//! A position of any game. What plays many turns stands on it and is written once for all games: [`Branch`](crate::Branch)
//! and [`Rerun`](crate::Rerun).

use crate::{
    ApplyError, JsonList, Mark, RefusedOrder, Step, starting_position,
    step::{frame_for, measure_for, resolve_in_steps},
};
use agon_core::{Contest, Entry, Failure, Flaw, Frame, Joint, Seat, Seats, Standing, judge};
use agon_spec::MatchSpec;
use core::cell::RefCell;
use std::any::Any;

/// A position of any game, and how many turns led to it. It can only be looked at: a [`Branch`](crate::Branch) or a
/// [`Rerun`](crate::Rerun) plays the turns and lends it.
pub struct Board {
    typed: Box<dyn AnyBoard>,
    plies: u32,
}

impl Board {
    /// Creates the position in which the match of `spec` starts.
    pub(crate) fn start<C: Contest>(spec: &MatchSpec) -> Result<Self, Flaw> {
        Ok(Self::new::<C>(starting_position(spec)?))
    }

    pub(crate) fn new<C: Contest>(position: C) -> Self {
        Self { typed: Box::new(TypedBoard::new(position)), plies: 0 }
    }

    /// Returns the position with its type, or `None` if it belongs to another game.
    #[must_use]
    pub fn position<C: Contest>(&self) -> Option<&C> {
        position(&*self.typed)
    }

    /// Returns the number of seats in the match.
    #[must_use]
    pub fn seats(&self) -> usize {
        self.typed.seats()
    }

    /// Returns the seats that decide next. The set may be empty before the end, if all seats are gone.
    #[must_use]
    pub fn awaiting(&self) -> Seats {
        self.typed.awaiting()
    }

    /// Returns whether the match has ended by the rules.
    #[must_use]
    pub fn over(&self) -> bool {
        self.typed.over()
    }

    /// Returns the number of turns since the start of the match.
    #[must_use]
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Returns the round in which the awaited seats decide, counted from 1. `None` means that the game counts no
    /// rounds.
    #[must_use]
    pub fn round(&self) -> Option<u32> {
        self.typed.round()
    }

    /// Returns the current standing.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.typed.standing()
    }

    /// Returns the fingerprint of the position.
    #[must_use]
    pub fn fingerprint(&self) -> Mark {
        self.typed.fingerprint()
    }

    /// Returns the picture of the position as a display list, with a tooltip for each item.
    #[must_use]
    pub fn picture(&self) -> Frame {
        self.frame(None).spelled_out()
    }

    /// Returns what a viewer draws of the position: everything, or with the eyes of a seat only what the seat knows. The
    /// picture is empty if the match has no such seat.
    #[must_use]
    pub fn frame(&self, eyes: Option<Seat>) -> Frame {
        self.typed.frame(eyes)
    }

    /// Returns the names of the numbers that [`measure`](Board::measure) gives.
    #[must_use]
    pub fn series(&self) -> &'static [&'static str] {
        self.typed.series()
    }

    /// Appends the numbers of `seat`: all of them, or with the eyes of a seat those that it knows and `NAN` for each of the
    /// others.
    pub fn measure(&self, eyes: Option<Seat>, seat: Seat, out: &mut Vec<f64>) {
        self.typed.measure(eyes, seat, out);
    }

    /// Returns the position as a map file, as far as the map format can express it.
    #[must_use]
    pub fn map(&self) -> String {
        self.typed.map()
    }

    /// Returns every order that is lawful for `seat` as the first order of its decision. The list is empty if the seat
    /// does not decide now. `None` means that there are too many orders to list.
    #[must_use]
    pub fn legal(&self, seat: Seat) -> Option<JsonList> {
        if self.awaiting().contains(seat) { self.typed.legal(seat) } else { Some(JsonList::default()) }
    }

    /// Checks whether the rules accept this decision of an awaited seat, without playing it.
    ///
    /// # Errors
    /// Fails with [`ApplyError::Unlawful`] if they do not, and otherwise as [`Branch::apply`](crate::Branch::apply) does.
    pub fn check(&self, seat: Seat, orders: &JsonList) -> Result<(), ApplyError> {
        if self.over() {
            return Err(ApplyError::Over);
        }
        let awaited = self.awaiting();
        if !awaited.contains(seat) {
            return Err(ApplyError::WrongSeats { awaited, decided: Seats::one(seat) });
        }
        self.typed.check(seat, orders)?.map_or(Ok(()), |refused| Err(ApplyError::Unlawful(refused)))
    }

    /// Reads and judges the decisions of a turn, and keeps them for [`resolve`](Board::resolve).
    pub(crate) fn judge(&mut self, decisions: &[Brought<'_>]) -> Result<Vec<Judged>, Unreadable> {
        self.typed.judge(decisions)
    }

    /// Plays the turn with the decisions that were judged last. Calls `show`, if given, for each part of it.
    pub(crate) fn resolve(&mut self, show: Option<&mut dyn FnMut(&Step<'_>)>) {
        self.typed.resolve(show);
        self.plies += 1;
    }

    /// Returns the same position as if so many turns had led to it.
    #[cfg(test)]
    pub(crate) fn after(self, plies: u32) -> Self {
        Self { plies, ..self }
    }

    /// Becomes another position, which must be one of the same game.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.typed.copy_from(&*other.typed);
        self.plies = other.plies;
    }
}

impl Clone for Board {
    fn clone(&self) -> Self {
        Self { typed: self.typed.copy(), plies: self.plies }
    }
}

/// What differs between games. [`Board`] says what the methods of the same names return.
trait AnyBoard: Any + Send {
    fn seats(&self) -> usize;
    fn awaiting(&self) -> Seats;
    fn over(&self) -> bool;
    fn round(&self) -> Option<u32>;
    fn standing(&self) -> Standing;
    fn fingerprint(&self) -> Mark;
    fn frame(&self, eyes: Option<Seat>) -> Frame;
    fn series(&self) -> &'static [&'static str];
    fn measure(&self, eyes: Option<Seat>, seat: Seat, out: &mut Vec<f64>);
    fn map(&self) -> String;
    /// Returns the lawful first orders of an awaited seat, or `None` if there are too many to list.
    fn legal(&self, seat: Seat) -> Option<JsonList>;
    /// Returns the order of an awaited seat that the rules refuse, if there is one.
    fn check(&self, seat: Seat, orders: &JsonList) -> Result<Option<RefusedOrder>, Unreadable>;

    fn judge(&mut self, decisions: &[Brought<'_>]) -> Result<Vec<Judged>, Unreadable>;
    fn resolve(&mut self, show: Option<&mut dyn FnMut(&Step<'_>)>);

    fn copy(&self) -> Box<dyn AnyBoard>;
    fn copy_from(&mut self, other: &dyn AnyBoard);
}

/// The decision of one seat in a turn, before the rules have judged it.
pub(crate) struct Brought<'a> {
    pub seat: Seat,
    pub orders: &'a JsonList,
    /// How the seat broke down, if it did.
    pub breakdown: Option<Failure>,
}

/// What the rules make of a decision.
pub(crate) struct Judged {
    pub failure: Option<Failure>,
    pub refused: Option<RefusedOrder>,
}

/// A decision has an order that the game does not know.
pub(crate) struct Unreadable {
    pub seat: Seat,
    pub why: String,
}

/// A position of the game `C`.
struct TypedBoard<C: Contest> {
    position: C,
    /// Working memory of the rules. Who only asks about the position uses it, too.
    scratch: RefCell<C::Scratch>,
    /// The decisions that were judged last, as they count.
    decided: Vec<Decided<C>>,
}

struct Decided<C: Contest> {
    seat: Seat,
    orders: Vec<C::Order>,
    failure: Option<Failure>,
}

impl<C: Contest> TypedBoard<C> {
    fn new(position: C) -> Self {
        Self { position, scratch: RefCell::default(), decided: Vec::new() }
    }
}

fn position<C: Contest>(board: &dyn AnyBoard) -> Option<&C> {
    (board as &dyn Any).downcast_ref::<TypedBoard<C>>().map(|board| &board.position)
}

fn read<C: Contest>(seat: Seat, orders: &JsonList) -> Result<Vec<C::Order>, Unreadable> {
    let orders: Result<_, _> = orders.read().collect();
    orders.map_err(|why| Unreadable { seat, why: why.to_string() })
}

impl<C: Contest> AnyBoard for TypedBoard<C> {
    fn seats(&self) -> usize {
        self.position.seats()
    }

    fn awaiting(&self) -> Seats {
        self.position.awaiting()
    }

    fn over(&self) -> bool {
        self.position.over()
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

    fn legal(&self, seat: Seat) -> Option<JsonList> {
        let mut orders = Vec::new();
        let listed = self.position.options(seat, &mut self.scratch.borrow_mut(), &mut orders);
        listed.then(|| orders.iter().collect())
    }

    fn check(&self, seat: Seat, orders: &JsonList) -> Result<Option<RefusedOrder>, Unreadable> {
        let checked = self.position.check(seat, &read::<C>(seat, orders)?, &mut self.scratch.borrow_mut());
        Ok(checked.err().map(|(index, why)| RefusedOrder { seat, index, why: why.to_string() }))
    }

    fn judge(&mut self, decisions: &[Brought<'_>]) -> Result<Vec<Judged>, Unreadable> {
        self.decided.clear();
        let decided: Result<Vec<_>, _> = decisions
            .iter()
            .map(|brought| {
                let orders = read::<C>(brought.seat, brought.orders)?;
                Ok(Decided { seat: brought.seat, orders, failure: brought.breakdown })
            })
            .collect();
        self.decided = decided?;
        let judged = self.decided.iter_mut().map(|Decided { seat, orders, failure }| {
            let (entry, refused) = judge(&self.position, *seat, orders, *failure, self.scratch.get_mut());
            *failure = entry.failure;
            if entry.orders.is_empty() {
                orders.clear();
            }
            let refused = refused.map(|r| RefusedOrder { seat: *seat, index: r.index, why: r.why.to_string() });
            Judged { failure: *failure, refused }
        });
        Ok(judged.collect())
    }

    fn resolve(&mut self, show: Option<&mut dyn FnMut(&Step<'_>)>) {
        let decided = self.decided.iter();
        let entries: Vec<Entry<'_, C::Order>> =
            decided.map(|Decided { seat, orders, failure }| Entry { seat: *seat, orders, failure: *failure }).collect();
        let joint = Joint::new(&entries);
        match show {
            Some(show) => resolve_in_steps(&mut self.position, joint, self.scratch.get_mut(), show),
            None => self.position.resolve(joint, self.scratch.get_mut(), &mut ()),
        }
    }

    fn copy(&self) -> Box<dyn AnyBoard> {
        Box::new(Self::new(self.position.clone()))
    }

    fn copy_from(&mut self, other: &dyn AnyBoard) {
        let position = position::<C>(other);
        debug_assert!(position.is_some(), "boards of one match are of one game");
        if let Some(position) = position {
            self.position.clone_from(position);
        }
    }
}

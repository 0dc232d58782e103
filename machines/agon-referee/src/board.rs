//! A position without its types, and one turn at a time. What plays many turns stands on it and is written once for all
//! games: [`Branch`](crate::Branch) and [`Rerun`](crate::Rerun).

use crate::{
    JsonList, Mark, RefusedOrder, Step,
    step::{frame_for, measure_for, resolve_in_steps},
};
use agon_core::{Contest, Entry, Failure, Frame, Joint, Seat, Seats, Standing, judge};
use std::any::Any;

/// A position of any game. [`AnyPosition`](crate::AnyPosition) says what the methods of the same names return.
pub(crate) trait AnyBoard: Any + Send {
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
    fn legal(&mut self, seat: Seat) -> Option<JsonList>;
    /// Returns the order of an awaited seat that the rules refuse, if there is one.
    fn check(&mut self, seat: Seat, orders: &JsonList) -> Result<Option<RefusedOrder>, Unreadable>;

    /// Reads and judges the decisions of a turn, and keeps them for [`resolve`](AnyBoard::resolve).
    fn judge(&mut self, decisions: &[Brought<'_>]) -> Result<Vec<Judged>, Unreadable>;
    /// Plays the turn with the decisions that were judged last. Calls `show`, if given, for each part of it.
    fn resolve(&mut self, show: Option<&mut dyn FnMut(&Step<'_>)>);

    fn copy(&self) -> Box<dyn AnyBoard>;
    /// Becomes the position of another board, which must be one of the same game.
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
pub(crate) struct TypedBoard<C: Contest> {
    position: C,
    scratch: C::Scratch,
    /// The decisions that were judged last, as they count.
    decided: Vec<Decided<C>>,
}

struct Decided<C: Contest> {
    seat: Seat,
    orders: Vec<C::Order>,
    failure: Option<Failure>,
}

impl<C: Contest> TypedBoard<C> {
    pub(crate) fn new(position: C) -> Self {
        Self { position, scratch: C::Scratch::default(), decided: Vec::new() }
    }
}

/// Returns the position of a board with its type, or `None` if it belongs to another game.
pub(crate) fn typed<C: Contest>(board: &dyn AnyBoard) -> Option<&C> {
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

    fn legal(&mut self, seat: Seat) -> Option<JsonList> {
        let mut orders = Vec::new();
        let listed = self.position.options(seat, &mut self.scratch, &mut orders);
        listed.then(|| orders.iter().collect())
    }

    fn check(&mut self, seat: Seat, orders: &JsonList) -> Result<Option<RefusedOrder>, Unreadable> {
        let checked = self.position.check(seat, &read::<C>(seat, orders)?, &mut self.scratch);
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
            let (entry, refused) = judge(&self.position, *seat, orders, *failure, &mut self.scratch);
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
            Some(show) => resolve_in_steps(&mut self.position, joint, &mut self.scratch, show),
            None => self.position.resolve(joint, &mut self.scratch, &mut ()),
        }
    }

    fn copy(&self) -> Box<dyn AnyBoard> {
        Box::new(Self::new(self.position.clone()))
    }

    fn copy_from(&mut self, other: &dyn AnyBoard) {
        let position = typed::<C>(other);
        debug_assert!(position.is_some(), "boards of one match are of one game");
        if let Some(position) = position {
            self.position.clone_from(position);
        }
    }
}

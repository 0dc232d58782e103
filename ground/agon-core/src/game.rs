//! A game: positions, and the one way in which they change.

use crate::{Seat, Seats, Standing};
use alloc::{borrow::Cow, string::ToString, vec::Vec};
use core::fmt::{Debug, Display};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The rules of one game. A value of an implementing type is a position.
///
/// A turn (a *ply*) has four steps:
///
/// 1. [`awaiting`](Game::awaiting) names the seats that decide now.
/// 2. Each of them sees its [`view`](Game::view).
/// 3. [`check`](Game::check) judges the orders of each against the unchanged position.
/// 4. When every awaited seat has decided or failed, one call of [`resolve`](Game::resolve) makes the next position.
///
/// A position changes in no other way. No method reads a clock, draws a random number or panics.
///
/// Write `Clone` by hand and reuse buffers in `clone_from`: a law says that a reset allocates nothing.
pub trait Game: Clone + Send + Sync + 'static {
    /// The name on the command line and in files, for example `planet-wars`.
    const NAME: &'static str;

    /// The smallest wish that the protocol can express, lawful or not. [`check`](Game::check) refuses unlawful orders,
    /// in the order of the rules.
    type Order: Copy + PartialEq + Debug + Send + Serialize + DeserializeOwned;
    /// Something that happened in a turn, as watchers may see it.
    type Event: Copy + Debug + Send + Serialize;
    /// The reason why an order is unlawful. `Display` gives a lower-case fragment that names the numbers.
    type Refusal: Copy + PartialEq + Debug + Display + Send;
    /// Working memory that turns reuse. It is never part of the position.
    type Scratch: Default + Send;
    /// Everything that one seat may know, borrowed from the position or from a [`Client`](crate::Client)'s storage.
    type View<'a>: Copy + PartialEq + Debug
    where
        Self: 'a;

    /// Returns the number of seats in this match. It never changes.
    fn seats(&self) -> usize;

    /// Returns the seats that must decide now. If there are several, none sees the decisions of the others. The set may
    /// be empty before the end, if all seats are gone; then the referee resolves an empty joint.
    fn awaiting(&self) -> Seats;

    /// Returns whether the match has ended.
    fn over(&self) -> bool;

    /// Judges the orders of one awaited seat against this position, without changing it.
    ///
    /// # Errors
    /// Returns the index of the first unlawful order, and the reason. An index equal to the number of orders means that
    /// the decision as a whole is unlawful, for example because an order is missing.
    fn check(&self, seat: Seat, orders: &[Self::Order], tmp: &mut Self::Scratch) -> Result<(), (usize, Self::Refusal)>;

    /// Returns what an unlawful order costs under this position's rule set.
    fn penalty(&self, why: &Self::Refusal) -> Penalty;

    /// Returns the reason of a refusal without the values of the order, so that refusals for the same mistake can be
    /// counted together. By default it is the whole text of the refusal.
    fn mistake(why: &Self::Refusal) -> Cow<'static, str> {
        Cow::Owned(why.to_string())
    }

    /// Plays one turn. No other method changes a position. It never fails and never panics, whatever the orders are.
    ///
    /// `joint` holds one entry for each awaited seat, made by [`judge`]. The events of the turn go to `out`.
    fn resolve(&mut self, joint: Joint<'_, Self::Order>, tmp: &mut Self::Scratch, out: &mut impl Sink<Self::Event>);

    /// Plays one turn as [`resolve`](Game::resolve) does, in parts that a viewer can show one after the other.
    ///
    /// It calls `after` at the end of each part with the current position and the events of that part. Together the
    /// parts have the events of the turn, in the same order. By default a turn has one part.
    fn resolve_in_steps(
        &mut self,
        joint: Joint<'_, Self::Order>,
        tmp: &mut Self::Scratch,
        after: &mut impl FnMut(&Self, &[Self::Event]),
    ) {
        let mut events = Vec::new();
        self.resolve(joint, tmp, &mut events);
        after(self, &events);
    }

    /// Returns the round in which the awaited seats decide, counted from 1. After the end it is the last round. `None`
    /// means that the rules count no rounds.
    fn round(&self) -> Option<u32> {
        None
    }

    /// Returns everything that `seat` may know.
    fn view(&self, seat: Seat) -> Self::View<'_>;

    /// Returns the current scores and places, and the reason for the end if the match has ended.
    fn standing(&self) -> Standing;

    /// Returns a hash of the whole position, built with [`Fingerprint`](crate::Fingerprint). It is the same on every
    /// platform, and it covers everything that can influence the rest of the match.
    fn fingerprint(&self) -> u64;
}

/// What an unlawful order costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Penalty {
    /// The orders of the seat in this turn have no effect. The bot learns of the refusal and plays on.
    Pass,
    /// The seat fails with [`Failure::Unlawful`]. The game decides what follows from that.
    Fail,
}

/// How a seat failed, as far as it matters to the rules. The referee's `Fault` has the details for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// The bot made no complete decision within its time.
    Late,
    /// The process ended, closed a pipe, never started, or was stopped by the sandbox.
    Gone,
    /// The bot broke the protocol.
    Nonsense,
    /// The rules refused the order with this index, counted from 0, and the penalty is [`Penalty::Fail`].
    Unlawful(u32),
}

impl Failure {
    /// Returns whether the seat broke down (late, gone or nonsense). The other failure is an unlawful order.
    #[must_use]
    pub fn is_breakdown(self) -> bool {
        !matches!(self, Self::Unlawful(_))
    }
}

/// The part of one awaited seat in a turn: its orders or its failure.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a, O> {
    /// The awaited seat.
    pub seat: Seat,
    /// The orders of the bot, in the order in which it wrote them. With [`Failure::Unlawful`]`(k)` the first `k` orders
    /// are lawful. After a breakdown these are the lawful orders that came before it.
    pub orders: &'a [O],
    /// How the seat failed. `None` if it did not fail.
    pub failure: Option<Failure>,
}

/// The entries of one turn: one for each awaited seat, in ascending order of seats.
#[derive(Clone, Copy, Debug)]
pub struct Joint<'a, O> {
    entries: &'a [Entry<'a, O>],
}

impl<'a, O> Joint<'a, O> {
    /// The joint of a turn in which no seat is awaited.
    pub const EMPTY: Self = Self { entries: &[] };

    /// Creates a joint from entries in ascending order of seats.
    ///
    /// # Panics
    /// Panics in debug builds if the entries are not in ascending order of seats.
    #[must_use]
    pub fn new(entries: &'a [Entry<'a, O>]) -> Self {
        debug_assert!(entries.windows(2).all(|w| w[0].seat < w[1].seat), "a joint ascends by seat");
        Self { entries }
    }

    /// Returns the entries in ascending order of seats.
    #[must_use]
    pub fn entries(&self) -> &'a [Entry<'a, O>] {
        self.entries
    }

    /// Returns the entry of `seat`, or `None` if the seat was not awaited.
    #[must_use]
    pub fn of(&self, seat: Seat) -> Option<&'a Entry<'a, O>> {
        self.entries.iter().find(|e| e.seat == seat)
    }

    /// Returns the orders of `seat`. The slice is empty if the seat was not awaited.
    #[must_use]
    pub fn orders(&self, seat: Seat) -> &'a [O] {
        self.of(seat).map_or(&[], |e| e.orders)
    }

    /// Returns how `seat` failed in this turn, or `None` if it did not fail.
    #[must_use]
    pub fn failure(&self, seat: Seat) -> Option<Failure> {
        self.of(seat).and_then(|e| e.failure)
    }
}

/// Judges the orders of one seat and makes its [`Entry`]. The referee, the replay reader and the tests all use this
/// function, so their verdicts cannot differ.
///
/// * Lawful orders stand, and `failure` stays as it is.
/// * A refusal with [`Penalty::Fail`] makes the failure [`Failure::Unlawful`]. This holds even if the seat broke down
///   later in the same turn, because the order came first.
/// * A refusal with [`Penalty::Pass`] removes all orders and keeps `failure`.
///
/// The second value is the refusal, if the rules refused an order.
pub fn judge<'a, G: Game>(
    game: &G,
    seat: Seat,
    orders: &'a [G::Order],
    failure: Option<Failure>,
    tmp: &mut G::Scratch,
) -> (Entry<'a, G::Order>, Option<Refused<G>>) {
    // A seat that broke down may have left its decision incomplete, so only the orders that arrived are judged.
    match game.check(seat, orders, tmp) {
        Ok(()) => (Entry { seat, orders, failure }, None),
        Err((k, _)) if failure.is_some() && k >= orders.len() => (Entry { seat, orders, failure }, None),
        Err((k, why)) => match game.penalty(&why) {
            Penalty::Pass => (Entry { seat, orders: &[], failure }, Some(Refused { index: k, why })),
            Penalty::Fail => {
                let failure = Failure::Unlawful(u32::try_from(k).unwrap_or(u32::MAX));
                (Entry { seat, orders, failure: Some(failure) }, Some(Refused { index: k, why }))
            }
        },
    }
}

/// A refusal, and the index of the refused order.
#[derive(PartialEq, Debug)]
pub struct Refused<G: Game> {
    /// The index into the orders of the decision. It equals their number if the decision as a whole is refused.
    pub index: usize,
    /// The reason in the terms of the game.
    pub why: G::Refusal,
}

// By hand: a refusal is `Copy` although the game is not.
impl<G: Game> Clone for Refused<G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Refused<G> {}

/// A receiver of events. `()` drops them, so that the compiler removes the code that makes them. A `Vec` keeps them.
pub trait Sink<E> {
    /// Takes one event.
    fn put(&mut self, event: E);
}

impl<E> Sink<E> for () {
    #[inline(always)]
    fn put(&mut self, _event: E) {}
}

impl<E> Sink<E> for Vec<E> {
    fn put(&mut self, event: E) {
        self.push(event);
    }
}

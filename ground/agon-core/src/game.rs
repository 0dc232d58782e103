//! A game: positions, and the one way in which they change.

use crate::{Seat, Seats, Standing};
use alloc::vec::Vec;
use core::fmt::{Debug, Display};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The rules of one game, as a value: an implementor *is* a position.
///
/// A turn (a *ply*) goes: [`awaiting`](Game::awaiting) says who decides now, each of them is shown its
/// [`view`](Game::view), its orders are [`check`](Game::check)ed against the unchanged position, and when all awaited
/// seats were heard or have failed, one call of [`resolve`](Game::resolve) makes the next position. There is no other
/// change. Nothing here reads a clock, draws a random number or can fail.
///
/// `Clone` must reuse buffers in `clone_from` (write it by hand): a law says that a reset allocates nothing.
pub trait Game: Clone + Send + Sync + 'static {
    /// The name on the command line and in files, as `planet-wars`.
    const NAME: &'static str;

    /// The smallest wish that the protocol can express, lawful or not: refusals come from [`check`](Game::check), in
    /// the order of the rules.
    type Order: Copy + PartialEq + Debug + Send + Serialize + DeserializeOwned;
    /// What a watcher may be told of a turn.
    type Event: Copy + Debug + Send + Serialize;
    /// Why a wish is unlawful, in words that name the numbers (`Display`, a lower-case fragment).
    type Refusal: Copy + PartialEq + Debug + Display + Send;
    /// Working memory that is reused from turn to turn and is never part of the position.
    type Scratch: Default + Send;
    /// All that one seat may know, borrowed from the position (or from a [`Client`](crate::Client)'s storage).
    type View<'a>: Copy + PartialEq + Debug
    where
        Self: 'a;

    /// How many seats this match has; never changes.
    fn seats(&self) -> usize;

    /// Who must decide now. Several seats decide unseen by each other. May be empty before the end, when all seats
    /// are gone: then an empty joint is resolved.
    fn awaiting(&self) -> Seats;

    /// Whether the match has ended.
    fn over(&self) -> bool;

    /// Judges the orders of one awaited seat against this position, which it does not change.
    ///
    /// # Errors
    /// The index of the first unlawful order and why. An index equal to the number of orders means that the decision
    /// as a whole is unlawful (an order is missing).
    fn check(&self, seat: Seat, orders: &[Self::Order], tmp: &mut Self::Scratch) -> Result<(), (usize, Self::Refusal)>;

    /// What a refusal costs by this position's rule set.
    fn penalty(&self, why: &Self::Refusal) -> Penalty;

    /// Plays one turn. The only change of a position; never fails and never panics, whatever the orders.
    ///
    /// `joint` holds one entry for each awaited seat, made by [`judge`].
    fn resolve(&mut self, joint: Joint<'_, Self::Order>, tmp: &mut Self::Scratch, out: &mut impl Sink<Self::Event>);

    /// The same change as [`resolve`](Game::resolve), in the parts that a watcher may be shown one after the other.
    /// `after` is called at the end of each part with the position by then and what happened in the part; together the
    /// parts have the events of the turn, in the same order. One part, unless the game says otherwise.
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

    /// The round of the rules in which the awaited seats decide, counted from 1; after the end, the last one. `None`
    /// where the game counts no rounds beside its turns.
    fn round(&self) -> Option<u32> {
        None
    }

    /// All that `seat` may know.
    fn view(&self, seat: Seat) -> Self::View<'_>;

    /// Scores and places as they are now, and why the match ended if it did.
    fn standing(&self) -> Standing;

    /// A number of the whole position: the same position gives the same number on every platform, and whatever can
    /// influence the future of the match is in it. Use [`Fingerprint`](crate::Fingerprint).
    fn fingerprint(&self) -> u64;
}

/// What an unlawful order costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Penalty {
    /// The seat's orders of this turn count for nothing; the bot is told and plays on.
    Pass,
    /// The seat has failed ([`Failure::Unlawful`]); the game says what that does.
    Fail,
}

/// How a seat failed, as far as rules care. The words for people are in the referee's `Fault`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// No complete decision within the time.
    Late,
    /// The process ended, closed a pipe, never started or was stopped by the sandbox.
    Gone,
    /// Bytes that are not of the protocol.
    Nonsense,
    /// The order with this index was refused, with [`Penalty::Fail`].
    Unlawful(u32),
}

impl Failure {
    /// Whether the seat broke off (late, gone or nonsense) rather than gave an unlawful order.
    #[must_use]
    pub fn is_breakdown(self) -> bool {
        !matches!(self, Self::Unlawful(_))
    }
}

/// What one awaited seat brings to a turn.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a, O> {
    /// The awaited seat that this is about.
    pub seat: Seat,
    /// All orders that were read, in the order of the bot. With [`Failure::Unlawful`]`(k)` those before `k` are
    /// lawful; after a breakdown they are the lawful ones heard before it.
    pub orders: &'a [O],
    /// How it failed, if it did.
    pub failure: Option<Failure>,
}

/// The entries of one turn: one for each awaited seat, ascending by seat.
#[derive(Clone, Copy, Debug)]
pub struct Joint<'a, O> {
    entries: &'a [Entry<'a, O>],
}

impl<'a, O> Joint<'a, O> {
    /// A turn in which nobody was awaited.
    pub const EMPTY: Self = Self { entries: &[] };

    /// # Panics
    /// In debug builds, if the entries do not ascend by seat.
    #[must_use]
    pub fn new(entries: &'a [Entry<'a, O>]) -> Self {
        debug_assert!(entries.windows(2).all(|w| w[0].seat < w[1].seat), "a joint ascends by seat");
        Self { entries }
    }

    /// The entries, ascending by seat.
    #[must_use]
    pub fn entries(&self) -> &'a [Entry<'a, O>] {
        self.entries
    }

    /// The entry of `seat`, if it was awaited.
    #[must_use]
    pub fn of(&self, seat: Seat) -> Option<&'a Entry<'a, O>> {
        self.entries.iter().find(|e| e.seat == seat)
    }

    /// The orders of `seat`, or none.
    #[must_use]
    pub fn orders(&self, seat: Seat) -> &'a [O] {
        self.of(seat).map_or(&[], |e| e.orders)
    }

    /// How `seat` failed in this turn, if it did.
    #[must_use]
    pub fn failure(&self, seat: Seat) -> Option<Failure> {
        self.of(seat).and_then(|e| e.failure)
    }
}

/// Judges what was heard of one seat: the one way in which the referee, the replay reader and the tests make an
/// [`Entry`], so that they cannot differ.
///
/// * Lawful orders stand, with `failure` as it is.
/// * A refusal with [`Penalty::Fail`] makes the failure [`Failure::Unlawful`], even if the seat broke down later in
///   the same turn (the order came first).
/// * A refusal with [`Penalty::Pass`] leaves no order and keeps `failure`.
pub fn judge<'a, G: Game>(
    game: &G,
    seat: Seat,
    orders: &'a [G::Order],
    failure: Option<Failure>,
    tmp: &mut G::Scratch,
) -> (Entry<'a, G::Order>, Option<Refused<G>>) {
    // A seat that broke down need not have given a complete decision: only what it did give is judged.
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

/// A refusal with the index of the order that it is about.
#[derive(PartialEq, Debug)]
pub struct Refused<G: Game> {
    /// Index into the orders of the decision.
    pub index: usize,
    /// The rule that refuses it.
    pub why: G::Refusal,
}

// By hand: a refusal is `Copy` although the game is not.
impl<G: Game> Clone for Refused<G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Refused<G> {}

/// Where events go. `()` drops them (the compiler removes them), a `Vec` keeps them.
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

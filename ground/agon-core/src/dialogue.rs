//! Speech is bytes: the two halves of a wire protocol, and bots that need none.

use crate::{Game, Refused};
use alloc::{string::String, vec::Vec};
use core::time::Duration;

/// What is left on the clock of the seat that is spoken to. `None` where that part is not limited.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Remaining {
    /// Of this turn.
    pub turn: Option<Duration>,
    /// Of the bank for the whole match.
    pub bank: Option<Duration>,
}

/// What the referee's half makes of what it has said or heard so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// An answer, or the rest of one, is awaited.
    More,
    /// Nothing is awaited: the greeting is complete.
    Ready,
    /// `orders` holds the whole decision of the turn.
    Decision,
    /// What was heard is not of the protocol.
    Nonsense(Nonsense),
}

/// The offending line and what is wrong with it. Both may hold anything that a bot wrote: whoever prints them cleans
/// them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nonsense {
    /// The line, cut to [`Nonsense::EXCERPT`] characters.
    pub line: String,
    /// Why, a lower-case fragment as `not three numbers`.
    pub why: String,
}

impl Nonsense {
    /// The most characters of a line that are kept.
    pub const EXCERPT: usize = 160;

    /// Keeps the start of `line`, bytes that are not UTF-8 replaced.
    pub fn new(line: &[u8], why: impl Into<String>) -> Self {
        let head = &line[..line.len().min(Self::EXCERPT * 4)];
        let line = String::from_utf8_lossy(head).chars().take(Self::EXCERPT).collect();
        Self { line, why: why.into() }
    }
}

/// The referee's half of a wire protocol for one seat.
///
/// It is given a [`View`](Game::View), so that it cannot leak what the seat may not know. `out` is appended to and
/// never read.
///
/// **Law.** The same bytes, however they are split over calls of [`hear`](Dialogue::hear), give the same orders and
/// the same outcome (but for `playgame` of Planet Wars, where the original executes what came in one read with `go`).
pub trait Dialogue<G: Game>: Send {
    /// Says what is said once, before the first turn. [`Said::More`]: an answer is awaited; [`Said::Ready`]: none.
    fn greet(&mut self, view: G::View<'_>, clock: Remaining, out: &mut Vec<u8>) -> Said;

    /// Brings the bot from what it was last told to this view and asks for a decision.
    fn prompt(&mut self, view: G::View<'_>, clock: Remaining, out: &mut Vec<u8>);

    /// Reads from the start of `input`, which is all that the seat has sent and nobody has used. Returns how many
    /// bytes are used up; the rest is shown again, with more behind it, and stays for the next turn after a decision.
    /// `end` says that nothing will follow. May append to `out` (an answer within the turn) and to `orders`.
    fn hear(
        &mut self,
        view: G::View<'_>,
        clock: Remaining,
        input: &[u8],
        end: bool,
        orders: &mut Vec<G::Order>,
        out: &mut Vec<u8>,
    ) -> (usize, Said);

    /// Tells the bot whether its decision was accepted, where the protocol says so.
    fn verdict(&mut self, view: G::View<'_>, verdict: Result<(), Refused<G>>, out: &mut Vec<u8>) {
        let _ = (view, verdict, out);
    }

    /// Says goodbye, where the protocol does. The match has ended by the rules, and the view is that of its end.
    fn farewell(&mut self, view: G::View<'_>, out: &mut Vec<u8>) {
        let _ = (view, out);
    }

    /// Whether the match's own history matters to what was last told: after an undo or an edit of the position the
    /// referee calls this, and the next [`prompt`](Dialogue::prompt) brings the bot to the new position.
    fn reposition(&mut self) {}

    /// Whether a bot has failed as soon as it cannot be told something, even if it has answered ahead. Else what it has
    /// written still counts, and it fails where an answer is missing.
    fn must_be_told(&self) -> bool {
        false
    }
}

/// What the bot's half makes of what it has read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    /// The message is not complete.
    More,
    /// A message was taken in that asks for no decision; an answer, if any, is in `out`.
    Noted,
    /// A decision is asked for: [`Client::view`] is up to date.
    Decide,
    /// The match is over for this bot.
    Quit,
    /// Not the protocol, with the reason.
    Confused(String),
}

/// The bot's half: reads the referee's bytes into storage of its own that yields the same view, and writes orders.
///
/// **Law.** Client after dialogue is the identity: the view it offers equals the view that the dialogue was given.
pub trait Client<G: Game>: Send {
    /// Reads from the start of `input`; returns how many bytes are used up.
    fn read(&mut self, input: &[u8], out: &mut Vec<u8>) -> (usize, Asked);

    /// What the bot knows. Meaningful from the first [`Asked::Decide`] on.
    fn view(&self) -> G::View<'_>;

    /// Writes a decision.
    fn write(&mut self, orders: &[G::Order], out: &mut Vec<u8>);
}

/// A program that decides, without a process. Limited by work, never by a clock: the same seed and the same views give
/// the same orders.
pub trait Bot<G: Game>: Send {
    /// Appends the decision to `orders`, which is empty.
    fn decide(&mut self, view: G::View<'_>, orders: &mut Vec<G::Order>);
}

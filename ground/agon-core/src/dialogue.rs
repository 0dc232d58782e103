//! The two halves of a wire protocol, and bots that need no wire protocol.

use crate::{Game, Refused};
use alloc::{string::String, vec::Vec};
use core::time::Duration;

/// The time left on the clock of one seat. A part is `None` if it has no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Remaining {
    /// The time left for this turn.
    pub turn: Option<Duration>,
    /// The time left in the bank for the whole match.
    pub bank: Option<Duration>,
}

/// The state of a conversation, as the referee's half sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// The dialogue waits for an answer, or for the rest of one.
    More,
    /// The greeting is complete, and the dialogue waits for nothing.
    Ready,
    /// `orders` holds the whole decision of the turn.
    Decision,
    /// The bot broke the protocol.
    Nonsense(Nonsense),
}

/// The line that breaks the protocol, and the reason. Both may quote the bot byte for byte, so clean them before you
/// print them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nonsense {
    /// The start of the line, at most [`Nonsense::EXCERPT`] characters.
    pub line: String,
    /// The reason, a lower-case fragment such as `not three numbers`.
    pub why: String,
}

impl Nonsense {
    /// How many characters of a line [`Nonsense::new`] keeps at most.
    pub const EXCERPT: usize = 160;

    /// Keeps the start of `line` and replaces bytes that are not UTF-8.
    pub fn new(line: &[u8], why: impl Into<String>) -> Self {
        let head = &line[..line.len().min(Self::EXCERPT * 4)];
        let line = String::from_utf8_lossy(head).chars().take(Self::EXCERPT).collect();
        Self { line, why: why.into() }
    }
}

/// The largest number of characters that the referee keeps of a name in a greeting.
pub const GREETING_NAME: usize = 64;

/// Equal commands that a dialogue refused, one after the other, when it read them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RefusedCommand<O> {
    /// The number of orders of this turn that stood when the command came.
    pub after: u32,
    /// The command. `None` stands for all further commands with this code, because the list has a limit.
    pub order: Option<O>,
    /// The error code that the bot got.
    pub code: u8,
    /// The reason, without values of the command, as a lower-case fragment.
    pub why: &'static str,
    /// How often the bot gave the command, at least 1.
    pub times: u32,
}

/// The referee's half of a wire protocol for one seat.
///
/// It gets only a [`View`](Game::View), so it cannot leak what the seat may not know. It appends to `out` and never
/// reads it.
///
/// **Law.** The orders and the outcome depend only on the bytes, not on how they are split over calls of
/// [`hear`](Dialogue::hear). The exception is `playgame` of Planet Wars: its original engine executes what arrives in
/// the same read as `go`.
pub trait Dialogue<G: Game>: Send {
    /// Writes the greeting, once, before the first turn. Returns [`Said::More`] if the protocol wants an answer to it,
    /// and [`Said::Ready`] if it does not.
    fn greet(&mut self, view: G::View<'_>, clock: Remaining, out: &mut Vec<u8>) -> Said;

    /// Brings the bot up to date from its last message to this view, and asks for a decision.
    fn prompt(&mut self, view: G::View<'_>, clock: Remaining, out: &mut Vec<u8>);

    /// Reads from the start of `input`, which holds all bytes of the seat that no earlier call used.
    ///
    /// Returns how many bytes this call used, and the new state. The next call gets the other bytes again, with new
    /// ones after them. Bytes after a decision stay for the next turn. `end` says that no more bytes will follow. May
    /// append to `orders`, and to `out` if the protocol answers within the turn.
    fn hear(
        &mut self,
        view: G::View<'_>,
        clock: Remaining,
        input: &[u8],
        end: bool,
        orders: &mut Vec<G::Order>,
        out: &mut Vec<u8>,
    ) -> (usize, Said);

    /// Tells the bot whether its decision was accepted, if the protocol has such a message.
    fn verdict(&mut self, view: G::View<'_>, verdict: Result<(), Refused<G>>, out: &mut Vec<u8>) {
        let _ = (view, verdict, out);
    }

    /// Tells the bot that the match has ended by the rules, if the protocol has such a message. The view shows the
    /// final position.
    fn farewell(&mut self, view: G::View<'_>, out: &mut Vec<u8>) {
        let _ = (view, out);
    }

    /// Returns the commands of this turn that the dialogue itself has refused, so that they are not among the orders.
    /// The list is valid until the next [`prompt`](Dialogue::prompt). Its length must have a limit.
    fn refused(&self) -> &[RefusedCommand<G::Order>] {
        &[]
    }

    /// Returns the name that the bot has given itself in its greeting, at most [`GREETING_NAME`] characters of it. It may
    /// contain any characters, so clean it before you print it.
    fn bot_name(&self) -> Option<&str> {
        None
    }

    /// Discards what the dialogue remembers of earlier turns. The referee calls this after an undo or an edit of the
    /// position, and the next [`prompt`](Dialogue::prompt) brings the bot to the new position.
    fn reposition(&mut self) {}

    /// Returns whether the dialogue still brings the bot to the position of the last prompt after a
    /// [`reposition`](Dialogue::reposition), so that the bot has not been asked for its decision yet.
    fn is_setting_up(&self) -> bool {
        false
    }

    /// Returns whether a bot fails as soon as it no longer takes messages, even if it has answered ahead. Otherwise its
    /// answers so far still count, and it fails when an answer is missing.
    fn must_be_told(&self) -> bool {
        false
    }
}

/// The state of a conversation, as the bot's half sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    /// The message is not complete.
    More,
    /// The client read a message that asks for no decision. Its answer, if the message needs one, is in `out`.
    Noted,
    /// The referee asks for a decision, and [`Client::view`] is up to date.
    Decide,
    /// The match is over for this bot.
    Quit,
    /// The referee broke the protocol. The text gives the reason.
    Confused(String),
}

/// The bot's half: reads the referee's bytes into storage of its own that yields the same view, and writes orders.
///
/// **Law.** Client after dialogue is the identity: the view it offers equals the view that the dialogue was given.
pub trait Client<G: Game>: Send {
    /// Reads from the start of `input`. Returns how many bytes it used, and the new state. The next call must show the
    /// other bytes again.
    fn read(&mut self, input: &[u8], out: &mut Vec<u8>) -> (usize, Asked);

    /// Returns what the bot knows. The view is meaningful after the first [`Asked::Decide`].
    fn view(&self) -> G::View<'_>;

    /// Appends a decision to `out`, in the words of the protocol.
    fn write(&mut self, orders: &[G::Order], out: &mut Vec<u8>);
}

/// A built-in bot, which decides without a process of its own. Its work is limited, and it reads no clock: the same
/// seed and the same views always give the same orders.
pub trait Bot<G: Game>: Send {
    /// Appends the decision to `orders`, which is empty.
    fn decide(&mut self, view: G::View<'_>, orders: &mut Vec<G::Order>);
}

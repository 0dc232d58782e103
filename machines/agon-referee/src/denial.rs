//! The reasons why the referee denies what a person asks for.

use crate::RefusedOrder;
use agon_core::Flaw;
use core::fmt;

/// Why the referee denied an [`In::Human`](crate::In::Human), [`In::Undo`](crate::In::Undo) or
/// [`In::Edit`](crate::In::Edit). The match has not changed, and it still waits for a person's decision if it did
/// before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Denial {
    /// The seat does not belong to a person, or the match does not wait for its decision.
    NotAsked,
    /// The text is not a list of orders of this game. It holds the reason.
    UnknownOrders(String),
    /// The rules refuse an order.
    Unlawful(RefusedOrder),
    /// The match was opened without [`Settings::undo`](crate::Settings::undo), so it keeps no earlier positions.
    NoUndo,
    /// The map cannot be read or played.
    Map(Flaw),
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAsked => f.write_str("it is not your turn"),
            Self::UnknownOrders(why) => write!(f, "the orders cannot be read: {why}"),
            Self::Unlawful(refused) => f.write_str(&refused.why),
            Self::NoUndo => f.write_str("this match keeps no earlier positions to go back to"),
            Self::Map(flaw) => flaw.fmt(f),
        }
    }
}

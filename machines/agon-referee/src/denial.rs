//! Why something that a person asked for cannot be done.

use crate::RefusedOrder;
use agon_core::Flaw;
use core::fmt;

/// Why [`In::Human`](crate::In::Human), [`In::Undo`](crate::In::Undo) or [`In::Edit`](crate::In::Edit) was denied. Nothing
/// has changed, and a person who was asked still is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Denial {
    /// The seat is not a person's, or its decision is not awaited now.
    NotAsked,
    /// What was given is no list of orders of this game: why not.
    UnknownOrders(String),
    /// The rules refuse an order.
    Unlawful(RefusedOrder),
    /// The match has ended.
    Over,
    /// No positions to go back to are kept: the match was opened without [`Settings::undo`](crate::Settings::undo).
    NoUndo,
    /// The map cannot be read or played.
    Map(Flaw),
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAsked => f.write_str("it is not your turn"),
            Self::UnknownOrders(why) => write!(f, "these are no orders: {why}"),
            Self::Unlawful(refused) => f.write_str(&refused.why),
            Self::Over => f.write_str("the match is over"),
            Self::NoUndo => f.write_str("this match keeps no positions to go back to"),
            Self::Map(flaw) => flaw.fmt(f),
        }
    }
}

//! What the organiser decides while a tournament runs.

use crate::{Entrant, MatchId};
use serde::{Deserialize, Serialize};

/// A decision of the organiser, and from where it counts. The store must keep it: with the outcomes, it is all that
/// [`Schedule::resume`](crate::Schedule::resume) needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Amendment {
    /// The first match whose draw knows of the decision. What was drawn before stays as it is.
    pub from: MatchId,
    /// The decision.
    pub change: Change,
}

/// A decision of the organiser.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// A bot plays no more. A match of it that is running may still end.
    Withdraw(Entrant),
    /// A finished match does not count.
    Void(MatchId),
    /// There are more bots or more rounds.
    Extend {
        /// The number of bots from now on. New bots are behind the others in the list.
        entrants: u32,
        /// The number of rounds from now on.
        rounds: u32,
    },
}

//! What the organiser decides while a tournament runs.

use crate::{Entrant, MatchId, Outcome};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A decision of the organiser, and from where it counts. The store must keep it: with the outcomes, it is all that
/// [`Schedule::resume`](crate::Schedule::resume) needs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Amendment {
    /// The first match whose draw knows of the decision. What was drawn before stays as it is.
    pub from: MatchId,
    /// The decision.
    pub change: Change,
}

/// A decision of the organiser.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// A bot plays no more. A match of it that is running may still end.
    Withdraw(Entrant),
    /// A withdrawn bot plays again.
    Readmit {
        /// The bot.
        entrant: Entrant,
        /// Whether its matches that were left out are played after all. If later draws rest on them, they are not.
        plays_missed: bool,
    },
    /// A finished match does not count.
    Void(MatchId),
    /// A match that is over is played again.
    Rerun {
        /// The match.
        id: MatchId,
        /// The outcome that it had: what was drawn before the decision rests on it.
        was: Outcome,
    },
    /// Many matches that are over are played again, each with the outcome that it had. Those of bots that are withdrawn count as
    /// not played from then on.
    RerunAll(BTreeMap<MatchId, Outcome>),
    /// There are more bots or more rounds.
    Extend {
        /// The number of bots from now on. New bots are behind the others in the list.
        entrants: u32,
        /// The number of rounds from now on.
        rounds: u32,
    },
}

/// Returns whether a bot plays after these decisions, which are in the order in which they were made.
pub(crate) fn plays<'a>(changes: impl Iterator<Item = &'a Change>, bot: Entrant) -> bool {
    let decided = changes.filter_map(|change| match change {
        Change::Withdraw(entrant) if *entrant == bot => Some(false),
        Change::Readmit { entrant, .. } if *entrant == bot => Some(true),
        _ => None,
    });
    decided.last().unwrap_or(true)
}

/// Returns whether a finished match does not count after these decisions, which are in the order in which they were made.
pub(crate) fn is_void<'a>(changes: impl Iterator<Item = &'a Change>, id: MatchId) -> bool {
    let decided = changes.filter_map(|change| match change {
        Change::Void(void) if *void == id => Some(true),
        Change::Rerun { id: again, .. } if *again == id => Some(false),
        Change::RerunAll(again) if again.contains_key(&id) => Some(false),
        _ => None,
    });
    decided.last().unwrap_or(false)
}

/// Returns whether a bot has missed a match for good, because it was readmitted when later draws rested on that.
pub(crate) fn has_missed(amendments: &[Amendment], bot: Entrant, id: MatchId) -> bool {
    let readmitted =
        |change: &Change| matches!(change, Change::Readmit { entrant, plays_missed: false } if *entrant == bot);
    amendments.iter().any(|amendment| amendment.from > id && readmitted(&amendment.change))
}

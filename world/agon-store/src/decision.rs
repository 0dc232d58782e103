//! Decisions of the organiser that change what is stored.

use crate::{StoredEvent, StoredMatch};

/// A decision of the organiser. It is stored as a whole or not at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// What the schedule must know of it, behind the other amendments. `None` if it need not know.
    pub amendment: Option<String>,
    /// The matches that are played again. Their results are among the earlier ones from now on.
    pub again: Vec<u64>,
    /// What changes about a bot.
    pub bot: Option<BotChange>,
    /// What people are told.
    pub event: StoredEvent,
}

/// What changes about a bot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BotChange {
    /// It is not withdrawn any more.
    Readmitted(u32),
    /// It has this name from now on.
    Renamed(u32, String),
}

/// A result that does not count any more, because the match is played again.
#[derive(Clone, PartialEq, Debug)]
pub struct EarlierResult {
    /// The match with the result that it had.
    pub stored: StoredMatch,
    /// When it was decided to play it again, in milliseconds since 1970.
    pub at_ms: i64,
}

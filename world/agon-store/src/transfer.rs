//! A tournament on its way from one store to another, of any back end.

use crate::{
    Artefact, Attempt, Blob, FileVersion, PlannedMatch, Result, Snapshot, StoredBot, StoredEvent, StoredMap,
    StoredMatch, StoredWorker,
};

/// A part of a tournament in a store. Nothing is said of claims: whoever has one may still report, and its match is played again
/// otherwise.
#[derive(Clone, PartialEq, Debug)]
pub enum Part {
    /// How often the store was opened to write: none of its claims has a token of a later opening
    /// ([`first_token`](crate::first_token)). And the last number that a match got when it was over: a match that is played again
    /// has left its number, and no other may get it.
    Opened((u32, u64)),
    /// A machine that plays, with its number.
    Worker(StoredWorker),
    /// Bytes.
    Blob(Blob),
    /// What is too large for one blob. Its blobs come before it.
    Artefact(Artefact),
    /// A map after those before.
    Map(StoredMap),
    /// A bot after those before, with its versions.
    Bot(StoredBot),
    /// A match that is over. It comes before those with higher numbers, and behind all earlier results.
    Over {
        /// Its number among those that are over ([`Records::over_since`](crate::Records::over_since)).
        number: u64,
        /// The claim under which it was played.
        token: Option<u64>,
        /// The match with its result.
        stored: Box<StoredMatch>,
    },
    /// The result of a match that is played again.
    Earlier {
        /// When that was decided, in milliseconds since 1970.
        at_ms: i64,
        /// The claim under which it was played.
        token: Option<u64>,
        /// The match with the result that it had.
        stored: Box<StoredMatch>,
    },
    /// Matches that are to be played, each with the number of attempts that it has used.
    Ready(Vec<(PlannedMatch, u32)>),
    /// An attempt that did not give the result that counts. Its event comes by itself.
    Attempt(Attempt),
    /// What happened beside the matches.
    Event(StoredEvent),
    /// A decision of the organiser after those before.
    Amendment(String),
    /// A text that is kept beside the results.
    Snapshot(String, Snapshot),
    /// A version of the tournament file.
    File(FileVersion),
}

/// Takes the parts of a tournament.
pub type TakePart<'a> = &'a mut dyn FnMut(Part) -> Result<()>;

/// How much was copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Copied {
    /// Matches that are over.
    pub over: u64,
    /// Matches that are to be played.
    pub ready: u64,
    /// Blobs.
    pub blobs: u64,
    /// Everything else.
    pub others: u64,
}

impl Copied {
    /// Counts a part.
    pub fn count(&mut self, part: &Part) {
        match part {
            Part::Over { .. } => self.over += 1,
            Part::Ready(matches) => self.ready += matches.len() as u64,
            Part::Blob(_) => self.blobs += 1,
            _ => self.others += 1,
        }
    }
}

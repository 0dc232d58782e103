//! Matches, from their plan to their result.

use crate::{Blob, BlobHash};
use std::sync::Arc;

/// A match that is to be played.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PlannedMatch {
    /// The number of the match in the order of the schedule, from 1.
    pub id: u64,
    /// The round of the tournament, from 1.
    pub round: u32,
    /// The number of the map in [`StoredMap`], from 0.
    pub map: u32,
    /// The seed for a generated map. Matches on the same map have the same.
    pub map_seed: u64,
    /// The seed of the match.
    pub seed: u64,
    /// The number of the bot in each seat.
    pub bots: Vec<u32>,
    /// The probability with which a ladder drew this match. `None` if it was not drawn.
    pub probability: Option<f64>,
    /// When it is its turn: matches with a lower rank are claimed first, then those with a lower id.
    pub rank: u8,
}

/// A match that a worker has claimed.
#[derive(Clone, PartialEq, Debug)]
pub struct Lease {
    /// The match to play.
    pub planned: PlannedMatch,
    /// How often the match was played before without a result.
    pub attempts: u32,
    /// Tells this claim from every other one of this store, also from those before it was opened again.
    pub token: u64,
}

/// A claim that has not ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// What tells it from every other claim.
    pub token: u64,
    /// The number of the match.
    pub id: u64,
    /// The number of the worker in [`StoredWorker`](crate::StoredWorker).
    pub worker: u32,
    /// When the match was claimed, in milliseconds since 1970.
    pub began_ms: i64,
    /// When the claim ends unless it is extended, in milliseconds since 1970.
    pub until_ms: i64,
}

/// What became of a match that was played, or that nobody can play any more.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RecordedResult {
    /// Whether there is a result.
    pub ending: Ending,
    /// Why the match ended, for example `limit`, or why it has no result.
    pub reason: String,
    /// One entry for each seat. Without a result there may be none.
    pub seats: Vec<RecordedSeat>,
    /// The number of turns.
    pub plies: u32,
    /// The fingerprint of the last position.
    pub fingerprint: Option<u64>,
    /// The replay, without compression of its own.
    pub replay: Option<BlobHash>,
    /// What the bots wrote to their stderr.
    pub log: Option<BlobHash>,
    /// When the match began, in milliseconds since 1970.
    pub started_ms: i64,
    /// How long the match took, in microseconds.
    pub wall_us: u64,
    /// The number of the worker that played it, in [`StoredWorker`](crate::StoredWorker). `None` if nobody did, or an older
    /// version of Agon.
    pub worker: Option<u32>,
}

/// Whether a match has a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ending {
    /// It has a result.
    #[default]
    Finished,
    /// The host spoilt it too often. There is no result, and nobody has lost.
    Spoilt,
    /// It does not count.
    Void,
}

/// The result of one seat.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RecordedSeat {
    /// The version of the bot that played.
    pub version: u32,
    /// The score, in the game's own unit.
    pub score: i64,
    /// The place, from 1. Equal seats share the better place.
    pub place: u32,
    /// How the bot failed. `None` if it did not.
    pub fault: Option<RecordedFault>,
    /// The commands that were refused and cost the bot nothing else.
    pub refused: RecordedRefusals,
    /// The number of decisions.
    pub decisions: u64,
    /// The sum of the times of all decisions, in microseconds.
    pub time_us: u64,
    /// The longest time of a decision, in microseconds.
    pub max_us: u64,
}

/// How a bot failed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RecordedFault {
    /// The short name of the fault, for example `late`.
    pub kind: String,
    /// The turn of the fault, from 1. It is 0 for the greeting.
    pub ply: u32,
    /// The reason. It may quote the bot, so clean it before you show it.
    pub text: String,
    /// The short name of the likely cause, for example `no_flush`. `None` if none is known.
    pub cause: Option<String>,
}

/// The commands of a bot that were refused and cost it nothing else.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RecordedRefusals {
    /// The number of refused commands.
    pub count: u64,
    /// The number of all commands.
    pub of: u64,
    /// The most frequent reasons, each with its number of commands.
    pub top: Vec<(String, u64)>,
}

/// The result of a match, on its way to the store.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The number of the match.
    pub id: u64,
    /// The claim under which it was played, which tells this report from another one of the same match. `None` if it was
    /// not claimed.
    pub token: Option<u64>,
    /// Its result.
    pub result: Arc<RecordedResult>,
    /// The blobs that the result names.
    pub blobs: Vec<Blob>,
}

/// What became of a report of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Completion {
    /// The result is stored.
    Stored,
    /// The same report was stored before. Nothing has changed.
    Duplicate,
    /// Another report of the match was stored before, and that one counts. This one is among the attempts. Two machines that
    /// play the same match may come to different results, because bots see the time.
    Late,
}

/// The state of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchState {
    /// It is to be played.
    Ready,
    /// It is over.
    Over(Ending),
}

/// A match as the store has it.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredMatch {
    /// The match.
    pub planned: PlannedMatch,
    /// How often the match was played without a result, before it had one.
    pub attempts: u32,
    /// Its result. `None` if it is still to be played.
    pub result: Option<RecordedResult>,
}

/// How many matches are in each state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Matches that are to be played, claimed ones included.
    pub ready: u64,
    /// Matches with a result.
    pub finished: u64,
    /// Matches that the host spoilt too often.
    pub spoilt: u64,
    /// Matches that do not count.
    pub void: u64,
}

/// A tournament file as it was when a run began.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileVersion {
    /// The whole text.
    pub text: String,
    /// The version of Agon that ran it.
    pub agon: String,
    /// When the run began, in milliseconds since 1970.
    pub at_ms: i64,
}

/// A map of the tournament.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredMap {
    /// The name, for example `gen:10x10` or `maps/island.txt`.
    pub name: String,
    /// The content of a map file. `None` for maps that are generated from the seed of the match.
    pub content: Option<BlobHash>,
}

/// A text that a caller keeps beside the results, for example the standings, so that showing it needs no counting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// The number of matches with a result that the text takes into account.
    pub after: u64,
    /// The text.
    pub text: String,
}

impl RecordedResult {
    /// Returns whether two results are the same except for what differs between two equal runs: the worker, times, and the
    /// replay and the log, which contain times.
    #[must_use]
    pub fn agrees(&self, other: &Self) -> bool {
        let timeless = |seat: &RecordedSeat| RecordedSeat {
            time_us: 0,
            max_us: 0,
            // A result of an older program lacks it.
            refused: RecordedRefusals::default(),
            ..seat.clone()
        };
        let equal = |(a, b): (&RecordedSeat, &RecordedSeat)| {
            // The text of a fault may say how long something took.
            let kind = |seat: &RecordedSeat| seat.fault.as_ref().map(|fault| (fault.kind.clone(), fault.ply));
            let plain = |seat: &RecordedSeat| RecordedSeat { fault: None, ..timeless(seat) };
            kind(a) == kind(b) && plain(a) == plain(b)
        };
        self.ending == other.ending
            && self.reason == other.reason
            && self.plies == other.plies
            && self.fingerprint == other.fingerprint
            && self.seats.len() == other.seats.len()
            && self.seats.iter().zip(&other.seats).all(equal)
    }
}

impl Report {
    /// Makes a report of a match that was not claimed.
    #[must_use]
    pub fn unclaimed(id: u64, result: RecordedResult, blobs: Vec<Blob>) -> Self {
        Self { id, token: None, result: Arc::new(result), blobs }
    }

    /// Returns whether this is a repetition of a report that was stored with such a token and result. What was not claimed has
    /// no other mark than its result.
    #[must_use]
    pub fn repeats(&self, token: Option<u64>, result: &RecordedResult) -> bool {
        match (self.token, token) {
            (None, None) => self.result.agrees(result),
            (own, stored) => own == stored,
        }
    }
}

impl PlannedMatch {
    /// Returns whether two plans are of the same match. The rank may change.
    #[must_use]
    pub fn agrees(&self, other: &Self) -> bool {
        Self { rank: 0, ..self.clone() } == Self { rank: 0, ..other.clone() }
    }
}

impl StoredMatch {
    /// Returns the state of the match.
    #[must_use]
    pub fn state(&self) -> MatchState {
        self.result.as_ref().map_or(MatchState::Ready, |result| MatchState::Over(result.ending))
    }
}

impl Ending {
    /// Returns the word for it: `finished`, `spoilt` or `void`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Spoilt => "spoilt",
            Self::Void => "void",
        }
    }
}

impl Progress {
    /// Returns the number of matches that are over.
    #[must_use]
    pub fn over(&self) -> u64 {
        self.finished + self.spoilt + self.void
    }

    /// Returns the number of matches in a state, to count with.
    pub fn of(&mut self, state: MatchState) -> &mut u64 {
        match state {
            MatchState::Ready => &mut self.ready,
            MatchState::Over(Ending::Finished) => &mut self.finished,
            MatchState::Over(Ending::Spoilt) => &mut self.spoilt,
            MatchState::Over(Ending::Void) => &mut self.void,
        }
    }
}

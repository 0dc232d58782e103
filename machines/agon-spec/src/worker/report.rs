//! Results of matches, from workers.

use crate::Mark;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Results of a worker: `POST /worker/1/report`. The replays and logs that they name are sent before. A report may be repeated any
/// number of times.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerReport {
    /// The results.
    pub results: Vec<WorkerSettled>,
}

/// The result of one match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerSettled {
    /// The number of the match.
    pub id: u64,
    /// The token of the lease with which it was played.
    pub token: u64,
    /// The result.
    pub result: WorkerResult,
    /// Why each earlier attempt on this worker has no result, the first one first.
    #[serde(default)]
    pub spoilt: Vec<String>,
}

/// What became of a match that was played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerResult {
    /// Whether there is a result.
    pub ending: WorkerEnding,
    /// Why the match ended, for example `limit`, or why it has no result.
    pub reason: String,
    /// One entry for each seat. Without a result there may be none.
    pub seats: Vec<WorkerSeat>,
    /// The number of turns.
    pub plies: u32,
    /// The fingerprint of the last position. `null` if the match was not played.
    pub fingerprint: Option<Mark>,
    /// The SHA-256 of the replay, as 64 hexadecimal digits. `null` if it is not kept.
    pub replay: Option<String>,
    /// The SHA-256 of what the bots wrote to their stderr, as 64 hexadecimal digits. `null` if there is nothing.
    pub log: Option<String>,
    /// When the match began, in milliseconds since 1970.
    pub started_ms: i64,
    /// How long it took, in microseconds.
    pub wall_us: u64,
}

/// Whether a match has a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkerEnding {
    /// It has a result.
    Finished,
    /// The host spoilt it again and again. Nobody has lost.
    Spoilt,
}

/// The result of one seat.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerSeat {
    /// The version of the bot that played.
    pub version: u32,
    /// The score, in the game's own unit.
    pub score: i64,
    /// The place, from 1. Equal seats share the better place.
    pub place: u32,
    /// How the bot failed. `null` if it did not.
    pub fault: Option<WorkerFault>,
    /// The commands that were refused and cost the bot nothing else.
    pub refused: WorkerRefusals,
    /// The number of decisions.
    pub decisions: u64,
    /// The sum of the times of all decisions, in microseconds.
    pub time_us: u64,
    /// The longest time of a decision, in microseconds.
    pub max_us: u64,
}

/// How a bot failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerFault {
    /// The short name of the fault, for example `late`.
    pub kind: String,
    /// The turn of the fault, from 1. It is 0 for the greeting.
    pub ply: u32,
    /// The reason. It may quote the bot.
    pub text: String,
    /// The short name of the likely cause, for example `no_flush`. `null` if none is known.
    pub cause: Option<String>,
}

/// The commands of a bot that were refused and cost it nothing else.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkerRefusals {
    /// The number of refused commands.
    pub count: u64,
    /// The number of all commands.
    pub of: u64,
    /// The most frequent reasons, each with its number of commands.
    pub top: Vec<(String, u64)>,
}

/// What became of each result of a report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerReported {
    /// One answer for each result, in any order. An answer belongs to the result with the same number and the same token.
    pub answers: Vec<WorkerAnswer>,
}

/// What became of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerAnswer {
    /// The number of the match.
    pub id: u64,
    /// The token of the lease.
    pub token: u64,
    /// What became of it. Whatever it is: the worker may forget the result.
    pub outcome: WorkerOutcome,
}

/// What became of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkerOutcome {
    /// It is on disk, and counts.
    Stored,
    /// It was on disk already: the report is a repetition.
    Duplicate,
    /// Another result of the match counts. This one was noted.
    Late,
    /// There is no such match, or the token was never that of a lease of it. Nothing was stored.
    Unknown,
}

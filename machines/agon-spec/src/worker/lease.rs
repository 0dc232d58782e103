//! Matches that workers have, for a time.

use crate::{WorkerCheck, shape::SeedNumber};
use agon_core::Seed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A worker asks for matches: `POST /worker/1/claim`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerClaim {
    /// Tells this claim from every other one of the worker: 16 to 64 hexadecimal digits, drawn at random. A claim whose answer was
    /// lost is repeated with the same, and gives the same matches again.
    pub request: String,
    /// How many matches it wants at most.
    pub most: u32,
    /// For how long it waits if there is no match now, in milliseconds, at most 20,000.
    pub wait_ms: u32,
}

/// Matches for a worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerClaimed {
    /// The matches. There may be none.
    pub leases: Vec<WorkerLease>,
    /// Results of other workers that this one is to check, beside the matches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<WorkerCheck>,
    /// For how long they stay with the worker without a sign of life, in milliseconds from when the answer was made.
    pub until_ms: u64,
    /// Whether the tournament has no more matches: the worker reports what it has, and leaves.
    pub finished: bool,
    /// The edition of the field. If it is another one than the worker has, it releases the matches and fetches the field again.
    pub edition: u64,
}

/// A match that a worker has.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerLease {
    /// Tells this lease from every other one.
    pub token: u64,
    /// The match to play.
    #[serde(rename = "match")]
    pub planned: WorkerMatch,
    /// How often the match was begun before without a result.
    pub attempts: u32,
}

/// A match to play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerMatch {
    /// The number of the match in the order of the schedule, from 1.
    pub id: u64,
    /// The round of the tournament, from 1.
    pub round: u32,
    /// The number of the map, from 0.
    pub map: u32,
    /// The seed for a generated map.
    #[schemars(with = "SeedNumber")]
    pub map_seed: Seed,
    /// The seed of the match.
    #[schemars(with = "SeedNumber")]
    pub seed: Seed,
    /// The number of the bot in each seat.
    pub bots: Vec<u32>,
    /// The probability with which a ladder drew the match. `null` if it was not drawn.
    #[serde(default)]
    pub probability: Option<f64>,
}

/// A sign of life with what the worker has: `POST /worker/1/beat`. A worker sends one every `beat_ms` from its registration on, also
/// while it builds bots and has no match. A match whose turn does not rise for longer than one of its turns may last does not stay
/// with the worker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerBeat {
    /// Every match that the worker has, those included that are over and not reported yet.
    pub held: Vec<WorkerHeld>,
}

/// A match that a worker has, and how far it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerHeld {
    /// The token of its lease.
    pub token: u64,
    /// The turn in which it is, from 1. It is 0 while the bots start, and `null` if it has not begun.
    pub ply: Option<u32>,
}

/// What the server makes of a sign of life.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkerBeaten {
    /// Tokens of matches that the worker does not have any more: it stops playing them.
    pub over: Vec<u64>,
}

/// Gives matches back that were not begun: `POST /worker/1/release`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerRelease {
    /// The tokens of their leases.
    pub tokens: Vec<u64>,
}

/// Gives a match back that the worker's host could not play: `POST /worker/1/give-back`. That is one more attempt of the match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerGiveBack {
    /// The token of its lease.
    pub token: u64,
    /// Why it could not be played.
    pub why: String,
}

/// A worker ends, and gives back what it has: `POST /worker/1/leave`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkerLeave {}

/// The answer to a request that only tells something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkerNoted {}

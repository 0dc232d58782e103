//! Results that a worker checks which another one has reported.

use crate::{Mark, WorkerMatch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A result of another worker that is to be checked. The worker is not told what the result is: it says what it finds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerCheck {
    /// Tells this check from every other one.
    pub token: u64,
    /// The match.
    #[serde(rename = "match")]
    pub planned: WorkerMatch,
    /// The SHA-256 of its replay, as 64 hexadecimal digits, for `GET /worker/1/blob/HASH`: it is played again by the rules, without
    /// bots. `null` if the match itself is to be played again, which has bots that do not depend on time.
    pub replay: Option<String>,
}

/// What a worker has found: `POST /worker/1/checked`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerChecked {
    /// The findings.
    pub findings: Vec<WorkerFinding>,
}

/// What a worker has found in one check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerFinding {
    /// The number of the match.
    pub id: u64,
    /// The token of the check.
    pub token: u64,
    /// What was found.
    pub found: WorkerFound,
}

/// What a check has found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkerFound {
    /// How the match has ended.
    End(WorkerMatchEnd),
    /// The replay is none of this match, or breaks its rules. The text says how.
    Wrong(String),
    /// Nothing: the check could not be made. The text says why.
    Nothing(String),
}

/// How a match has ended, as far as that follows from the rules and the answers of the bots.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerMatchEnd {
    /// The number of turns.
    pub plies: u32,
    /// The fingerprint of the last position.
    pub fingerprint: Mark,
    /// The score of each seat.
    pub scores: Vec<i64>,
    /// The place of each seat, from 1.
    pub places: Vec<u32>,
    /// The short name of each seat's fault, for example `late`. `null` for a bot that did not fail.
    pub faults: Vec<Option<String>>,
}

//! The document of `agon selftest fuzz`.

use crate::{Isolation, shape::SeedNumber};
use agon_core::Seed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The result of random system calls from inside the sandbox.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FuzzDocument {
    /// The level of isolation of the bots.
    pub level: Isolation,
    /// The seed of the first match with random calls. Each match has the next one.
    #[schemars(with = "SeedNumber")]
    pub seed: Seed,
    /// Whether nothing was found.
    pub passed: bool,
    /// The number of matches with random calls.
    pub matches: u64,
    /// The number of calls, as far as the bots could report them before they ended.
    pub calls: u64,
    /// The number of these calls that were refused: not permitted, or missing.
    pub refused: u64,
    /// How the bots with the calls ended.
    pub ends: Vec<FuzzEnd>,
    /// The number of honest matches that were played at the same time.
    pub honest_matches: u64,
    /// The number of matches that the host spoilt. They have no result and are no findings.
    pub spoilt: u64,
    /// The number of things of the host that must not change.
    pub watched: usize,
    /// How long the run took, in milliseconds.
    pub took_ms: u64,
    /// What was harmed, changed or left behind.
    pub findings: Vec<FuzzFinding>,
}

/// An end of a bot that makes random calls.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FuzzEnd {
    /// The kind of the fault, or `plays on`.
    pub end: String,
    /// The number of matches with this end.
    pub matches: u64,
}

/// Something that no bot may do.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FuzzFinding {
    /// The seed of the match. `null` if the finding belongs to no single match.
    #[schemars(with = "Option<SeedNumber>")]
    pub seed: Option<Seed>,
    /// What was found.
    pub what: String,
}

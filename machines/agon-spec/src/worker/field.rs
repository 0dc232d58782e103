//! What a worker needs to play matches of a tournament.

use crate::shape::DerivationName;
use agon_core::Derivation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything from which a worker makes the tournament's folder anew: `GET /worker/1/field`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerField {
    /// A number that rises when anything else here changes.
    pub edition: u64,
    /// The text of the tournament file. A seed that the file has is taken out: a worker knows the seeds of the matches that it
    /// plays, and no others.
    pub file: String,
    /// The bots, in the order of their numbers.
    pub bots: Vec<WorkerFieldBot>,
    /// The maps, in the order of their numbers.
    pub maps: Vec<WorkerFieldMap>,
    /// How the seeds of a map and of built-in bots follow from that of a match.
    #[schemars(with = "DerivationName")]
    pub derivation: Derivation,
    /// Which replays are kept.
    pub replays: WorkerReplays,
}

/// A bot of the tournament.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerFieldBot {
    /// The number of the bot, from 0, in the order of the file.
    pub number: u32,
    /// The name.
    pub name: String,
    /// The SHA-256 of its bundle, as 64 hexadecimal digits. `null` for a built-in bot.
    pub bundle: Option<String>,
    /// The size of the bundle, in bytes. 0 for a built-in bot.
    pub size: u64,
    /// The version of the bot, from 1, which results name.
    pub version: u32,
}

/// A map of the tournament.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerFieldMap {
    /// The name, as the file or the folder has it.
    pub name: String,
    /// The SHA-256 of its text, as 64 hexadecimal digits. `null` for a map that is generated from the seed of the match.
    pub blob: Option<String>,
}

/// Which replays are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkerReplays {
    /// Those of all matches.
    All,
    /// Those of matches in which a bot failed.
    Faults,
    /// None.
    None,
}

/// Bots that a worker has built and started once, or could not: `POST /worker/1/ready`. A worker is given matches of bots that it
/// has called ready.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerReady {
    /// The edition of the field that it has.
    pub edition: u64,
    /// Some bots, or all of them. What was said of the others before stays true.
    pub bots: Vec<WorkerReadyBot>,
}

/// Whether a bot plays on a worker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerReadyBot {
    /// The number of the bot.
    pub number: u32,
    /// Whether it was built and started.
    pub ok: bool,
    /// Why not. It may quote the bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

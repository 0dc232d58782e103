//! How a worker makes itself known.

use crate::Isolation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A worker that begins, or that nobody knows any more: `POST /worker/1/register`. A worker that registers again with the same
/// instance is the same worker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerRegister {
    /// The name of the worker, as people shall see it, for example the name of its machine. Two workers may have the same.
    pub name: String,
    /// What tells this process from every other one: 16 to 64 hexadecimal digits, drawn at random when it starts.
    pub instance: String,
    /// The machine of the worker.
    pub machine: WorkerMachine,
    /// The level of isolation of bots on it. `null` if no bot that is a process can be started.
    pub isolation: Option<Isolation>,
    /// The interpreters and compilers on it.
    pub tools: Vec<WorkerTool>,
}

/// The machine of a worker.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkerMachine {
    /// The version of Agon. The server refuses every other one than its own.
    pub agon: String,
    /// The name and the release of the kernel.
    pub kernel: String,
    /// The model of the processor.
    pub cpu: String,
    /// The number of matches that the worker plays at the same time.
    pub cores: u32,
    /// What its programs are compiled for, for example `x86_64-linux`.
    pub target: String,
}

/// An interpreter or a compiler.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerTool {
    /// The name of the program, for example `python3`.
    pub name: String,
    /// The version that the program reports.
    pub version: String,
}

/// A worker is known now.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerRegistered {
    /// The number of the worker, from 1.
    pub worker: u32,
    /// The tournament that it plays.
    pub tournament: WorkerTournament,
    /// The edition of what `GET /worker/1/field` answers. The worker fetches it again when the number is another one.
    pub edition: u64,
    /// For how long a match stays with a worker that is silent, in milliseconds.
    pub lease_ms: u64,
    /// The time between two signs of life, in milliseconds: `POST /worker/1/beat`.
    pub beat_ms: u64,
    /// The tokens of the matches that this instance still has.
    pub held: Vec<u64>,
}

/// The tournament that a worker plays.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerTournament {
    /// The title.
    pub name: String,
    /// The name of the game.
    pub game: String,
}

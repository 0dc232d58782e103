//! What `agon selftest hostile` prints.

use crate::Isolation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What came of the attacks of hostile bots.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HostileDocument {
    /// The level of isolation of the bots.
    pub level: Isolation,
    /// One row for each kind of hostile bot.
    pub rows: Vec<HostileRow>,
    /// How many rows ended as they should.
    pub passed: usize,
    /// How many rows did not.
    pub failed: usize,
    /// How many rows were not run, because nothing here would contain the attack.
    pub not_run: usize,
}

/// What came of one kind of hostile bot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HostileRow {
    /// The kind, and what it should come to.
    #[serde(flatten)]
    pub kind: HostileKind,
    /// What was seen.
    pub seen: String,
    /// Whether that is as expected; `null` if the row was not run.
    pub ok: Option<bool>,
    /// How long the row took, in milliseconds.
    pub took_ms: u64,
    /// By how much the memory of the referee grew at most, in KiB; `null` where that was not measured.
    pub memory_growth_kib: Option<u64>,
}

/// One kind of hostile bot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HostileKind {
    /// The name of the kind.
    pub name: String,
    /// The number of the attack in the documentation; several kinds may share one.
    pub number: u8,
    /// The promise about resources and fairness that it tries to break, by its number in the documentation; `null` if it
    /// tries to break none of them.
    #[serde(default)]
    pub issue: Option<u8>,
    /// What it attacks, in words.
    pub attacks: String,
    /// The weakest level of isolation that contains it.
    pub level: Isolation,
    /// How it should end.
    pub expected: String,
}

//! The documents of `agon selftest hostile`.

use crate::Isolation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The results of attacks by hostile bots.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HostileDocument {
    /// The level of isolation of the bots.
    pub level: Isolation,
    /// One row for each kind of hostile bot.
    pub rows: Vec<HostileRow>,
    /// The number of rows that ended as expected.
    pub passed: usize,
    /// The number of rows that did not end as expected.
    pub failed: usize,
    /// The number of rows that did not run, because this host could not contain the attack.
    pub not_run: usize,
}

/// The result of one kind of hostile bot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HostileRow {
    /// The kind of hostile bot, and its expected result.
    #[serde(flatten)]
    pub kind: HostileKind,
    /// The result that was seen.
    pub seen: String,
    /// Whether the result is as expected. `null` if the row did not run.
    pub ok: Option<bool>,
    /// The program that the row needs and that is not installed, so that it did not run. `null` if nothing is missing.
    #[serde(default)]
    pub missing_tool: Option<String>,
    /// How long the row took, in milliseconds.
    pub took_ms: u64,
    /// The largest growth of the referee's memory, in KiB. `null` if it was not measured.
    pub memory_growth_kib: Option<u64>,
    /// How often the row was played again, because it failed while other programs kept the cores busy.
    #[serde(default)]
    pub repeated: u32,
}

/// One kind of hostile bot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HostileKind {
    /// The name of the kind.
    pub name: String,
    /// The number of the attack in the documentation. Several kinds may share a number.
    pub number: u8,
    /// The promise about resources and fairness that the bot tries to break, by its number in the documentation. `null`
    /// if it does not try to break one.
    #[serde(default)]
    pub issue: Option<u8>,
    /// What the bot attacks, in words.
    pub attacks: String,
    /// The weakest level of isolation that contains the bot.
    pub level: Isolation,
    /// The expected result.
    pub expected: String,
}

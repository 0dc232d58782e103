//! What `agon doctor` prints.

use super::Machine;
use crate::Isolation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What protects this host from bots, and bots from each other.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DoctorDocument {
    /// The strongest level of isolation that works here.
    pub level: Isolation,
    /// What was tried, and what came of it.
    pub protections: Vec<Protection>,
    /// How exact the clocks of this host are.
    pub clocks: Clocks,
    /// Compilers and interpreters.
    pub tools: Vec<LanguageTool>,
    /// The machine.
    pub machine: Machine,
}

/// One protection.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Protection {
    /// What it is about, as `network` or `landlock`.
    pub name: String,
    /// How well it works.
    pub state: ProtectionState,
    /// How that is known, or what is missing.
    pub why: String,
    /// The command or the change that would make it better; `null` if there is none.
    pub remedy: Option<String>,
}

/// How well a protection works.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProtectionState {
    /// As well as Agon can make it.
    Active,
    /// Less well than that.
    Partial,
    /// Not at all.
    Missing,
    /// It should work and does not: an attack got through.
    Broken,
}

impl ProtectionState {
    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Partial => "partial",
            Self::Missing => "missing",
            Self::Broken => "broken",
        }
    }
}

/// How exact the clocks of a host are.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Clocks {
    /// The clock source of the kernel; `null` where it does not tell.
    pub source: Option<String>,
    /// The smallest step between two readings that differ, in nanoseconds.
    pub step_ns: u64,
    /// How much too late a sleep of a millisecond ends, in microseconds: the median of several.
    pub late_p50_us: u64,
    /// The longest of them, in microseconds.
    pub late_max_us: u64,
}

/// A compiler or an interpreter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LanguageTool {
    /// Its name, as `gcc` or `python3`.
    pub name: String,
    /// Where it is; `null` if it was not found.
    pub path: Option<String>,
    /// What it says about its version; `null` if it was not found.
    pub version: Option<String>,
}

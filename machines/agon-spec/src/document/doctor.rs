//! The document of `agon doctor`.

use super::Machine;
use crate::Isolation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The protections that keep bots away from this host and from each other.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DoctorDocument {
    /// The strongest level of isolation that works on this host.
    pub level: Isolation,
    /// The protections that were tried, with their results.
    pub protections: Vec<Protection>,
    /// The precision of this host's clocks.
    pub clocks: Clocks,
    /// The compilers and interpreters for bots.
    pub tools: Vec<LanguageTool>,
    /// The machine on which the doctor ran.
    pub machine: Machine,
}

/// A protection against bots, and how well it works.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Protection {
    /// The name of the protection, for example `network` or `landlock`.
    pub name: String,
    /// How well the protection works.
    pub state: ProtectionState,
    /// The evidence for the state, or what is missing.
    pub why: String,
    /// A command or a change that would improve the protection. `null` if there is none.
    pub remedy: Option<String>,
}

/// How well a protection works.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProtectionState {
    /// The protection works as well as Agon can make it work.
    Active,
    /// The protection works, but not fully.
    Partial,
    /// The protection does not work on this host.
    Missing,
    /// The protection should work, but an attack got through.
    Broken,
}

impl ProtectionState {
    /// Returns the state as the document writes it.
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

/// The precision of a host's clocks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Clocks {
    /// The clock source of the kernel. `null` if the kernel does not report it.
    pub source: Option<String>,
    /// The smallest step between two different readings, in nanoseconds.
    pub step_ns: u64,
    /// How late a sleep of one millisecond ends, in microseconds: the median of several sleeps.
    pub late_p50_us: u64,
    /// How late a sleep of one millisecond ends, in microseconds: the maximum of several sleeps.
    pub late_max_us: u64,
}

/// A compiler or an interpreter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LanguageTool {
    /// The name of the program, for example `gcc` or `python3`.
    pub name: String,
    /// The path of the program. `null` if it was not found.
    pub path: Option<String>,
    /// The version that the program reports. `null` if it was not found.
    pub version: Option<String>,
}

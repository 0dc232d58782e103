//! The documents of submissions: those of `agon submit`, and those that a contest's server has under `/api/teams/…/versions`. Times
//! are in milliseconds since 1970.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a team has for good: that its upload was received, when, and as which version. The same team's same upload gives the same
/// receipt.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SubmissionReceipt {
    /// The number of the team.
    pub team: i64,
    /// The number of the version among those of the team, from 1.
    pub version: i64,
    /// `sha256:` and 64 hexadecimal digits: the hash of what was sent.
    pub hash: String,
    /// The size of what was sent, in bytes.
    pub size: i64,
    /// When it was received.
    pub time_received_ms: i64,
}

/// A step of a version.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SubmissionStep {
    /// Its files are taken out of what was sent.
    Intake,
    /// It is built.
    Build,
    /// It has to speak the protocol of the game.
    Check,
    /// It plays one match against a built-in bot.
    Trial,
}

/// What has become of a version.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SubmissionStatus {
    /// A step is to be run.
    Waiting,
    /// A step runs.
    Running,
    /// It has passed all steps.
    Accepted,
    /// It has failed a step.
    Refused,
    /// The server could not run a step. The organiser decides what follows.
    Held,
}

/// How an attempt of a step ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SubmissionResult {
    /// The bot has passed it.
    Passed,
    /// The bot has failed it.
    Refused,
    /// The server could not run it.
    HostTrouble,
    /// It was broken off because the server stopped.
    BrokenOff,
}

/// One attempt of one step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SubmissionLog {
    /// Its number among those of the version, from 1.
    pub number: i64,
    /// The step.
    pub step: SubmissionStep,
    /// When it began.
    pub time_began_ms: i64,
    /// When it ended. `null` while it runs.
    pub time_ended_ms: Option<i64>,
    /// How it ended. `null` while it runs.
    pub result: Option<SubmissionResult>,
    /// What was written meanwhile.
    pub log: String,
    /// Whether there is a replay of its match.
    pub replay: bool,
}

/// A version of a team, as the list has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SubmissionRow {
    /// What the team has for good.
    pub receipt: SubmissionReceipt,
    /// The name of the folder or file that was sent.
    pub name: String,
    /// What has become of it.
    pub status: SubmissionStatus,
    /// The step that waits, runs or was the last one. `null` if all were passed.
    pub step: Option<SubmissionStep>,
    /// Its place among the versions that wait, from 1. `null` if it does not wait.
    pub position: Option<u64>,
    /// Why it was refused or is held, or why the last attempt of the step came to nothing. May be empty.
    pub reason: String,
    /// Whether it is the version of its team that plays.
    pub plays: bool,
    /// When the team took it back. `null` if it did not.
    pub time_taken_back_ms: Option<i64>,
}

/// A version of a team, with its logs and its files.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SubmissionDocument {
    /// The version.
    pub version: SubmissionRow,
    /// The attempts of its steps, in order.
    pub logs: Vec<SubmissionLog>,
    /// Its files, in the order of their paths. Empty before its intake.
    pub files: Vec<SubmissionFile>,
}

/// A file of a version.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SubmissionFile {
    /// Its path, with `/` between its parts.
    pub path: String,
    /// Its size in bytes.
    pub size: i64,
    /// `sha256:` and 64 hexadecimal digits: the hash of its bytes.
    pub hash: String,
}

/// The versions of a team, newest first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SubmissionsDocument {
    /// The versions.
    pub versions: Vec<SubmissionRow>,
}

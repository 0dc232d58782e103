//! What `agon check` prints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a bot speaks the protocol of a game, step by step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckDocument {
    /// The game.
    pub game: String,
    /// The bot, as on the command line.
    pub bot: String,
    /// Whether no step failed.
    pub passed: bool,
    /// The steps, in their order.
    pub steps: Vec<CheckStep>,
}

/// One step of a check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckStep {
    /// Its number, counted from 1.
    pub step: usize,
    /// What was tried, in words.
    pub name: String,
    /// What came of it.
    pub result: StepResult,
    /// More about that, in words; empty if there is nothing to say.
    pub detail: String,
    /// What helps to find out why it failed; `null` if it did not, or if no bot was running.
    pub finding: Option<CheckFinding>,
}

/// What came of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepResult {
    /// The bot did what it should.
    Passed,
    /// It did not.
    Failed,
    /// The step was not run, because an earlier one failed or the game has no such thing.
    Skipped,
}

/// The last words of a bot that failed a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckFinding {
    /// The match in which it failed, in words.
    pub trial: String,
    /// What the bot was told last. Bytes that are not printable are escaped as in most languages, `\n` and `\x1b`.
    pub told: String,
    /// What the bot wrote last, escaped likewise.
    pub said: String,
    /// The end of its stderr.
    pub stderr: String,
    /// What its author may try.
    pub hint: Option<String>,
}

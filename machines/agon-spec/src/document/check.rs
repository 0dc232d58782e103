//! The document of `agon check`.

use crate::{FaultCause, Refused, shape::SeedNumber};
use agon_core::Seed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a bot speaks the protocol of a game. The check has several steps.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckDocument {
    /// The name of the game.
    pub game: String,
    /// The bot, as written on the command line.
    pub bot: String,
    /// The seed of all matches of the check.
    #[schemars(with = "SeedNumber")]
    pub seed: Seed,
    /// Whether the bot passed: no step failed.
    pub passed: bool,
    /// How many commands of the bot were refused without any other penalty, in all matches of the check.
    #[serde(default)]
    pub refused: Refused,
    /// What is no failure here but may become one elsewhere.
    pub warnings: Vec<String>,
    /// The steps, in order.
    pub steps: Vec<CheckStep>,
}

/// One step of a check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckStep {
    /// The number of the step, counted from 1.
    pub step: usize,
    /// What the step tests, in words.
    pub name: String,
    /// The result of the step.
    pub result: StepResult,
    /// Details about the result, in words. The text may be empty.
    pub detail: String,
    /// Help to find the cause of a failure. `null` if the step did not fail, or if no bot was running.
    pub finding: Option<CheckFinding>,
}

/// The result of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepResult {
    /// The bot passed the step.
    Passed,
    /// The bot failed the step.
    Failed,
    /// The step did not run, because an earlier step failed or because it does not apply to the game.
    Skipped,
}

/// The end of the conversation with a bot that failed a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckFinding {
    /// The match in which the bot failed, in words.
    pub trial: String,
    /// The last message to the bot. Bytes that are not printable are escaped, for example `\n` or `\x1b`.
    pub told: String,
    /// The last output of the bot, escaped in the same way.
    pub said: String,
    /// The end of the bot's stderr.
    pub stderr: String,
    /// What the author of the bot can try. `null` if there is no hint.
    pub hint: Option<String>,
    /// The likely cause. `null` if none is known.
    #[serde(default)]
    pub cause: Option<FaultCause>,
}

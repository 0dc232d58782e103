//! What `agon build` prints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a bot was built, and how it is started.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BuildDocument {
    /// The language that was found; `null` if an `agon.toml` says how to build and run the bot.
    pub language: Option<String>,
    /// What told the language, in words.
    pub why: String,
    /// The commands of the build, in their order; empty if nothing has to be built.
    pub build: Vec<String>,
    /// Where it was built: `full`, `restricted` or `none`; `null` if nothing has to be built.
    pub sandbox: Option<String>,
    /// Whether the result of an earlier build was taken.
    pub kept: bool,
    /// How long the build took, in milliseconds.
    pub took_ms: u64,
    /// The folder of the result.
    pub folder: String,
    /// The words of the command that starts the bot.
    pub run: Vec<String>,
    /// What the bot may read beside that folder.
    pub read: Vec<String>,
    /// What the build wrote; the middle is left out if that was too much.
    pub log: String,
}

/// What `agon build --clean` removed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CleanDocument {
    /// How many built bots were removed.
    pub removed: Option<u64>,
}

//! The documents of `agon build`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a bot was built, and how it is started.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BuildDocument {
    /// The language of the bot. `null` if an `agon.toml` says how to build and run it.
    pub language: Option<String>,
    /// How the language was recognised, in words.
    pub why: String,
    /// The file in which the bot starts. `null` if a build tool or an `agon.toml` decides that, and if it is not clear.
    pub start: Option<String>,
    /// The files in which the bot may start, the best guess first.
    pub candidates: Vec<String>,
    /// The sources that are not compiled, because the start does not need them.
    pub left_out: Vec<String>,
    /// What the bot may miss, such as packages, in words.
    pub notes: Vec<String>,
    /// The commands of the build, in order. The list is empty if the bot needs no build.
    pub build: Vec<String>,
    /// The level of isolation of the build: `full`, `restricted` or `none`. `null` if the bot needs no build.
    pub sandbox: Option<String>,
    /// Whether the result of an earlier build was reused.
    pub kept: bool,
    /// How long the build took, in milliseconds.
    pub took_ms: u64,
    /// The folder with the built bot.
    pub folder: String,
    /// The command that starts the bot, split into words.
    pub run: Vec<String>,
    /// The paths that the bot may read in addition to that folder.
    pub read: Vec<String>,
    /// The output of the build. If it is too long, its middle is left out.
    pub log: String,
}

/// The result of `agon build --clean`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CleanDocument {
    /// The number of built bots that were removed.
    pub removed: Option<u64>,
}

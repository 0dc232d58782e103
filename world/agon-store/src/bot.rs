//! Bots and their versions.

use crate::BlobHash;

/// A version of a bot. The content of a bot makes a version: if a file changes under the same name, that is a new one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BotVersion {
    /// The number of the version, from 1.
    pub number: u32,
    /// The hash of the bot's prepared content. `None` if it cannot be read, and then every run has a new version.
    pub hash: Option<BlobHash>,
    /// The bot as the tournament file names it, for example `python3 bot.py`.
    pub words: String,
    /// When the version came, in milliseconds since 1970.
    pub at_ms: i64,
}

/// A bot of the tournament.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredBot {
    /// The number of the bot, in the order of the tournament file, from 0.
    pub number: u32,
    /// The name, which no other bot has.
    pub name: String,
    /// Its versions, oldest first.
    pub versions: Vec<BotVersion>,
    /// Why the bot was withdrawn. `None` if it takes part.
    pub withdrawn: Option<String>,
    /// Sums over its matches.
    pub totals: BotTotals,
}

/// Sums over all matches of a bot. They are kept with every result, so nobody has to count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BotTotals {
    /// The number of finished matches.
    pub played: u64,
    /// The number of finished matches in which the bot failed.
    pub faults: u64,
    /// The time of its decisions in finished matches, in microseconds.
    pub time_us: u64,
}

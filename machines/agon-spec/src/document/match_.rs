//! The document of `agon match`.

use crate::{
    Certificate, FaultCause, Isolation, Refused, SpoiltRecord,
    shape::{ClockText, EndingShape, SeedNumber},
};
use agon_core::{ClockPolicy, Ending, Seed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The result of a match, and everything that led to it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MatchDocument {
    /// The version of Agon that played the match.
    pub agon: String,
    /// The name of the game.
    pub game: String,
    /// The rule set in its shortest form.
    pub rules: String,
    /// The seed of every random choice in the match.
    #[schemars(with = "SeedNumber")]
    pub seed: Seed,
    /// The source of the map: for example `gen:island:7`, or the name of a file.
    pub map: String,
    /// `sha256:` and the SHA-256 of the text of the map. The header of a replay has the same text.
    pub map_hash: String,
    /// The clock of the match. A seat may have another clock, and built-in bots have none by default.
    #[schemars(with = "ClockText")]
    pub clock: ClockPolicy,
    /// The results of the seats, in the order of the command line.
    pub seats: Vec<MatchSeat>,
    /// Whether the match has a result.
    pub result: MatchOutcome,
    /// Describes how the host kept a bot from a core. `null` unless `result` is `spoilt`.
    pub spoilt: Option<SpoiltRecord>,
    /// The number of turns in the match.
    pub plies: u32,
    /// Why the match ended.
    #[schemars(with = "EndingShape")]
    pub reason: Ending,
    /// How the bots were isolated. `null` if no bot is a process.
    pub isolation: Option<Isolation>,
    /// The file of the replay. `null` if no replay was written.
    pub replay: Option<String>,
    /// `sha256:` and the SHA-256 of the replay file. `null` if no replay was written.
    pub replay_hash: Option<String>,
}

/// The bot in a seat, and its result.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MatchSeat {
    /// The name of the bot. It is unique in the match.
    pub name: String,
    /// The bot, as written on the command line.
    pub bot: String,
    /// The kind of the bot. `null` if it is not known.
    pub kind: Option<SeatBotKind>,
    /// `sha256:` and a SHA-256 that identifies the bot on every machine. `null` for a person, and if a file of the bot
    /// cannot be read.
    ///
    /// For a built-in bot it covers the name and the version of Agon. For a folder or an archive it covers the files
    /// and the command that starts them. For a champion it covers the sources. For a command it covers the words and
    /// the files that they name, except files of the system. For a WASM module it covers the bytes.
    pub hash: Option<String>,
    /// The score, in the unit of the game. `null` if it is not known.
    pub score: Option<i64>,
    /// The place. The winner has place 1, and equal seats share the better place. `null` if it is not
    /// known, or if the match was spoilt.
    pub place: Option<u8>,
    /// How the bot failed. `null` if it did not fail.
    pub fault: Option<SeatFault>,
    /// How many commands of the bot were refused without any other penalty.
    #[serde(default)]
    pub refused: Refused,
    /// The name that the bot has given itself in its greeting (Lighthouses). `null` if the protocol has no such name.
    #[serde(default)]
    pub greeted_as: Option<String>,
    /// How long the decisions of the bot took.
    pub time: DecisionTime,
}

/// Whether a match has a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchOutcome {
    /// It ended by the rules.
    Finished,
    /// It has none: the host kept a bot from a core until its time had run out.
    Spoilt,
}

/// A kind of bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeatBotKind {
    /// A built-in bot of the game.
    Builtin,
    /// A program that a command line starts.
    Command,
    /// A folder with the files of a bot.
    Folder,
    /// An archive file with the files of a bot.
    Archive,
    /// A WASM module.
    Wasm,
    /// A champion of the original contest.
    Champion,
    /// A person.
    Human,
}

/// How a bot failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeatFault {
    /// The kind of fault, as in replays: `late`, `crashed`, `nonsense`, `unlawful` and others.
    pub kind: String,
    /// The turn of the fault, counted from 1. It is 0 for the greeting.
    pub ply: u32,
    /// What happened, in words.
    pub text: String,
    /// The last lines of the bot's stderr after a crash; in a series, the last line after any other fault. The key is missing if
    /// there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// The likely cause. `null` if none is known.
    #[serde(default)]
    pub cause: Option<FaultCause>,
    /// What the author of the bot can do about it. `null` if there is no hint.
    #[serde(default)]
    pub hint: Option<String>,
}

/// Statistics of how long the decisions of a seat took.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DecisionTime {
    /// The median time, in microseconds.
    pub p50_us: u64,
    /// The time that 99 % of the decisions did not exceed, in microseconds.
    pub p99_us: u64,
    /// The longest time, in microseconds.
    pub max_us: u64,
    /// The sum of all times, in microseconds.
    pub total_us: u64,
    /// The time limit of a decision, in microseconds. `null` if there was none.
    pub limit_us: Option<u64>,
    /// The number of decisions.
    pub decisions: u64,
    /// The number of decisions that exceeded the soft limit.
    pub soft_late: u64,
    /// Where the time went. `null` if it was not measured.
    pub certificate: Option<Certificate>,
}

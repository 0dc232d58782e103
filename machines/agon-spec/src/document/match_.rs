//! What `agon match` prints.

use crate::{
    Certificate, Isolation,
    shape::{ClockText, EndingShape, SeedNumber},
};
use agon_core::{ClockPolicy, Ending, Seed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a match ended, and what decided it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MatchDocument {
    /// The version of Agon that played it.
    pub agon: String,
    /// The game.
    pub game: String,
    /// The rule set in its shortest form.
    pub rules: String,
    /// The number from which everything random in the match came.
    #[schemars(with = "SeedNumber")]
    pub seed: Seed,
    /// Where the map came from, as `gen:island:7` or the name of a file.
    pub map: String,
    /// `sha256:` and the SHA-256 of the text of the map, as it stands in the header of a replay.
    pub map_hash: String,
    /// The clock of the match. A seat may have had another one, and built-in bots have none by default.
    #[schemars(with = "ClockText")]
    pub clock: ClockPolicy,
    /// One for each seat, in the order of the command line.
    pub seats: Vec<MatchSeat>,
    /// How many turns were played.
    pub plies: u32,
    /// Why the match ended.
    #[schemars(with = "EndingShape")]
    pub reason: Ending,
    /// How the bots were isolated; `null` if none of them is a process.
    pub isolation: Option<Isolation>,
    /// The file of the replay; `null` if there is none.
    pub replay: Option<String>,
    /// `sha256:` and the SHA-256 of that file; `null` if there is none.
    pub replay_hash: Option<String>,
}

/// Who played in a seat, and how that went.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MatchSeat {
    /// The name of the bot. No two bots of a match have the same.
    pub name: String,
    /// The bot, as on the command line.
    pub bot: String,
    /// What kind of bot it is; `null` if nothing is known but its words.
    pub kind: Option<SeatBotKind>,
    /// `sha256:` and a SHA-256 that is the same for the same bot on every machine, and another one for another bot.
    /// It covers the name of a built-in bot and the version of Agon; the files of a folder or an archive and the command
    /// that starts them; the sources of a champion; the words of a command and the files outside the system that they
    /// name; the bytes of a module. `null` if a file of these
    /// cannot be read, and for a person.
    pub hash: Option<String>,
    /// The score, in the unit of the game.
    pub score: Option<i64>,
    /// The place: 1 is the winner, and equal places share the better number.
    pub place: Option<u8>,
    /// How the bot failed; `null` if it did not.
    pub fault: Option<SeatFault>,
    /// How long its decisions took.
    pub time: DecisionTime,
}

/// A kind of bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeatBotKind {
    /// A built-in bot of the game.
    Builtin,
    /// A command line.
    Command,
    /// A folder with the files of a bot.
    Folder,
    /// The same in one file.
    Archive,
    /// A module in WASM.
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
    /// The turn in which it was noticed, counted from 1; 0 in the greeting.
    pub ply: u32,
    /// What happened, in words.
    pub text: String,
    /// The last lines of its stderr; missing unless it crashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
}

/// How long the decisions of a seat took.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DecisionTime {
    /// The time that half of them did not exceed, in microseconds.
    pub p50_us: u64,
    /// The time that 99 of 100 did not exceed, in microseconds.
    pub p99_us: u64,
    /// The longest, in microseconds.
    pub max_us: u64,
    /// All of them together, in microseconds.
    pub total_us: u64,
    /// The limit of a decision, in microseconds; `null` if there was none.
    pub limit_us: Option<u64>,
    /// How many decisions there were.
    pub decisions: u64,
    /// How many of them were beyond the soft limit.
    pub soft_late: u64,
    /// Where the time went; `null` where that is not known.
    pub certificate: Option<Certificate>,
}

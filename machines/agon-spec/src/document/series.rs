//! The document of `agon match --games`.

use super::{SeatBotKind, SeatFault};
use crate::{Refused, SeatTime, shape::SeedNumber};
use agon_core::Seed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The result of a series of games between the same bots.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeriesDocument {
    /// The version of Agon that played the series.
    pub agon: String,
    /// The name of the game.
    pub game: String,
    /// The rule set in its shortest form.
    pub rules: String,
    /// The seed of the first block. The seeds of all others are derived from it.
    #[schemars(with = "SeedNumber")]
    pub seed: Seed,
    /// The number of games with a result.
    pub games: u32,
    /// The number of those that only repeat an earlier one, on the same map with the same bots in the same seats. They count in
    /// no number of a bot but `faults`, `refused` and `time`.
    #[serde(default)]
    pub repeats: u32,
    /// The number of games that were to be played.
    pub planned: u32,
    /// The number of games that were played but have no result, because the host spoilt them.
    pub spoilt: u32,
    /// The number of games that all bots forfeited: each failed, and none alone was first. Each has lost them.
    #[serde(default)]
    pub double_forfeits: u32,
    /// The bots, in the order of the command line.
    pub bots: Vec<SeriesBot>,
    /// The number of faults in all games.
    pub fault_count: u64,
    /// The first 1,000 faults, in the order of their games.
    pub faults: Vec<SeriesFault>,
}

/// What a bot has reached in a series.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeriesBot {
    /// The name of the bot. It is unique in the series.
    pub name: String,
    /// The bot, as written on the command line.
    pub bot: String,
    /// The kind of the bot.
    pub kind: SeatBotKind,
    /// `sha256:` and a SHA-256 that identifies the bot, as in the document of a match. `null` if a file of the bot cannot be
    /// read.
    pub hash: Option<String>,
    /// The games in which it alone had the first place.
    pub wins: u32,
    /// The games in which it shared the first place and that not all bots forfeited.
    pub draws: u32,
    /// The games in which it had another place.
    pub losses: u32,
    /// The sum of its points. A game gives from 0 to 1: the share of its opponents that it has beaten, where one in the same
    /// place counts half.
    pub points: f64,
    /// The lower end of the 95 % interval for the points to be expected in the games that count.
    pub low: f64,
    /// The upper end of that interval.
    pub high: f64,
    /// The games in which it failed.
    pub faults: u32,
    /// How many of its commands were refused without any other penalty, in all games with a result.
    #[serde(default)]
    pub refused: Refused,
    /// How long its decisions took.
    pub time: SeatTime,
}

/// A fault in one game of a series.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeriesFault {
    /// The number of the game, from 1.
    pub game: u32,
    /// The seed of the game.
    #[schemars(with = "SeedNumber")]
    pub seed: Seed,
    /// The names of the bots in this game, in the order of their seats.
    pub seating: Vec<String>,
    /// The name of the bot that failed.
    pub bot: String,
    /// How it failed.
    #[serde(flatten)]
    pub fault: SeatFault,
}

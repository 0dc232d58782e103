//! The document of `agon tournament export`.

use super::{ReportRating, TournamentDecision, TournamentWorker};
use crate::{
    FaultCause, Mark, Refused,
    shape::{DerivationName, SeedNumber},
};
use agon_core::{Derivation, Seed, forfeited_by_all};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A tournament, as far as it was played. Two equal runs differ only in keys that begin with `time`, and in those
/// that name workers: `worker` and `workers`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TournamentDocument {
    /// What was played.
    pub tournament: TournamentAbout,
    /// The bots, in the order of the file.
    pub bots: Vec<TournamentBotRow>,
    /// The table, best first.
    pub standings: Vec<ExportedStanding>,
    /// The matches that are over, in the order of the schedule. Those that were left out because a bot was withdrawn are
    /// missing.
    pub matches: Vec<TournamentMatch>,
    /// What was decided about matches and bots, the first decision first.
    #[serde(default)]
    pub decisions: Vec<TournamentDecision>,
    /// The results that do not count any more, because the match was played again, in the order in which that was decided.
    #[serde(default)]
    pub earlier: Vec<TournamentMatch>,
    /// The machines that have played, in the order in which they came first.
    #[serde(default)]
    pub workers: Vec<TournamentWorker>,
}

/// What was played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TournamentAbout {
    /// The title.
    pub name: String,
    /// The name of the game.
    pub game: String,
    /// The rule set, as the file names it.
    pub rules: String,
    /// The clock, as the file names it.
    pub clock: String,
    /// How matches were drawn, for example `round-robin`.
    pub kind: String,
    /// The source of every random choice. `null` if that is a secret.
    #[serde(default)]
    #[schemars(with = "Option<SeedNumber>")]
    pub seed: Option<Seed>,
    /// How seeds follow from it, or from the secret.
    #[serde(flatten)]
    pub seeds: TournamentSeeds,
    /// The version of Agon that wrote the document.
    pub agon: String,
}

/// How the seeds of a tournament follow from its seed, or from a secret.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TournamentSeeds {
    /// `keyed`, by HMAC-SHA-256, or `fast`, by a hash that can be computed back, as in older tournaments.
    #[serde(default = "fast")]
    #[schemars(with = "DerivationName")]
    pub seeds: Derivation,
    /// The SHA-256 of the secret, as 64 hexadecimal digits. `null` if there is none.
    #[serde(default)]
    pub commitment: Option<String>,
    /// The secret, as 64 hexadecimal digits. `null` if there is none, and before it is revealed.
    #[serde(default)]
    pub secret: Option<String>,
}

fn fast() -> Derivation {
    Derivation::Fast
}

/// A bot of a tournament.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TournamentBotRow {
    /// The name.
    pub name: String,
    /// `sha256:` and the SHA-256 of each version, oldest first. `null` if a version could not be read.
    pub versions: Vec<Option<String>>,
    /// Whether it was withdrawn.
    pub withdrawn: bool,
}

/// The row of a bot in the table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExportedStanding {
    /// The place, from 1. Equal bots share the better place.
    pub place: u32,
    /// The name of the bot.
    pub bot: String,
    /// The points.
    pub points: i64,
    /// The number of finished matches that count.
    pub played: u32,
    /// The tie-breaks by name, where they say something.
    pub tiebreaks: BTreeMap<String, f64>,
    /// What a ladder knows about its strength. `null` in other kinds.
    pub rating: Option<ReportRating>,
}

/// A match that is over.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TournamentMatch {
    /// The number of the match in the order of the schedule, from 1.
    pub id: u64,
    /// The round, from 1.
    pub round: u32,
    /// The map, as the file names it.
    pub map: String,
    /// The seed of the match. `null` if it has no result, and the secret from which the seed follows is not revealed: it may be
    /// played again.
    #[serde(default)]
    #[schemars(with = "Option<SeedNumber>")]
    pub seed: Option<Seed>,
    /// Whether it has a result.
    pub result: TournamentResult,
    /// Why it ended, or why it has no result.
    pub reason: String,
    /// The seats, in order.
    pub seats: Vec<TournamentSeat>,
    /// The number of turns.
    pub plies: u32,
    /// The fingerprint of the last position. `null` if the match was not played.
    pub fingerprint: Option<Mark>,
    /// When it began, in milliseconds since 1970.
    pub time_started_ms: i64,
    /// How long it took, in microseconds.
    pub time_us: u64,
    /// Whether it makes the table. Finished matches do not if one of their bots was withdrawn so early that none of its matches
    /// counts. Documents of earlier versions of Agon do not say it; there every finished match is taken as one that counts.
    #[serde(default = "counts")]
    pub counts: bool,
    /// Whether all bots forfeited it: each failed, and none alone was first. Then each has lost, and ratings leave it out.
    #[serde(default)]
    pub double_forfeit: bool,
    /// The name of the worker that has played it: one of `workers`. `null` if nobody has, or it is not known.
    #[serde(default)]
    pub worker: Option<String>,
}

impl TournamentMatch {
    /// Returns whether all bots forfeited the match, also for documents of earlier versions, which do not say it.
    #[must_use]
    pub fn is_double_forfeit(&self) -> bool {
        let seats = || self.seats.iter().map(|seat| Some((seat.place?, seat.fault.is_some())));
        self.double_forfeit || (seats().all(|seat| seat.is_some()) && forfeited_by_all(seats().flatten()))
    }
}

fn counts() -> bool {
    true
}

/// Whether a match has a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TournamentResult {
    /// It has one.
    Finished,
    /// The host spoilt it too often. Nobody has lost.
    Spoilt,
    /// It does not count.
    Void,
}

/// A seat of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TournamentSeat {
    /// The name of the bot.
    pub bot: String,
    /// The version of the bot, from 1. `null` without a result.
    pub version: Option<u32>,
    /// The score. `null` without a result.
    pub score: Option<i64>,
    /// The place. `null` without a result.
    pub place: Option<u32>,
    /// The short name of the fault. `null` if the bot did not fail.
    pub fault: Option<String>,
    /// The likely cause of the fault. `null` if none is known.
    #[serde(default)]
    pub cause: Option<FaultCause>,
    /// How many of its commands were refused without any other penalty. All zeros if none was.
    #[serde(default)]
    pub refused: Refused,
    /// The time of all decisions, in microseconds.
    pub time_us: u64,
}

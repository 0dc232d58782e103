//! The document of `agon tournament report`.

use crate::{
    FaultCause, RateDocument, Refused, TournamentAbout, TournamentDecision, TournamentResult, TournamentWorker,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a tournament says about its bots. Two equal runs differ only in keys that begin with `time` and in the texts of
/// faults, which may quote times.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TournamentReportDocument {
    /// What was played.
    pub tournament: TournamentAbout,
    /// What places are worth, for example `2/1/0`.
    pub points: String,
    /// The number of seats of each match.
    pub seats: u32,
    /// Whether every match is over.
    pub complete: bool,
    /// How many matches there are of each kind.
    pub matches: ReportMatches,
    /// The bots, in the order of the file.
    pub bots: Vec<ReportBot>,
    /// What separates bots with equal points, in the order in which it is asked.
    pub tiebreaks: Vec<String>,
    /// The table, best first.
    pub standings: Vec<ReportStanding>,
    /// Neighbours in the table with equal points, from the best place on, and what separates them. Those in the tables of
    /// groups follow.
    pub ties: Vec<ReportTie>,
    /// The table of each group. Empty for kinds without groups.
    pub groups: Vec<Vec<ReportStanding>>,
    /// The rounds of the bracket. Empty for kinds without one.
    pub bracket: Vec<ReportRound>,
    /// How each bot did against each other one. Rows and columns are in the order of the table.
    pub cross: Vec<ReportCross>,
    /// How each bot did in each seat and on each map, in the order of the table.
    pub bot_scores: Vec<ReportBotScores>,
    /// How the seats did on each map, in the order of the file.
    pub map_scores: Vec<ReportMapScores>,
    /// The faults in finished matches, by bot and kind. Matches of a withdrawn bot are among them even if they do not
    /// count.
    pub faults: Vec<ReportFaults>,
    /// How often a match was spoilt, by bot and cause, the bot with most first. Both bots of a match are listed: the host does not
    /// know which of them is to blame, if any is.
    #[serde(default)]
    pub spoilt: Vec<ReportSpoilt>,
    /// The matches that are over and do not count, in the order of the schedule. Those that were left out because a bot
    /// was withdrawn are missing.
    pub not_counted: Vec<ReportNotCounted>,
    /// The last matches of each bot that are over, in the order of the table.
    #[serde(default)]
    pub bot_matches: Vec<ReportBotMatches>,
    /// What was decided about matches and bots, the first decision first.
    #[serde(default)]
    pub decisions: Vec<TournamentDecision>,
    /// The machines that have played, in the order in which they came first.
    #[serde(default)]
    pub workers: Vec<TournamentWorker>,
    /// The time that each bot has used, in the order of the table.
    pub time_used: Vec<ReportTime>,
    /// The strengths that explain the matches that count, as `agon rate` computes them. `null` without a match to rate.
    pub ratings: Option<RateDocument>,
}

/// How many matches there are of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportMatches {
    /// They have a result and count.
    pub counted: u64,
    /// Those of them that all bots forfeited: each failed, and none alone was first. Each has lost.
    #[serde(default)]
    pub double_forfeits: u64,
    /// They have a result and do not count, because a bot was withdrawn.
    pub not_counted: u64,
    /// The host spoilt them too often. Nobody has lost.
    pub spoilt: u64,
    /// The organiser declared them void.
    pub void: u64,
    /// They were not played, because a bot was withdrawn.
    pub left_out: u64,
    /// They are drawn and still to be played.
    pub waiting: u64,
    /// All matches of the tournament. `null` if results decide how many are needed.
    pub planned: Option<u64>,
}

/// A bot of a tournament.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportBot {
    /// The name.
    pub name: String,
    /// `sha256:` and the SHA-256 of each version, oldest first. `null` if a version could not be read.
    pub versions: Vec<Option<String>>,
    /// Why it was withdrawn. `null` if it takes part.
    pub withdrawn: Option<String>,
    /// How many of its commands were refused without any other penalty, in those of its finished matches in which some were.
    #[serde(default)]
    pub refused: Refused,
}

/// The row of a bot in a table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportStanding {
    /// The place, from 1. Bots that nothing separates share the better place.
    pub place: u32,
    /// The name of the bot.
    pub bot: String,
    /// The points.
    pub points: i64,
    /// The number of finished matches that count.
    pub played: u32,
    /// The matches that it alone has won.
    pub wins: u32,
    /// The matches in which it shared the first place.
    pub draws: u32,
    /// The other matches.
    pub losses: u32,
    /// The matches in which it failed.
    pub faults: u32,
    /// The matches that all bots forfeited. They are among the losses.
    #[serde(default)]
    pub double_forfeits: u32,
    /// The matches without a result, because the host spoilt them again and again.
    #[serde(default)]
    pub spoilt: u32,
    /// The rounds without a match, and the wins because the opponent was withdrawn.
    pub walkovers: u32,
    /// The tie-breaks by name, where they say something.
    pub tiebreaks: BTreeMap<String, f64>,
    /// Whether it was withdrawn.
    pub withdrawn: bool,
    /// What a ladder knows about its strength. `null` in other kinds.
    pub rating: Option<ReportRating>,
    /// Its share of all comparisons with opponents, from 0 to 1. A draw counts half. `null` without a match, and
    /// in the table of a group.
    pub share: Option<f64>,
    /// The 95 % interval of the share to be expected. `null` where opponents depend on results.
    pub interval: Option<[f64; 2]>,
}

/// The strength of a bot on a ladder.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportRating {
    /// The expected strength.
    pub mean: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

/// Two neighbours in the table with equal points.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportTie {
    /// The number of the group in whose table they are, from 1. `null` for the table of the whole tournament.
    pub group: Option<u32>,
    /// The bot in the upper row.
    pub ahead: String,
    /// The bot in the row below.
    pub behind: String,
    /// The place of the bot in the upper row.
    pub place: u32,
    /// What separates them. `null` if nothing does.
    pub tiebreak: Option<String>,
    /// The value of the tie-break for both. `null` where it says nothing.
    pub values: [Option<f64>; 2],
}

/// The encounters of a bracket that are played at the same time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportRound {
    /// The number of the round.
    pub round: u32,
    /// The encounters from top to bottom.
    pub encounters: Vec<ReportEncounter>,
}

/// Two bots that play until one of them advances.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportEncounter {
    /// The part of a double elimination: `winners`, `losers`, `final`, or `reset` if the final is played again because then
    /// both have lost once. `null` in a single elimination.
    #[serde(default)]
    pub part: Option<String>,
    /// The two bots.
    pub sides: [ReportSide; 2],
    /// The numbers of the matches so far.
    pub games: Vec<u64>,
    /// The bot that advances. `null` if that is open, or if nobody is left.
    pub winner: Option<String>,
    /// The place that the winner gets, if nothing follows.
    pub for_place: Option<u32>,
}

/// A bot of an encounter.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportSide {
    /// The bot. `null` if it is not known yet, or if there is none.
    pub bot: Option<String>,
    /// Whether nobody will ever be on this side.
    pub bye: bool,
    /// The number of games won, and half of those drawn.
    pub points: f64,
}

/// Comparisons of two bots in the same match: the one with the better place has won.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ReportScore {
    /// How often the bot had the better place.
    pub won: u64,
    /// How often both had the same place, in a match that somebody won.
    pub level: u64,
    /// How often the other bot had the better place, or both had the same one in a match that all bots forfeited.
    pub lost: u64,
}

impl ReportScore {
    /// Returns the number of comparisons.
    #[must_use]
    pub const fn count(self) -> u64 {
        self.won + self.level + self.lost
    }

    /// Returns the share that was won, from 0 to 1; a draw counts half. `None` without a comparison.
    #[must_use]
    pub fn share(self) -> Option<f64> {
        (self.count() > 0).then(|| (self.won as f64 + self.level as f64 / 2.0) / self.count() as f64)
    }
}

/// How a bot did against the others.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportCross {
    /// The name of the bot.
    pub bot: String,
    /// The others in the order of the table. `null` for the bot itself, and for a bot that it has not met.
    pub against: Vec<Option<ReportScore>>,
}

/// The last matches of a bot that are over.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportBotMatches {
    /// The name of the bot.
    pub bot: String,
    /// The matches, in the order of the schedule. Those that were left out because a bot was withdrawn are missing.
    pub matches: Vec<ReportBotMatch>,
    /// The number of earlier matches, which only the export has.
    pub earlier: u64,
}

/// What a match was for one of its bots.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportBotMatch {
    /// The number of the match.
    pub id: u64,
    /// The round.
    pub round: u32,
    /// The name of the map.
    pub map: String,
    /// The names of the other bots, in the order of their seats.
    pub against: Vec<String>,
    /// Whether the bot has won. `null` if the match has no result or does not count.
    pub result: Option<ReportShare>,
    /// Its score. `null` without a result.
    pub score: Option<i64>,
    /// How it failed. `null` if it did not.
    pub fault: Option<String>,
}

/// What a match was for a bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportShare {
    /// It alone had the first place.
    Won,
    /// It shared the first place.
    Drawn,
    /// It did not have the first place, or all bots forfeited.
    Lost,
}

/// How a bot did in each seat and on each map.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportBotScores {
    /// The name of the bot.
    pub bot: String,
    /// Its score in each seat.
    pub seats: Vec<ReportScore>,
    /// Its score on each map, in the order of `map_scores`.
    pub maps: Vec<ReportScore>,
}

/// How the seats did on a map.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportMapScores {
    /// The map, as the file names it.
    pub map: String,
    /// The number of matches that count.
    pub matches: u64,
    /// The number of turns of all these matches.
    pub plies: u64,
    /// The score of each seat.
    pub seats: Vec<ReportScore>,
}

/// The faults of one kind of a bot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportFaults {
    /// The name of the bot.
    pub bot: String,
    /// The short name of the fault, for example `late`.
    pub kind: String,
    /// The number of matches with it.
    pub count: u64,
    /// The first of them.
    pub examples: Vec<ReportFault>,
}

/// A fault in a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportFault {
    /// The number of the match.
    pub id: u64,
    /// The turn, from 1. It is 0 for the greeting.
    pub ply: u32,
    /// What happened, in words.
    pub text: String,
    /// The likely cause. `null` if none is known.
    #[serde(default)]
    pub cause: Option<FaultCause>,
}

/// How often matches of a bot were spoilt for one cause.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportSpoilt {
    /// The name of the bot.
    pub bot: String,
    /// Why, in words.
    pub cause: String,
    /// How often a match was played in vain.
    pub count: u64,
    /// The number of different matches.
    pub matches: u64,
}

/// A match that is over and does not count.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportNotCounted {
    /// The number of the match.
    pub id: u64,
    /// The round, from 1.
    pub round: u32,
    /// The bots in the order of their seats.
    pub bots: Vec<String>,
    /// Whether it has a result.
    pub result: TournamentResult,
    /// Why it does not count.
    pub reason: String,
}

/// The time that a bot has used in finished matches.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportTime {
    /// The name of the bot.
    pub bot: String,
    /// The number of its answers.
    pub decisions: u64,
    /// The mean time of an answer, in microseconds. `null` without one.
    pub mean_us: Option<u64>,
    /// The longest time of an answer, in microseconds. `null` without one.
    pub longest_us: Option<u64>,
    /// The match with the longest answer. `null` without one.
    pub longest_id: Option<u64>,
    /// The limit for an answer, in microseconds. `null` if there is none.
    pub limit_us: Option<u64>,
    /// What the first answer of a match may take beside the limit, in microseconds.
    pub first_us: u64,
    /// The limit for all answers of a match together, in microseconds. `null` if there is none.
    pub bank_us: Option<u64>,
    /// The share of the time of all answers of all bots, from 0 to 1.
    pub share: f64,
    /// The longest answers of its matches, counted by their size, shortest first.
    pub longest_by_size: Vec<ReportTimeBin>,
}

/// The matches in which the longest answer of a bot took about the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportTimeBin {
    /// It took less than so many microseconds, and at least half as many.
    pub below_us: u64,
    /// The number of matches.
    pub matches: u64,
}

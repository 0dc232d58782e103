//! The documents of `agon test`, `agon climb` and `agon tune`.

use super::SeatFault;
use crate::shape::SeedNumber;
use agon_core::Seed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer to the question whether a new version of a bot is better than the old one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TestDocument {
    /// `better`, `not_better` (which is not the same as worse), `equivalent` or `undecided`.
    pub verdict: String,
    /// Why the test stopped: `bound` (the likelihood ratio or the e-value has reached one), `interval` (pairs did not vary,
    /// so there is no ratio, and bets decided), `margin` (equivalent), `limit` (as many matches as allowed), `exhausted`
    /// (nothing new to play), `spoilt` (the host spoilt too much), `failing` (a version, or all bots, failed again and
    /// again) or `interrupted`.
    pub reason: String,
    /// The unit of `elo0` and `elo1`: `nelo`, `elo`, `share` or `margin`.
    pub model: String,
    /// The log-likelihood ratio. `null` without pairs that vary.
    pub llr: Option<f64>,
    /// The lower and the upper bound that decide: of `llr`, moved towards 0 by what it is expected to jump past them; or
    /// with the models `share` and `margin` of the `log_e_values`, the lower one with its sign changed.
    pub bounds: [f64; 2],
    /// The strength at which the new version is not better.
    pub elo0: f64,
    /// The strength at which the new version is better.
    pub elo1: f64,
    /// The greatest probability of `better` at `elo0`.
    pub alpha: f64,
    /// The greatest probability of `not_better` at `elo1`.
    pub beta: f64,
    /// How many pairs of matches gave the new version 0, 1/2, 1, 3/2 and 2 points. `null` with the models `share` and
    /// `margin`.
    pub pentanomial: Option<[u64; 5]>,
    /// The number of blocks that count.
    pub blocks: u64,
    /// The number of blocks that went in different ways.
    pub distinct_blocks: u64,
    /// The number of matches with a result, repetitions included.
    pub matches: u64,
    /// How often a match that the host spoilt made its block begin anew.
    pub spoilt: u64,
    /// The faults in matches with a result.
    pub faults: TestFaults,
    /// The estimate in logistic Elo that takes the rule of stopping into account, with its 95 % interval. `null` without
    /// pairs that vary.
    pub elo: Option<TestEstimate>,
    /// The mean with a 95 % interval that holds at any time: in logistic Elo, or with the models `share` and `margin` in
    /// their unit. `null` before the first block.
    pub anytime: Option<TestEstimate>,
    /// The bounds of the log-likelihood ratio without the correction.
    pub wald_bounds: [f64; 2],
    /// The natural logarithms of the e-values against "at most `elo0`" and against "at least `elo1`".
    pub log_e_values: [f64; 2],
    /// What these logarithms must reach to decide: with the models `share` and `margin` always, otherwise while `llr` is `null`.
    #[serde(default)]
    pub log_e_bounds: [f64; 2],
    /// The number of blocks that do not count, because they only repeated an earlier one.
    pub repeats: u64,
    /// The number of blocks that the host spoilt too often.
    pub left_out: u64,
    /// The number of blocks that do not count, because all bots forfeited a match of them: each failed, and none alone was
    /// first.
    #[serde(default)]
    pub forfeited_blocks: u64,
    /// The number of matches that all bots forfeited. They are among `matches`.
    #[serde(default)]
    pub double_forfeits: u64,
    /// The greatest difference in scores that counts. `null` without `--margin`.
    pub margin: Option<f64>,
    /// The share of matches whose difference in scores was larger. `null` without `--margin`.
    pub clipped: Option<f64>,
    /// The margin of equivalence. `null` if the test did not look for it.
    pub equivalent: Option<f64>,
    /// How points that no pair has had count in `elo`: `fishtest` (as 0.001 pairs) or `fastchess` (not at all). `null` with the
    /// models `share` and `margin`.
    #[serde(default)]
    pub empty: Option<String>,
    /// The most matches that the test may play.
    pub max_matches: u64,
    /// The version of Agon that played.
    pub agon: String,
    /// The name of the game.
    pub game: String,
    /// The rule set in its shortest form.
    pub rules: String,
    /// The seed of the first block. The seeds of all others are derived from it.
    #[schemars(with = "SeedNumber")]
    pub seed: Seed,
    /// The old version.
    pub old: TestBot,
    /// The new version.
    pub new: TestBot,
    /// The bots in the other seats.
    pub field: Vec<TestBot>,
    /// For each seat, what the new version reached in it.
    pub seats: Vec<TestSeat>,
    /// The first faults, in the order of their matches.
    pub fault_list: Vec<TestFault>,
    /// What the test says of a bot against its own copy. `null` without `--null`, and if there are too few distinct blocks.
    pub null: Option<TestNull>,
}

/// A number of faults for each side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TestFaults {
    /// Those of the old version.
    pub old: u64,
    /// Those of the new version.
    pub new: u64,
    /// Those of the bots in the other seats.
    pub field: u64,
}

/// A value with an interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TestEstimate {
    /// The value.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// A bot of a test.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TestBot {
    /// The name. It is unique in the test.
    pub name: String,
    /// The bot, as written on the command line.
    pub bot: String,
    /// `sha256:` and a SHA-256 that identifies the bot, as in the document of a match. `null` if a file of the bot cannot be
    /// read.
    pub hash: Option<String>,
}

/// What the new version reached in a seat.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TestSeat {
    /// The seat, from 1.
    pub seat: u32,
    /// The number of matches.
    pub matches: u64,
    /// The mean worth of these matches to the new version, from -1 (all lost) to 1. `null` without matches.
    pub mean: Option<f64>,
}

/// A fault in one match of a test.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TestFault {
    /// The number of the match in the test.
    #[serde(rename = "match")]
    pub id: u64,
    /// The seed of the match.
    #[schemars(with = "SeedNumber")]
    pub seed: Seed,
    /// The names of the bots in this match, in the order of their seats.
    pub seating: Vec<String>,
    /// The name of the bot that failed.
    pub bot: String,
    /// How it failed.
    #[serde(flatten)]
    pub fault: SeatFault,
}

/// What a test says of a bot against its own copy, if labels are drawn at random within each block.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TestNull {
    /// How often the recorded blocks ran through the test.
    pub runs: u32,
    /// How often the answer was `better`.
    pub better: u32,
    /// How often the answer was `not_better`.
    pub not_better: u32,
    /// The share of runs that answered `better`.
    pub share: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end of that interval.
    pub high: f64,
}

/// Which bots a bot beats.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ClimbDocument {
    /// The version of Agon that played.
    pub agon: String,
    /// The name of the game.
    pub game: String,
    /// The rule set in its shortest form.
    pub rules: String,
    /// The seed of the test against each rung.
    #[schemars(with = "SeedNumber")]
    pub seed: Seed,
    /// The bot, as written on the command line.
    pub bot: String,
    /// The bots that it was tested against, in this order.
    pub rungs: Vec<ClimbRung>,
}

/// A test against one bot.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ClimbRung {
    /// The name of the other bot.
    pub name: String,
    /// The other bot, as one would write it on the command line.
    pub bot: String,
    /// As in the document of a test: `better` if the bot beats this one.
    pub verdict: String,
    /// As in the document of a test.
    pub reason: String,
    /// The number of matches with a result.
    pub matches: u64,
    /// The number of blocks that count.
    pub blocks: u64,
    /// The log-likelihood ratio. `null` without pairs that vary.
    pub llr: Option<f64>,
    /// As in the document of a test.
    pub elo: Option<TestEstimate>,
    /// As in the document of a test.
    pub anytime: Option<TestEstimate>,
    /// The matches in which the bot failed.
    pub faults: u64,
    /// The matches that both bots forfeited. Their pairs do not count.
    #[serde(default)]
    pub double_forfeits: u64,
}

/// The values that make a bot stronger.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TuneDocument {
    /// The version of Agon that played.
    pub agon: String,
    /// The name of the game.
    pub game: String,
    /// The rule set in its shortest form.
    pub rules: String,
    /// The seed of everything random.
    #[schemars(with = "SeedNumber")]
    pub seed: Seed,
    /// The command, with the names of the parameters in braces.
    pub command: String,
    /// The number of games that count.
    pub games: u32,
    /// The number of games that were to be played.
    pub planned: u32,
    /// The number of iterations, of two games each, that do not count, because the host spoilt one of their games too often.
    #[serde(default)]
    pub left_out: u32,
    /// The number of faults in these games.
    pub faults: u64,
    /// The number of these games that both bots forfeited: each failed, and none alone was first. They move no value.
    #[serde(default)]
    pub double_forfeits: u64,
    /// The parameters, in the order of the command line.
    pub parameters: Vec<TunedParameter>,
    /// The command with the values found.
    pub tuned: String,
    /// The test of the tuned bot (`new`) against the one with the values at the start (`old`). `null` if the run ended
    /// before, and if the values found are those at the start.
    pub test: Option<TestDocument>,
}

/// A parameter and its value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TunedParameter {
    /// The name.
    pub name: String,
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
    /// The value at the start.
    pub start: f64,
    /// The value found.
    pub value: f64,
}

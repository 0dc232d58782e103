//! The documents of `agon tournament check` and `agon tournament status`.

use crate::{Mark, ReportSpoilt, TournamentWorker};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a tournament costs, and whether its bots play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TournamentCheckDocument {
    /// The name of the tournament.
    pub name: String,
    /// The name of the game.
    pub game: String,
    /// How matches are drawn.
    pub kind: String,
    /// The least number of matches. It differs from the most if results decide how many are needed.
    pub matches_least: u64,
    /// The most matches.
    pub matches_most: u64,
    /// The number of matches that run at the same time on this machine by default.
    pub at_once: u64,
    /// The number of cores that each match needs.
    pub cores_a_match: u64,
    /// The number of trial matches that were played.
    pub trial_matches: u64,
    /// The expected duration in seconds, from the trial matches.
    pub seconds_expected: f64,
    /// The duration in seconds if every decision takes its whole limit, in matches as long as the longest trial match.
    /// `null` if decisions have no limit.
    pub seconds_worst: Option<f64>,
    /// The expected size of all replays in bytes.
    pub replay_bytes_expected: u64,
    /// The number of matches among which every bot of a ladder plays at least once, whatever the others do. `null` for
    /// other kinds.
    pub longest_wait: Option<u64>,
    /// The faults in the trial matches.
    pub faults: Vec<TrialFault>,
    /// The bots that cannot be built or started. They play no trial match.
    #[serde(default)]
    pub broken: Vec<BrokenBotRow>,
    /// The first failed step of each bot that fails the short `agon check`.
    #[serde(default)]
    pub failed_checks: Vec<FailedCheck>,
    /// Where the file differs from the contest that its `preset` names.
    #[serde(default)]
    pub contest_differences: Vec<ContestDifferenceRow>,
    /// The bots of which the earlier result that `seeding` names knows nothing. They come last.
    #[serde(default)]
    pub unseeded: Vec<String>,
    /// How many maps at the end of the list are never played, because there are fewer rounds than maps.
    #[serde(default)]
    pub unplayed_maps: u32,
    /// What each bot needs on other machines, with `--for-workers`. Only bots that can play there are listed.
    #[serde(default)]
    pub bundles: Vec<BundleRow>,
    /// The bots that cannot play on other machines, with `--for-workers`.
    #[serde(default)]
    pub cannot_travel: Vec<CannotTravelRow>,
    /// What a machine needs to play, in words. Empty if every machine may.
    #[serde(default)]
    pub worker_needs: Vec<String>,
}

/// What a bot needs on another machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BundleRow {
    /// The name of the bot.
    pub bot: String,
    /// The hash of its bundle, which is an archive of its files: `sha256:` and 64 hexadecimal digits.
    pub hash: String,
    /// The size of the bundle in bytes.
    pub bytes: u64,
    /// The number of files. 0 for built-in bots.
    pub files: u64,
}

/// A bot that cannot play on other machines.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CannotTravelRow {
    /// The name of the bot.
    pub bot: String,
    /// The line of the file that is to blame, from 1.
    #[serde(default)]
    pub line: Option<u32>,
    /// The key in this line.
    #[serde(default)]
    pub key: Option<String>,
    /// The word of the bot's command that is to blame.
    #[serde(default)]
    pub word: Option<String>,
    /// The reason, in words.
    pub why: String,
    /// What to write instead. `null` if there is no short hint.
    #[serde(default)]
    pub hint: Option<String>,
}

/// A bot that cannot be built or started.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BrokenBotRow {
    /// The name of the bot.
    pub bot: String,
    /// The line of the file that is to blame, from 1.
    #[serde(default)]
    pub line: Option<u32>,
    /// The key in this line.
    #[serde(default)]
    pub key: Option<String>,
    /// The reason, in words.
    pub why: String,
    /// The way out. `null` if there is no short one.
    #[serde(default)]
    pub hint: Option<String>,
}

/// A failed step of the short `agon check` of a bot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FailedCheck {
    /// The name of the bot.
    pub bot: String,
    /// The name of the step, as `agon check` prints it.
    pub step: String,
    /// What happened, in words.
    pub detail: String,
    /// The likely reason. `null` if none is known.
    pub hint: Option<String>,
}

/// A key whose value in the file is not that of the contest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContestDifferenceRow {
    /// The key.
    pub key: String,
    /// The value of the contest.
    pub contest: String,
    /// The value of the file.
    pub file: String,
    /// Where the value of the contest is said.
    pub source: String,
}

/// A fault in a trial match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TrialFault {
    /// The name of the bot.
    pub bot: String,
    /// The turn of the fault, counted from 1. It is 0 for the greeting.
    pub ply: u32,
    /// What happened, in words.
    pub text: String,
}

/// How far a tournament is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TournamentStatusDocument {
    /// The number of matches with a result.
    pub finished: u64,
    /// The number of matches that the host spoilt too often.
    pub spoilt: u64,
    /// The number of matches that do not count.
    pub void: u64,
    /// How often matches were spoilt, by bot and cause, most often first. Both bots of a match are listed: the host does not
    /// know whose work it was.
    #[serde(default)]
    pub spoilt_bots: Vec<ReportSpoilt>,
    /// The number of matches that are drawn and not over.
    pub waiting: u64,
    /// The number of all matches of the tournament when the last table was made, without those that were left out by then
    /// because a bot was withdrawn. `null` if results decide how many are needed.
    #[serde(default)]
    pub planned: Option<u64>,
    /// The bots, in the order of the file.
    pub bots: Vec<BotShare>,
    /// The number of matches that the standings take into account.
    pub standings_after: u64,
    /// The standings, best first. Empty before the first table.
    pub standings: Vec<StandingRow>,
    /// What the organiser has decided, the first decision first, with the bots that the rules of the tournament have withdrawn.
    #[serde(default)]
    pub decisions: Vec<TournamentDecision>,
    /// The machines that have played, in the order in which they came first.
    #[serde(default)]
    pub workers: Vec<TournamentWorker>,
}

/// A decision about a match, a bot or a worker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TournamentDecision {
    /// What was decided.
    pub decision: DecisionKind,
    /// The number of the match. `null` if it is not about one.
    pub id: Option<u64>,
    /// The name that the bot has now. `null` if it is not about one.
    pub bot: Option<String>,
    /// The name of the worker. `null` if it is not about one.
    #[serde(default)]
    pub worker: Option<String>,
    /// The reason. Where a bot got another name, its old one is there too.
    pub why: String,
    /// When it was decided, in milliseconds since 1970.
    pub time_at_ms: i64,
}

/// What was decided about a match, a bot or a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// A match does not count.
    Void,
    /// A match that was over is played again.
    Rerun,
    /// A bot plays no more.
    Withdrawn,
    /// A withdrawn bot plays again.
    Readmitted,
    /// A bot has another name.
    Renamed,
    /// A worker gets no more matches, and what it has played is played again.
    PutAside,
    /// A worker that was put aside gets matches again.
    TakenBack,
}

/// What a bot has used of the machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BotShare {
    /// The name of the bot.
    pub name: String,
    /// The number of its finished matches.
    pub played: u64,
    /// The number of finished matches in which it failed.
    pub faults: u64,
    /// The time of its decisions in finished matches, in microseconds.
    pub time_us: u64,
    /// Why it was withdrawn. `null` if it takes part.
    pub withdrawn: Option<String>,
}

/// A bot in the standings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StandingRow {
    /// The place, from 1. Bots that nothing separates share the better place.
    pub place: u32,
    /// The name of the bot.
    pub bot: String,
    /// The points.
    pub points: i64,
    /// The number of finished matches that count.
    pub played: u32,
    /// The matches that all bots forfeited. Each has lost them.
    #[serde(default)]
    pub double_forfeits: u32,
    /// The matches without a result, because the host spoilt them again and again.
    #[serde(default)]
    pub spoilt: u32,
}

/// What a verification of a tournament has found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TournamentVerifyDocument {
    /// The number of matches that are over.
    pub matches: u64,
    /// The number of replays that were played again.
    pub replays: u64,
    /// Whether the stored standings are those of the results.
    #[serde(default)]
    pub standings: StandingsCheck,
    /// Whether maps and seeds of the matches are those that follow from the seed of the tournament, or from its secret.
    #[serde(default)]
    pub seeds: SeedsCheck,
    /// What is wrong. Empty if everything that was compared agrees.
    pub findings: Vec<VerifyFinding>,
}

/// What a look at a whole store has found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StoreCheckDocument {
    /// The number of matches that are over.
    pub over: u64,
    /// The number of matches that are to be played.
    pub ready: u64,
    /// The number of results of matches that were played again.
    pub earlier: u64,
    /// The number of blobs. Each was hashed.
    pub blobs: u64,
    /// The number of artefacts. Each was hashed.
    pub artefacts: u64,
    /// What is wrong. Empty if the store is whole.
    pub findings: Vec<VerifyFinding>,
}

/// What became of the comparison of stored standings with the results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StandingsCheck {
    /// The stored standings are those of the results.
    Agree,
    /// The stored standings are others.
    Differ,
    /// No standings are stored, or they are older than the last result.
    #[default]
    NotCompared,
}

/// What became of the comparison of the seeds of all matches with what they should follow from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeedsCheck {
    /// They follow from the seed, or from the secret whose hash was published at the beginning.
    Agree,
    /// Some do not, or the secret is another one.
    Differ,
    /// The secret is not revealed, so nothing was compared.
    #[default]
    NotYetRevealed,
    /// Seeds of this tournament follow from its schedule, which an export does not have.
    NotCompared,
}

/// Something in a store that contradicts something else.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct VerifyFinding {
    /// The number of the match. `null` if it is about the standings or the whole store.
    pub id: Option<u64>,
    /// What differs.
    pub what: String,
}

/// A match that was played again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TournamentReplayDocument {
    /// The number of the match.
    pub id: u64,
    /// Whether both results are the same.
    pub same: bool,
    /// The stored result.
    pub stored: PlayedResult,
    /// The result of now.
    pub now: PlayedResult,
    /// The bots that have other versions now. Their answers may differ.
    pub changed_bots: Vec<String>,
    /// The name of the worker that has played the stored match. `null` if it is not known.
    #[serde(default)]
    pub worker: Option<String>,
}

/// What identifies the course of a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlayedResult {
    /// The number of turns.
    pub plies: u32,
    /// The fingerprint of the last position. `null` without one.
    pub fingerprint: Option<Mark>,
    /// The place of each seat.
    pub places: Vec<u32>,
}

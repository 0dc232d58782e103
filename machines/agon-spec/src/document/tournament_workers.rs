//! The documents of `agon tournament workers`, and the workers in other documents.

use crate::{Isolation, StandingRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A worker: one name, and every machine that has played under it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TournamentWorker {
    /// Its name.
    pub name: String,
    /// How many results come from it. Those that do not count are among them.
    pub matches: u64,
    /// What its machines are, the first one first. More than one if something about the machine has changed.
    pub machines: Vec<WorkerFacts>,
    /// Why it is put aside. `null` if it is not.
    #[serde(default)]
    pub put_aside: Option<String>,
}

/// What a machine is, as far as it says so itself.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WorkerFacts {
    /// Whether it is another machine than the one that leads.
    pub away: bool,
    /// The version of Agon.
    pub agon: String,
    /// The name and the release of the kernel.
    pub kernel: String,
    /// The model of the processor.
    pub cpu: String,
    /// The number of matches that it plays at the same time; for the machine that leads, the number of its cores.
    pub cores: u32,
    /// What its programs are compiled for.
    pub target: String,
    /// The strongest level of isolation of bots on it; for the machine that leads, the one that is used. `null` if it is not known, or no
    /// bot is a program, or none can be started.
    pub isolation: Option<Isolation>,
}

/// The machines that have played a tournament, and how they compare.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TournamentWorkersDocument {
    /// The workers, in the order in which they came first.
    pub workers: Vec<WorkerComparison>,
    /// How often a worker was put aside. What workers have got before the last time is void.
    pub purges: u64,
}

/// A worker, compared with what the same bots did elsewhere. Only finished matches are compared.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkerComparison {
    /// The worker.
    #[serde(flatten)]
    pub worker: TournamentWorker,
    /// The number of finished matches that are compared.
    pub finished: u64,
    /// How often bots were late in them.
    pub late: u64,
    /// How often bots failed in another way.
    pub other_faults: u64,
    /// How many attempts to play a match it has spoilt.
    pub spoilt: u64,
    /// The number of decisions.
    pub decisions: u64,
    /// The sum of their times, in microseconds.
    pub time_us: u64,
    /// Lateness, against the same bots elsewhere.
    pub late_residual: WorkerResidual,
    /// Other faults, against the same bots elsewhere.
    pub fault_residual: WorkerResidual,
    /// Spoilt attempts, against matches of the same bots elsewhere. Each counts for all bots of its match.
    pub spoilt_residual: WorkerResidual,
    /// How many times as long decisions take as those of the same bots elsewhere. `null` if there is nothing to compare with.
    pub time_ratio: Option<f64>,
    /// How far the logarithm of this ratio is from 0, in standard deviations.
    pub time_deviations: Option<f64>,
    /// Why it stands out, in words. `null` if it does not.
    pub stands_out: Option<String>,
}

/// How often something was seen, and how often it was to be expected.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkerResidual {
    /// How often it was seen, where there is something to compare with.
    pub seen: u64,
    /// How often it was to be expected, from the same bots elsewhere.
    pub expected: f64,
    /// The difference in standard deviations. `null` if there is nothing to compare with.
    pub deviations: Option<f64>,
}

/// What the purge of a worker changes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TournamentPurgeDocument {
    /// The name of the worker.
    pub worker: String,
    /// Whether it was done. Otherwise it is a preview, and nothing has changed.
    pub done: bool,
    /// Why the worker was put aside before. `null` if it was not.
    pub put_aside: Option<String>,
    /// The matches whose results come from it and do not count any more.
    pub results: Vec<u64>,
    /// Those of them that nobody plays again, because a bot of theirs is withdrawn.
    pub left_out: Vec<u64>,
    /// How many matches the worker has now. They are played by others.
    pub held: u64,
    /// How many matches other workers have now. They are played again.
    pub held_elsewhere: u64,
    /// How many later matches were drawn by results, and stay as they were drawn.
    pub resting: u64,
    /// How many results each bot loses. Those that lose none are missing.
    pub bots: Vec<PurgedBot>,
    /// The standings with these results.
    pub before: Vec<StandingRow>,
    /// The standings without them.
    pub after: Vec<StandingRow>,
}

/// What a purge takes from a bot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PurgedBot {
    /// The name of the bot.
    pub bot: String,
    /// How many of its results do not count any more.
    pub results: u64,
}

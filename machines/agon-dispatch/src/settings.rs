//! Times and bounds of a dispatcher.

use agon_spec::{Isolation, WorkerTournament};
use std::collections::BTreeMap;

/// Which processors workers may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Processors {
    /// Any.
    Any,
    /// All the same: this model, or that of the first worker that comes.
    Alike(Option<String>),
}

/// Times and bounds. All times are in milliseconds.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The version of Agon. Workers must have the same.
    pub agon: String,
    /// What workers are told of the tournament.
    pub tournament: WorkerTournament,
    /// The edition of what workers fetch to play it.
    pub edition: u64,
    /// The number of bots.
    pub bots: u32,
    /// For how long a match stays with a worker that is silent.
    pub lease_ms: u64,
    /// The time between two signs of life.
    pub beat_ms: u64,
    /// For how long a match may stay in one turn, or wait for its worker while that makes no progress at all. `None` if turns
    /// have no limit.
    pub patience_ms: Option<u64>,
    /// For how long a match stays with a worker whatever it says.
    pub longest_ms: u64,
    /// How long the matches of a batch last together.
    pub batch_ms: u64,
    /// After how long the organiser is told that nobody can play a match.
    pub nobody_ms: u64,
    /// After how long a worker that is silent is forgotten.
    pub forget_ms: u64,
    /// Whether matches are also played where the dispatcher runs.
    pub local: bool,
    /// How many attempts of a match may be lost with their worker before it ends as spoilt.
    pub poison_attempts: u32,
    /// On how many workers they must have been lost.
    pub poison_workers: usize,
    /// How many workers are known at most.
    pub most_workers: usize,
    /// How many results may be on their way to the store.
    pub most_underway: usize,
    /// The names of the workers that are put aside, each with the reason.
    pub put_aside: BTreeMap<String, String>,
    /// The weakest sandbox that a worker may have for bots that are processes. `None` if that does not matter.
    pub least_isolation: Option<Isolation>,
    /// Which processors workers may have.
    pub processors: Processors,
    /// How many requests a worker may send at once, and how many more in each second.
    pub requests: (u32, u32),
    /// How many workers may register at once, and how many more in each second.
    pub registers: (u32, u32),
}

impl Settings {
    /// Returns the usual times and bounds for a tournament of this many bots.
    #[must_use]
    pub fn new(agon: &str, tournament: WorkerTournament, bots: u32) -> Self {
        Self {
            agon: agon.to_owned(),
            tournament,
            edition: 1,
            bots,
            lease_ms: 30_000,
            beat_ms: 5_000,
            patience_ms: None,
            longest_ms: 24 * 3_600_000,
            batch_ms: 2_000,
            nobody_ms: 60_000,
            forget_ms: 600_000,
            local: true,
            poison_attempts: 3,
            poison_workers: 2,
            most_workers: 4_096,
            most_underway: 4_096,
            put_aside: BTreeMap::new(),
            least_isolation: None,
            processors: Processors::Any,
            requests: (200, 100),
            registers: (2_000, 100),
        }
    }
}

//! What a tournament is: its kind, its bots by number, and how often they meet.

use crate::{Entrant, Kind, Points, Seeding};
use agon_core::{Seed, SeedKey};
use agon_stats::Rating;
use serde::{Deserialize, Serialize};

/// What a tournament is. Together with the outcomes and the [`Amendment`](crate::Amendment)s it determines every match.
/// [`Spec::check`] says whether it can be played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Spec {
    /// How matches are drawn.
    pub kind: Kind,
    /// The number of bots.
    pub entrants: u32,
    /// The number of seats of each match.
    pub seats: u32,
    /// The number of rounds. A round robin or a gauntlet plays every set of bots once in each round; a Swiss tournament
    /// plays every bot once; a ladder draws one set of bots; groups count the rounds of the round robin in each group.
    /// Eliminations ignore it.
    pub rounds: u32,
    /// How often the same bots meet in one block, in exchanged seats.
    pub seatings: Seatings,
    /// The length of the list of maps, at least 1.
    pub maps: u32,
    /// The source of every choice, unless there is a key.
    pub seed: Seed,
    /// The key from which every seed is derived. `None` if they follow from `seed` by a fast hash, as in tournaments that began
    /// before there were keys.
    #[serde(skip)]
    pub key: Option<SeedKey>,
    /// What places are worth.
    pub points: Points,
    /// Who is the best bot before the first match.
    pub seeding: Seeding,
    /// What a ladder knows about the first bots of the list before the first match. The others, and all of them if it
    /// is empty, have [`Rating::default`]. Other kinds ignore it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ratings: Vec<Rating>,
    /// What becomes of the matches of a bot that is withdrawn.
    pub withdrawn: Withdrawn,
    /// Whether all bots lose a match that [all of them forfeit](agon_core::forfeited_by_all), and ratings leave it out.
    /// `false` for tournaments that began when such a match was worth what the game made of it, so that they draw the
    /// same matches as before.
    #[serde(default)]
    pub forfeits_lose: bool,
}

impl Spec {
    /// Creates a tournament of `kind` between `entrants` bots in a game for two: one round with all seatings on one
    /// map.
    #[must_use]
    pub fn new(kind: Kind, entrants: u32) -> Self {
        Self {
            kind,
            entrants,
            seats: 2,
            rounds: 1,
            seatings: Seatings::All,
            maps: 1,
            seed: Seed::default(),
            key: None,
            points: Points::default(),
            seeding: Seeding::List,
            ratings: Vec::new(),
            withdrawn: Withdrawn::ByShare,
            forfeits_lose: true,
        }
    }

    /// Creates a round robin in which each of `entrants` bots meets every other in both seats.
    #[must_use]
    pub fn round_robin(entrants: u32) -> Self {
        Self::new(Kind::RoundRobin, entrants)
    }
}

impl Spec {
    /// Returns the seed for one purpose.
    pub(crate) fn seed_for(&self, purpose: &str, number: u64) -> Seed {
        match &self.key {
            Some(key) => key.seed(purpose, number),
            None => self.seed.derive(purpose, number),
        }
    }

    /// Returns the same tournament with so many bots and rounds. New bots are last in the seeding.
    pub(crate) fn extended(&self, entrants: u32, rounds: u32) -> Self {
        let mut spec = Self { entrants, rounds, ..self.clone() };
        if let Seeding::Given(order) = &mut spec.seeding {
            order.extend((self.entrants..entrants).map(Entrant));
        }
        spec
    }
}

/// How often the same bots meet in one block, in exchanged seats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seatings {
    /// Once in every order of the bots: 2 matches in a game for two, 24 in a game for four.
    #[default]
    All,
    /// As often as there are seats. Each bot is in each seat once. In a game for two this is the same as `All`.
    Balanced,
    /// Once. Over the tournament, each bot is in each seat about equally often.
    One,
}

impl Seatings {
    /// Returns the word in a tournament's file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Balanced => "balanced",
            Self::One => "one",
        }
    }
}

/// What becomes of the matches of a bot that is withdrawn from a round robin, a gauntlet or a group. In other kinds,
/// what was played counts under `ByShare` and `Lose`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Withdrawn {
    /// `Void` if the bot has played fewer than half of its matches, else `Lose`.
    #[default]
    ByShare,
    /// None of its matches counts.
    Void,
    /// What it has played counts. In a game for two, its opponents win the rest. In other games nobody gets points for
    /// the rest, and under `score` nobody does either.
    Lose,
}

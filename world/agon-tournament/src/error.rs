//! Why a tournament cannot be played.

use crate::BrokenBot;
use agon_core::Flaw;
use agon_store::StoreError;
use agon_tourney::Difference;
use std::path::PathBuf;

/// What to know about a path that leads nowhere.
pub(crate) const RELATIVE: &str = "paths in the file are relative to its folder";

/// Why a tournament cannot be played. Messages may quote bots, so clean them before you show them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TournamentError {
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A match cannot be played, for a reason that would stop every other one too.
    #[error(transparent)]
    Play(#[from] agon_play::Error),
    /// These bots cannot be built, prepared or started.
    #[error("{}", bots(.0))]
    Bots(Vec<BrokenBot>),
    /// The map cannot be used.
    #[error("`maps`: {name}: {why}")]
    Map {
        /// The name in the file.
        name: String,
        /// The reason.
        why: String,
    },
    /// The earlier result that `seeding` names cannot be used.
    #[error("`seeding`: `{}`: {why}", .path.display())]
    Seeding {
        /// The path in the file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The file has changed, and what was played before would not be true any more.
    #[error("the file has changed since: {}", changes(.0))]
    Changed(Vec<Difference>),
    /// The file of an earlier run, which the store has, cannot be read by this version.
    #[error("the store has a file that cannot be used: {0}")]
    Past(#[source] Flaw),
    /// The store has no file, because it was made but no tournament has begun in it.
    #[error("no tournament has begun in the store")]
    NotBegun,
    /// The schedule refuses what the store has, or a decision.
    #[error("{0}")]
    Schedule(#[source] Flaw),
}

impl TournamentError {
    /// Returns a hint on how to fix the problem, if there is a short one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Store(error) => error.hint(),
            Self::Play(error) => error.hint(),
            Self::Bots(bots) => bots.iter().find_map(|bot| bot.hint.clone()),
            Self::Changed(_) => {
                Some("take the changes back, or start over with `--restart`, which keeps the old results".to_owned())
            }
            Self::NotBegun => Some("begin it with `agon tournament run`".to_owned()),
            Self::Past(flaw) | Self::Schedule(flaw) => flaw.hint.as_deref().map(str::to_owned),
            Self::Map { .. } | Self::Seeding { .. } => Some(RELATIVE.to_owned()),
        }
    }
}

fn bots(bots: &[BrokenBot]) -> String {
    bots.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn changes(differences: &[Difference]) -> String {
    let told = differences.iter().filter(|difference| !difference.keeps_the_past);
    told.map(|difference| format!("`{}`: {}", difference.key, difference.what)).collect::<Vec<_>>().join("; ")
}

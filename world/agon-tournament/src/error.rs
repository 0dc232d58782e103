//! Why a tournament cannot be played.

use crate::{BrokenBot, text::Text};
use agon_core::Flaw;
use agon_play::MapError;
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
        /// The way out, if there is a short one.
        hint: Option<String>,
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
    /// Another program has stored a result of this match, although this one leads the tournament.
    #[error("another program has stored a result of match {0}")]
    Overtaken(u64),
    /// The schedule refuses what the store has, or a decision.
    #[error("{0}")]
    Schedule(#[source] Flaw),
}

impl TournamentError {
    /// Returns everything that is wrong in the file of the tournament, with its lines and its keys. Empty if the error is
    /// not about values in `text`.
    #[must_use]
    pub fn flaws_in(&self, text: &str) -> Vec<Flaw> {
        let (key, value) = match self {
            // What this host refuses is no flaw of the file.
            Self::Bots(bots) if bots.iter().all(BrokenBot::is_of_bot) => {
                return bots.iter().filter_map(|bot| bot.flaw_in(text)).collect();
            }
            Self::Map { name, .. } => ("maps", Some(name.as_str())),
            Self::Seeding { .. } => ("seeding", None),
            _ => return Vec::new(),
        };
        let flaw = Text(text).flaw_of(key, value, self.to_string());
        let hinted = |flaw: Flaw| self.hint().map_or(flaw.clone(), |hint| flaw.hint(hint));
        flaw.map(hinted).into_iter().collect()
    }

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
            Self::Overtaken(_) => {
                Some("run it again, from one program alone: it continues with what is stored".to_owned())
            }
            Self::NotBegun => Some("begin it with `agon tournament run`".to_owned()),
            Self::Past(flaw) | Self::Schedule(flaw) => flaw.hint.as_deref().map(str::to_owned),
            Self::Map { hint, .. } => hint.clone(),
            Self::Seeding { path, .. } if !path.exists() => Some(RELATIVE.to_owned()),
            Self::Seeding { path, .. } if path.extension().is_some_and(|end| end == "json") => {
                Some("`agon tournament export cup.toml > cup.json` writes one".to_owned())
            }
            Self::Seeding { .. } => None,
        }
    }
}

/// Returns the error of a map that the game does not take. One that has a place in the map's own text shows that.
pub(crate) fn of_map(name: &str, why: MapError) -> TournamentError {
    match why {
        MapError::Flawed { flaw: Flaw { place: Some(_), .. }, .. } => TournamentError::Play(why.into()),
        MapError::Flawed { flaw: Flaw { what, hint, .. }, .. } => {
            TournamentError::Map { name: name.to_owned(), why: what, hint: hint.map(String::from) }
        }
        why => TournamentError::Map { name: name.to_owned(), hint: why.hint(), why: why.to_string() },
    }
}

fn bots(bots: &[BrokenBot]) -> String {
    bots.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn changes(differences: &[Difference]) -> String {
    let told = differences.iter().filter(|difference| !difference.keeps_the_past);
    told.map(|difference| format!("`{}`: {}", difference.key, difference.what)).collect::<Vec<_>>().join("; ")
}

//! Maps as users name them: `FILE` or `gen[:KIND][:SEED]`.

use crate::{FileError, game::joined};
use agon_core::{Derivation, Flaw, Seed};
use agon_games::{AnyGame, MapReport};
use std::{fs::File, io::Read, path::PathBuf, str::FromStr};

/// The maximum size of a map file in bytes.
pub const MAP_LIMIT: u64 = 4 << 20;

/// The source of a map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MapSource {
    /// A map file.
    File(PathBuf),
    /// A generated map.
    Generated {
        /// The kind of map. `None` is the game's default.
        kind: Option<String>,
        /// The seed of the generator. `None` is one that follows from the seed of the match.
        seed: Option<Seed>,
    },
}

/// A map and its name for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapFile {
    /// `gen:KIND:SEED`, or the path of the file as the user wrote it.
    pub name: String,
    /// The content of the map file.
    pub bytes: Vec<u8>,
}

/// Why a map cannot be read or played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The map has more than [`MAP_LIMIT`] bytes.
    #[error("the map `{0}` is larger than {MAP_LIMIT} bytes")]
    TooLarge(String),
    /// The game has no map generator.
    #[error("{0} has no map generator")]
    NotGenerated(&'static str),
    /// The game cannot generate the requested map.
    #[error("{0}")]
    Generator(#[source] Flaw),
    /// The map has an error.
    #[error("{name}: {flaw}")]
    Flawed {
        /// The map's name.
        name: String,
        /// The content of the map file.
        text: Vec<u8>,
        /// What is wrong in the map, and where.
        #[source]
        flaw: Flaw,
    },
}

impl MapError {
    /// Returns a hint on how to fix the problem, if there is a short one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::File(_) | Self::TooLarge(_) => None,
            Self::NotGenerated(_) => Some("give a map with `--map FILE`".to_owned()),
            Self::Generator(flaw) | Self::Flawed { flaw, .. } => flaw.hint.as_deref().map(str::to_owned),
        }
    }
}

impl Default for MapSource {
    fn default() -> Self {
        Self::Generated { kind: None, seed: None }
    }
}

impl FromStr for MapSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text != "gen" && !text.starts_with("gen:") {
            return if text.is_empty() {
                Err("a map is a FILE or `gen[:KIND][:SEED]`".into())
            } else {
                Ok(Self::File(text.into()))
            };
        }
        let mut parts = text.split(':').skip(1);
        let (first, second) = (parts.next(), parts.next());
        if parts.next().is_some() {
            return Err(format!("`{text}` has too many parts; write `gen[:KIND][:SEED]`"));
        }
        let number = |text: &str| text.parse().map(Seed).ok();
        match (first, second) {
            (None, _) => Ok(Self::default()),
            (Some(one), None) => Ok(match number(one) {
                Some(seed) => Self::Generated { kind: None, seed: Some(seed) },
                None => Self::Generated { kind: Some(one.to_owned()), seed: None },
            }),
            (Some(kind), Some(seed)) => match number(seed) {
                Some(seed) => Ok(Self::Generated { kind: Some(kind.to_owned()), seed: Some(seed) }),
                None => Err(format!("the seed `{seed}` is not a whole number")),
            },
        }
    }
}

impl MapSource {
    /// Returns the source by which something began whose seeds follow in this way: what began by a fast hash keeps the default
    /// kind of its time.
    #[must_use]
    pub fn begun(&self, game: &dyn AnyGame, seeds: Derivation) -> Self {
        match self {
            Self::Generated { kind: None, seed } if seeds.is_fast() => {
                Self::Generated { kind: game.info().first_map_kind.map(str::to_owned), seed: *seed }
            }
            other => other.clone(),
        }
    }

    /// Reads or generates the map. `seed` is that of a generated map that has none of its own.
    ///
    /// # Errors
    /// If the file cannot be read or is too large, or the game cannot generate the map.
    pub fn load(&self, game: &dyn AnyGame, seed: Seed, seats: usize) -> Result<MapFile, MapError> {
        match self {
            Self::File(path) => {
                let failed = |source| FileError { doing: "read the map", path: path.clone(), source };
                let mut bytes = Vec::new();
                let file = File::open(path).map_err(failed)?;
                file.take(MAP_LIMIT + 1).read_to_end(&mut bytes).map_err(failed)?;
                let name = path.display().to_string();
                if bytes.len() as u64 > MAP_LIMIT {
                    return Err(MapError::TooLarge(name));
                }
                // Some editors put a byte order mark before UTF-8.
                if bytes.starts_with(b"\xef\xbb\xbf") {
                    bytes.drain(..3);
                }
                Ok(MapFile { name, bytes })
            }
            Self::Generated { kind, seed: own } => {
                let default = game.info().map_kinds.first().ok_or(MapError::NotGenerated(game.info().title))?;
                let kind = kind.as_deref().unwrap_or(default.name);
                let seed = own.unwrap_or(seed);
                // Some kinds have a size in their name, so only the game knows whether a kind exists.
                let text = game.generate(kind, seed, seats).map_err(|mut flaw| {
                    if !game.info().map_kinds.iter().any(|k| k.name == kind) {
                        let kinds = joined(game.info().map_kinds.iter().map(|k| format!("gen:{}", k.name)));
                        flaw.hint = Some(format!("the maps of {} are: {kinds}", game.info().title).into());
                    }
                    MapError::Generator(flaw)
                })?;
                Ok(MapFile { name: format!("gen:{kind}:{seed}"), bytes: text.into_bytes() })
            }
        }
    }
}

impl MapFile {
    /// Returns the map as text. Every map format is UTF-8.
    ///
    /// # Errors
    /// If the map is not UTF-8. The error has the line and the column.
    pub fn text(&self) -> Result<&str, MapError> {
        std::str::from_utf8(&self.bytes).map_err(|e| {
            let before = &self.bytes[..e.valid_up_to()];
            let line = before.iter().filter(|b| **b == b'\n').count() + 1;
            let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
            let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
            self.flawed(Flaw::new("the map is not UTF-8 text").at(line, column))
        })
    }

    /// Checks the map under these rules, for this number of bots. Returns the game's report on it.
    ///
    /// # Errors
    /// If the map cannot be played. The error says what is wrong, and where.
    pub fn check(&self, game: &dyn AnyGame, rules: &str, seats: usize) -> Result<MapReport, MapError> {
        game.check_map(self.text()?.as_bytes(), rules, seats).map_err(|flaw| self.flawed(flaw))
    }

    fn flawed(&self, flaw: Flaw) -> MapError {
        MapError::Flawed { name: self.name.clone(), text: self.bytes.clone(), flaw }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_of_maps() {
        let generated = |kind: Option<&str>, seed: Option<u64>| {
            Ok(MapSource::Generated { kind: kind.map(str::to_owned), seed: seed.map(Seed) })
        };
        assert_eq!("gen".parse(), generated(None, None));
        assert_eq!("gen:7".parse(), generated(None, Some(7)));
        assert_eq!("gen:island".parse(), generated(Some("island"), None));
        assert_eq!("gen:island:7".parse(), generated(Some("island"), Some(7)));
        assert_eq!("genesis.txt".parse(), Ok(MapSource::File("genesis.txt".into())));
        assert!("gen:a:b".parse::<MapSource>().is_err());
        assert!("gen:a:1:2".parse::<MapSource>().is_err());
        assert!("".parse::<MapSource>().is_err());
    }

    #[test]
    fn a_map_that_is_not_text_says_where() {
        let map = MapFile { name: "m".into(), bytes: b"ab\nc\xffd\n".to_vec() };
        let Err(MapError::Flawed { flaw, .. }) = map.text() else { panic!("not UTF-8") };
        assert_eq!(flaw.place.map(|place| (place.line, place.column)), Some((2, 2)));
    }
}

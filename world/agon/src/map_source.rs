//! `--map FILE|gen[:KIND][:SEED]`.

use crate::{
    clean::clean,
    error::{Error, Result},
    game::list,
};
use agon_core::{Flaw, Seed};
use agon_games::AnyGame;
use std::{fs::File, io::Read, path::PathBuf, str::FromStr};

/// The largest map file in bytes.
pub const MAP_LIMIT: u64 = 4 << 20;

/// Where a map comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MapSource {
    /// A file.
    File(PathBuf),
    /// Generated.
    Generated {
        /// `None`: the game's default.
        kind: Option<String>,
        /// `None`: that of the match.
        seed: Option<Seed>,
    },
}

/// A map with its name for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map {
    /// `gen:KIND:SEED`, or the file as given.
    pub name: String,
    /// The whole map file.
    pub bytes: Vec<u8>,
}

impl FromStr for MapSource {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if text != "gen" && !text.starts_with("gen:") {
            return if text.is_empty() {
                Err("a file or gen[:KIND][:SEED]".into())
            } else {
                Ok(Self::File(text.into()))
            };
        }
        let mut parts = text.split(':').skip(1);
        let (first, second) = (parts.next(), parts.next());
        if parts.next().is_some() {
            return Err(format!("`{}` has too many parts: gen[:KIND][:SEED]", clean(text)));
        }
        let number = |text: &str| text.parse().map(Seed).ok();
        match (first, second) {
            (None, _) => Ok(Self::Generated { kind: None, seed: None }),
            (Some(one), None) => Ok(match number(one) {
                Some(seed) => Self::Generated { kind: None, seed: Some(seed) },
                None => Self::Generated { kind: Some(one.to_owned()), seed: None },
            }),
            (Some(kind), Some(seed)) => match number(seed) {
                Some(seed) => Ok(Self::Generated { kind: Some(kind.to_owned()), seed: Some(seed) }),
                None => Err(format!("the seed `{}` is not a whole number", clean(seed))),
            },
        }
    }
}

impl MapSource {
    /// Reads or makes the map; `seed` is that of the match.
    ///
    /// # Errors
    /// A file that cannot be read, an unknown kind of map.
    pub fn load(&self, game: &dyn AnyGame, seed: Seed, seats: usize) -> Result<Map> {
        match self {
            Self::File(path) => {
                let mut bytes = Vec::new();
                let file = File::open(path).map_err(|e| Error::file("read the map", path, &e))?;
                file.take(MAP_LIMIT + 1).read_to_end(&mut bytes).map_err(|e| Error::file("read the map", path, &e))?;
                let name = path.display().to_string();
                if bytes.len() as u64 > MAP_LIMIT {
                    return Err(Error::user(format!("the map `{}` is larger than {MAP_LIMIT} bytes", clean(&name))));
                }
                // Some editors put a byte order mark before UTF-8.
                if bytes.starts_with(b"\xef\xbb\xbf") {
                    bytes.drain(..3);
                }
                Ok(Map { name, bytes })
            }
            Self::Generated { kind, seed: own } => {
                let Some(default) = game.map_kinds().first() else {
                    return Err(Error::user(format!("{} generates no maps", game.title())).hint("--map FILE"));
                };
                let kind = kind.as_deref().unwrap_or(default.name);
                let seed = own.unwrap_or(seed);
                // Some kinds carry a size in their name: only the game knows whether there is such a one.
                let text = game.generate(kind, seed, seats).map_err(|flaw| {
                    let error = Error::from(Flaw { what: clean(&flaw.what), ..flaw });
                    if game.map_kinds().iter().any(|k| k.name == kind) {
                        return error;
                    }
                    let kinds = list(game.map_kinds().iter().map(|k| format!("gen:{}", k.name)));
                    error.hint(format!("the maps of {} are: {kinds}", game.title()))
                })?;
                Ok(Map { name: format!("gen:{kind}:{seed}"), bytes: text.into_bytes() })
            }
        }
    }
}

impl Map {
    /// As UTF-8, which every map format is.
    ///
    /// # Errors
    /// It is not: with the line and the column.
    pub fn text(&self) -> Result<String> {
        std::str::from_utf8(&self.bytes).map(str::to_owned).map_err(|e| {
            let before = &self.bytes[..e.valid_up_to()];
            let line = before.iter().filter(|b| **b == b'\n').count() + 1;
            let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
            let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
            let flaw = Flaw::new("a map is UTF-8 text").at(line, column);
            Error::in_text(&self.name, &self.bytes, flaw)
        })
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
        let map = Map { name: "m".into(), bytes: b"ab\nc\xffd\n".to_vec() };
        let shown = map.text().expect_err("not UTF-8").render(false);
        assert!(shown.contains("m:2:2"), "{shown}");
    }
}

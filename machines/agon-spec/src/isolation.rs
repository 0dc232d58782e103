//! Levels of isolation: how well the bots of a match are separated from the host, from the referee and from each other.

use agon_core::Flaw;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{fmt, str::FromStr};

/// A level of isolation. Each level includes the protections of the weaker ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum Isolation {
    /// A bot may do everything that the user who started the match may do.
    None,
    /// The kernel limits the bot's access to files, network, signals, processes and memory.
    Restricted,
    /// The bot has a private, read-only system. It sees no other process and no other file.
    Full,
}

impl Isolation {
    /// Every level. The weakest comes first.
    pub const ALL: [Self; 3] = [Self::None, Self::Restricted, Self::Full];

    /// Returns the name of the level on the command line and in documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Restricted => "restricted",
            Self::Full => "full",
        }
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Isolation {
    type Err = Flaw;

    fn from_str(text: &str) -> Result<Self, Flaw> {
        Self::ALL.into_iter().find(|level| level.name() == text).ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            Flaw::new(format!("`{shown}` is not a level of isolation")).hint("the levels are: full, restricted, none")
        })
    }
}

impl Serialize for Isolation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Isolation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(|flaw: Flaw| D::Error::custom(flaw.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_the_levels_are_ordered() {
        for level in Isolation::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        assert!("FULL".parse::<Isolation>().is_err());
        assert!(Isolation::ALL.is_sorted());
    }
}

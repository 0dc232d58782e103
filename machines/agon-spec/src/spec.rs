//! The description of a match. The command line, the replay header and other programs share it.

use crate::{
    Fuel, Isolation,
    shape::{ClockText, DerivationName, SeedNumber, StateTree},
};
use agon_core::{ClockPolicy, Derivation, Seat, Seed, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The description of a match. Together with the answers of the bots it determines the result.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MatchSpec {
    /// The name of the game on the command line.
    pub game: String,
    /// The rule set in its shortest form: its name, and then the points in which it was changed.
    pub rules: String,
    /// The source of the map, for people only: for example `gen:island:7`, or the name of a file.
    pub map_name: String,
    /// The whole text of the map.
    pub map: String,
    /// What the first position has beyond the map. The key is missing if the match starts from the map alone.
    #[serde(default, skip_serializing_if = "State::is_empty")]
    #[schemars(with = "StateTree")]
    pub state: State,
    /// The seed of every random choice in the match.
    #[schemars(with = "SeedNumber")]
    pub seed: Seed,
    /// How the seeds of the map and of built-in bots follow from it. The key is missing if they follow by a fast hash, as in
    /// older replays.
    #[serde(default = "fast", skip_serializing_if = "Derivation::is_fast")]
    #[schemars(with = "DerivationName")]
    pub seeds: Derivation,
    /// The limit in rounds or turns. If the key is missing, the game's default applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The seats with their bots, in order.
    pub seats: Vec<SeatSpec>,
    /// The clock: how long bots may take.
    #[schemars(with = "ClockText")]
    pub clock: ClockPolicy,
    /// The limits on the resources of bots.
    #[serde(default)]
    pub limits: Limits,
}

/// The bot in a seat.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SeatSpec {
    /// The name of the bot. It is unique in the match, for example `random#2`.
    pub name: String,
    /// The bot as the user named it, for example `@random` or `python3 bot.py`. The text is empty if another program
    /// recorded the match.
    pub bot: String,
    /// The options of the seat, as pairs of name and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dialect: Vec<(String, String)>,
    /// The clock of this seat. If the key is missing, the clock of the match applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ClockText>")]
    pub clock: Option<ClockPolicy>,
    /// The memory limit of this seat in MiB. If the key is missing, that of the match applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u32>,
}

impl MatchSpec {
    /// Describes a match from the start of a map, without a name for it, a limit or a clock, and with the seed 0.
    #[must_use]
    pub fn new(
        game: impl Into<String>,
        rules: impl Into<String>,
        map: impl Into<String>,
        seats: impl IntoIterator<Item = SeatSpec>,
    ) -> Self {
        Self {
            game: game.into(),
            rules: rules.into(),
            map_name: String::new(),
            map: map.into(),
            state: State::default(),
            seed: Seed(0),
            seeds: Derivation::Keyed,
            limit: None,
            seats: seats.into_iter().collect(),
            clock: ClockPolicy::OFF,
            limits: Limits::default(),
        }
    }

    /// Returns the seed of the built-in bot in a seat.
    #[must_use]
    pub fn bot_seed(&self, seat: Seat) -> Seed {
        self.seeds.bot(self.seed, seat)
    }

    /// Returns how much memory the processes of the bot in this seat may use together, in MiB. `None` if it is not limited.
    #[must_use]
    pub fn memory_mib(&self, seat: Seat) -> Option<u32> {
        self.seats.get(seat.index()).and_then(|seat| seat.memory_mib).or(self.limits.memory_mib)
    }
}

/// The derivation of a description that does not say.
fn fast() -> Derivation {
    Derivation::Fast
}

impl SeatSpec {
    /// Describes a seat with the words that a user gave for its bot, which are its name, too.
    #[must_use]
    pub fn of_words(words: impl Into<String>) -> Self {
        let bot = words.into();
        Self { name: bot.clone(), bot, ..Self::default() }
    }

    /// The sign before the name of a built-in bot.
    pub const BUILTIN: char = '@';

    /// Returns whether the bot is a built-in one. The clock of the match does not limit such a bot.
    #[must_use]
    pub fn is_builtin(&self) -> bool {
        self.bot.starts_with(Self::BUILTIN)
    }
}

/// Limits on the resources of each bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Limits {
    /// The most bytes of a bot's output that may wait for the referee. A bot that writes more fails.
    pub inbox: u32,
    /// The most bytes of a bot's stderr that Agon keeps.
    pub stderr: u32,
    /// The most memory that all processes of a bot may use together, in MiB. If the key is missing, there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u32>,
    /// The level of isolation of the bots. The key is missing if the level is not known, as in older replays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Isolation>,
    /// How many instructions each WASM bot may use. The key is missing if no bot is a WASM module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fuel: Option<Fuel>,
    /// The number of cores that each bot had to itself while it ran. Missing if the match was not kept on any cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<u32>,
    /// Whether bots shared cores and were asked one after the other.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_turn: bool,
    /// Whether bots could compute outside their own turn.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ponder: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            inbox: 1 << 20,
            stderr: 64 << 10,
            memory_mib: None,
            isolation: None,
            fuel: None,
            cores: None,
            in_turn: false,
            ponder: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_match_reads_back_from_json() {
        let text = r#"{"game":"toy","rules":"spec","map_name":"m","map":"5","seed":7,"seats":[{"name":"a","bot":"@random"}],"clock":"move=1s"}"#;
        let spec: MatchSpec = serde_json::from_str(text).expect("a match");
        assert_eq!(spec.clock.hard, Some(Duration::from_secs(1)));
        assert_eq!(spec.seeds, Derivation::Fast, "an older description does not say");
        let keyed = MatchSpec { seeds: Derivation::Keyed, ..spec.clone() };
        for spec in [spec, keyed] {
            let again: MatchSpec = serde_json::from_str(&serde_json::to_string(&spec).expect("json")).expect("a match");
            assert_eq!(again, spec);
        }
    }
}

//! One match, described: what the command line, tournaments, workers, Python and the replay header share.

use crate::{
    Fuel, Isolation,
    shape::{ClockText, SeedNumber},
};
use agon_core::{ClockPolicy, Seed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything that decides a match beside what the bots answer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MatchSpec {
    /// The name of the game, as on the command line.
    pub game: String,
    /// The rule set in its shortest form: its name, then the points in which it was changed.
    pub rules: String,
    /// Where the map came from, as `gen:island:7` or the name of a file. For people only.
    pub map_name: String,
    /// The whole text of the map.
    pub map: String,
    /// The number from which everything random in the match comes.
    #[schemars(with = "SeedNumber")]
    pub seed: Seed,
    /// After how many rounds or turns the match ends; missing: the default of the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Who plays, one for each seat.
    pub seats: Vec<SeatSpec>,
    /// How long bots may take.
    #[schemars(with = "ClockText")]
    pub clock: ClockPolicy,
    /// What bots may use.
    #[serde(default)]
    pub limits: Limits,
}

/// Who plays in a seat.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SeatSpec {
    /// The name of the bot. No two bots of a match have the same, as `random#2`.
    pub name: String,
    /// What was asked for, as `@random` or `python3 bot.py`; empty if another program recorded the match.
    pub bot: String,
    /// The options of the seat, as pairs of name and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dialect: Vec<(String, String)>,
    /// The clock of this seat; missing: that of the match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ClockText>")]
    pub clock: Option<ClockPolicy>,
}

impl SeatSpec {
    /// The sign before the name of a built-in bot.
    pub const BUILTIN: char = '@';

    /// Whether a built-in bot was asked for, which no clock of the match limits.
    #[must_use]
    pub fn is_builtin(&self) -> bool {
        self.bot.starts_with(Self::BUILTIN)
    }
}

/// What a bot may use, and how much of its output is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Limits {
    /// How many bytes of a bot's output may wait to be read; more is a fault.
    pub inbox: u32,
    /// How many bytes of a bot's stderr are kept.
    pub stderr: u32,
    /// How much memory the processes of a bot may use together, in MiB; missing: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u32>,
    /// How far bots are kept from everything else; missing where that is not known, as in older replays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Isolation>,
    /// How many instructions each WASM bot may use; missing if there is no such bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fuel: Option<Fuel>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { inbox: 1 << 20, stderr: 64 << 10, memory_mib: None, isolation: None, fuel: None }
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
        let again: MatchSpec = serde_json::from_str(&serde_json::to_string(&spec).expect("json")).expect("a match");
        assert_eq!(again, spec);
    }
}

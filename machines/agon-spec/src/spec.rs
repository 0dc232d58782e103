//! One match, described: what the command line, tournaments, workers, Python and the replay header share.

use crate::{Fuel, Isolation};
use agon_core::{ClockPolicy, Seed};
use serde::{Deserialize, Serialize};

/// Everything that decides a match beside what the bots answer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchSpec {
    /// [`Game::NAME`](agon_core::Game::NAME).
    pub game: String,
    /// The rule set, as [`rules::print`](agon_core::rules::print) writes it.
    pub rules: String,
    /// Where the map came from, as `gen:island:7` or a file's name. For people only.
    pub map_name: String,
    /// The whole map file.
    pub map: String,
    /// What everything random in this match comes from.
    pub seed: Seed,
    /// Rounds or turns; `None` is the game's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// One a seat.
    pub seats: Vec<SeatSpec>,
    /// How long bots may take.
    pub clock: ClockPolicy,
    /// What bots may use.
    #[serde(default)]
    pub limits: Limits,
}

/// Who sits in a seat.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SeatSpec {
    /// Unique within the match, as `random#2`.
    pub name: String,
    /// What was asked for, as `@random` or `python3 bot.py`.
    pub bot: String,
    /// Options of the dialogue, looked up in [`Contest::DIALECT`](agon_core::Contest::DIALECT).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dialect: Vec<(String, String)>,
    /// A clock of its own, where it differs from the match's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockPolicy>,
}

/// What a bot's process may use and how much of its output is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Unread output of a bot in bytes; more is a fault.
    pub inbox: u32,
    /// How much of a bot's stderr is kept, in bytes.
    pub stderr: u32,
    /// How much memory a bot's processes may have in use together, in MiB; `None` is unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u32>,
    /// How far bots are kept from everything else; `None` where nobody has said so, as in older replays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Isolation>,
    /// How many instructions each WASM bot may use; `None` where there is none.
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

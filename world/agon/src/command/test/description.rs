//! What a store says about the test that it is of, and what differs from the test that is to be continued.

use super::contest::Contest;
use crate::{
    clean::{clean, cut},
    error::{Error, Result},
};
use agon_core::Seed;
use agon_play::MapSource;
use agon_spec::SeatSpec;
use agon_tourney::ComparisonTerms;
use serde_json::{Map, Value, json};
use std::path::Path;

/// The version of the description.
const VERSION: u64 = 1;
/// The key that marks the description of a test.
const MARK: &str = "agon_test";

/// A test in all that decides its matches and its answer, with one key for each option of the command.
#[derive(Clone, PartialEq, Debug)]
pub struct Description(Map<String, Value>);

impl Description {
    pub fn of(contest: &Contest, terms: &ComparisonTerms, is_null: bool) -> Self {
        let bot = |index: usize| {
            let bot = &contest.bots[index];
            json!({ "bot": bot.bot().words, "hash": bot.hash().map(|hash| hash.to_string()) })
        };
        let spec = &contest.spec;
        let map = match &contest.terms.map {
            // A file may change under its name.
            MapSource::File(_) => json!(spec.map),
            MapSource::Generated { kind, seed } => json!({ "kind": kind, "seed": seed }),
        };
        let seat = |seat: &SeatSpec| SeatSpec { name: String::new(), bot: String::new(), ..seat.clone() };
        let seats: Vec<SeatSpec> = spec.seats.iter().map(seat).collect();
        let field: Vec<Value> = (2..contest.bots.len()).map(bot).collect();
        let all = json!({
            MARK: VERSION,
            "game": spec.game,
            "old": bot(0),
            "new": bot(1),
            "field": field,
            "rules": spec.rules,
            "map": map,
            "seed": terms.seed,
            "rounds": spec.limit,
            "time": spec.clock.to_string(),
            "limits": spec.limits,
            "seat": seats,
            "cores": contest.placement.cores,
            "ponder": contest.placement.ponder,
            "measure": terms.measure,
            "bounds": terms.bounds,
            "alpha": terms.alpha,
            "beta": terms.beta,
            "equivalent": terms.equivalent,
            "null": is_null,
        });
        match all {
            Value::Object(keys) => Self(keys),
            _ => Self(Map::new()),
        }
    }

    /// Reads the description that a store has.
    ///
    /// # Errors
    /// The store is of something else, for example of a tournament, or of a newer Agon.
    pub fn read(text: &str, store: &Path) -> Result<Self> {
        let shown = clean(&store.display().to_string());
        match serde_json::from_str(text) {
            Ok(Value::Object(keys)) if keys.get(MARK) == Some(&json!(VERSION)) => Ok(Self(keys)),
            Ok(Value::Object(keys)) if keys.contains_key(MARK) => {
                Err(Error::user(format!("`{shown}` is of a newer Agon")).hint("use the version of Agon that wrote it"))
            }
            _ => Err(Error::user(format!("`{shown}` is not the store of a test")).hint("name another file")),
        }
    }

    pub fn text(&self) -> String {
        Value::Object(self.0.clone()).to_string()
    }

    /// Returns the seed of the test.
    pub fn seed(&self) -> Option<Seed> {
        self.0.get("seed").and_then(Value::as_u64).map(Seed)
    }

    /// Checks that a test may continue what this one, of a store, has begun.
    ///
    /// # Errors
    /// Bots, rules, bounds or anything else that decides the result are others. The error says which.
    pub fn refuse_other(&self, now: &Self, store: &Path) -> Result<()> {
        let keys = now.0.iter().filter(|(key, value)| !same(self.0.get(*key), value));
        let differences: Vec<String> = keys
            .map(|(key, value)| {
                format!("{key}: {} before, now {}", shown(self.0.get(key).unwrap_or(&Value::Null)), shown(value))
            })
            .collect();
        if differences.is_empty() {
            return Ok(());
        }
        let store = clean(&store.display().to_string());
        Err(Error::user(format!("`{store}` is of another test: {}", differences.join("; ")))
            .hint("continue with the same options, or name another store"))
    }
}

/// Whether two values say the same. A bot is known by its hash, whatever words name it.
fn same(before: Option<&Value>, now: &Value) -> bool {
    let Some(before) = before else { return false };
    match (before, now) {
        (Value::Array(before), Value::Array(now)) => {
            before.len() == now.len() && before.iter().zip(now).all(|(before, now)| same(Some(before), now))
        }
        _ => {
            let hash = |value: &Value| value.get("hash").and_then(Value::as_str).map(str::to_owned);
            before == now || hash(before).is_some_and(|before| hash(now) == Some(before))
        }
    }
}

/// Returns a value for people: of a bot, its words, and where these are the same, nothing tells more than its hash.
fn shown(value: &Value) -> String {
    let text = match (value.get("bot").and_then(Value::as_str), value.get("hash").and_then(Value::as_str)) {
        (Some(bot), Some(hash)) => format!("`{bot}` ({})", cut(hash, 16)),
        (Some(bot), None) => format!("`{bot}`"),
        _ => match value {
            Value::String(text) => format!("`{text}`"),
            other => other.to_string(),
        },
    };
    clean(&cut(&text, 80))
}

//! What a store says about what it is of, and what differs from what is to be continued.

use super::contest::Contest;
use crate::{
    clean::{clean, cut},
    error::{Error, Result},
};
use agon_core::{Derivation, Seed};
use agon_play::MapSource;
use agon_spec::SeatSpec;
use agon_stats::EmptyCells;
use agon_tourney::{ComparisonTerms, TuningTerms};
use serde_json::{Map, Value, json};
use std::path::Path;

/// The version of the description.
const VERSION: u64 = 1;
/// The key of how empty cells are treated. Without it they are treated as usual.
const EMPTY: &str = "empty";
/// The key of how seeds follow from the seed. Without it they follow by a fast hash, as in older stores.
const SEEDS: &str = "seeds";

/// What a store is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Test,
    Tuning,
}

impl Kind {
    /// Returns what a store is of whose file has this text. `None` if it is of a tournament.
    pub fn of(text: &str) -> Option<Self> {
        let keys: Map<String, Value> = serde_json::from_str(text).ok()?;
        [Self::Test, Self::Tuning].into_iter().find(|kind| keys.contains_key(kind.mark()))
    }

    /// Returns the command that makes such stores.
    pub fn command(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Tuning => "tune",
        }
    }

    /// Returns the key that marks the description.
    fn mark(self) -> &'static str {
        match self {
            Self::Test => "agon_test",
            Self::Tuning => "agon_tune",
        }
    }

    /// Returns the kind in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Test => "a test",
            Self::Tuning => "a run of tuning",
        }
    }
}

/// What decides the matches and the answer of a test, or of a run of tuning, with one key for each option of the command.
#[derive(Clone, PartialEq, Debug)]
pub struct Description {
    kind: Kind,
    keys: Map<String, Value>,
}

impl Description {
    pub fn of(contest: &Contest, terms: &ComparisonTerms, is_null: bool) -> Self {
        let bot = |index: usize| {
            let bot = &contest.bots[index];
            json!({ "bot": bot.bot().words, "hash": bot.hash().map(|hash| hash.to_string()) })
        };
        let field: Vec<Value> = (2..contest.bots.len()).map(bot).collect();
        let mut own = json!({
            "old": bot(0),
            "new": bot(1),
            "field": field,
            "seed": terms.seed,
            "measure": terms.measure,
            "bounds": terms.bounds,
            "alpha": terms.alpha,
            "beta": terms.beta,
            "equivalent": terms.equivalent,
            "null": is_null,
        });
        if !terms.empty.is_default() {
            own[EMPTY] = json!(terms.empty);
        }
        Self::with(Kind::Test, contest, own)
    }

    /// Describes a run of tuning. `words` is the command with the names of the parameters.
    pub fn of_tuning(contest: &Contest, terms: &TuningTerms, words: &str) -> Self {
        let hash = contest.bots.first().and_then(|bot| bot.hash()).map(|hash| hash.to_string());
        let own = json!({
            "command": words,
            "start": { "bot": contest.bots.first().map(|bot| &bot.bot().words), "hash": hash },
            "seed": terms.seed,
            "param": terms.parameters,
            "games": 2 * u64::from(terms.iterations),
        });
        Self::with(Kind::Tuning, contest, own)
    }

    /// Adds what every match has.
    fn with(kind: Kind, contest: &Contest, own: Value) -> Self {
        let spec = &contest.spec;
        let map = |(source, text): &(MapSource, String)| match source {
            // A file may change under its name.
            MapSource::File(_) => json!(text),
            MapSource::Generated { kind, seed } => json!({ "kind": kind, "seed": seed }),
        };
        let map = match &contest.maps[..] {
            [one] => map(one),
            several => several.iter().map(map).collect(),
        };
        let seat = |seat: &SeatSpec| SeatSpec { name: String::new(), bot: String::new(), ..seat.clone() };
        let seats: Vec<SeatSpec> = spec.seats.iter().map(seat).collect();
        let all = json!({
            "game": spec.game,
            "rules": spec.rules,
            "map": map,
            "rounds": spec.limit,
            "time": spec.clock.to_string(),
            "limits": spec.limits,
            "seat": seats,
            "cores": contest.placement.cores,
            "ponder": contest.placement.ponder,
        });
        let mut keys = Map::new();
        keys.insert(kind.mark().to_owned(), json!(VERSION));
        for part in [own, all] {
            if let Value::Object(part) = part {
                keys.extend(part);
            }
        }
        if !contest.terms.seeds.is_fast() {
            keys.insert(SEEDS.to_owned(), json!(contest.terms.seeds));
        }
        if contest.variables.iter().any(|variables| !variables.is_empty()) {
            keys.insert("env".to_owned(), json!(contest.variables));
        }
        Self { kind, keys }
    }

    /// Reads the description that a store has.
    ///
    /// # Errors
    /// The store is of something else, for example of a tournament, or of a newer Agon.
    pub fn read(text: &str, store: &Path, kind: Kind) -> Result<Self> {
        let shown = clean(&store.display().to_string());
        match serde_json::from_str(text) {
            Ok(Value::Object(keys)) if keys.get(kind.mark()) == Some(&json!(VERSION)) => Ok(Self { kind, keys }),
            Ok(Value::Object(keys)) if keys.contains_key(kind.mark()) => {
                Err(Error::user(format!("`{shown}` is of a newer Agon")).hint("use the version of Agon that wrote it"))
            }
            _ => {
                let kind = kind.words();
                Err(Error::user(format!("`{shown}` is not the store of {kind}")).hint("name another file"))
            }
        }
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub fn text(&self) -> String {
        Value::Object(self.keys.clone()).to_string()
    }

    /// Returns the seed.
    pub fn seed(&self) -> Option<Seed> {
        self.keys.get("seed").and_then(Value::as_u64).map(Seed)
    }

    /// Returns how other seeds follow from it.
    pub fn seeds(&self) -> Derivation {
        if self.keys.contains_key(SEEDS) { Derivation::Keyed } else { Derivation::Fast }
    }

    /// Checks that what is described now may continue what this one, of a store, has begun.
    ///
    /// # Errors
    /// Bots, rules, bounds or anything else that decides the result are others. The error says which.
    pub fn refuse_other(&self, now: &Self, store: &Path) -> Result<()> {
        let gone = self.keys.keys().filter(|key| !now.keys.contains_key(*key));
        let of = |keys: &Map<String, Value>, key: &str| keys.get(key).cloned().unwrap_or_else(|| usual(key));
        let differences: Vec<String> = now
            .keys
            .keys()
            .chain(gone)
            .map(|key| (key, of(&self.keys, key), of(&now.keys, key)))
            .filter(|(_, before, now)| !same(before, now))
            .map(|(key, before, now)| format!("{key}: {} before, now {}", shown(&before), shown(&now)))
            .collect();
        if differences.is_empty() {
            return Ok(());
        }
        let store = clean(&store.display().to_string());
        let kind = if self.kind == Kind::Test { "test" } else { "run of tuning" };
        Err(Error::user(format!("`{store}` is of another {kind}: {}", differences.join("; ")))
            .hint("continue with the same options, or name another store"))
    }
}

/// Returns what a key says that is left out where all is as usual.
fn usual(key: &str) -> Value {
    if key == EMPTY { json!(EmptyCells::default()) } else { Value::Null }
}

/// Whether two values say the same. A bot is known by its hash, whatever words name it.
fn same(before: &Value, now: &Value) -> bool {
    match (before, now) {
        (Value::Array(before), Value::Array(now)) => {
            before.len() == now.len() && before.iter().zip(now).all(|(before, now)| same(before, now))
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

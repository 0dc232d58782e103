//! What `agon games` prints.

use crate::shape::ClockText;
use agon_core::ClockPolicy;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything that can be chosen about a game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GameDocument {
    /// The name of the game, as on the command line.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// What it is about, in one sentence.
    pub about: String,
    /// The smallest and the largest number of seats.
    pub seats: [usize; 2],
    /// The number of seats where nothing says otherwise.
    pub default_seats: usize,
    /// How long a match is; `null` if only the rules end it.
    pub limit: Option<LimitDescription>,
    /// The names of the rule sets; the first is the default.
    pub rules: Vec<String>,
    /// The points in which rule sets differ.
    pub points: Vec<PointDescription>,
    /// The names of the built-in bots, the weakest first.
    pub bots: Vec<String>,
    /// The same bots with a description.
    pub bots_about: Vec<NameDescription>,
    /// The kinds of map that can be generated.
    pub maps: Vec<NameDescription>,
    /// The options of a seat that change what its bot is told.
    pub dialect: Vec<DialectDescription>,
    /// The clock where nothing says otherwise.
    #[schemars(with = "ClockText")]
    pub clock: ClockPolicy,
    /// Other clocks that can be chosen by name.
    #[schemars(with = "IndexMap<String, ClockText>")]
    pub clocks: IndexMap<String, ClockPolicy>,
    /// How much memory a bot may have in MiB where nothing says otherwise; `null` if the game says nothing about it.
    pub memory_mib: Option<u32>,
    /// The formats of the original contest in which matches are exported and imported.
    pub formats: Vec<FormatDescription>,
}

/// How long a match is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LimitDescription {
    /// The limit where nothing says otherwise.
    pub default: u32,
    /// What it counts, as `rounds` or `turns`.
    pub unit: String,
}

/// A point in which rule sets differ.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PointDescription {
    /// Its name, as in `--rules spec,NAME=VALUE`.
    pub name: String,
    /// What it decides.
    pub about: String,
    /// The values that it may have.
    pub values: Vec<String>,
    /// The value in each rule set.
    pub sets: IndexMap<String, Option<String>>,
}

/// Something that is chosen by name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NameDescription {
    /// Its name, as on the command line.
    pub name: String,
    /// What it is.
    pub about: String,
}

/// An option of a seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DialectDescription {
    /// Its name, as in `--seat N:NAME=VALUE`.
    pub name: String,
    /// What it changes.
    pub about: String,
    /// The values that it may have; the first is the default.
    pub values: Vec<String>,
}

/// A format of the original contest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FormatDescription {
    /// Its name, as in `agon replay export --to NAME`.
    pub name: String,
    /// What it is.
    pub about: String,
    /// The usual ending of such files.
    pub ending: String,
    /// Whether matches can be imported from it. All formats can be exported to.
    pub import: bool,
}

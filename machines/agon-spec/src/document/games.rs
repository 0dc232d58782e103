//! The documents of `agon games`.

use crate::shape::ClockText;
use agon_core::ClockPolicy;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A game and everything that a user can choose about it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GameDocument {
    /// The name of the game on the command line.
    pub name: String,
    /// The name of the game for people.
    pub title: String,
    /// One sentence that says what the game is about.
    pub about: String,
    /// The smallest and the largest number of seats.
    pub seats: [usize; 2],
    /// The default number of seats.
    pub default_seats: usize,
    /// The limit on the length of a match. `null` if only the rules end a match.
    pub limit: Option<LimitDescription>,
    /// The names of the rule sets. The first is the default.
    pub rules: Vec<String>,
    /// The points in which rule sets differ.
    pub points: Vec<PointDescription>,
    /// The names of the built-in bots. The weakest comes first.
    pub bots: Vec<String>,
    /// The built-in bots with descriptions, in the same order.
    pub bots_about: Vec<NameDescription>,
    /// The kinds of maps that the game can generate.
    pub maps: Vec<NameDescription>,
    /// The options of a seat that change the messages to its bot.
    pub dialect: Vec<DialectDescription>,
    /// The default clock.
    #[schemars(with = "ClockText")]
    pub clock: ClockPolicy,
    /// Other clocks by name. A user can choose them on the command line.
    #[schemars(with = "IndexMap<String, ClockText>")]
    pub clocks: IndexMap<String, ClockPolicy>,
    /// The default memory limit of a bot, in MiB. `null` if the game sets none.
    pub memory_mib: Option<u32>,
    /// The formats of the original contest that Agon can export matches to or import them from.
    pub formats: Vec<FormatDescription>,
}

/// A limit on the length of a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LimitDescription {
    /// The default limit.
    pub default: u32,
    /// What the limit counts: `rounds` or `turns`.
    pub unit: String,
}

/// A point in which rule sets differ.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PointDescription {
    /// The name of the point, as in `--rules spec,NAME=VALUE`.
    pub name: String,
    /// What the point decides.
    pub about: String,
    /// The values that the point may have.
    pub values: Vec<String>,
    /// The value of the point in each rule set.
    pub sets: IndexMap<String, Option<String>>,
}

/// A choice that has a name on the command line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NameDescription {
    /// The name on the command line.
    pub name: String,
    /// A short description.
    pub about: String,
}

/// An option of a seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DialectDescription {
    /// The name of the option, as in `--seat N:NAME=VALUE`.
    pub name: String,
    /// What the option changes.
    pub about: String,
    /// The values that the option may have. The first is the default.
    pub values: Vec<String>,
}

/// A format of the original contest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FormatDescription {
    /// The name of the format, as in `agon replay export --to NAME`.
    pub name: String,
    /// A short description.
    pub about: String,
    /// The usual ending of such files, without the dot.
    pub ending: String,
    /// Whether Agon can import matches from the format. It can export matches to every format.
    pub import: bool,
}

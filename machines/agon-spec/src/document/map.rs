//! What `agon map check` and `agon map show` print.

use crate::{Mark, shape::FrameShape};
use agon_core::Frame;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a map can be played on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MapCheckDocument {
    /// The game.
    pub game: String,
    /// Where the map came from: a file, or `gen:` with a kind and a seed.
    pub map: String,
    /// For how many bots it was checked.
    pub seats: usize,
    /// The fingerprint of the first position; `null` if the map is flawed.
    #[schemars(with = "Option<Mark>")]
    pub fingerprint: Option<String>,
    /// What is wrong with it; `null` if it is a good map.
    pub flaw: Option<FlawDocument>,
}

/// What is wrong with a text, and where.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FlawDocument {
    /// What is wrong.
    pub text: String,
    /// The line, counted from 1; `null` if the flaw is in no single place.
    pub line: Option<u32>,
    /// The column, counted from 1 in characters; `null` if the flaw is in no single place.
    pub column: Option<u32>,
    /// How to mend it.
    pub hint: Option<String>,
}

/// A map and the board that it makes.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct MapShowDocument {
    /// The game.
    pub game: String,
    /// Where the map came from: a file, or `gen:` with a kind and a seed.
    pub map: String,
    /// For how many bots it is.
    pub seats: usize,
    /// The map in the game's normal form.
    pub text: String,
    /// The first position, drawn.
    #[schemars(with = "FrameShape")]
    pub frame: Frame,
}

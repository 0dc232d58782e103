//! The documents of `agon map check` and `agon map show`.

use crate::{Mark, shape::FrameShape};
use agon_core::Frame;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a match can be played on a map.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MapCheckDocument {
    /// The name of the game.
    pub game: String,
    /// The source of the map: a file, or `gen:` with a kind and a seed.
    pub map: String,
    /// The number of bots for which the map was checked.
    pub seats: usize,
    /// The fingerprint of the first position. `null` if the map has a flaw.
    #[schemars(with = "Option<Mark>")]
    pub fingerprint: Option<String>,
    /// What is wrong with the map. `null` if nothing is.
    pub flaw: Option<FlawDocument>,
}

/// An error in a text, with its place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FlawDocument {
    /// What is wrong.
    pub text: String,
    /// The line, counted from 1. `null` if the flaw has no single place.
    pub line: Option<u32>,
    /// The column in characters, counted from 1. `null` if the flaw has no single place.
    pub column: Option<u32>,
    /// How to repair the flaw. `null` if there is no hint.
    pub hint: Option<String>,
}

/// A map and its board.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct MapShowDocument {
    /// The name of the game.
    pub game: String,
    /// The source of the map: a file, or `gen:` with a kind and a seed.
    pub map: String,
    /// The number of bots on the map.
    pub seats: usize,
    /// The map in the game's normal form.
    pub text: String,
    /// The picture of the first position.
    #[schemars(with = "FrameShape")]
    pub frame: Frame,
}

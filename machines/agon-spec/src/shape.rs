//! The form of `agon-core`'s types in a document. That crate has no schemas, so this module describes each of its types
//! that documents contain. The tests compare the descriptions with the types.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// Implements `JsonSchema` for a type by hand: its name in a schema, and the schema itself.
macro_rules! shape {
    ($type:ident as $name:literal: $schema:tt) => {
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                Cow::Borrowed($name)
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

pub(crate) use shape;

/// The schema of [`agon_core::ClockPolicy`].
pub(crate) struct ClockText;

shape!(
    ClockText as "Clock": {
        "type": "string",
        "description": "A clock: its parts, separated by commas, for example \
                        `off,greeting=2s,move=1s,first=+2s,policy=fair`. `off` means no limit, and every other part sets \
                        a limit.",
        "examples": ["off,policy=wall", "off,move=1s,first=+2s,policy=fair", "off,bank=180s,increment=1s,policy=cpu"],
    }
);

/// The schema of [`agon_core::Seed`].
pub(crate) struct SeedNumber;

shape!(
    SeedNumber as "Seed": {
        "type": "integer",
        "minimum": 0,
        "maximum": u64::MAX,
        "description": "The seed of every random choice. It has up to 64 bits, so a reader that uses floating point for \
                        numbers rounds seeds above 2^53.",
    }
);

/// The schema of [`agon_core::Derivation`].
pub(crate) struct DerivationName;

shape!(
    DerivationName as "Derivation": {
        "type": "string",
        "enum": ["fast", "keyed"],
        "description": "How other seeds follow from a seed: `keyed`, by HMAC-SHA-256, or `fast`, by a hash that can be \
                        computed back.",
    }
);

/// The schema of [`agon_core::Seat`].
pub(crate) struct SeatNumber;

shape!(
    SeatNumber as "Seat": {
        "type": "integer",
        "minimum": 1,
        "maximum": 32,
        "description": "A seat, counted from 1 in the order of the bots on the command line.",
    }
);

/// The schema of [`agon_core::State`].
pub(crate) struct StateTree;

shape!(
    StateTree as "State": {
        "type": "object",
        "description": "What a position has beyond its map: named items, which the game defines. Values are whole numbers, \
                        texts, lists and objects. An item that is left out is as at the start of a match on the map.",
        "examples": [{ "round": 12, "players": { "1": { "keys": ["3,4"] } } }],
    }
);

/// Why a match ended.
#[derive(JsonSchema)]
#[schemars(rename = "Ending", rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum EndingShape {
    /// The match has not ended, or it was aborted.
    Unfinished,
    /// The match reached its limit of rounds or turns.
    Limit,
    /// At most one seat is left on the board.
    Elimination,
    /// No lawful move is left.
    Complete,
    /// A bot failed, and by the rules that ended the match.
    Forfeit,
}

/// The scores and places of a match, and why it ended.
#[derive(JsonSchema)]
#[schemars(rename = "Standing")]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct StandingShape {
    /// The score of each seat, in the unit of the game: ships, points or tiles.
    scores: Vec<i64>,
    /// The place of each seat. The winner has place 1. Equal seats share the better place (1, 1, 3). If no seat has
    /// place 1, no seat won.
    places: Vec<u8>,
    /// Why the match ended.
    ending: EndingShape,
}

/// How a seat failed, as far as it matters to the rules.
#[derive(JsonSchema)]
#[schemars(rename = "Failure", rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum FailureShape {
    /// The bot made no complete decision within its time.
    Late,
    /// The process of the bot ended, closed a pipe, never started, or was stopped.
    Gone,
    /// The bot wrote something that the protocol does not allow.
    Nonsense,
    /// The rules refused the order with this index, counted from 0.
    Unlawful(u32),
}

/// A picture of a position, in the game's own coordinates.
#[derive(JsonSchema)]
#[schemars(rename = "Frame")]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct FrameShape {
    /// The smallest visible x and y.
    low: [f32; 2],
    /// The largest visible x and y.
    high: [f32; 2],
    /// Whether y grows upwards.
    y_up: bool,
    /// The side length of a cell, or 0 if the game has no cells. A cell at (x, y) has its centre there.
    cell: f32,
    /// The things on the board in drawing order. Later items cover earlier ones.
    items: Vec<ItemShape>,
    /// One line for each seat, shown below the board.
    captions: Vec<String>,
    /// The turn or round in the game's own words, for example `round 12 of 1200`.
    title: String,
}

/// One thing on the board.
#[derive(JsonSchema)]
#[schemars(rename = "FrameItem")]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct ItemShape {
    /// The shape, with its place and size.
    shape: FigureShape,
    /// The class in the style sheet, which says what the item is: `wall`, `planet`, `fleet`.
    class: String,
    /// The seat that owns the item. The key is missing if no seat owns it.
    #[schemars(with = "SeatNumber")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seat: Option<u8>,
    /// The opacity, from 0 to 1.
    strength: f32,
    /// The tooltip. The key is missing if the item has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    tip: String,
}

/// A shape with its place and size.
#[derive(JsonSchema)]
#[schemars(rename = "FrameShape", rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum FigureShape {
    /// A cell: its centre.
    Cell([f32; 2]),
    /// A disc: its centre and its radius.
    Disc([f32; 2], f32),
    /// A line: its two ends.
    Line([f32; 2], [f32; 2]),
    /// A polygon: its corners in order.
    Polygon(Vec<[f32; 2]>),
    /// A text: the point at which it is centred, and its characters.
    Label([f32; 2], String),
}

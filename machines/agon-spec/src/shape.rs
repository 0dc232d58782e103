//! What the types of `agon-core` look like in a document. The ground has no schemas, so each of its types that occurs in
//! a document is described here once more; the tests hold the two against each other.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// Describes a type that is not written as its fields: its name in a schema, and the schema.
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

/// [`agon_core::ClockPolicy`].
pub(crate) struct ClockText;

shape!(
    ClockText as "Clock": {
        "type": "string",
        "description": "A clock: its parts, separated by commas, as `off,greeting=2s,move=1s,first=+2s,policy=fair`. \
                        `off` means no limit; a part that is missing sets none.",
        "examples": ["off,policy=wall", "off,move=1s,first=+2s,policy=fair", "off,bank=180s,increment=1s,policy=cpu"],
    }
);

/// [`agon_core::Seed`].
pub(crate) struct SeedNumber;

shape!(
    SeedNumber as "Seed": {
        "type": "integer",
        "minimum": 0,
        "maximum": u64::MAX,
        "description": "The number from which everything random comes. Up to 64 bits: a reader that keeps numbers as \
                        floating point rounds seeds above 2^53.",
    }
);

/// [`agon_core::Seat`].
pub(crate) struct SeatNumber;

shape!(
    SeatNumber as "Seat": {
        "type": "integer",
        "minimum": 1,
        "maximum": 32,
        "description": "A seat, counted from 1 in the order of the bots on the command line.",
    }
);

/// Why a match ended.
#[derive(JsonSchema)]
#[schemars(rename = "Ending", rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum EndingShape {
    /// The match has not ended, or was broken off.
    Unfinished,
    /// The limit of rounds or turns was reached.
    Limit,
    /// At most one seat is left on the board.
    Elimination,
    /// No lawful move is left.
    Complete,
    /// A bot failed, and the rules end the match for that.
    Forfeit,
}

/// How a match stands: one score and one place for each seat.
#[derive(JsonSchema)]
#[schemars(rename = "Standing")]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct StandingShape {
    /// One for each seat, in the unit of the game: ships, points, tiles.
    scores: Vec<i64>,
    /// One for each seat. 1 is the winner; equal places share the better number (1, 1, 3). If no seat has place 1,
    /// nobody won.
    places: Vec<u8>,
    /// Why the match ended.
    ending: EndingShape,
}

/// How a seat failed, as far as the rules care.
#[derive(JsonSchema)]
#[schemars(rename = "Failure", rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum FailureShape {
    /// It gave no complete decision in time.
    Late,
    /// Its process ended, closed a pipe, never started or was stopped.
    Gone,
    /// It wrote something that is not of the protocol.
    Nonsense,
    /// The rules refused one of its orders: the index of that order, counted from 0.
    Unlawful(u32),
}

/// A drawing of a position, in the game's own coordinates.
#[derive(JsonSchema)]
#[schemars(rename = "Frame")]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct FrameShape {
    /// The smallest x and y that are drawn.
    low: [f32; 2],
    /// The largest x and y that are drawn.
    high: [f32; 2],
    /// Whether y grows upwards.
    y_up: bool,
    /// The side of a cell; 0 in a game without cells. A cell at (x, y) has its centre there.
    cell: f32,
    /// What is drawn, in this order: later items cover earlier ones.
    items: Vec<ItemShape>,
    /// One line for each seat, to be shown below the board.
    captions: Vec<String>,
    /// The turn or round in the game's words, as `round 12 of 1200`.
    title: String,
}

/// One thing on the board.
#[derive(JsonSchema)]
#[schemars(rename = "FrameItem")]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct ItemShape {
    /// Where it is, and how large.
    shape: FigureShape,
    /// What it is, as the class of a style sheet: `wall`, `planet`, `fleet`.
    class: String,
    /// The seat that owns it; missing if nobody does.
    #[schemars(with = "SeatNumber")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seat: Option<u8>,
    /// How strongly it is painted, from 0 to 1.
    strength: f32,
    /// The tooltip; missing if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    tip: String,
}

/// A shape with its place.
#[derive(JsonSchema)]
#[schemars(rename = "FrameShape", rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum FigureShape {
    /// The cell around a point.
    Cell([f32; 2]),
    /// A disc: its centre and its radius.
    Disc([f32; 2], f32),
    /// A line: from, to.
    Line([f32; 2], [f32; 2]),
    /// A polygon: its corners in order.
    Polygon(Vec<[f32; 2]>),
    /// A text and the point at which it is centred.
    Label([f32; 2], String),
}

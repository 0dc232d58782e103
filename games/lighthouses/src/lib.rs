//! Lighthouses ("Faros Láser"), the game of the Euskal Encounter AI contest. This page gives the rules.
//!
//! Players walk an island, collect the energy that grows near lighthouses, capture lighthouses with it, and connect
//! their own lighthouses by laser beams. Three lighthouses that are all connected light the cells of their triangle,
//! and lit cells are points. `docs/games/lighthouses.md` says what the specification is and where it can be found, and
//! defines the points (L1) that are cited.
//!
//! **The island** (specification "El Mapa") is a set of cells of a rectangle. It never touches the border, and its
//! cells are connected, at least diagonally. (0, 0) is the lower left cell. [`Map`] reads and writes it, [`Board`]
//! holds what follows from it.
//!
//! **A round** (specification "El Juego"); a match has 1200 rounds by default:
//!
//! 1. Every cell of the island gains `floor(5 - d)` energy from each lighthouse at distance d, up to 100 (L4).
//! 2. A player that stands on a lighthouse gets its key, regardless of the owner; by `spec` only if it holds no key
//!    (L1).
//! 3. Players collect the energy of their cells. Players on the same cell share it evenly, and the rest is lost (L5).
//! 4. Every lighthouse loses 10 energy. At 0 it is neutral, and its connections are gone.
//! 5. The players act one after the other, in ascending number. Each gets the state and gives one command:
//!    * `pass`;
//!    * `move` to one of the eight neighbouring cells, or stay;
//!    * `attack` the lighthouse on the player's cell with some energy. An own or a neutral lighthouse gains the energy,
//!      and the player becomes the owner of a neutral one. Another player's lighthouse loses the energy: at exactly 0 it
//!      is neutral, and energy beyond that captures it. A lighthouse that loses its owner also loses its connections;
//!    * `connect` the lighthouse on the player's cell to another. The player must own both and hold the key of the other
//!      one, which is used up. The beam must not pass through a third lighthouse or cross any other beam.
//!
//!    A command that breaks a rule is answered with the reason and counts as `pass` (L26).
//! 6. Each player gets 2 points for each of its lighthouses, 2 for each connection, and 1 for each cell of the island in
//!    each of its triangles (L18, specification "Puntuación"). Cells on a left or top edge count, those on a right or
//!    bottom edge do not; triangles may overlap.
//!
//! A player sees the map, all lighthouses, and the energy within 3 cells, but no other player. A bot that breaks down
//! is out for the rest of the match; its player stays on the map and keeps its lighthouses (L27). The player with the
//! most points wins.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `turn` | the stages of a round, as functions |
//! | `position` | [`Position`]: what changes in a match |
//! | [`board`] | [`Board`]: what never changes, that is growth, steps, areas, crossings |
//! | `order`, `sample` | [`Order`], [`Refusal`], [`Event`]; random lawful orders |
//! | `rules` | [`Rules`], the rule sets `spec` and `original` |
//! | `map`, `mapgen` | map files and generated maps |
//! | `state` | what a position has beyond its map |
//! | `view` | [`View`], what a player may know |
//! | `dialogue`, `client` | the two halves of the protocol, [`RefereeDialogue`] and [`BotClient`] |
//! | [`json`], `write`, `repr` | JSON as Python reads and writes it, values as Python prints them |
//! | `bots` | built-in bots |
//! | `frame` | what a viewer draws |
//! | `contest` | how Agon sees all of it |
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod board;
mod bots;
mod client;
mod contest;
mod dialogue;
mod frame;
pub mod json;
mod law_hooks;
mod map;
mod mapgen;
mod order;
mod position;
mod repr;
mod rules;
mod sample;
mod state;
mod turn;
mod view;
mod write;

pub use board::{Board, CELL_CAP, LightSet, MAX_LIGHTS, MAX_SIDE};
pub use client::BotClient;
pub use contest::{MAX_ROUNDS, ROUNDS};
pub use dialogue::{LINE_LIMIT, RefereeDialogue};
pub use map::{MAX_PLAYERS, Map, Tile};
pub use order::{Event, Form, Order, Refusal};
pub use position::Position;
pub use repr::repr;
pub use rules::{DECAY, Keys, Neutral, Rules};
pub use view::{Near, SIGHT, View, WINDOW};

//! Lighthouses ("Faros Láser"), the game of the Euskal Encounter AI contest: the rules on one page.
//!
//! Players walk an island, collect the energy that grows near lighthouses, capture lighthouses with it, and connect
//! their own by laser beams. Three lighthouses that are all connected light the cells of their triangle, and lit cells
//! are points. `docs/games/lighthouses.md` says what the specification is and where it can be found, and defines the
//! points (L1) that are cited.
//!
//! **The island** (specification "El Mapa") is a set of cells of a rectangle that never touches the border; its cells
//! are connected, diagonally at least. (0, 0) is the lower left cell. [`Map`] reads and writes it, [`Board`] knows what
//! follows from it.
//!
//! **A round** (specification "El Juego"), 1200 of them unless said otherwise:
//!
//! 1. For each lighthouse every cell of the island at distance d gains `floor(5 - d)` energy, up to 100 (L4).
//! 2. Who stands on a lighthouse gets its key, whoever owns it; by `spec` only if it holds none (L1).
//! 3. Players collect the energy of their cells; who shares a cell shares evenly, the rest is lost (L5).
//! 4. Every lighthouse loses 10 energy. At 0 it is neutral, and its connections are gone.
//! 5. One player after the other, in ascending number, is told the state and gives one command:
//!    * `pass`;
//!    * `move` to one of the eight neighbouring cells, or stay;
//!    * `attack` the lighthouse underfoot with some energy. An own or a neutral one gains it, and a neutral one gets an
//!      owner by it. Another's loses it; at exactly 0 it is neutral, and what is left over captures it. With its owner
//!      a lighthouse loses its connections;
//!    * `connect` the lighthouse underfoot with another. Both must be one's own, the key of the other one is used up,
//!      and the beam may not pass through a third lighthouse nor cross a beam of anybody.
//!
//!    A command that breaks a rule is answered with the reason and counts as `pass` (L26).
//! 6. Each player gets 2 points for each of its lighthouses, 2 for each connection, and 1 for each cell of the island in
//!    each of its triangles (L18, specification "Puntuación"). Cells on a left or top edge count, those on a right or
//!    bottom edge do not; triangles may overlap.
//!
//! A player knows the map, all lighthouses, and the energy within 3 cells, but no other player. A bot that breaks down
//! is out for good; its player stays on the map and keeps its lighthouses (L27). The most points win.
//!
//! | module | |
//! | --- | --- |
//! | `turn` | the stages of a round as functions |
//! | `position` | [`Position`], what changes |
//! | [`board`] | what does not: growth, ways, areas, crossings |
//! | `order`, `sample` | [`Order`], [`Refusal`], [`Event`]; random lawful orders |
//! | `rules` | [`Rules`], the rule sets `spec` and `original` |
//! | `map`, `mapgen` | map files and generated maps |
//! | `view` | [`View`], what a player may know |
//! | `dialogue`, `client` | the two halves of the protocol, [`RefereeDialogue`] and [`BotClient`] |
//! | [`json`], `write`, `repr` | JSON as Python reads and writes it, values as Python prints them |
//! | `bots` | built-in bots |
//! | `frame` | what a viewer draws |
//! | `contest` | all of it tied to the contract of `agon-core` |
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
mod turn;
mod view;
mod write;

pub use board::{Board, CELL_CAP, LightSet, MAX_LIGHTS, MAX_SIDE};
pub use client::BotClient;
pub use contest::{MAX_ROUNDS, ROUNDS};
pub use dialogue::{LINE_LIMIT, RefereeDialogue};
pub use map::{MAX_PLAYERS, Map, Tile};
pub use order::{Event, Form, Order, Refusal};
pub use position::{DECAY, Position};
pub use repr::repr;
pub use rules::{Keys, Neutral, Rules};
pub use view::{Near, SIGHT, View, WINDOW};

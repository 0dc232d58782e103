//! Lighthouses, the game of the Euskal Encounter AI contest ("Faros Láser", v0.7).
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
mod map;
mod mapgen;
mod order;
mod position;
mod reading;
mod repr;
mod turn;
mod view;

pub use board::{Board, CELL_CAP, LightSet, MAX_LIGHTS, MAX_SIDE};
pub use client::Ear;
pub use contest::{MAX_ROUNDS, ROUNDS};
pub use dialogue::{LINE_LIMIT, Speech};
pub use map::{MAX_PLAYERS, Map, Tile};
pub use order::{Event, Form, Order, Refusal};
pub use position::{DECAY, Position};
pub use reading::{Keys, Neutral, Reading};
pub use repr::repr;
pub use view::{Near, SIGHT, View, WINDOW};

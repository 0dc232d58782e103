//! Grid: two players capture tiles of a rectangle at the same time.
//!
//! To be filled in.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod board;
mod bots;
mod client;
mod contest;
mod dialogue;
mod frame;
mod map;
mod mapgen;
mod order;
mod planes;
mod position;
mod reading;
pub mod replay_text;
mod turn;
mod view;

pub use board::{Board, MOST_SIDE};
pub use client::GridClient;
pub use dialogue::{GridDialogue, LONGEST_LINE, MOST_MESSAGES};
pub use map::Map;
pub use order::{Line, MOST_CHARACTERS, Order, Piece, Refusal, lines};
pub use position::{DEFAULT_LIMIT, GridGame};
pub use reading::{Elimination, GridReading, LineEnds, Rounding};
pub use turn::{Event, Scratch};
pub use view::View;

//! Plays small bots in the text format of WASM.

mod bots;
mod limits;
mod surroundings;
mod unplayable;

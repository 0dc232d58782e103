//! Small bots in the text form of WASM, and what becomes of them.

mod bots;
mod limits;
mod surroundings;
mod unplayable;

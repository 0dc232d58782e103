//! Tests all games through their erased types.

mod grid;
mod hostile;
mod incidents;
mod laws;
mod names;
mod recorded;

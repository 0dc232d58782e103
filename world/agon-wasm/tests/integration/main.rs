//! Tests the engine of pages.

mod hostile;
mod known;
mod play;
mod replays;

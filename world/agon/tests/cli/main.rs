//! The command line, run as its users run it.

mod agon;
mod commands;
mod documents;
mod matches;
mod replays;

//! The command line, run as its users run it.

mod agon;
mod clocks;
mod commands;
mod documents;
mod matches;
mod replays;

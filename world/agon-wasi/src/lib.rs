//! Plays WASM bots: a module with the functions of WASI preview 1, its stdin and stdout on the wire, and a limit of
//! instructions instead of time. The same bot that hears the same does the same on every machine, and fails at the same
//! turn.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `engine` | [`Engine`]: how modules are compiled, and what of WebAssembly is on |
//! | `bot` | [`Bot`], [`End`]: one module from its start to its end |
//! | `fuel_meter` | the instructions that a bot still has, and its clock |
//! | `input` | what a bot is given of its stdin, in lines |
//! | `streams` | [`Streams`]: the three streams outside, [`Standard`] for those of this process |
//! | `random` | the random numbers of a bot |
//! | `wasi` | the functions of WASI preview 1 |
//! | `guest` | reading and writing a bot's memory |
//! | `cache` | [`Compiled`]: compiled modules, kept for the next match |
//! | `host` | [`Host`]: the process of a bot, and the words that start it |
//!
//! # What is the same everywhere
//!
//! Every number that a bot can see: results of floating point (a NaN has one pattern), random numbers (from the seed of
//! the match), the clock (it counts the bot's own instructions), how much one read returns (a line, whatever the pipe
//! holds), the outcome of growing the memory, and the count of instructions itself.
//!
//! One thing is not: how deep calls may be nested is bounded in bytes of the machine's stack, 8 MiB, and a processor of
//! another family may take more or fewer for a call. The count may change with the version
//! of wasmtime.

mod bot;
mod cache;
mod engine;
mod fuel_meter;
mod guest;
mod host;
mod input;
mod random;
mod streams;
mod wasi;

pub use bot::{Bot, End};
pub use cache::Compiled;
pub use engine::{Engine, ModuleError};
pub use host::Host;
pub use random::Random;
pub use streams::{Standard, Streams};

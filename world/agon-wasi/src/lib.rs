//! Plays WASM bots. A bot is a module that uses WASI preview 1 and speaks the wire protocol on stdin and stdout. A
//! limit on instructions replaces the limit on time. With the same input, a bot does the same on every machine, and
//! fails in the same turn.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `engine` | [`Engine`]: how modules are compiled, and which features of WebAssembly are enabled |
//! | `bot` | [`Bot`], [`End`]: one module from its start to its end |
//! | `fuel_meter` | the remaining instructions of a bot, and its clock |
//! | `input` | the stdin of a bot, line by line |
//! | `streams` | [`Streams`]: the external streams of a bot, [`Standard`]: those of this process |
//! | `random` | the random numbers of a bot |
//! | `wasi` | the functions of WASI preview 1 |
//! | `guest` | reading and writing a bot's memory |
//! | `cache` | [`Compiled`]: the cache of compiled modules |
//! | `host` | [`Host`]: the process of a bot, and the command that starts it |
//!
//! # What is the same everywhere
//!
//! Everything that a bot can observe: floating-point results (a NaN has one bit pattern), random numbers (they come
//! from the seed of the match), the clock (it counts the bot's own instructions), the length of each read (one line,
//! whatever the pipe contains), the success of growing the memory, and the number of instructions.
//!
//! There is one exception. The machine's stack of 8 MiB limits the depth of nested calls, and a call may need more or
//! fewer bytes on another family of processors. The number of instructions may change with the version of wasmtime.

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

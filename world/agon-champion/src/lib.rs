//! Plays champions of the Prologin 2015 final, unmodified: programs in C, C++ and Python written against its API.
//!
//! A champion is no program of its own but a library whose functions are called, and which calls functions of the match.
//! Here each is given a process: our own program started anew, or the interpreter of Python. That process speaks the
//! text protocol of Portals with the referee, and keeps the position with the rules of
//! [`agon_portals`]. All reads are answered within it, and only the actions that survive cross its border, once
//! a turn. A crash, an exception or an endless loop costs the champion its process and nobody else anything.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `api.rs` | the API as data |
//! | `answer.rs`, `call.rs` | what a call leads to, and the one function through which all calls come |
//! | `serve.rs` | a match: the protocol on one side, three callbacks on the other |
//! | `source.rs`, `cache.rs` | what lies in a champion's folder, where it is kept when built |
//! | `generate.rs`, `compile.rs`, `compiler_job.rs`, `library.rs` | C and C++: headers and glue, building in a sandbox, loading |
//! | `champion_error.rs` | why a champion cannot be made from its sources |
//! | `python.rs`, `interpreter.rs` | Python: the modules it imports, what it calls |
//!
//! Every value of the API is made of 32-bit integers, so that one C function carries all of it:
//! `int32_t call(function, arguments, count, out, capacity)`.

mod answer;
pub mod api;
mod cache;
mod call;
mod champion_error;
mod compile;
mod compiler_job;
pub mod generate;
mod interpreter;
mod library;
mod python;
mod serve;
mod source;

pub use cache::files;
pub use champion_error::ChampionError;
pub use compile::{Built, build};
pub use generate::Flavour;
pub use library::play_library;
pub use python::{PythonCommand, check_python, python_command};
pub use source::{Language, Source};

/// How long a champion may take for its last callback, `partie_fin`, before it ends: as long as for every other one.
pub const LAST_CALL: std::time::Duration = std::time::Duration::from_millis(1500);

//! Plays unmodified champions of the Prologin 2015 final: code in C, C++, OCaml and Python that uses the API of that contest.
//!
//! A champion is not a program but a library. The engine calls its functions, and it calls functions of the engine.
//! Here each champion gets a process of its own: our own program, started again, or a Python interpreter. The process
//! speaks the text protocol of Portals with the referee, and tracks the position by the rules of [`agon_portals`]. It
//! answers all reads itself, and sends only the final actions to the referee, once in each turn. A crash, an exception
//! or an endless loop of a champion affects only its own process.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `api.rs` | the API as data |
//! | `answer.rs`, `call.rs` | the answers to calls, and the function that receives all calls |
//! | `serve.rs` | a match: the protocol on one side, three callbacks on the other |
//! | `taken.rs`, `main_file.rs`, `source.rs` | the copy of a champion's folder, how it is known, and its sources |
//! | `generate.rs`, `compile.rs`, `compiler_job.rs`, `library.rs` | C and C++: headers and glue, building in a sandbox, loading |
//! | `caml.rs` | OCaml: what its compiler does besides |
//! | `champion_error.rs` | why a champion cannot be built |
//! | `chosen_python.rs` | Python: which interpreter plays, and the packages of the champion |
//! | `python.rs`, `interpreter.rs` | Python: the modules that it imports, the functions that it calls |
//! | `host_library.rs` | this crate as the library of an interpreter: its file, or what the program carries |
//!
//! Every value of the API consists of 32-bit integers, so one C function is enough for all calls:
//! `int32_t call(function, arguments, count, out, capacity)`.

mod answer;
pub mod api;
mod call;
mod caml;
mod champion_error;
mod chosen_python;
mod compile;
mod compiler_job;
pub mod generate;
mod host_library;
mod interpreter;
mod library;
mod main_file;
mod python;
mod serve;
mod source;
mod taken;

pub use champion_error::ChampionError;
pub use chosen_python::ChosenPython;
pub use compile::{Built, build};
pub use generate::Flavour;
pub use host_library::carry_library;
pub use library::{LibraryError, play_library};
pub use main_file::{is_champion, is_main_file};
pub use python::{PythonCommand, check_python, python_command};
pub use source::{Language, Source};
pub use taken::{Library, Taken, cache, open_folder};

/// How long a champion may take for its last callback, `partie_fin`: the same time as for every other callback.
pub const LAST_CALL: std::time::Duration = std::time::Duration::from_millis(1500);

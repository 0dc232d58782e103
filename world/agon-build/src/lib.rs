//! Takes bots as folders and archives: reads them safely, finds out what they are, builds them and keeps the result.
//!
//! A bot comes from anybody. Its archive is hostile until it was read to the end, its sources are hostile while they are
//! compiled, and what comes of them is hostile for ever. So nothing of it is run here but in a [`Workshop`], and nothing
//! that it names is followed.
//!
//! | module | what it defines |
//! | --- | --- |
//! | [`intake`] | the door: folders and archives, limits, names |
//! | `manifest` | [`Manifest`]: `agon.toml` |
//! | `language`, `detect` | what a bot is, by its files |
//! | `tools` | [`Tools`]: compilers and interpreters, and what brings them |
//! | `plan`, `recipe` | [`Plan`]: what is done with it, a file a family of languages |
//! | `workshop`, `confined`, `unconfined` | [`Workshop`]: where builds run |
//! | `cache` | [`Cache`]: where results are kept |
//! | `prepare` | [`prepare()`]: all of it, in order |

mod cache;
#[cfg(target_os = "linux")]
mod confined;
mod detect;
pub mod intake;
mod language;
mod manifest;
mod plan;
mod prepare;
mod recipe;
mod tools;
mod unconfined;
mod workshop;

pub use cache::Cache;
#[cfg(target_os = "linux")]
pub use confined::Confined;
pub use language::Language;
pub use manifest::Manifest;
pub use plan::{Plan, Run};
pub use prepare::{News, Preparation, Prepared, Unprepared, prepare};
pub use tools::{Tool, Tools};
pub use unconfined::Unconfined;
pub use workshop::{End, FILE_MIB, How, KEEP_FILES, KEEP_MIB, LOG, Order, PROCESSES, Workshop};

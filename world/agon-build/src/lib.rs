//! Takes bots as folders and archives: reads them safely, finds out what they are, builds them and keeps the result.
//!
//! A bot comes from anybody. Its archive is hostile until it was read to the end, its sources are hostile while they are
//! compiled, and what comes of them is hostile for ever. So nothing of it is run here but in a [`BuildEnvironment`], and nothing
//! that it names is followed.
//!
//! | module | what it defines |
//! | --- | --- |
//! | [`intake`] | the door: folders and archives, limits, names |
//! | `manifest` | [`Manifest`]: `agon.toml` |
//! | `language`, `detect` | what a bot is, by its files |
//! | `tools` | [`Tools`]: compilers and interpreters, and what brings them |
//! | `plan`, `recipe` | [`Plan`]: what is done with it, a file a family of languages |
//! | `build_environment`, `sandboxed`, `unsandboxed` | [`BuildEnvironment`]: where builds run |
//! | `cache` | [`Cache`]: where results are kept |
//! | `prepare` | [`prepare()`]: all of it, in order |

mod build_environment;
mod cache;
mod detect;
pub mod intake;
mod language;
mod manifest;
mod plan;
mod prepare;
mod recipe;
#[cfg(target_os = "linux")]
mod sandboxed;
mod tools;
mod unsandboxed;

pub use build_environment::{
    BuildEnd, BuildEnvironment, BuildError, BuildExit, BuildRefused, BuildRequest, FILE_MIB, KEEP_FILES, KEEP_MIB, LOG,
    PROCESSES,
};
pub use cache::Cache;
pub use language::Language;
pub use manifest::Manifest;
pub use plan::{Plan, Run};
pub use prepare::{News, Preparation, PrepareError, Prepared, prepare};
#[cfg(target_os = "linux")]
pub use sandboxed::Sandboxed;
pub use tools::{Tool, Tools};
pub use unsandboxed::Unsandboxed;

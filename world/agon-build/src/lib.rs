//! Imports bots from folders and archives: reads them safely, detects their language, builds them and caches the
//! result.
//!
//! A bot may come from anyone. Its archive is hostile until the end of the import, its sources are hostile while a
//! compiler reads them, and the result stays hostile. So this crate runs nothing of a bot outside a
//! [`BuildEnvironment`], and follows no link or path of a bot.
//!
//! | module | what it defines |
//! | --- | --- |
//! | [`intake`] | the import of folders and archives: limits, names |
//! | `manifest` | [`Manifest`]: the file `agon.toml` |
//! | `detect`, `run_script` | the language of a bot, by its files |
//! | `start`, `sources` | the file in which a bot starts, by names and a plain search for imports |
//! | `packages` | packages of Python and JavaScript |
//! | [`wrapper`] | programs that start another, such as `timeout` |
//! | `tools` | [`Tools`]: compilers and interpreters, and the packages that contain them |
//! | `plan`, `recipe` | [`Plan`]: how a bot is built and run, with one file for each family of languages |
//! | `build_environment`, `sandboxed`, `unsandboxed` | [`BuildEnvironment`]: where builds run |
//! | `cache` | [`Cache`]: the cache of imported and built bots |
//! | `prepare` | [`prepare()`]: all of these steps in order |

mod build_environment;
mod cache;
mod detect;
pub mod intake;
mod manifest;
mod packages;
mod plan;
mod prepare;
mod recipe;
mod run_script;
#[cfg(target_os = "linux")]
mod sandboxed;
mod sources;
mod start;
mod tools;
mod undetected;
mod unsandboxed;
pub mod wrapper;

pub use agon_languages::Language;
pub use build_environment::{
    BuildEnd, BuildEnvironment, BuildError, BuildExit, BuildRefused, BuildRequest, FILE_MIB, KEEP_FILES, KEEP_MIB, LOG,
    PROCESSES,
};
pub use cache::{Cache, Kept, KeyHasher, OpenCache, Part, Record};
pub use manifest::Manifest;
pub use packages::{PythonPackages, named_python, own_python};
pub use plan::{Plan, PlanError, Run};
pub use prepare::{News, Preparation, PrepareError, Prepared, Verdict, prepare};
#[cfg(target_os = "linux")]
pub use sandboxed::Sandboxed;
pub use tools::{Tool, Tools, is_python};
pub use unsandboxed::Unsandboxed;

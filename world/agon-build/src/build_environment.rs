//! Where the commands of a build run.

use crate::Plan;
use agon_core::Flaw;
use agon_sandbox::Refused;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use thiserror::Error;

/// The most that is kept of what a build writes, in bytes.
pub const LOG: usize = 64 << 10;
/// The most that is kept of the files of a build, in MiB.
pub const KEEP_MIB: u32 = 512;
/// The most files that are kept.
pub const KEEP_FILES: u32 = 20_000;
/// How large one file may become, in MiB.
pub const FILE_MIB: u32 = 512;
/// How many processes a build may have at once.
pub const PROCESSES: u32 = 64;

/// A build that is to be run.
#[derive(Clone, Copy, Debug)]
pub struct BuildRequest<'a> {
    /// What is done.
    pub plan: &'a Plan,
    /// The folder with the bot's files. It is ours and may be written to.
    pub from: &'a Path,
    /// Where a new folder with the files of the result is to be made.
    pub into: &'a Path,
    /// A folder for what is needed on the way.
    pub scratch: &'a Path,
}

impl BuildRequest<'_> {
    /// The search path: tools outside the system, then the system.
    #[must_use]
    pub fn search_path(&self) -> std::ffi::OsString {
        let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from);
        let folders = self.plan.folders().into_iter().chain(system);
        // A folder with a colon in its name cannot be in a search path.
        std::env::join_paths(folders.filter(|f| !f.to_string_lossy().contains(':'))).unwrap_or_default()
    }
}

/// How a build ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildEnd {
    /// What ended it.
    pub how: BuildExit,
    /// What it wrote, head and tail.
    pub log: Vec<u8>,
    /// How long it took.
    pub took: Duration,
}

/// What ended a build.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BuildExit {
    /// It ended well, and its files are kept.
    Done,
    /// A command ended with this exit code.
    Code(i32),
    /// It was killed by the signal of this number.
    Signal(i32),
    /// It took too long.
    TimedOut,
    /// Its processes together took too much memory.
    TooMuchMemory,
    /// It was cancelled.
    Cancelled,
    /// It ended well, but its files cannot be kept, for this reason.
    NotKept(String),
}

/// Why a build did not begin.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum BuildError {
    /// This machine, or the bot's files.
    #[error(transparent)]
    Flaw(#[from] Flaw),
    /// The sandbox for it cannot be made.
    #[error(transparent)]
    Sandbox(#[from] BuildRefused),
}

/// Why the sandbox of a build cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the sandbox for the build cannot be made: {0}")]
pub struct BuildRefused(#[source] pub Refused);

impl BuildRefused {
    /// The way out.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        self.0.remedy().unwrap_or("`--sandbox none` builds without one, if you trust the author of the bot")
    }
}

/// A place for builds.
pub trait BuildEnvironment {
    /// What sets the results of this place apart from those of another.
    fn name(&self) -> String;

    /// Runs a build to its end. `cancel` is asked again and again, `log` gets what is written as it comes.
    ///
    /// # Errors
    /// It cannot be started.
    fn run(
        &self,
        request: &BuildRequest<'_>,
        cancel: &dyn Fn() -> bool,
        log: &mut dyn FnMut(&[u8]),
    ) -> Result<BuildEnd, BuildError>;
}

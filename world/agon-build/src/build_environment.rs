//! The environment in which the commands of a build run.

use crate::Plan;
use agon_core::Flaw;
use agon_sandbox::Refused;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use thiserror::Error;

/// The maximum length of the kept output of a build in bytes.
pub const LOG: usize = 64 << 10;
/// The maximum total size of the files that a build may leave, in MiB.
pub const KEEP_MIB: u32 = 512;
/// The maximum number of files that a build may leave.
pub const KEEP_FILES: u32 = 20_000;
/// The maximum size of one file in MiB.
pub const FILE_MIB: u32 = 512;
/// The maximum number of processes that a build may have at the same time.
pub const PROCESSES: u32 = 64;

/// A build to run.
#[derive(Clone, Copy, Debug)]
pub struct BuildRequest<'a> {
    /// The plan with the commands.
    pub plan: &'a Plan,
    /// The folder with the bot's files. It is a copy that the build may change.
    pub from: &'a Path,
    /// The path at which the build environment creates a folder with the resulting files.
    pub into: &'a Path,
    /// A folder for temporary files.
    pub scratch: &'a Path,
}

impl BuildRequest<'_> {
    /// Returns the search path: the folders of tools outside the system, then those of the system.
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
    /// Why the build ended.
    pub how: BuildExit,
    /// The output of the build. If it is too long, only its start and its end.
    pub log: Vec<u8>,
    /// The duration of the build.
    pub took: Duration,
}

/// Why a build ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BuildExit {
    /// The build succeeded and its files are kept.
    Done,
    /// A command failed with this exit code.
    Code(i32),
    /// The signal with this number killed the build.
    Signal(i32),
    /// The build exceeded its time limit.
    TimedOut,
    /// The processes of the build together exceeded the memory limit.
    TooMuchMemory,
    /// The build was cancelled.
    Cancelled,
    /// The build succeeded, but its files cannot be kept for this reason.
    NotKept(String),
}

/// Why a build did not start.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum BuildError {
    /// Something is wrong with this machine or with the bot's files.
    #[error(transparent)]
    Flaw(#[from] Flaw),
    /// The sandbox for the build cannot be set up.
    #[error(transparent)]
    Sandbox(#[from] BuildRefused),
}

/// Why the sandbox of a build cannot be set up.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the sandbox for the build cannot be set up: {0}")]
pub struct BuildRefused(#[source] pub Refused);

impl BuildRefused {
    /// Returns a hint on how to fix the problem.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        self.0.remedy().unwrap_or("`--sandbox none` builds without one, if you trust the author of the bot")
    }
}

/// An environment in which builds run.
pub trait BuildEnvironment {
    /// Returns the name of the environment. The cache keeps the results of environments with different names apart.
    fn name(&self) -> String;

    /// Runs a build to its end. Calls `cancel` repeatedly to ask whether to stop, and `log` with each piece of output.
    ///
    /// # Errors
    /// If the build cannot be started.
    fn run(
        &self,
        request: &BuildRequest<'_>,
        cancel: &dyn Fn() -> bool,
        log: &mut dyn FnMut(&[u8]),
    ) -> Result<BuildEnd, BuildError>;
}

//! The helper: a program that Agon starts again to become a bot in a sandbox, or to play a champion or a module.

use crate::{Result, SandboxError};
use agon_champion::LibraryError;
use std::{
    ffi::OsString,
    io::Write,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

/// The first argument of a helper that plays a champion. It is not a command, and no help text mentions it.
pub(crate) const CHAMPION: &str = "champion-host";

/// The exit code of a helper that cannot load its champion.
pub(crate) const NOT_LOADED: i32 = 125;

/// Whether the `main` of this program has called [`helper`]. This is a fact about the program rather than a state: it
/// is set once, before anything else happens, and never reset.
static ASKED: AtomicBool = AtomicBool::new(false);

/// The program that is started as the helper. Built-in bots need no helper.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Helper {
    /// This program, whose `main` begins with a call of [`helper`].
    #[default]
    ThisProgram,
    /// The program at this path, whose `main` begins with that call: for example `agon`. The first program that is used
    /// stays the helper of the sandbox until this process ends.
    Program(PathBuf),
}

/// Runs this process as the helper if [`prepare`](crate::Preparer::prepare) or a match started it for that. In this
/// case the function does not return.
///
/// Call it first in `main`, before the program starts threads or opens files.
pub fn helper() {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == CHAMPION)
        && let Some(library) = words.next()
    {
        play_champion(library);
    }
    #[cfg(feature = "wasm")]
    if let Some(host) = agon_wasi::Host::asked_for() {
        std::process::exit(i32::from(host.run()));
    }
    #[cfg(target_os = "linux")]
    agon_sandbox::helper();
    ASKED.store(true, Ordering::Release);
}

/// Plays one match with a champion. The referee is on stdin and stdout.
fn play_champion(library: OsString) -> ! {
    let played = agon_champion::play_library(&PathBuf::from(library));
    if let Err(why) = &played {
        let _ = writeln!(std::io::stderr(), "error: {why}");
    }
    std::process::exit(match played {
        Ok(()) => 0,
        Err(LibraryError::NotLoaded(_)) => NOT_LOADED,
        Err(LibraryError::Broken(_)) => 1,
    })
}

impl Helper {
    /// Makes this program the helper of the sandbox.
    ///
    /// # Errors
    /// If it is the running program, and its `main` has not called [`helper`].
    pub(crate) fn appoint(&self) -> Result<(), SandboxError> {
        match self {
            Self::ThisProgram if !ASKED.load(Ordering::Acquire) => Err(SandboxError::NoHelper),
            Self::ThisProgram => Ok(()),
            #[cfg(target_os = "linux")]
            Self::Program(path) => {
                agon_sandbox::start_by(path.clone());
                Ok(())
            }
            #[cfg(not(target_os = "linux"))]
            Self::Program(_) => Ok(()),
        }
    }

    /// Returns the file of the program that plays a champion or a module.
    ///
    /// # Errors
    /// If [`Helper::appoint`] fails, or the system does not say which file the running program is.
    pub(crate) fn file(&self) -> Result<PathBuf> {
        self.appoint()?;
        Ok(match self {
            Self::ThisProgram => std::env::current_exe().map_err(SandboxError::Ourselves)?,
            Self::Program(path) => std::path::absolute(path).unwrap_or_else(|_| path.clone()),
        })
    }
}

//! The program that is started anew: to become a bot in a sandbox, or to play a champion or a module.

use crate::{Result, SandboxError};
use std::{
    ffi::OsString,
    io::Write,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

/// The first word of a program that is started anew for a champion. No command: no help mentions it.
pub(crate) const CHAMPION: &str = "champion-host";

/// Whether `main` of this program has asked. A fact about the program rather than a state of it: it is set once, before
/// anything else is done, and never reset.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Which program is started anew. Built-in bots need none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Helper {
    /// This one, whose `main` begins with [`helper`].
    #[default]
    ThisProgram,
    /// The program at this path, whose `main` does: as `agon`. The first one that is used stays the helper of the
    /// sandbox as long as this process lives.
    Program(PathBuf),
}

/// Does what this process was started for, if [`prepare`](crate::Preparer::prepare) or a match has started it anew: then
/// it does not return. To be called first of all in `main`, before threads are started and files are opened.
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

/// Plays one match with a champion, with the referee on stdin and stdout.
fn play_champion(library: OsString) -> ! {
    let played = agon_champion::play_library(&PathBuf::from(library));
    if let Err(why) = &played {
        let _ = writeln!(std::io::stderr(), "error: {why}");
    }
    std::process::exit(i32::from(played.is_err()))
}

impl Helper {
    /// Makes it the helper of the sandbox.
    ///
    /// # Errors
    /// It is this program, and that is none.
    pub(crate) fn appoint(&self) -> Result<(), SandboxError> {
        match self {
            Self::ThisProgram if !ASKED.load(Ordering::Acquire) => Err(SandboxError::NoHelper),
            Self::ThisProgram => Ok(()),
            Self::Program(path) => {
                #[cfg(target_os = "linux")]
                agon_sandbox::start_by(path.clone());
                Ok(())
            }
        }
    }

    /// The file that is started for a champion or a module.
    ///
    /// # Errors
    /// As [`Helper::appoint`], or the system does not say which file this program is.
    pub(crate) fn file(&self) -> Result<PathBuf> {
        self.appoint()?;
        Ok(match self {
            Self::ThisProgram => std::env::current_exe().map_err(SandboxError::Ourselves)?,
            Self::Program(path) => std::path::absolute(path).unwrap_or_else(|_| path.clone()),
        })
    }
}

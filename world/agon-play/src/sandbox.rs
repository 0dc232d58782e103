//! The isolation of bots: its level, and the resources that each bot may use.

use crate::{Tier, Variable};
use agon_sandbox::Confinement;
#[cfg(target_os = "linux")]
use agon_sandbox::{Cause, RefusalKind, Refused, VisibilityError};
use agon_spec::Isolation;
use std::{io, path::PathBuf, str::FromStr};

/// The start of messages about a path in [`SandboxOptions::read`].
#[cfg(target_os = "linux")]
const READ: &str = "read: ";

/// The hint for a sandbox that could not be set up although the host may support it.
pub const RETRY_HINT: &str = "try again when the host has more free resources; `--sandbox restricted` needs fewer; \
if you trust the bots, use `--sandbox none`";

/// The level of isolation that the user wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum IsolationChoice {
    /// The strongest level that works here.
    #[default]
    Auto,
    /// This level. If it does not work here, the bot is refused.
    Exactly(Isolation),
}

/// How bots are isolated, and what each of them may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SandboxOptions {
    /// The level of isolation.
    pub isolation: IsolationChoice,
    /// The folder that a bot may read if no word of its command names a file in it.
    pub bot_dir: Option<PathBuf>,
    /// Other files and folders that every bot may read.
    pub read: Vec<PathBuf>,
    /// The maximum number of processes that a bot may have at the same time, at least 1. Threads do not count. `None` is
    /// [`SandboxOptions::USUAL_PROCESSES`] where the memory, the CPU time and the stopping of all of them hold, and else 1.
    pub processes: Option<u32>,
    /// Environment variables of every bot that is a process, in addition to the usual ones.
    pub variables: Vec<Variable>,
}

/// The chosen level of isolation, and a warning about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The level of isolation.
    pub level: Isolation,
    /// What the user must know: that the bots are not isolated, or less than they could be.
    pub warning: Option<String>,
}

/// Why bots cannot be isolated as requested.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// This program does not call [`helper`](crate::helper()) first in its `main`, and names no other program that
    /// does.
    #[error("this program does not call `agon_play::helper()` and names no other helper for the sandbox")]
    NoHelper,
    /// The requested level does not work here.
    #[cfg(target_os = "linux")]
    #[error("sandbox {level}: {refused}")]
    Unavailable {
        /// The requested level.
        level: Isolation,
        /// Why the level does not work.
        #[source]
        refused: Refused,
    },
    /// Agon could not find out which levels work here. It then starts no bot, because a weaker level would let anyone
    /// who can cause this failure choose the level.
    #[cfg(target_os = "linux")]
    #[error("sandbox auto: the levels could not be tried out: {0}")]
    Undecided(#[source] Refused),
    /// This system is not Linux and has no sandbox.
    #[error("sandbox {0}: isolation needs Linux")]
    NotLinux(Isolation),
    /// The level does not allow more than one process: it has nothing that keeps the processes of a bot together.
    #[error("processes {processes}: `{level}` allows only one process")]
    Processes {
        /// The requested number of processes.
        processes: u32,
        /// The level of isolation.
        level: Isolation,
    },
    /// The folder that bots are to see does not exist.
    #[error("bot-dir: there is no folder `{}`", .0.display())]
    NoBotDir(PathBuf),
    /// A path that bots are to see does not exist.
    #[error("read: there is no file or folder `{}`", .0.display())]
    NoPath(PathBuf),
    /// A bot must not see a path that it needs.
    #[cfg(target_os = "linux")]
    #[error("{what}{}", .why.what)]
    NotShown {
        /// What named the path, followed by a colon and a space. May be empty.
        what: &'static str,
        /// Why the bot must not see the path.
        why: VisibilityError,
    },
    /// The system does not say which file the running program is.
    #[error("cannot find the file of the running program: {}", crate::system_words(.0))]
    Ourselves(#[source] io::Error),
    /// The working directory cannot be found.
    #[error("cannot find the working directory: {}", crate::system_words(.0))]
    WorkingDirectory(#[source] io::Error),
}

impl SandboxError {
    #[cfg(target_os = "linux")]
    fn undecided(refused: Refused) -> Self {
        match refused.cause {
            Cause::NoHelper => Self::NoHelper,
            _ => Self::Undecided(refused),
        }
    }

    /// Returns who can fix the problem.
    #[must_use]
    pub fn tier(&self) -> Tier {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unavailable { .. } | Self::Undecided(_) => Tier::Isolation,
            #[cfg(target_os = "linux")]
            Self::NotShown { .. } => Tier::User,
            Self::NoHelper | Self::NotLinux(_) | Self::Processes { .. } => Tier::Isolation,
            Self::NoBotDir(_) | Self::NoPath(_) | Self::Ourselves(_) | Self::WorkingDirectory(_) => Tier::User,
        }
    }

    /// Returns whether the message begins with the name of an option.
    pub(crate) fn is_of_option(&self) -> bool {
        match self {
            Self::NoHelper | Self::Ourselves(_) | Self::WorkingDirectory(_) => false,
            #[cfg(target_os = "linux")]
            Self::NotShown { what, .. } => *what == READ,
            _ => true,
        }
    }

    /// Returns a hint on how to fix the problem, if there is a short one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoHelper => {
                "call `agon_play::helper()` first in `main`, or name the program `agon` as the helper".to_owned()
            }
            #[cfg(target_os = "linux")]
            Self::Unavailable { refused, .. } => match (refused.remedy(), refused.kind()) {
                (Some(remedy), _) => format!("what would help: {remedy}"),
                (None, RefusalKind::Unsupported) => {
                    "`agon doctor` shows which levels work here; `--sandbox auto` uses the strongest of them".to_owned()
                }
                (None, _) => RETRY_HINT.to_owned(),
            },
            #[cfg(target_os = "linux")]
            Self::Undecided(_) => RETRY_HINT.to_owned(),
            Self::NotLinux(_) => {
                "use Linux in a virtual machine or container; if you trust the bots, use `--sandbox none`".to_owned()
            }
            Self::Processes { .. } => {
                "more processes need `--sandbox full`; `agon doctor` shows what it needs here".to_owned()
            }
            #[cfg(target_os = "linux")]
            Self::NotShown { why, .. } => why.hint.clone(),
            Self::NoBotDir(_) | Self::NoPath(_) | Self::Ourselves(_) | Self::WorkingDirectory(_) => return None,
        })
    }
}

impl FromStr for IsolationChoice {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            level => level.parse().map(Self::Exactly).map_err(|_| "the levels are: auto, full, restricted, none"),
        }
    }
}

impl Default for SandboxOptions {
    fn default() -> Self {
        Self {
            isolation: IsolationChoice::Auto,
            bot_dir: None,
            read: Vec::new(),
            processes: None,
            variables: Vec::new(),
        }
    }
}

/// Returns whether several processes of a bot are held as one is. Their number and their end hold at the level `full`
/// anyway. Their memory and the CPU time of those that have ended are counted only by control groups.
#[cfg(target_os = "linux")]
fn holds_trees(level: Isolation) -> bool {
    let cgroups = agon_sandbox::Cgroups::here();
    level == Isolation::Full && cgroups.limits_memory() && cgroups.counts_cpu()
}

/// Returns `false`: this system has no sandbox.
#[cfg(not(target_os = "linux"))]
fn holds_trees(_: Isolation) -> bool {
    false
}

impl SandboxOptions {
    /// The usual number of processes of a bot: enough for the script that starts it, and for a few workers.
    pub const USUAL_PROCESSES: u32 = 16;

    /// Returns options without a sandbox. The bots can do whatever their user can.
    #[must_use]
    pub fn none() -> Self {
        Self { isolation: IsolationChoice::Exactly(Isolation::None), ..Self::default() }
    }

    /// Chooses the level for bots that are processes, and tries it out.
    ///
    /// # Errors
    /// If the requested level does not work here, it does not allow so many processes, or there is no helper program
    /// to try it with.
    pub fn decide(&self) -> Result<Decision, SandboxError> {
        let decision = match self.isolation {
            IsolationChoice::Exactly(Isolation::None) => {
                let warning = "NO SANDBOX: the bots can do whatever you can (--sandbox none)";
                return Ok(Decision { level: Isolation::None, warning: Some(warning.to_owned()) });
            }
            IsolationChoice::Exactly(level) => {
                self.holds(level)?;
                return level_works(level).map(|()| Decision { level, warning: None });
            }
            IsolationChoice::Auto => strongest()?,
        };
        self.holds(decision.level)?;
        Ok(decision)
    }

    /// Checks the paths that bots are to see.
    ///
    /// # Errors
    /// If a path does not exist, or would show all files of a user or of the machine.
    pub fn check_paths(&self) -> Result<(), SandboxError> {
        if let Some(dir) = self.bot_dir.as_ref().filter(|dir| !dir.is_dir()) {
            return Err(SandboxError::NoBotDir(dir.clone()));
        }
        for path in &self.read {
            if !path.exists() {
                return Err(SandboxError::NoPath(path.clone()));
            }
            #[cfg(target_os = "linux")]
            agon_sandbox::may_be_shown(path).map_err(|why| SandboxError::NotShown { what: READ, why })?;
        }
        Ok(())
    }

    /// Returns what a bot may use at this level. Each match adds its own memory limit. `None` if nothing is limited.
    pub(crate) fn confinement(&self, level: Isolation) -> Option<Confinement> {
        (level > Isolation::None).then(|| Confinement {
            processes: self.processes_at(level),
            read: self.read.iter().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone())).collect(),
            ..Confinement::new(level)
        })
    }

    /// Checks that the level allows the requested number of processes.
    fn holds(&self, level: Isolation) -> Result<(), SandboxError> {
        match self.processes {
            Some(processes) if processes > 1 && level == Isolation::Restricted => {
                Err(SandboxError::Processes { processes, level })
            }
            _ => Ok(()),
        }
    }

    /// Returns how many processes a bot may have at this level.
    fn processes_at(&self, level: Isolation) -> u32 {
        self.processes.unwrap_or_else(|| if holds_trees(level) { Self::USUAL_PROCESSES } else { 1 })
    }
}

/// Returns the strongest level that works here, with a warning if it is not `full`.
///
/// # Errors
/// If the levels could not be tried out, or there is no helper program to try them with. Only a feature that the host
/// does not support lowers the level. A temporary lack of resources does not, because anyone who can cause it could
/// otherwise choose the level.
#[cfg(target_os = "linux")]
pub fn strongest() -> Result<Decision, SandboxError> {
    let supported = agon_sandbox::best().map_err(SandboxError::undecided)?;
    let refused = match supported.level {
        Isolation::Full => None,
        Isolation::Restricted => supported.full.as_ref(),
        Isolation::None => supported.restricted.as_ref(),
    };
    let warning = refused.map(|why| match supported.level {
        Isolation::None => format!("NO SANDBOX: the bots can do whatever you can ({why}; see `agon doctor`)"),
        level => format!("the sandbox is `{level}`, not `full` ({why}; see `agon doctor`)"),
    });
    Ok(Decision { level: supported.level, warning })
}

/// Returns the level `none`: this system has no sandbox.
///
/// # Errors
/// Never.
#[cfg(not(target_os = "linux"))]
pub fn strongest() -> Result<Decision, SandboxError> {
    let warning = "NO SANDBOX: the bots can do whatever you can (isolation needs Linux)";
    Ok(Decision { level: Isolation::None, warning: Some(warning.to_owned()) })
}

/// Tries out a level.
///
/// # Errors
/// If the level does not work here, or there is no helper program to try it with.
#[cfg(target_os = "linux")]
pub fn level_works(level: Isolation) -> Result<(), SandboxError> {
    agon_sandbox::attempt(level).map_err(|refused| match refused.cause {
        Cause::NoHelper => SandboxError::NoHelper,
        _ => SandboxError::Unavailable { level, refused },
    })
}

/// Refuses every level: this system has no sandbox.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn level_works(level: Isolation) -> Result<(), SandboxError> {
    Err(SandboxError::NotLinux(level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read() {
        assert_eq!("auto".parse(), Ok(IsolationChoice::Auto));
        assert_eq!("restricted".parse(), Ok(IsolationChoice::Exactly(Isolation::Restricted)));
        assert!("Full".parse::<IsolationChoice>().is_err() && "".parse::<IsolationChoice>().is_err());
    }

    #[test]
    fn no_sandbox_needs_nothing_and_is_never_silent() {
        let decision = SandboxOptions::none().decide().expect("it needs nothing");
        assert_eq!(decision.level, Isolation::None);
        assert!(decision.warning.is_some());
    }
}

//! Why a program could not be started.

use agon_sandbox::{ProgramError, Refused, Shortage};
use rustix::io::Errno;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a program could not be started.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum StartError {
    /// The command line of the program has no words.
    #[error("the command line is empty")]
    Empty,
    /// The working directory of the program does not exist.
    #[error("the working directory `{}` does not exist", .0.display())]
    NoDirectory(PathBuf),
    /// The file of the program cannot be executed.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The sandbox of the program cannot be set up.
    #[error(transparent)]
    Sandbox(Refused),
    /// The program needs a sandbox, and Agon has none for this operating system.
    #[error("this system has no sandbox")]
    NoSandbox,
    /// The system refused something that every program needs.
    #[error("{what}: {errno}")]
    System {
        /// What failed, in words for people.
        what: String,
        /// The error number that the system returned.
        #[source]
        errno: Errno,
    },
}

/// The party that is responsible when a program cannot be started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartFault {
    /// The bot or its command line. The program cannot be started on any host.
    Bot,
    /// The host. The program may start later or on another host.
    Host,
}

impl StartError {
    /// The party that is responsible for this error.
    #[must_use]
    pub fn fault(&self) -> StartFault {
        match self {
            Self::Empty | Self::NoDirectory(_) => StartFault::Bot,
            Self::Program(error) if error.is_of_host() => StartFault::Host,
            Self::Program(_) => StartFault::Bot,
            Self::Sandbox(_) | Self::NoSandbox | Self::System { .. } => StartFault::Host,
        }
    }

    /// What is wrong with the program's file, or `None` if that is not the reason.
    #[must_use]
    pub fn program(&self) -> Option<&ProgramError> {
        match self {
            Self::Program(error) => Some(error),
            _ => None,
        }
    }

    /// What the host is short of. `None` if the reason is something else, or is not known.
    #[must_use]
    pub fn shortage(&self) -> Option<Shortage> {
        Shortage::among_causes(self)
    }

    /// Whether there is no file at the path of the program.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Program(ProgramError::NotFound(_)))
    }

    /// Whether the file of the program exists but is not executable.
    #[must_use]
    pub fn is_not_executable(&self) -> bool {
        matches!(self, Self::Program(ProgramError::NotExecutable(_)))
    }

    /// The file of a bot that exists but that the bot cannot read: because of its mode, because a folder around it is
    /// closed to the user that bots run as, or because the sandbox does not show it.
    #[must_use]
    pub fn unreadable(&self) -> Option<&Path> {
        match self {
            Self::Program(
                ProgramError::Unreadable(file) | ProgramError::ClosedFolder(file) | ProgramError::NotShown(file),
            ) => Some(file),
            _ => None,
        }
    }

    /// The refusal of the sandbox, or `None` if the sandbox is not the reason.
    #[must_use]
    pub fn refused(&self) -> Option<&Refused> {
        match self {
            Self::Sandbox(refused) => Some(refused),
            _ => None,
        }
    }

    /// Returns the error of something that the system refused. `what` says what failed, as in `cannot start a thread`.
    #[must_use]
    pub fn io(what: impl Into<String>, error: &std::io::Error) -> Self {
        Self::System { what: what.into(), errno: Errno::from_io_error(error).unwrap_or(Errno::IO) }
    }
}

/// If the sandbox refused because of the program's file, this becomes a [`StartError::Program`].
impl From<Refused> for StartError {
    fn from(refused: Refused) -> Self {
        match refused.program() {
            Some(error) => Self::Program(error.clone()),
            None => Self::Sandbox(refused),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_sandbox::{Cause, Step};

    #[test]
    fn a_bots_file_is_a_bots_fault_wherever_it_was_looked_at() {
        let error = ProgramError::NotExecutable("/x".into());
        let refused = Refused { step: Step::Program, what: String::new(), cause: Cause::Program(error.clone()) };
        for error in [StartError::from(refused), StartError::from(error)] {
            assert_eq!(error.fault(), StartFault::Bot);
            assert!(error.is_not_executable() && error.refused().is_none());
        }
        let refused = Refused { step: Step::Fork, what: String::new(), cause: Cause::Errno(Errno::AGAIN) };
        let error = StartError::from(refused);
        assert_eq!(error.fault(), StartFault::Host);
        assert!(error.refused().is_some());
        assert_eq!(error.shortage(), Some(Shortage::Processes));
    }

    #[test]
    fn a_start_refused_for_a_shortage_is_no_fault_of_a_bot() {
        for (errno, fault, shortage) in [
            (Errno::MFILE, StartFault::Host, Some(Shortage::OpenFiles)),
            (Errno::NFILE, StartFault::Host, Some(Shortage::OpenFiles)),
            (Errno::AGAIN, StartFault::Host, Some(Shortage::Processes)),
            (Errno::NOMEM, StartFault::Host, Some(Shortage::Memory)),
            (Errno::NOSPC, StartFault::Host, Some(Shortage::Space)),
            (Errno::TXTBSY, StartFault::Host, None),
            (Errno::TOOBIG, StartFault::Bot, None),
            (Errno::LOOP, StartFault::Bot, None),
        ] {
            let file = "/proc/self/exe".into();
            let of_program = StartError::from(ProgramError::NotExecuted { file, errno });
            assert_eq!((of_program.fault(), of_program.shortage()), (fault, shortage), "{errno}");
            let of_system = StartError::System { what: "pipes".into(), errno };
            assert_eq!((of_system.fault(), of_system.shortage()), (StartFault::Host, shortage), "{errno}");
        }
    }
}

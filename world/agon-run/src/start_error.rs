//! Why a program could not be started.

use agon_sandbox::{ProgramError, Refused};
use rustix::io::Errno;
use std::path::PathBuf;
use thiserror::Error;

/// Why a program could not be started.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum StartError {
    /// Its command line has no word.
    #[error("the command line is empty")]
    Empty,
    /// Its working directory is not there.
    #[error("the working directory `{}` does not exist", .0.display())]
    NoDirectory(PathBuf),
    /// Its file cannot be executed.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// Its sandbox could not be made.
    #[error(transparent)]
    Sandbox(Refused),
    /// This system has no sandbox.
    #[error("this system has no sandbox")]
    NoSandbox,
    /// The system refused something that every program needs.
    #[error("{what}: {errno}")]
    System {
        /// What that is.
        what: String,
        /// The answer of the system.
        #[source]
        errno: Errno,
    },
}

/// Whose doing it is that a program could not be started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartFault {
    /// The bot's, or of whoever has written its command line: it cannot be started anywhere.
    Bot,
    /// The host's: another time or somewhere else it may be started.
    Host,
}

impl StartError {
    /// Whose doing it is.
    #[must_use]
    pub fn fault(&self) -> StartFault {
        match self {
            Self::Empty | Self::NoDirectory(_) => StartFault::Bot,
            Self::Program(ProgramError::System { .. }) => StartFault::Host,
            Self::Program(_) => StartFault::Bot,
            Self::Sandbox(_) | Self::NoSandbox | Self::System { .. } => StartFault::Host,
        }
    }

    /// Whether its file is there and nobody may execute it.
    #[must_use]
    pub fn is_not_executable(&self) -> bool {
        matches!(self, Self::Program(ProgramError::NotExecutable(_)))
    }

    /// Why the sandbox could not be made, if that is why.
    #[must_use]
    pub fn refused(&self) -> Option<&Refused> {
        match self {
            Self::Sandbox(refused) => Some(refused),
            _ => None,
        }
    }

    pub(crate) fn io(what: impl Into<String>, error: &std::io::Error) -> Self {
        Self::System { what: what.into(), errno: Errno::from_io_error(error).unwrap_or(Errno::IO) }
    }
}

/// A refusal for the file to execute is that file's.
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
    }
}

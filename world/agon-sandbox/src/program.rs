//! Why a file cannot be executed.

use rustix::io::Errno;
use std::{ffi::OsString, path::PathBuf};
use thiserror::Error;

/// Why a file cannot be executed: nobody's fault but that of whoever has named it.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ProgramError {
    /// No folder of the search path has a program of this name.
    #[error("there is no program `{}` in the search path", .0.display())]
    NotInPath(OsString),
    /// There is no such file.
    #[error("there is no file `{}`", .0.display())]
    NotFound(PathBuf),
    /// There is such a file, and a program in the sandbox does not see it.
    #[error("there is no file `{}` inside", .0.display())]
    NotShown(PathBuf),
    /// The file is in a folder that is closed to the user that programs in the sandbox have.
    #[error("`{}` is in a folder that is closed to the user that bots run as", .0.display())]
    ClosedFolder(PathBuf),
    /// It is a folder.
    #[error("`{}` is a folder", .0.display())]
    Folder(PathBuf),
    /// It is a pipe, a device or something else that is no file.
    #[error("`{}` is no regular file", .0.display())]
    NotRegular(PathBuf),
    /// Nobody may execute it.
    #[error("`{}` is not executable", .0.display())]
    NotExecutable(PathBuf),
    /// The user that programs in the sandbox have may not execute it.
    #[error("`{}` may not be executed by the user that bots run as", .0.display())]
    Forbidden(PathBuf),
    /// The interpreter in the first line of a script is not there.
    #[error("`{}` needs {} (see its first line)", .file.display(), missing(.interpreter.as_deref()))]
    NoInterpreter {
        /// The script.
        file: PathBuf,
        /// What its first line names, if that is known.
        interpreter: Option<String>,
    },
    /// It is no program for this machine, and no script.
    #[error("`{}` is neither a program for this machine nor a script with a first line `#!`", .0.display())]
    Format(PathBuf),
    /// The system cannot say what it is.
    #[error("`{}`: {errno}", .file.display())]
    System {
        /// The file.
        file: PathBuf,
        /// The answer of the system.
        #[source]
        errno: Errno,
    },
}

fn missing(interpreter: Option<&str>) -> String {
    match interpreter {
        Some(name) => format!("the interpreter `{name}`, which is not there"),
        None => "an interpreter that is not there".to_owned(),
    }
}

impl ProgramError {
    /// The number that the system answered with, where there is no better reason.
    #[must_use]
    pub fn errno(&self) -> Option<i32> {
        match self {
            Self::System { errno, .. } => Some(errno.raw_os_error()),
            _ => None,
        }
    }
}

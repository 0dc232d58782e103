//! Why a file cannot be executed.

use rustix::io::Errno;
use std::{
    ffi::OsString,
    fs::File,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};
use thiserror::Error;

/// Why a file cannot be executed. The reason lies in the file or in the command line that names it, not in the
/// sandbox.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ProgramError {
    /// No folder of the search path has a program with this name.
    #[error("there is no program `{}` in the search path", .0.display())]
    NotInPath(OsString),
    /// The file does not exist.
    #[error("there is no file `{}`", .0.display())]
    NotFound(PathBuf),
    /// The file exists, but the sandbox does not show it to the program.
    #[error("the sandbox does not show the file `{}`", .0.display())]
    NotShown(PathBuf),
    /// The file is in a folder that the user of programs in the sandbox may not enter.
    #[error("`{}` is in a folder that is closed to the user that bots run as", .0.display())]
    ClosedFolder(PathBuf),
    /// The path names a folder.
    #[error("`{}` is a folder", .0.display())]
    Folder(PathBuf),
    /// The path names a pipe, a device or something else that is not a regular file.
    #[error("`{}` is not a regular file", .0.display())]
    NotRegular(PathBuf),
    /// The file has no permission bit for execution.
    #[error("`{}` is not executable", .0.display())]
    NotExecutable(PathBuf),
    /// The user of programs in the sandbox may not execute the file.
    #[error("the user that bots run as may not execute `{}`", .0.display())]
    Forbidden(PathBuf),
    /// The user of programs in the sandbox may not read the file, which an interpreter is to execute.
    #[error("the user that bots run as may not read `{}`", .0.display())]
    Unreadable(PathBuf),
    /// The file is a script, and the interpreter in its first line does not exist.
    #[error("`{}` needs {}, which its first line names", .file.display(), missing(.interpreter.as_deref()))]
    NoInterpreter {
        /// The path of the script.
        file: PathBuf,
        /// The interpreter that the first line names. `None` if that is not known.
        interpreter: Option<String>,
    },
    /// The file is neither a program for this machine nor a script.
    #[error("`{}` is neither a program for this machine nor a script whose first line begins with `#!`", .0.display())]
    Format(PathBuf),
    /// The system refuses to say what the file is.
    #[error("cannot examine `{}`: {errno}", .file.display())]
    System {
        /// The path of the file.
        file: PathBuf,
        /// The error number that the system returned.
        #[source]
        errno: Errno,
    },
}

fn missing(interpreter: Option<&str>) -> String {
    match interpreter {
        Some(name) => format!("the missing interpreter `{name}`"),
        None => "a missing interpreter".to_owned(),
    }
}

impl ProgramError {
    /// Checks that this process can read the file that an interpreter is to execute.
    ///
    /// # Errors
    /// If there is no such file, or if this process may not read it.
    pub fn check_script(script: &Path) -> Result<(), Self> {
        let file = || script.to_owned();
        let about = script.metadata().map_err(|e| Self::of_missing(script, &e))?;
        if about.is_dir() {
            return Err(Self::Folder(file()));
        }
        // Opening a named pipe would block until another process writes to it.
        if !about.is_file() {
            return Err(Self::NotRegular(file()));
        }
        if rustix::fs::access(script, rustix::fs::Access::READ_OK).is_err() {
            return Err(Self::Unreadable(file()));
        }
        match File::open(script) {
            // Its mode allows it, so it is Landlock that refuses.
            Err(e) if e.kind() == ErrorKind::PermissionDenied => Err(Self::NotShown(file())),
            Err(e) => Err(Self::of_missing(script, &e)),
            Ok(_) => Ok(()),
        }
    }

    /// Why the system says nothing about a file.
    pub(crate) fn of_missing(file: &Path, error: &io::Error) -> Self {
        let path = file.to_owned();
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Self::NotFound(path),
            ErrorKind::PermissionDenied => Self::ClosedFolder(path),
            _ => Self::System { file: path, errno: Errno::from_io_error(error).unwrap_or(Errno::IO) },
        }
    }

    /// The error number that the system returned. `None` if the error itself says more.
    #[must_use]
    pub fn errno(&self) -> Option<i32> {
        match self {
            Self::System { errno, .. } => Some(errno.raw_os_error()),
            _ => None,
        }
    }
}

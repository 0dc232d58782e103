//! Why a file cannot be executed.

use crate::{
    Shortage,
    program_file::{Beginning, FirstLine},
};
use rustix::{
    fs::{Access, StatVfsMountFlags, access, statvfs},
    io::Errno,
};
use std::{
    ffi::OsString,
    fs::File,
    io::{self, ErrorKind},
    os::unix::fs::PermissionsExt,
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
    /// The file is a script with the line ends of Windows: its first line ends in a carriage return.
    #[error(
        "`{}` has the line ends of Windows: the system would look for `{}\\r`, as its first line says", .file.display(), .looked_for
    )]
    LineEnds {
        /// The path of the script.
        file: PathBuf,
        /// The last word of the first line, without the carriage return.
        looked_for: String,
    },
    /// The file is a script, and the interpreter in its first line does not exist.
    #[error("`{}` needs the missing interpreter `{interpreter}`, which its first line names", .file.display())]
    NoInterpreter {
        /// The path of the script.
        file: PathBuf,
        /// The interpreter that the first line names.
        interpreter: String,
    },
    /// The file is a script, and the interpreter in its first line cannot be executed.
    #[error("`{}` needs the interpreter that its first line names: {why}", .file.display())]
    BadInterpreter {
        /// The path of the script.
        file: PathBuf,
        /// What is wrong with the interpreter.
        why: String,
    },
    /// The file is a program, and the file that has to load it does not exist.
    #[error("`{}` needs the missing loader `{loader}`: it was built for another system", .file.display())]
    NoLoader {
        /// The path of the program.
        file: PathBuf,
        /// The loader that the program names.
        loader: String,
    },
    /// The file is a program for another machine.
    #[error("`{}` is a program for {machine}, and this machine is {here}", .file.display(), here = std::env::consts::ARCH)]
    OtherMachine {
        /// The path of the program.
        file: PathBuf,
        /// The machine that it is for, in words.
        machine: String,
    },
    /// The file is known to be something else.
    #[error("`{}` {what}", .file.display())]
    Foreign {
        /// The path of the file.
        file: PathBuf,
        /// What it is, as a fragment that begins with a verb.
        what: String,
    },
    /// Nothing on the file system of the file may be executed.
    #[error("`{}` is on a file system from which nothing may be executed (`noexec`)", .0.display())]
    NoExec(PathBuf),
    /// The file is neither a program for this machine nor a script.
    #[error("`{}` is neither a program for this machine nor a script whose first line begins with `#!`", .0.display())]
    Format(PathBuf),
    /// The system refuses to execute the file, and nothing is wrong with it that is known.
    #[error("the system does not execute `{}`: {errno}", .file.display())]
    NotExecuted {
        /// The path of the file.
        file: PathBuf,
        /// The error number that the system returned.
        #[source]
        errno: Errno,
    },
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

/// How many interpreters that are scripts themselves the system follows.
const INTERPRETERS: u32 = 5;

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

    /// Checks the first line of a program that is a script, before it is executed. The system would pass a carriage return on to
    /// the interpreter, and then it would look as if that had started.
    ///
    /// # Errors
    /// The first line ends in a carriage return, as in files from Windows.
    pub fn check_first_line(program: &Path) -> Result<(), Self> {
        // Opening a named pipe would block until another process writes to it.
        let is_file = program.metadata().is_ok_and(|about| about.is_file());
        let Some(Ok(Beginning::Script(line))) = is_file.then(|| Beginning::of(program)) else { return Ok(()) };
        match line.spoilt_by_return() {
            Some(looked_for) => Err(Self::LineEnds { file: program.to_owned(), looked_for }),
            None => Ok(()),
        }
    }

    /// Why the system did not execute a file, for which it returned this error number. Call this where the file was executed: in
    /// a sandbox, other files are seen.
    #[must_use]
    pub fn of_execution(program: &Path, errno: Errno) -> Self {
        Self::why(program, errno, INTERPRETERS)
    }

    /// An interpreter may be a script itself, which the system follows so often.
    fn why(program: &Path, errno: Errno, depth: u32) -> Self {
        let file = || program.to_owned();
        if Shortage::of(errno).is_some() {
            return Self::NotExecuted { file: file(), errno };
        }
        let about = match program.metadata() {
            Ok(about) => about,
            Err(error) => return Self::of_missing(program, &error),
        };
        if about.is_dir() {
            return Self::Folder(file());
        }
        if !about.is_file() {
            return Self::NotRegular(file());
        }
        if about.permissions().mode() & 0o111 == 0 {
            return Self::NotExecutable(file());
        }
        if errno == Errno::ACCESS {
            if statvfs(program).is_ok_and(|system| system.f_flag.contains(StatVfsMountFlags::NOEXEC)) {
                return Self::NoExec(file());
            }
            if access(program, Access::EXEC_OK).is_err() {
                return Self::Forbidden(file());
            }
        }
        match (Beginning::of(program), errno) {
            (Ok(Beginning::Script(FirstLine { interpreter, .. })), Errno::NOENT | Errno::NOTDIR)
                if !interpreter.exists() =>
            {
                Self::NoInterpreter { file: file(), interpreter: interpreter.display().to_string() }
            }
            (Ok(Beginning::Script(line)), _) if depth > 0 => {
                let why = Self::why(&line.interpreter, errno, depth - 1).to_string();
                Self::BadInterpreter { file: file(), why }
            }
            (Ok(Beginning::Elf(elf)), Errno::NOENT | Errno::NOTDIR) => match elf.loader {
                Some(loader) => Self::NoLoader { file: file(), loader: loader.display().to_string() },
                None => Self::NotExecuted { file: file(), errno },
            },
            (Ok(Beginning::Elf(elf)), Errno::NOEXEC) => match elf.other_machine() {
                Some(machine) => Self::OtherMachine { file: file(), machine },
                None => Self::Format(file()),
            },
            (Ok(Beginning::Foreign(what)), Errno::NOEXEC) => Self::Foreign { file: file(), what: what.to_owned() },
            (_, Errno::NOEXEC) => Self::Format(file()),
            // Its mode allows it, so it is Landlock that refuses.
            (Err(error), Errno::ACCESS) if error.kind() == ErrorKind::PermissionDenied => Self::NotShown(file()),
            _ => Self::NotExecuted { file: file(), errno },
        }
    }

    /// Whether the host may be the reason, and not the file: it was short of something, or somebody was writing to the file.
    #[must_use]
    pub fn is_of_host(&self) -> bool {
        match self {
            Self::System { errno, .. } | Self::NotExecuted { errno, .. } => {
                Shortage::of(*errno).is_some() || matches!(*errno, Errno::TXTBSY | Errno::IO)
            }
            _ => false,
        }
    }

    /// What to do about it, as a lower-case fragment. `None` if nothing is known.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::LineEnds { file, .. } => {
                format!("`sed -i 's/\\r$//' {}` gives it the line ends of Linux", file.display())
            }
            Self::NoInterpreter { .. } | Self::BadInterpreter { .. } => {
                "install the interpreter, or name another one: 'python3 bot.py'".to_owned()
            }
            Self::NoLoader { .. } | Self::OtherMachine { .. } => "build it on this machine".to_owned(),
            Self::NoExec(_) => "move it to another folder, or name its interpreter: 'python3 bot.py'".to_owned(),
            _ => return None,
        })
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
            Self::System { errno, .. } | Self::NotExecuted { errno, .. } => Some(errno.raw_os_error()),
            _ => None,
        }
    }
}

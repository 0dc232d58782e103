//! What is started.

use crate::StartError;
use agon_sandbox::{Confinement, ProgramError};
use rustix::io::Errno;
use std::{
    ffi::{OsStr, OsString},
    io::{self, ErrorKind},
    os::unix::{ffi::OsStrExt, fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// What sits in a seat.
#[expect(clippy::large_enum_variant, reason = "there are a few of them in a match, and none is moved about")]
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Launch {
    /// A built-in bot, which the machine computes.
    Builtin,
    /// A program of its own.
    Program(Program),
    /// Nothing: a person sits there, who decides by [`People`](crate::People).
    Human,
}

/// A program that is started without a shell.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// The program and its arguments. A first word without a slash is looked up in `PATH`; one with a slash is taken
    /// from here, or else from `dir`.
    pub words: Vec<OsString>,
    /// The file to execute, where that is another one than the first word leads to.
    pub file: Option<PathBuf>,
    /// Its working directory; `None` is ours.
    pub dir: Option<PathBuf>,
    /// Its environment.
    pub environment: Environment,
    /// What it may see and use; `None` is all that we may.
    pub sandbox: Option<Confinement>,
    /// Set if it is no bot itself but plays one.
    pub host: Option<Host>,
}

/// What is to be known of a program that plays a bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Host {
    /// What it may have in use beyond the match's limit of memory, in MiB, which is the bot's own.
    pub spare_mib: u32,
    /// The exit codes, from the first to the last, with which it says that it has stopped the bot. No bot can end with
    /// them, and the last line on its stderr is the reason.
    pub stopped: (i32, i32),
}

/// A program that was started.
#[derive(Debug)]
pub(crate) enum Begun {
    /// Without a sandbox: it runs.
    Outside(Child),
    /// In one: it is on its way there.
    #[cfg(target_os = "linux")]
    Inside(agon_sandbox::Starting),
}

/// The environment of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Environment {
    /// Ours: a bot finds what it finds when its author starts it by hand. In a sandbox it is the same few variables for
    /// every bot, and none of ours.
    #[default]
    Inherit,
    /// These variables alone; nothing of ours gets through. In a sandbox they join its few, and replace them.
    Only(Vec<(OsString, OsString)>),
}

impl Program {
    /// This command line, in our directory and environment.
    pub fn new<W: Into<OsString>>(words: impl IntoIterator<Item = W>) -> Self {
        Self { words: words.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Starts it with three pipes, as the leader of a process group of its own.
    ///
    /// Which of "no such program", "not executable" and "its interpreter is missing" it is matters to whoever wrote the
    /// command line, and the system has one error for all.
    pub(crate) fn start(&self) -> Result<Begun, StartError> {
        let Some(word) = self.words.first() else { return Err(StartError::Empty) };
        if let Some(dir) = &self.dir
            && !dir.is_dir()
        {
            return Err(StartError::NoDirectory(dir.clone()));
        }
        let path = self.file.clone().map_or_else(|| self.resolve(word), Ok)?;
        if let Some(confinement) = &self.sandbox {
            return self.start_inside(&path, confinement);
        }
        let mut command = Command::new(&path);
        command.arg0(word).args(&self.words[1..]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        if let Environment::Only(variables) = &self.environment {
            command.env_clear().envs(variables.iter().map(|(name, value)| (name, value)));
        }
        // Nothing here makes the standard library fork: with a process group, a directory, an environment and a path
        // it still uses `posix_spawn`, whose cost does not grow with our memory. It also gives the child the default
        // handling of SIGPIPE back, which our own runtime ignores.
        command.process_group(0);
        command.spawn().map(Begun::Outside).map_err(|error| explain(&path, &error))
    }

    /// Starts it in a sandbox. It gets there while others are started.
    #[cfg(target_os = "linux")]
    fn start_inside(&self, path: &Path, confinement: &Confinement) -> Result<Begun, StartError> {
        let here = || std::env::current_dir().map_err(|e| StartError::io("the working directory", &e));
        let dir = self.dir.clone().map_or_else(here, Ok)?;
        let mut environment = agon_sandbox::environment(confinement, path);
        if let Environment::Only(variables) = &self.environment {
            environment.retain(|(name, _)| variables.iter().all(|(other, _)| other != name));
            environment.extend(variables.iter().cloned());
        }
        let request = agon_sandbox::StartRequest {
            program: path.to_owned(),
            words: self.words.clone(),
            environment,
            dir: std::path::absolute(&dir).unwrap_or(dir),
            confinement: confinement.clone(),
        };
        Ok(Begun::Inside(agon_sandbox::start(&request)?))
    }

    #[cfg(not(target_os = "linux"))]
    fn start_inside(&self, _: &Path, _: &Confinement) -> Result<Begun, StartError> {
        Err(StartError::NoSandbox)
    }

    /// The file that its first word leads to, absolute.
    ///
    /// # Errors
    /// If it leads to none.
    pub fn find(&self) -> Result<PathBuf, StartError> {
        self.words.first().map_or(Err(StartError::Empty), |word| self.resolve(word))
    }

    fn resolve(&self, word: &OsStr) -> Result<PathBuf, StartError> {
        if word.as_bytes().contains(&b'/') {
            let here = std::path::absolute(word).map_err(|e| StartError::io(format!("`{}`", word.display()), &e))?;
            let there = self.dir.as_ref().map(|dir| dir.join(word));
            let there = there.and_then(|path| std::path::absolute(path).ok());
            return match there {
                Some(there) if !here.exists() && there.exists() => Ok(there),
                _ => Ok(here),
            };
        }
        let own = match &self.environment {
            Environment::Only(variables) => variables.iter().find(|(name, _)| name == "PATH").map(|(_, v)| v.clone()),
            Environment::Inherit => None,
        };
        // A bot without a PATH of its own is still looked up in ours.
        let folders = own.or_else(|| std::env::var_os("PATH")).unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        let mut not_executable = None;
        for folder in std::env::split_paths(&folders).filter(|folder| !folder.as_os_str().is_empty()) {
            let path = folder.join(word);
            match executable(&path) {
                Some(true) => return Ok(path),
                Some(false) => not_executable = Some(path),
                None => {}
            }
        }
        Err(match not_executable {
            Some(path) => ProgramError::NotExecutable(path),
            None => ProgramError::NotInPath(word.to_owned()),
        }
        .into())
    }
}

/// Whether a file may be executed by somebody; `None` if it is no file.
fn executable(path: &Path) -> Option<bool> {
    let about = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some(about.permissions().mode() & 0o111 != 0)
}

/// Why a file could not be started.
fn explain(path: &Path, error: &io::Error) -> StartError {
    let file = path.to_owned();
    if path.is_dir() {
        return ProgramError::Folder(file).into();
    }
    let errno = Errno::from_io_error(error);
    match (error.kind(), errno) {
        (ErrorKind::NotFound, _) if !path.exists() => ProgramError::NotFound(file).into(),
        (ErrorKind::NotFound, _) => ProgramError::NoInterpreter { file, interpreter: None }.into(),
        (ErrorKind::PermissionDenied, _) if executable(path) == Some(false) => ProgramError::NotExecutable(file).into(),
        // Neither a program for this machine nor a script that says what runs it.
        (_, Some(Errno::NOEXEC)) => ProgramError::Format(file).into(),
        _ => StartError::io(format!("`{}`", path.display()), error),
    }
}

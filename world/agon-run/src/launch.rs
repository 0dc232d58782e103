//! The programs of a match, and how they are started.

use crate::StartError;
#[cfg(target_os = "linux")]
use agon_sandbox::Cause;
use agon_sandbox::{Confinement, ProgramError};
use rustix::io::Errno;
use std::{
    ffi::{OsStr, OsString},
    os::unix::{ffi::OsStrExt, fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// What plays in a seat.
#[expect(clippy::large_enum_variant, reason = "there are a few of them in a match, and none is moved about")]
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Launch {
    /// A built-in bot, which runs inside the referee.
    Builtin,
    /// A program, which runs as a process.
    Program(Program),
    /// A person, whose decisions come through [`People`](crate::People). No process is started.
    Human,
}

/// A program and how to start it. No shell is involved.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// The program and its arguments. If the first word has no slash, it is looked up in `PATH`. If it has one, it is
    /// a path relative to the current directory or, if no such file exists, to `dir`.
    pub words: Vec<OsString>,
    /// The file to execute. `None` executes the file that the first word names.
    pub file: Option<PathBuf>,
    /// The absolute path of the file that the program reads as its own program, if it is an interpreter. The program is
    /// not started unless it can read the file.
    pub script: Option<PathBuf>,
    /// The working directory of the program. `None` is the current directory of this process.
    pub dir: Option<PathBuf>,
    /// The environment variables of the program.
    pub environment: Environment,
    /// What the program may see and use. `None` gives it all rights of this process.
    pub sandbox: Option<Confinement>,
    /// Set if the program is a host that runs a bot inside itself. `None` if it is a bot.
    pub host: Option<Host>,
}

/// What the runner needs to know about a program that runs a bot inside itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Host {
    /// The memory that the host itself may use, in MiB. It is added to the memory limit of the match, which is for the
    /// bot.
    pub spare_mib: u32,
    /// The address space that the host reserves for the bot's memory, whatever the bot uses of it, in MiB.
    pub reserved_mib: u32,
    /// The first and the last of the exit codes with which the host reports that it has stopped the bot. A bot cannot
    /// cause these codes. The last line on the host's stderr is the reason.
    pub stopped: (i32, i32),
}

/// A program that was started, but may not run yet.
#[derive(Debug)]
pub(crate) enum Begun {
    /// A program without a sandbox. It runs already.
    Outside(Child),
    /// A program whose sandbox is being set up.
    #[cfg(target_os = "linux")]
    Inside(agon_sandbox::Starting),
    /// A program without a sandbox, but with a process that ends everything below it.
    #[cfg(target_os = "linux")]
    Kept(agon_sandbox::Starting, PathBuf),
}

/// The environment variables of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Environment {
    /// The variables of this process, so that a bot runs as if its author had started it by hand. In a sandbox, every
    /// bot gets the same few variables instead, and none from this process.
    #[default]
    Inherit,
    /// Only these variables, and none from this process. In a sandbox, they are added to the variables of the sandbox.
    /// A variable of the same name is replaced.
    Only(Vec<(OsString, OsString)>),
}

impl Program {
    /// A program with this command line, the current directory and the environment of this process, and no sandbox.
    pub fn new<W: Into<OsString>>(words: impl IntoIterator<Item = W>) -> Self {
        Self { words: words.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Starts the program with three pipes, as the leader of a new process group.
    ///
    /// If that fails, the error tells "no such program", "not executable" and "its interpreter is missing" apart. The
    /// system reports them all in the same way, but the author of the command line needs to know which one it is.
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
        if let Some(script) = &self.script {
            ProgramError::check_script(script)?;
        }
        #[cfg(target_os = "linux")]
        if let Some(kept) = self.start_kept(&path) {
            return kept;
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
        agon_sandbox::open_files::as_before(&mut command);
        // None of the other settings makes the standard library fork: with a process group, a directory, an environment
        // and a path it still uses `posix_spawn`, whose cost does not grow with our memory. It also restores the
        // default handling of SIGPIPE in the child, which Rust's runtime ignores in this process.
        command.process_group(0);
        ProgramError::check_first_line(&path)?;
        command.spawn().map(Begun::Outside).map_err(|error| match Errno::from_io_error(&error) {
            Some(errno) => ProgramError::of_execution(&path, errno).into(),
            None => StartError::io(format!("the system does not start `{}`", path.display()), &error),
        })
    }

    /// Starts the program in a sandbox. The sandbox is set up while the caller starts other programs.
    #[cfg(target_os = "linux")]
    fn start_inside(&self, path: &Path, confinement: &Confinement) -> Result<Begun, StartError> {
        let here = || std::env::current_dir().map_err(|e| StartError::io("cannot find the working directory", &e));
        let dir = self.dir.clone().map_or_else(here, Ok)?;
        let mut environment = agon_sandbox::environment(confinement);
        if let Environment::Only(variables) = &self.environment {
            environment.retain(|(name, _)| variables.iter().all(|(other, _)| other != name));
            environment.extend(variables.iter().cloned());
        }
        let request = agon_sandbox::StartRequest {
            program: path.to_owned(),
            words: self.words.clone(),
            environment,
            dir: std::path::absolute(&dir).unwrap_or(dir),
            confinement: Confinement { script: self.script.clone(), ..confinement.clone() },
        };
        Ok(Begun::Inside(agon_sandbox::start(request)?))
    }

    /// Starts the program without a sandbox, by the helper program of the sandbox. `None` if there is no helper program,
    /// or if it cannot reach the working directory by its path.
    #[cfg(target_os = "linux")]
    fn start_kept(&self, path: &Path) -> Option<Result<Begun, StartError>> {
        let here = || std::env::current_dir().ok();
        let dir = std::path::absolute(self.dir.clone().or_else(here)?).ok()?;
        rustix::fs::access(&dir, rustix::fs::Access::EXEC_OK).ok()?;
        let environment = match &self.environment {
            Environment::Inherit => std::env::vars_os().collect(),
            Environment::Only(variables) => variables.clone(),
        };
        let request = agon_sandbox::StartRequest {
            program: path.to_owned(),
            words: self.words.clone(),
            environment,
            dir,
            confinement: Confinement { memory_mib: None, ..Confinement::new(agon_spec::Isolation::None) },
        };
        match agon_sandbox::start(request) {
            Ok(starting) => Some(Ok(Begun::Kept(starting, path.to_owned()))),
            Err(agon_sandbox::Refused { cause: Cause::NoHelper | Cause::NotHelper(_), .. }) => None,
            Err(refused) => Some(Err(explain_refused(path, &refused))),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn start_inside(&self, _: &Path, _: &Confinement) -> Result<Begun, StartError> {
        Err(StartError::NoSandbox)
    }

    /// Whether the CPU time of all its processes can be counted. A program that may start others needs a control group
    /// for that, because the time of a child that its parent ignores is lost.
    #[must_use]
    pub fn counts_cpu(&self) -> bool {
        #[cfg(target_os = "linux")]
        return self
            .sandbox
            .as_ref()
            .is_some_and(|confinement| confinement.processes <= 1 || agon_sandbox::Cgroups::here().counts_cpu());
        #[cfg(not(target_os = "linux"))]
        false
    }

    /// The absolute path of the file that the first word of the command line names. A word with a slash is not looked
    /// up: its file may not exist.
    ///
    /// # Errors
    /// The command line is empty, or its first word has no slash and no folder of `PATH` has an executable file of
    /// that name.
    pub fn find(&self) -> Result<PathBuf, StartError> {
        self.words.first().map_or(Err(StartError::Empty), |word| self.resolve(word))
    }

    /// Looks whether the program is there, without starting it.
    ///
    /// # Errors
    /// There is no such program, it is not executable, or it is an interpreter and cannot read its file. A start can fail for
    /// more reasons, such as what the sandbox shows.
    pub fn check(&self) -> Result<(), StartError> {
        let path = self.file.clone().map_or_else(|| self.find(), Ok)?;
        match executable(&path) {
            Some(true) => {}
            Some(false) => return Err(ProgramError::NotExecutable(path).into()),
            None if path.is_dir() => return Err(ProgramError::Folder(path).into()),
            None if path.exists() => return Err(ProgramError::NotRegular(path).into()),
            None => return Err(ProgramError::NotFound(path).into()),
        }
        self.script.as_deref().map_or(Ok(()), |script| Ok(ProgramError::check_script(script)?))
    }

    fn resolve(&self, word: &OsStr) -> Result<PathBuf, StartError> {
        if word.as_bytes().contains(&b'/') {
            let here = std::path::absolute(word)
                .map_err(|e| StartError::io(format!("cannot find `{}`", word.display()), &e))?;
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
        // If the bot has no PATH of its own, the PATH of this process is searched.
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

/// Whether a file has any permission bit for execution. `None` if the path does not name a file.
fn executable(path: &Path) -> Option<bool> {
    let about = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some(about.permissions().mode() & 0o111 != 0)
}

/// Why the helper program did not start a program without a sandbox.
#[cfg(target_os = "linux")]
pub(crate) fn explain_refused(path: &Path, refused: &agon_sandbox::Refused) -> StartError {
    if let Some(error) = refused.program() {
        return error.clone().into();
    }
    let path = path.display();
    match refused.errno() {
        Some(errno) => StartError::System {
            what: format!("the system does not start `{path}` ({})", refused.step),
            errno: Errno::from_raw_os_error(errno),
        },
        // Somebody has killed or stopped a process of the start.
        None => StartError::System {
            what: format!("the system does not start `{path}` ({})", refused.cause),
            errno: Errno::AGAIN,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn reasons_of_a_failed_start_are_told_apart() {
        let place = std::env::temp_dir().join(format!("agon-launch-{}", std::process::id()));
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(place.join("folder")).expect("a folder");
        for (name, mode) in [("program", 0o755), ("plain", 0o644), ("secret", 0o000)] {
            fs::write(place.join(name), "#!/bin/sh\n").expect("a file");
            fs::set_permissions(place.join(name), fs::Permissions::from_mode(mode)).expect("it is ours");
        }
        let made = Command::new("mkfifo").arg(place.join("pipe")).status().expect("every system has it");
        assert!(made.success());
        // Root reads everything.
        let is_root = fs::File::open(place.join("secret")).is_ok();
        let unreadable = if is_root { "fine" } else { "may not read" };
        for (program, script, expected) in [
            ("program", None, "fine"),
            ("folder", None, "is a folder"),
            ("missing", None, "there is no file"),
            ("plain", None, "is not executable"),
            ("pipe", None, "is not a regular file"),
            ("program", Some("plain"), "fine"),
            ("program", Some("folder"), "is a folder"),
            ("program", Some("missing"), "there is no file"),
            ("program", Some("pipe"), "is not a regular file"),
            ("program", Some("secret"), unreadable),
            // The program comes first.
            ("plain", Some("missing"), "is not executable"),
        ] {
            let script = script.map(|name| place.join(name));
            let checked = Program { script: script.clone(), ..Program::new([place.join(program)]) }.check();
            let said = checked.map_or_else(|why| why.to_string(), |()| "fine".to_owned());
            assert!(said.contains(expected), "{program}, {script:?}: {said}");
        }
        fs::remove_dir_all(&place).expect("it can be removed");
    }
}

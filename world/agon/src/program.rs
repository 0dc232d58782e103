//! The programs of Agon. They are installed side by side.
//!
//! `agon` leaves out what only some commands need: the instant bots of the benches and the hostile bots of the
//! self-test. For these commands it executes another program in its own place. The signals, the terminal and the exit
//! code are then those of that program.

use crate::{
    clean::{clean, cut},
    error::{Error, Result, reason},
    exit::Exit,
};
use agon_sandbox::open_files::as_before;
use std::{
    convert::Infallible,
    ffi::OsString,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::Command,
};

/// The hint of errors about a missing or wrong program.
const INSTALL: &str =
    "`cargo install --path world/agon` installs all programs of Agon; in the workspace, `cargo build` builds them";

/// One of the three programs of Agon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Program {
    /// `agon`, the command line.
    Agon,
    /// `agon-bench`, the benches.
    Bench,
    /// `agon-selftest`, the self-test and the doctor.
    Selftest,
}

impl Program {
    fn name(self) -> &'static str {
        match self {
            Self::Agon => "agon",
            Self::Bench => "agon-bench",
            Self::Selftest => "agon-selftest",
        }
    }

    /// Returns the path of this program in the folder of the running program. `PATH` is not searched, because it may
    /// name another version or a stranger's file.
    ///
    /// # Errors
    /// The file does not exist. The error names the way to install it.
    pub fn path(self) -> Result<PathBuf> {
        let us = std::env::current_exe()
            .map_err(|why| Error::user(format!("cannot find the path of the running program: {}", reason(&why))))?;
        self.beside(&us).ok_or_else(|| {
            let (name, us) = (self.name(), us.display());
            Error::user(format!("the program `{name}` is missing: it must be in the folder of `{us}`")).hint(INSTALL)
        })
    }

    /// Returns the file of this program beside `us`, or beside the file that `us` links to.
    fn beside(self, us: &Path) -> Option<PathBuf> {
        let file = format!("{}{}", self.name(), std::env::consts::EXE_SUFFIX);
        let folders = [Some(us.to_owned()), us.canonicalize().ok()];
        folders.into_iter().flatten().map(|us| us.with_file_name(&file)).find(|path| path.is_file())
    }

    /// Executes this program in place of the running one, with the same arguments. It leaves out the first argument
    /// that is `word`, because that command is the program itself. Options for all commands may come before it.
    ///
    /// # Errors
    /// The program cannot be executed, or it has another version. On success this function does not return.
    pub fn execute(self, word: Option<&str>) -> Result<Infallible> {
        let path = self.path()?;
        self.refuse_other_version(&path)?;
        let mut command = Command::new(&path);
        let why = as_before(command.args(without(std::env::args_os().skip(1), word))).exec();
        Err(Error::file("execute", &path, &why).exit(Exit::User))
    }

    /// One program of an installation may be replaced without the others. What it measures would pass for what this
    /// version does.
    fn refuse_other_version(self, path: &Path) -> Result<()> {
        let asked = agon_sandbox::answer_of(Command::new(path).arg("--version"));
        let asked = asked.map_err(|why| Error::file("execute", path, &why))?;
        let (said, us) = (String::from_utf8_lossy(&asked.stdout), env!("CARGO_PKG_VERSION"));
        if said.trim_end() == format!("{} {us}", self.name()) {
            return Ok(());
        }
        let said = cut(&clean(said.trim_end()), 60);
        let what =
            format!("`{}` is not of this version, {us}: it calls itself `{said}`", clean(&path.display().to_string()));
        Err(Error::user(what).hint(INSTALL))
    }
}

fn without(arguments: impl Iterator<Item = OsString>, word: Option<&str>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    if let Some(at) = word.and_then(|word| arguments.iter().position(|argument| argument == word)) {
        arguments.remove(at);
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_command_itself_is_left_out() {
        let left = |arguments: &[&str], word| without(arguments.iter().map(OsString::from), word);
        assert_eq!(left(&["-q", "bench", "sim", "bench"], Some("bench")), ["-q", "sim", "bench"]);
        assert_eq!(left(&["--color", "never", "doctor"], None), ["--color", "never", "doctor"]);
    }

    #[test]
    fn a_program_is_found_beside_another_and_beside_the_target_of_a_link() {
        let folder = std::env::temp_dir().join(format!("agon-programs-{}", std::process::id()));
        let (installed, linked) = (folder.join("installed"), folder.join("linked"));
        std::fs::create_dir_all(&installed).unwrap();
        std::fs::create_dir_all(&linked).unwrap();
        let installed = installed.canonicalize().unwrap();
        std::fs::write(installed.join("agon"), "").unwrap();
        std::os::unix::fs::symlink(installed.join("agon"), linked.join("agon")).unwrap();
        assert_eq!(Program::Bench.beside(&linked.join("agon")), None);
        std::fs::write(installed.join("agon-bench"), "").unwrap();
        assert_eq!(Program::Bench.beside(&installed.join("agon")), Some(installed.join("agon-bench")));
        assert_eq!(Program::Bench.beside(&linked.join("agon")), Some(installed.join("agon-bench")));
        std::fs::remove_dir_all(folder).unwrap();
    }
}

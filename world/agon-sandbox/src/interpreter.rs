//! Interpreters that are not part of the system. They are installed in a user's home, often behind a script of a
//! version manager that selects one of them.

use crate::{
    Shortage, VisibilityError, VisibleFiles, answer_of,
    privacy::{homes, is_shared},
};
use agon_languages::{Interpreter, interpreter, is_shell};
use std::{
    ffi::OsStr,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    process::Command,
};

/// An installed interpreter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    /// The file of the interpreter. It is not a script.
    pub program: PathBuf,
    /// The folders and files that belong to the interpreter.
    installations: Vec<PathBuf>,
}

/// The interpreter that a program is by its name. Those of the system, such as shells, are of no interest.
fn known(program: &Path) -> Option<&'static Interpreter> {
    let name = program.file_name()?.to_str()?;
    interpreter(name).filter(|_| !is_shell(name))
}

/// Whether the name of a program is that of an interpreter.
pub(crate) fn is_known(program: &Path) -> bool {
    known(program).is_some()
}

/// Finds a program in the search path. Relative folders of the path are skipped, because a bot may be in them.
pub(crate) fn search(name: &OsStr) -> Option<PathBuf> {
    folders().into_iter().map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Whether a program is in the search path. The user runs such a program by its name, so it may be run to find out
/// where it is installed. A program of a bot may not.
pub(crate) fn is_of_user(program: &Path) -> bool {
    program.parent().is_some_and(|parent| folders().iter().any(|folder| folder == parent))
}

fn folders() -> Vec<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).filter(|folder| folder.is_absolute()).collect()
}

/// Finds the installation of an interpreter that is named by its path, without running it: the folder around it, and
/// the folder around the interpreter that it links to.
pub(crate) fn placed(program: &Path) -> Found {
    let real = program.canonicalize().ok().filter(|real| is_known(real));
    let installations = [Some(program), real.as_deref()].into_iter().flatten().map(around).collect();
    Found { program: program.to_owned(), installations }
}

/// The words of the first line of a script, without its `#!`. `None` if the file is not a script.
pub(crate) fn first_line(file: &Path) -> Option<Vec<String>> {
    let mut head = [0; 256];
    // Reading something else, such as a named pipe, may block for ever.
    file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let length = File::open(file).ok()?.read(&mut head).ok()?;
    let line = head[..length].strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    Some(String::from_utf8_lossy(line).split_whitespace().map(str::to_owned).collect())
}

/// Finds the real file of an interpreter and its installation. If `program` is a script, or Python, it is run outside
/// of the sandbox for that. So it must be the user's own.
///
/// # Errors
/// The program is a script and does not report which interpreter it stands for.
pub(crate) fn find(program: &Path) -> Result<Found, VisibilityError> {
    let real = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    let is_script = first_line(&real).is_some();
    let asked = known(program).filter(|it| is_script || it.is_called("python"));
    let told = asked.map(|it| ask(it, program));
    let told = told.unwrap_or_default();
    let executable = told.first().filter(|path| path.is_file()).cloned();
    let home_of_java = told.first().map(|home| home.join("bin/java")).filter(|path| path.is_file());
    let executable = match executable.or(home_of_java) {
        Some(executable) => executable,
        None if is_script => {
            let shown = program.display();
            return Err(VisibilityError {
                what: format!("`{shown}` is a script, and it does not report which interpreter it starts"),
                hint: "name the interpreter itself in the command, by its path".into(),
            });
        }
        None => program.to_owned(),
    };
    let real = executable.canonicalize().unwrap_or_else(|_| executable.clone());
    let mut installations: Vec<PathBuf> = [&executable, &real].into_iter().map(|file| around(file)).collect();
    installations.extend(told.into_iter().skip(1).filter(|path| path.is_dir() && !is_too_much(path)));
    installations.sort();
    installations.dedup();
    Ok(Found { program: executable, installations })
}

/// The installation around a file such as `…/bin/python3`, or the file alone if that folder would show too much.
fn around(file: &Path) -> PathBuf {
    let top = file.parent().filter(|folder| folder.ends_with("bin")).and_then(Path::parent);
    top.filter(|top| !is_too_much(top)).unwrap_or(file).to_owned()
}

/// Whether a folder holds much more than an installation: homes, folders that contain homes, shared folders, and
/// hidden folders in a home such as `~/.local`.
fn is_too_much(folder: &Path) -> bool {
    let hidden = folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    folder.components().count() <= 2
        || is_shared(folder)
        || homes().iter().any(|home| home.starts_with(folder) || (hidden && folder.parent() == Some(home)))
}

/// Runs an interpreter and returns the paths that it prints. Empty if it prints none or does not end.
///
/// It runs outside of the sandbox with all rights of the user, and may be a shim that chooses a program by its working directory.
/// So it runs where no bot has files: a `.python-version` or `.tool-versions` there could name a program of the bot.
fn ask(interpreter: &Interpreter, program: &Path) -> Vec<PathBuf> {
    if interpreter.asks.is_empty() {
        return Vec::new();
    }
    let asked = answer_of(Command::new(program).args(interpreter.asks).current_dir("/"));
    let Ok(answer) = asked.map_err(Shortage::noted) else { return Vec::new() };
    let text = [answer.stdout, b"\n".to_vec(), answer.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    text.lines().filter_map(|line| line.trim().strip_prefix(interpreter.mark)).map(PathBuf::from).collect()
}

impl Found {
    /// Adds the interpreter and its installation to the files that are shown.
    pub(crate) fn show(&self, files: &mut VisibleFiles) {
        files.read.extend(self.installations.iter().cloned());
        files.read.push(self.program.clone());
        files.search.extend(self.program.parent().map(Path::to_owned));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart() {
        for name in ["python3", "python3.12", "/x/bin/node", "java", "pypy3"] {
            assert!(is_known(Path::new(name)), "{name}");
        }
        for name in ["pythonista", "./bot", "javac", "bash"] {
            assert!(!is_known(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn an_installation_is_no_home() {
        assert_eq!(around(Path::new("/data/python/3.11/bin/python3")), Path::new("/data/python/3.11"));
        assert_eq!(around(Path::new("/data/bin/python3")), Path::new("/data/bin/python3"));
        let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_else(|| "/root".into()));
        for much in ["bin/python3", ".local/bin/python3"] {
            assert_eq!(around(&home.join(much)), home.join(much));
        }
    }

    #[test]
    fn a_script_of_a_version_manager_is_seen_through() {
        let Some(python) = search(OsStr::new("python3")) else {
            assert!(std::env::var_os("CI").is_none(), "there is no `python3`, which this test needs");
            return eprintln!("SKIPPED: there is no `python3`, which this test needs");
        };
        let found = find(&python).expect("it says where it is");
        assert!(first_line(&found.program).is_none(), "{found:?}");
        assert!(found.program.is_file() && !found.installations.is_empty(), "{found:?}");
    }
}

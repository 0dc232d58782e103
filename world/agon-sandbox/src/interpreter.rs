//! Interpreters that are not part of the system: installed in somebody's home, often behind a script of a version
//! manager that decides which one is meant.

use crate::{
    VisibilityError, VisibleFiles,
    privacy::{homes, is_shared},
};
use std::{
    ffi::OsStr,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// An interpreter as it is installed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    /// Its file, which is no script.
    pub program: PathBuf,
    /// What belongs to it.
    installations: Vec<PathBuf>,
}

/// How an interpreter is asked where it is.
struct Kind {
    /// What its name begins with; digits and dots may follow.
    name: &'static str,
    arguments: &'static [&'static str],
    /// What stands before each path in what it says; every other line is of no interest.
    mark: &'static str,
}

const KINDS: &[Kind] = &[
    kind("python", &["-I", "-S", "-c", PYTHON], "agon:"),
    kind("pypy", &["-I", "-S", "-c", PYTHON], "agon:"),
    kind("node", &["-p", "'agon:' + process.execPath"], "agon:"),
    kind("ruby", &["-e", "puts 'agon:' + RbConfig.ruby"], "agon:"),
    kind("perl", &["-e", "print \"agon:$^X\\n\""], "agon:"),
    kind("java", &["-XshowSettings:properties", "-version"], "java.home = "),
    kind("php", &["-n", "-r", "echo 'agon:' . PHP_BINARY . \"\\n\";"], "agon:"),
    kind("lua", &[], ""),
    kind("luajit", &[], ""),
    kind("mono", &[], ""),
    kind("dotnet", &[], ""),
    kind("deno", &[], ""),
    kind("bun", &[], ""),
    kind("guile", &[], ""),
    kind("racket", &[], ""),
    kind("ocaml", &[], ""),
    kind("ocamlrun", &[], ""),
    kind("erl", &[], ""),
    kind("elixir", &[], ""),
    kind("julia", &[], ""),
    kind("Rscript", &[], ""),
];

/// The program, and where it looks for what belongs to it.
const PYTHON: &str = "import sys\nfor p in (sys.executable, sys.prefix, sys.base_prefix): print('agon:' + p)";

const fn kind(name: &'static str, arguments: &'static [&'static str], mark: &'static str) -> Kind {
    Kind { name, arguments, mark }
}

fn kind_of(program: &Path) -> Option<&'static Kind> {
    let name = program.file_name()?.to_str()?;
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    KINDS.iter().find(|kind| kind.name == plain)
}

/// Whether the name of a program is that of an interpreter.
pub(crate) fn is_known(program: &Path) -> bool {
    kind_of(program).is_some()
}

/// A program of the search path. Folders of it that depend on where we are do not count: there may be a bot.
pub(crate) fn search(name: &OsStr) -> Option<PathBuf> {
    folders().into_iter().map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Whether a program is one of the search path: this user runs it by its name, so that it may be run to be asked where
/// it is. Whatever a bot brings along is not.
pub(crate) fn is_of_user(program: &Path) -> bool {
    program.parent().is_some_and(|parent| folders().iter().any(|folder| folder == parent))
}

fn folders() -> Vec<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).filter(|folder| folder.is_absolute()).collect()
}

/// An interpreter that is named by its path, as far as that can be told without running it: what is around it, and what
/// is around the one that it is a link to.
pub(crate) fn placed(program: &Path) -> Found {
    let real = program.canonicalize().ok().filter(|real| is_known(real));
    let installations = [Some(program), real.as_deref()].into_iter().flatten().map(around).collect();
    Found { program: program.to_owned(), installations }
}

/// The words of the first line of a script, without its `#!`; `None` if it is no script.
pub(crate) fn first_line(file: &Path) -> Option<Vec<String>> {
    let mut head = [0; 256];
    // Anything else, as a pipe that has a name, may block for ever.
    file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let length = File::open(file).ok()?.read(&mut head).ok()?;
    let line = head[..length].strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    Some(String::from_utf8_lossy(line).split_whitespace().map(str::to_owned).collect())
}

/// Where an interpreter and what belongs to it really are. A script is run for that, outside: it is the user's own.
///
/// # Errors
/// If it is a script and does not say what it stands for.
pub(crate) fn find(program: &Path, dir: &Path) -> Result<Found, VisibilityError> {
    let real = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    let is_script = first_line(&real).is_some();
    let told = kind_of(program).filter(|kind| is_script || kind.name == "python").map(|kind| ask(kind, program, dir));
    let told = told.unwrap_or_default();
    let executable = told.first().filter(|path| path.is_file()).cloned();
    let home_of_java = told.first().map(|home| home.join("bin/java")).filter(|path| path.is_file());
    let executable = match executable.or(home_of_java) {
        Some(executable) => executable,
        None if is_script => {
            let shown = program.display();
            return Err(VisibilityError {
                what: format!("`{shown}` is a script that starts something else, which cannot be found out"),
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

/// The installation around `…/bin/python3`; the file alone where that would be too much.
fn around(file: &Path) -> PathBuf {
    let top = file.parent().filter(|folder| folder.ends_with("bin")).and_then(Path::parent);
    top.filter(|top| !is_too_much(top)).unwrap_or(file).to_owned()
}

/// Homes, what is around them, and folders like `~/.local` that hold much else.
fn is_too_much(folder: &Path) -> bool {
    let hidden = folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    folder.components().count() <= 2
        || is_shared(folder)
        || homes().iter().any(|home| home.starts_with(folder) || (hidden && folder.parent() == Some(home)))
}

/// What an interpreter says of where it is.
fn ask(kind: &Kind, program: &Path, dir: &Path) -> Vec<PathBuf> {
    if kind.arguments.is_empty() {
        return Vec::new();
    }
    let asked = Command::new(program).args(kind.arguments).current_dir(dir).stdin(Stdio::null()).output();
    let Ok(answer) = asked else { return Vec::new() };
    let text = [answer.stdout, b"\n".to_vec(), answer.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    text.lines().filter_map(|line| line.trim().strip_prefix(kind.mark)).map(PathBuf::from).collect()
}

impl Found {
    /// Adds it to what is seen.
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
        let found = find(&python, Path::new("/")).expect("it says where it is");
        assert!(first_line(&found.program).is_none(), "{found:?}");
        assert!(found.program.is_file() && !found.installations.is_empty(), "{found:?}");
    }
}

//! Compilers and interpreters: their locations, the packages that contain them, and the files that a program in a
//! sandbox must see to use them.

use crate::{Language, intake::VENV};
use agon_core::Flaw;
use agon_sandbox::{answer_of, is_system};
use std::{
    cell::RefCell,
    collections::HashMap,
    env, fs,
    io::Read,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, OnceLock},
};

/// A compiler or an interpreter on this machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tool {
    /// The absolute path of the program itself, never of a version manager's shim.
    pub program: PathBuf,
    /// The absolute paths of the parts of its installation that are outside the system.
    pub read: Vec<PathBuf>,
    /// The version that the program prints, as soon as it was asked.
    pub(crate) version: Arc<OnceLock<String>>,
}

impl Tool {
    /// Returns the tool at this path, with what it needs outside the system.
    #[must_use]
    pub fn at(program: PathBuf, read: Vec<PathBuf>) -> Self {
        Self { program, read, version: Arc::default() }
    }

    /// Returns a text that changes when another version is installed: the path, size and time of change of the program,
    /// and the version that it prints.
    #[must_use]
    pub fn stamp(&self) -> String {
        let real = fs::canonicalize(&self.program).unwrap_or_else(|_| self.program.clone());
        let about = fs::metadata(&real).map(|m| (m.size(), m.mtime(), m.mtime_nsec())).unwrap_or_default();
        format!("{} {about:?} {}", real.display(), self.version.get_or_init(|| self.ask_version()))
    }

    /// Returns the version that the program prints. Asks only known compilers and interpreters: an `agon.toml` can name any
    /// program of the user, and `--version` may mean something else to it.
    fn ask_version(&self) -> String {
        let name = self.program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let argument = agon_languages::tool(name).map_or("", |tool| tool.version);
        if argument.is_empty() { String::new() } else { answer(&self.program, &[argument]).unwrap_or_default() }
    }
}

/// The tools of this machine.
#[derive(Debug)]
pub struct Tools {
    folders: Vec<PathBuf>,
    home: Option<PathBuf>,
    known: RefCell<HashMap<String, Option<Tool>>>,
}

impl Tools {
    /// Returns the tools in `PATH`.
    #[must_use]
    pub fn here() -> Self {
        let path = env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        Self::in_folders(env::split_paths(&path).filter(|folder| folder.is_absolute()).collect())
    }

    /// Returns the tools in these folders.
    #[must_use]
    pub fn in_folders(folders: Vec<PathBuf>) -> Self {
        let home = env::var_os("HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        Self { folders, home, known: RefCell::default() }
    }

    /// Finds the tool of this name. `None` if it is not installed.
    ///
    /// # Errors
    /// If the tool is installed, but its installation folder cannot be determined.
    pub fn find(&self, name: &str) -> Result<Option<Tool>, Flaw> {
        if let Some(known) = self.known.borrow().get(name) {
            return Ok(known.clone());
        }
        let path = self.folders.iter().map(|folder| folder.join(name)).find(|path| is_executable(path));
        let found = path.map(|path| self.real(name, path)).transpose()?;
        self.known.borrow_mut().insert(name.to_owned(), found.clone());
        Ok(found)
    }

    /// Finds the Python at an absolute path, which a bot may have written: one of the system, or the one that the user has
    /// under that name. `None` for any other, and for that of a virtual environment, whose packages the real one does not have.
    pub(crate) fn python_at(&self, path: &str) -> Option<Tool> {
        let path = Path::new(path);
        let name = path.file_name()?.to_str().filter(|name| is_python(name) && path.is_absolute())?;
        let real = fs::canonicalize(path).ok().filter(|real| is_executable(real))?;
        if path.parent().and_then(Path::parent).is_some_and(|top| top.join(VENV).exists()) {
            return None;
        }
        if is_system(path) && is_system(&real) {
            return Some(Tool::at(path.to_owned(), Vec::new()));
        }
        let own = self.find(name).ok()??;
        fs::canonicalize(&own.program).is_ok_and(|own| own == real).then_some(own)
    }

    /// Finds the tool of this name for a bot in `language`.
    ///
    /// # Errors
    /// If the tool is not installed, in which case the hint names its package; or if [`Tools::find`] fails.
    pub fn need(&self, name: &str, language: Language) -> Result<Tool, Flaw> {
        self.find(name)?.ok_or_else(|| missing(&[name], language))
    }

    /// Finds the real program behind a path of the search path, and the parts of its installation outside the system.
    fn real(&self, name: &str, path: PathBuf) -> Result<Tool, Flaw> {
        let whole = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        if is_system(&path) && is_system(&whole) {
            let beside = agon_languages::tool(name).map_or(&[][..], |tool| tool.beside);
            let read = beside.iter().map(PathBuf::from).filter(|path| path.exists()).collect();
            return Ok(Tool::at(path, read));
        }
        let ask = |arguments: &[&str]| answer(&path, arguments);
        let (program, installed) = match name {
            // Ask each interpreter for its location. The shim of a version manager is a script, and the version that it
            // starts depends on the working directory and the environment.
            name if is_python(name) => {
                let python = agon_languages::interpreter(name);
                let said = ask(python.map_or(&[][..], |it| it.asks))?;
                let mark = python.map_or("", |it| it.mark);
                let mut lines = said.lines().filter_map(|line| line.strip_prefix(mark)).map(PathBuf::from);
                (lines.next(), lines.collect())
            }
            "node" => {
                let program = PathBuf::from(ask(&["-p", "process.execPath"])?.trim());
                (Some(program.clone()), prefix(&program).into_iter().collect())
            }
            "cargo" | "rustc" | "rustdoc" => {
                let rustc = path.with_file_name("rustc");
                let root = PathBuf::from(answer(&rustc, &["--print", "sysroot"])?.trim());
                (Some(root.join("bin").join(name)), vec![root])
            }
            "java" | "javac" | "jar" => {
                let said = answer(&path.with_file_name("java"), &["-XshowSettings:properties", "-version"])?;
                let home = said.lines().find_map(|line| line.trim().strip_prefix("java.home = ")).map(PathBuf::from);
                (home.as_ref().map(|home| home.join("bin").join(name)), home.into_iter().collect::<Vec<_>>())
            }
            "go" => {
                let root = PathBuf::from(ask(&["env", "GOROOT"])?.trim());
                (Some(root.join("bin/go")), vec![root])
            }
            _ if is_script(&whole) => (None, Vec::new()),
            _ => (Some(whole.clone()), prefix(&whole).into_iter().collect()),
        };
        let read: Vec<PathBuf> = installed.into_iter().filter(|path| !is_system(path)).collect();
        match program.filter(|program| is_executable(program)) {
            Some(program) if read.iter().all(|path| path.is_absolute() && !self.is_too_much(path)) => {
                Ok(Tool::at(program, without_twins(read)))
            }
            _ => Err(Flaw::new(format!("cannot find out what is behind `{}`", path.display()))
                .hint(format!("put the folder of the real `{name}` first in PATH, or install it as a package"))),
        }
    }

    /// Returns whether a folder contains more than a tool: it is the root, or contains the home folder. A bot must not
    /// see such a folder.
    fn is_too_much(&self, path: &Path) -> bool {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let home = self.home.as_ref().map(|home| fs::canonicalize(home).unwrap_or_else(|_| home.clone()));
        path.parent().is_none() || home.is_some_and(|home| home.starts_with(&path))
    }
}

/// Returns the error for a bot that needs one of these programs, none of which is installed.
pub(crate) fn missing(names: &[&str], language: Language) -> Flaw {
    let package = |name: &&str| format!("`{}`", agon_languages::tool(name).map_or(*name, |tool| tool.package));
    let listed = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ");
    let packages = names.iter().map(package).collect::<Vec<_>>().join(" or ");
    Flaw::new(format!("a bot in {} needs {listed}, which is not installed", language.title()))
        .hint(format!("install the package {packages} (the name in Debian and Ubuntu), and see that it is in PATH"))
}

/// Returns whether this is the name of Python 3, perhaps with the rest of its version.
#[must_use]
pub fn is_python(name: &str) -> bool {
    name.strip_prefix("python").is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

fn is_script(path: &Path) -> bool {
    let mut head = [0; 2];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *b"#!"
}

/// Returns the folder that contains `bin/PROGRAM`. For a program outside a `bin` folder, returns the program itself.
fn prefix(program: &Path) -> Option<PathBuf> {
    let folder = program.parent()?;
    Some(if folder.ends_with("bin") { folder.parent()?.to_owned() } else { program.to_owned() })
}

/// Runs a tool to ask it about itself, and returns its output.
///
/// The tool belongs to the user and runs with all rights of the user. It runs in `/`, where no bot has files: shims of
/// version managers read their working directory, and a `rust-toolchain.toml` or `.python-version` file there can make
/// them start another program.
pub(crate) fn answer(program: &Path, arguments: &[&str]) -> Result<String, Flaw> {
    let failed = |why: String| {
        Flaw::new(format!("`{} {}` fails: {why}", program.display(), arguments.join(" ")))
            .hint("repair it, or put another one first in PATH")
    };
    let asked = answer_of(Command::new(program).args(arguments).current_dir("/"));
    let output = asked.map_err(|e| failed(e.to_string()))?;
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    // Java prints its settings to stderr.
    Ok(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// Removes every path that is inside another one of the list.
fn without_twins(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort();
    paths.dedup_by(|later, first| later.starts_with(&*first));
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tool_names_its_package() {
        let tools = Tools::in_folders(Vec::new());
        let flaw = tools.need("ghc", Language::Haskell).expect_err("there are no folders");
        assert_eq!(flaw.what, "a bot in Haskell needs `ghc`, which is not installed");
        assert!(flaw.hint.is_some_and(|hint| hint.contains("package `ghc`")));
        assert!(
            missing(&["mcs", "dotnet"], Language::CSharp).hint.is_some_and(|h| h.contains("`mono-mcs` or `dotnet-sdk"))
        );
    }

    #[test]
    fn a_system_tool_needs_nothing_beside_the_system() {
        let tools = Tools::in_folders(vec!["/usr/bin".into(), "/bin".into()]);
        let shell = tools.find("sh").expect("it is plain").expect("it is here");
        assert!(shell.program.is_absolute() && shell.read.is_empty(), "{shell:?}");
        assert!(shell.stamp().contains('/') && shell.stamp() == shell.stamp());
        assert_eq!(tools.find("no-such-program"), Ok(None));
    }

    #[test]
    fn shown_folders_are_never_a_home_or_more() {
        let tools = Tools { home: Some("/usr".into()), ..Tools::in_folders(Vec::new()) };
        for (path, too_much) in [("/", true), ("/usr", true), ("/usr/bin", false), ("/proc", false)] {
            assert_eq!(tools.is_too_much(Path::new(path)), too_much, "{path}");
        }
        let paths = ["/a/b", "/a", "/ab", "/a/c/d"].map(PathBuf::from).to_vec();
        assert_eq!(without_twins(paths), ["/a", "/ab"].map(PathBuf::from));
        assert_eq!(prefix(Path::new("/x/v1/bin/node")), Some("/x/v1".into()));
        assert_eq!(prefix(Path::new("/x/ghc-9")), Some("/x/ghc-9".into()));
    }
}

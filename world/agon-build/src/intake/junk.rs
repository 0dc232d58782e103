//! Files that do not belong to a bot although they are in its folder: version histories, caches and the output of
//! tools.

/// The names of files and folders that are skipped in every folder.
const EVERYWHERE: &[&str] = &[
    // Version control.
    ".git",
    ".hg",
    ".svn",
    ".bzr",
    ".jj",
    "_darcs",
    "CVS",
    // Caches and environments of tools.
    "__pycache__",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".cache",
    ".gradle",
    // Editors and desktops.
    ".idea",
    ".vscode",
    ".vs",
    ".DS_Store",
    "__MACOSX",
    "Thumbs.db",
    "desktop.ini",
];

/// Folders that a tool creates for its output, each with the tool's own file beside it.
const BESIDE: &[(&str, &str)] = &[("target", "Cargo.toml"), ("_build", "dune-project")];

/// What tools install into a virtual environment for themselves, by the beginnings of the names.
const OF_TOOLS: &[&str] = &["pip", "setuptools", "wheel", "pkg_resources", "_distutils_hack", "distutils-precedence"];

/// Returns whether a path inside a virtual environment of Python is skipped: everything but its packages. The
/// rest are links to places outside of the bot, and programs for another machine.
#[must_use]
pub fn is_of_environment(inside: &str) -> bool {
    let parts: Vec<&str> = inside.split('/').collect();
    // `lib64` is a link to `lib`.
    let is_packages = parts.first().is_none_or(|part| *part == "lib")
        && parts.get(1).is_none_or(|part| part.starts_with("python"))
        && parts.get(2).is_none_or(|part| *part == "site-packages")
        && parts.get(3).is_none_or(|package| !is_of_tools(package));
    !is_packages
}

fn is_of_tools(package: &str) -> bool {
    OF_TOOLS
        .iter()
        .any(|tool| package.strip_prefix(tool).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.'])))
}

/// The file that marks a virtual environment of Python.
pub const VENV: &str = "pyvenv.cfg";
/// The usual folder of a virtual environment.
pub const VENV_FOLDER: &str = ".venv";

/// Returns whether a file or folder of this name is skipped, wherever it is.
#[must_use]
pub fn is_junk(part: &str) -> bool {
    EVERYWHERE.contains(&part) || part.starts_with("._")
}

/// Returns whether a folder of this name is the output of a tool. `beside` tells which names are in the same folder.
#[must_use]
pub fn is_built(part: &str, beside: impl Fn(&str) -> bool) -> bool {
    BESIDE.iter().any(|(built, by)| *built == part && beside(by))
}

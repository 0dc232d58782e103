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
    ".venv",
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

/// Returns whether a file or folder of this name is skipped.
pub(super) fn is_junk(part: &str) -> bool {
    EVERYWHERE.contains(&part) || part.starts_with("._")
}

/// Returns whether a folder of this name is the output of a tool. `beside` tells which names are in the same folder.
pub(super) fn is_built(part: &str, beside: impl Fn(&str) -> bool) -> bool {
    BESIDE.iter().any(|(built, by)| *built == part && beside(by))
}

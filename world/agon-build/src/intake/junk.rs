//! What lies in the folders of bots and is no part of them: histories, caches and what tools leave behind.

/// Names of files and folders that are left out wherever they lie.
const EVERYWHERE: &[&str] = &[
    // Histories.
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

/// What a tool builds into a folder beside its own file, with that file.
const BESIDE: &[(&str, &str)] = &[("target", "Cargo.toml"), ("_build", "dune-project")];

/// Whether a file or folder of this name is left out.
pub(super) fn is_junk(part: &str) -> bool {
    EVERYWHERE.contains(&part) || part.starts_with("._")
}

/// Whether a folder of this name is left out where `beside` knows which names lie beside it.
pub(super) fn is_built(part: &str, beside: impl Fn(&str) -> bool) -> bool {
    BESIDE.iter().any(|(built, by)| *built == part && beside(by))
}

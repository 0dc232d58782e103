//! Where programs are looked for.

use std::{
    env,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// The folders in which programs are looked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchPath(Vec<PathBuf>);

impl SearchPath {
    /// Returns that of this process.
    pub(crate) fn of_process() -> Self {
        Self(env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect())
    }

    /// Returns the first program of this name.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        let is_program =
            |path: &Path| path.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0);
        self.0.iter().map(|folder| folder.join(name)).find(|path| is_program(path))
    }
}

#[cfg(test)]
impl From<Vec<PathBuf>> for SearchPath {
    fn from(folders: Vec<PathBuf>) -> Self {
        Self(folders)
    }
}

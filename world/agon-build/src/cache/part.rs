//! Incomplete folders of the cache.

use super::unwritable;
use agon_core::Flaw;
use agon_sandbox::TemporaryFolder;
use std::{
    fs::{self, Permissions},
    io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// An incomplete folder in the cache. It is removed on drop.
#[derive(Debug)]
pub struct Part(TemporaryFolder);

impl Part {
    /// Creates a folder in `folder`. Its name begins with `prefix`.
    pub(super) fn new(folder: &Path, prefix: &str, mode: u32) -> io::Result<Self> {
        TemporaryFolder::new(folder, prefix, mode).map(Self)
    }

    /// Returns the path of the folder.
    pub(super) fn root(&self) -> &Path {
        self.0.path()
    }

    /// Creates a folder inside, to which only this user has access.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn folder(&self, name: &str) -> Result<PathBuf, Flaw> {
        let path = self.path(name);
        let made = fs::create_dir(&path).and_then(|()| fs::set_permissions(&path, Permissions::from_mode(0o700)));
        made.map_err(|why| unwritable(&path, &why))?;
        Ok(path)
    }

    /// Returns the path of this name inside the folder.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }
}

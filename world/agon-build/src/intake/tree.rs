//! The imported files of a bot, and what is recorded about them.

use super::{environment::Environments, import::unwritable};
use agon_core::Flaw;
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

/// An imported file of a bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The size in bytes.
    pub size: u64,
    /// Whether the file is executable.
    pub executable: bool,
    /// The BLAKE3 hash of the bytes, for [`SourceTree::content`].
    pub hash: [u8; 32],
    /// The SHA-256 hash of the bytes, for the key in the cache.
    pub sha256: [u8; 32],
}

/// The imported files of a bot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceTree {
    root: PathBuf,
    files: BTreeMap<String, Entry>,
    /// What the folder or the archive is called.
    called: Vec<String>,
    environments: Environments,
}

impl SourceTree {
    pub(super) fn new(root: PathBuf, files: BTreeMap<String, Entry>, environments: Environments) -> Self {
        Self { root, files, called: Vec::new(), environments }
    }

    /// Makes the folder `top`, which has all files, the bot.
    pub(super) fn look_into(&mut self, top: &str) {
        self.root.push(top);
        self.called.push(top.to_owned());
        self.environments.look_into(top);
        let inside = |name: &String| name[top.len() + 1..].to_owned();
        self.files = self.files.iter().map(|(name, entry)| (inside(name), *entry)).collect();
    }

    /// Returns the names of the folder or the archive, without the endings of archives. An archive with a single folder
    /// has two.
    #[must_use]
    pub fn called(&self) -> &[String] {
        &self.called
    }

    /// Returns what was left out in place of virtual environments.
    pub(crate) fn environments(&self) -> &Environments {
        &self.environments
    }

    /// Returns the links that are further names of virtual environments, each with the folder of its environment. They are
    /// not among the [files](Self::files).
    pub fn environment_links(&self) -> impl Iterator<Item = (&str, &str)> {
        self.environments.links()
    }

    /// Adds a name of the folder or the archive.
    pub(super) fn add_name(&mut self, name: String) {
        self.called.push(name);
    }

    /// Returns the folder that contains the files.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns every file with its path relative to [`root`](Self::root), in the order of the paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.files.iter().map(|(name, entry)| (name.as_str(), entry))
    }

    /// Returns a BLAKE3 hash of the names and bytes of all files. It does not cover permissions, times or the location.
    #[must_use]
    pub fn content(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        for (name, entry) in self.files() {
            // The length comes first, so that different lists never give the same bytes.
            hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes()).update(&entry.hash);
        }
        *hasher.finalize().as_bytes()
    }

    /// Removes the files of whose names `is_wanted` returns false.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn retain(&mut self, is_wanted: impl Fn(&str) -> bool) -> Result<(), Flaw> {
        let unwanted: Vec<String> = self.files.keys().filter(|name| !is_wanted(name)).cloned().collect();
        for name in unwanted {
            let path = self.root.join(&name);
            fs::remove_file(&path).map_err(|why| unwritable(&path, why))?;
            self.files.remove(&name);
        }
        Ok(())
    }

    /// Moves the files into the folder `into`, which is empty or not there.
    ///
    /// # Errors
    /// If they cannot be moved, as to another disk.
    pub fn move_to(&mut self, into: &Path) -> Result<(), Flaw> {
        fs::rename(&self.root, into).map_err(|why| unwritable(into, why))?;
        into.clone_into(&mut self.root);
        Ok(())
    }

    /// Returns whether there is a file with this path.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    /// Returns the first bytes of a file, at most `most`. Empty if the file does not exist.
    #[must_use]
    pub fn head(&self, name: &str, most: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        if self.has(name)
            && let Ok(file) = File::open(self.root.join(name))
        {
            // We have just written the file. If it cannot be read, treat it as empty.
            let _ = file.take(most).read_to_end(&mut bytes);
        }
        bytes
    }
}

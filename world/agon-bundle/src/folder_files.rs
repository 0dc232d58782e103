//! The files of a bot in a folder: those that the intake takes. The intake of the other machine takes the same ones again,
//! because an empty file marks each virtual environment, of which the intake takes the packages alone.

use crate::{Listed, Listing, inside::Top};
use agon_build::{
    Cache, Part,
    intake::{Kind, Limits, SourceTree, Submission, VENV},
};
use agon_core::Flaw;
use std::path::{Path, PathBuf};

/// A copy of a bot's folder. It is removed on drop.
pub(crate) struct Copy {
    tree: SourceTree,
    _part: Part,
}

impl Copy {
    /// Takes in the bot's folder at this path in the folder of the tournament.
    ///
    /// # Errors
    /// If the intake refuses it.
    pub(crate) fn of(top: &Top, path: &str) -> Result<Self, Flaw> {
        let submission = Submission::open(&top.path.join(path), Kind::Folder)?;
        // The same place as for builds: what is too large for it cannot be built either. Whoever builds is warned of a cache that
        // cannot be used.
        let part = Cache::of_user()?.open(&mut |_| ())?.part()?;
        let tree = submission.take(&part.folder("source")?, Limits::default())?;
        Ok(Self { tree, _part: part })
    }

    /// Returns the folder with the files.
    pub(crate) fn root(&self) -> &Path {
        self.tree.root()
    }

    /// Lists the files, as those of the folder at this path in the folder of the tournament.
    ///
    /// # Errors
    /// If there are too many of them, or they would not be the same bot elsewhere.
    pub(crate) fn list(&self, top: &Top, path: &str) -> Result<Listing, Flaw> {
        if let Some((link, environment)) = self.tree.environment_links().next() {
            return Err(Flaw::new(format!("`{path}/{link}` is a link to `{environment}`, and links do not travel"))
                .hint(format!("rename `{environment}` to `{link}`, in place of the link")));
        }
        let mut listing = Listing::default();
        for (name, entry) in self.tree.files() {
            let from = Some(PathBuf::from(name));
            let listed = Listed { from, size: entry.size, executable: entry.executable };
            listing.add(&format!("{path}/{name}"), listed)?;
            if let Some(environment) = environment_of(name)
                && top.path.join(path).join(environment).join(VENV).is_file()
            {
                let mark = Listed { from: None, size: 0, executable: false };
                listing.add(&format!("{path}/{environment}/{VENV}"), mark)?;
            }
        }
        Ok(listing)
    }
}

/// Returns the folder that is a virtual environment if this file is one of its packages.
fn environment_of(name: &str) -> Option<&str> {
    let (front, _) = name.split_once("/site-packages/")?;
    let (folder, python) = front.rsplit_once("/lib/")?;
    python.starts_with("python").then_some(folder)
}

//! The files of a bot, ready to be written as a bundle.

use crate::{BundleError, BundleHash, BundleWriter, Listed, Listing, folder_files::Copy, inside::Top};
use agon_build::intake::open_below;
use std::{
    fs::File,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// What goes into the bundle of a bot, and the name that the bundle has. Keeps no file open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BundlePlan {
    /// The folder of the tournament.
    folder: PathBuf,
    /// The bot's folder, if the intake takes the files.
    taken: Option<String>,
    listing: Listing,
    hash: BundleHash,
}

impl BundlePlan {
    /// Plans a bundle of files in the folder of the tournament.
    pub(crate) fn of_files(top: &Top, listing: Listing) -> Result<Self, BundleError> {
        let hash = write(&listing, &top.folder, &mut io::sink())?;
        Ok(Self { folder: top.path.clone(), taken: None, listing, hash })
    }

    /// Plans a bundle of the files that the intake has taken from the folder at `path`.
    pub(crate) fn of_copy(top: &Top, path: &str, copy: &Copy, listing: Listing) -> Result<Self, BundleError> {
        let hash = write(&listing, &opened(copy.root())?, &mut io::sink())?;
        Ok(Self { folder: top.path.clone(), taken: Some(path.to_owned()), listing, hash })
    }

    /// Returns the hash of the bundle, which is its name.
    #[must_use]
    pub fn hash(&self) -> BundleHash {
        self.hash
    }

    /// Returns the size of the bundle in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.listing.size()
    }

    /// Returns the paths of the files in their order, each with its size in bytes. Empty for built-in bots.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&str, u64)> {
        self.listing.files.iter().map(|(path, file)| (path.as_str(), file.size))
    }

    /// Writes the bundle. Returns its hash, which is that of the plan.
    ///
    /// # Errors
    /// If a file has changed since the plan was made or cannot be read, or the stream cannot be written. What was written by then
    /// is no bundle.
    pub fn write(&self, stream: &mut dyn Write) -> Result<BundleHash, BundleError> {
        let hash = match &self.taken {
            None => write(&self.listing, &opened(&self.folder)?, stream)?,
            Some(path) => {
                let top = Top::open(&self.folder).map_err(|why| unreadable(&self.folder, why))?;
                let copy = Copy::of(&top, path).map_err(BundleError::Taken)?;
                write(&self.listing, &opened(copy.root())?, stream)?
            }
        };
        if hash == self.hash { Ok(hash) } else { Err(BundleError::Changed(self.changed())) }
    }

    /// Returns a name for what has changed.
    fn changed(&self) -> String {
        let first = self.listing.files.keys().next();
        self.taken.clone().or_else(|| first.cloned()).unwrap_or_else(|| self.folder.display().to_string())
    }
}

fn write(listing: &Listing, root: &File, stream: &mut dyn Write) -> Result<BundleHash, BundleError> {
    let mut writer = BundleWriter::new(stream);
    for (path, Listed { from, size, executable }) in &listing.files {
        let mut data: Box<dyn Read> = match from {
            Some(from) => Box::new(open_below(root, from).map_err(|why| unreadable(Path::new(path), why))?),
            None => Box::new(io::empty()),
        };
        writer.file(path, *executable, *size, &mut data)?;
    }
    Ok(writer.finish()?.0)
}

fn opened(folder: &Path) -> Result<File, BundleError> {
    File::open(folder).map_err(|why| unreadable(folder, why))
}

fn unreadable(path: &Path, source: io::Error) -> BundleError {
    BundleError::Source { path: path.to_owned(), source }
}
